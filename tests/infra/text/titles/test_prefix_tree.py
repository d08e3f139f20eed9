"""Patterns of many words with common beginnings."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import SHORT_VENUES, VENUES
from tests.tables import cases


@cases(
    ("text", "word"),
    [("NeurIPS-W 2023", "NeurIPS-W"), ("neurips 2023", "neurips"), ("S&P'22", "S&P"), ("usenix atc", "usenix atc")],
)
def test_the_longest_word_is_matched_in_any_case(text, word):
    match = re.match(prefix_tree(VENUES, any_case=True), text)
    assert match is not None
    assert match[0] == word


@pytest.mark.parametrize("any_case", [True, False])
@given(st.lists(st.text("ab.-É", min_size=1, max_size=4), min_size=1, unique=True), st.text("aAbB.-É", max_size=6))
def test_a_tree_matches_what_one_of_its_words_matches(any_case, words, text):
    words.sort(key=len, reverse=True)
    flags = re.IGNORECASE if any_case else re.NOFLAG
    one_by_one = re.match("|".join(map(re.escape, words)), text, flags)
    together = re.match(prefix_tree("|".join(words), any_case=any_case), text)
    assert (one_by_one and one_by_one[0]) == (together and together[0])


def test_venues_that_are_words_keep_their_case():
    assert re.fullmatch(prefix_tree(SHORT_VENUES, any_case=False), "Nature")
    assert not re.fullmatch(prefix_tree(SHORT_VENUES, any_case=False), "nature")
