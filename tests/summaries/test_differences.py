"""Where two texts differ: both can be read back whole."""

import time

from hypothesis import given
from hypothesis import strategies as st

from readtrack.summaries.differences import Change, differences

TEXT = st.lists(st.sampled_from(["a", "b", "", "c d"]), max_size=12).map("\n".join)


def test_equal_lines_are_told_apart_from_changed_ones():
    assert differences("a\nb\nc", "a\nB\nc") == [Change("a", "", ""), Change("", "b", "B"), Change("c", "", "")]


@given(one=TEXT, other=TEXT)
def test_each_text_can_be_put_together_again(one, other):
    changes = differences(one, other)
    lines = [(change.same, change.before, change.after) for change in changes]
    assert "".join(same + before for same, before, _ in lines).replace("\n", "") == one.replace("\n", "")
    assert "".join(same + after for same, _, after in lines).replace("\n", "") == other.replace("\n", "")


def test_long_texts_are_compared_as_a_whole_and_at_once():
    one, other = ("\n".join(f"{word} {n % 7}" for n in range(50_000)) for word in ("left", "right"))
    started = time.perf_counter()
    assert differences(one, other) == [Change("", one, other)]
    assert time.perf_counter() - started < 10
