"""What was formatted before is remembered up to a size, whatever the number of texts."""

from hypothesis import given
from hypothesis import strategies as st

from readtrack.markdown.cache import RenderCache


def test_the_cache_keeps_recently_used_texts_and_none_that_is_too_large():
    some = RenderCache(10)
    for name in "abc":
        some.keep(name, name.upper(), weight=3)
    assert some.find("a") == "A"
    some.keep("d", "D", weight=3)
    assert [some.find(name) for name in "abcd"] == ["A", None, "C", "D"]
    some.keep("e", "E", weight=11)
    assert some.find("e") is None


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 12))))
def test_the_cache_never_exceeds_its_size(kept):
    some, weights = RenderCache(20), {}
    for name, weight in kept:
        some.keep(name, f"{name}{weight}", weight=weight)
        weights[name] = weight
    there = {name: found for name in "abcdef" if (found := some.find(name)) is not None}
    assert sum(weights[name] for name in there) <= 20
    assert all(found == f"{name}{weights[name]}" for name, found in there.items())
