"""Where two texts differ: little is marked when little changed, and both can be read back whole."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.diff import LEFT_OUT, ChangeAmount, DiffChange, collapse_unchanged, count_changes, diff_texts

TEXT = st.text(alphabet="ab \n.の保存é\u0301\U0001f600", max_size=60)


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("a\nb\nc", "a\nB\nc", [("b", "B")]),
        ("it saves often", "it saves rarely", [("often", "rarely")]),
        ("チェックポイントを頻繁に保存する。", "チェックポイントを毎分保存する。", [("頻繁に", "毎分")]),
        ("训练很快", "训练非常快", [("很", "非常")]),
        ("the cat sat there", "a dog ran there", [("the cat sat", "a dog ran")]),
        ("one", "one\ntwo", [("", "\ntwo")]),
        ("caf\u0065\u0301 au lait", "cafe au lait", [("cafe\u0301", "cafe")]),
        ("が", "か", [("が", "か")]),
    ],
)
def test_only_changed_words_are_marked(before, after, marked):
    changes = diff_texts(before, after)
    assert [(change.before, change.after) for change in changes if not change.same] == marked


@given(one=TEXT, other=TEXT)
def test_each_text_can_be_reconstructed(one, other):
    changes = diff_texts(one, other)
    assert "".join(change.same + change.before for change in changes) == one
    assert "".join(change.same + change.after for change in changes) == other
    assert all(bool(change.same) != bool(change.before or change.after) for change in changes)
    assert count_changes(diff_texts(one, one)) == (0, 0)


@given(one=TEXT, other=TEXT)
def test_changes_are_never_left_out(one, other):
    changes = diff_texts(one * 9, other * 9)
    shown = collapse_unchanged(changes)
    assert [change for change in shown if not change.same and change != LEFT_OUT] == [
        change for change in changes if not change.same
    ]
    assert count_changes(shown) == count_changes(changes)


def test_a_long_text_is_shown_with_context_around_the_changes():
    text = "many words " * 500
    shown = collapse_unchanged(diff_texts(f"{text}old {text}", f"{text}new {text}"))
    assert [bool(change.same) for change in shown] == [False, True, False, True, False]
    assert shown[0] == shown[-1] == LEFT_OUT
    assert shown[2] == DiffChange("", "old", "new")
    assert sum(len(change.same) for change in shown) < 200
    assert count_changes(shown) == ChangeAmount(3, 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\n".join(f"left {n % 7}" for n in range(14_000)), "\n".join(f"right {n % 7}" for n in range(14_000))),
        ("a b " * 25_000, "b c a " * 16_000),
        ("保存" * 16_000, "存再保" * 11_000),
        ("a" * 100_000, "a\n" * 50_000),
    ],
)
def test_comparing_long_texts_terminates(one, other):
    changes = diff_texts(one, other)
    assert "".join(change.same + change.before for change in changes) == one


def test_comparing_entirely_different_paragraphs_is_fast():
    one, other = ("\n\n".join(f"{word} {n}" for n in range(2000)) for word in ("left", "right"))
    started = time.process_time()
    changes = diff_texts(one, other)
    assert time.process_time() - started < 2
    assert DiffChange("", "left", "right") in changes
    assert count_changes(changes) == ChangeAmount(2000 * len("right"), 2000 * len("left"))
