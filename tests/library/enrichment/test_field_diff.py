"""Which words of one wording another has not got."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.library.enrichment.provenance import diff_fragments


def marked(one, other):
    return "".join(f"[{piece.text}]" if piece.is_different else piece.text for piece in diff_fragments(one, other))


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("Attention is all you need", "Attention Is All You Need", "Attention Is All You Need"),
        ("Attention is all you need", "Attention is all we need", "Attention is all [we] need"),
        ("A study of model training", "A study of  model training today", "A study of  model training[ today]"),
        ("学習を止めずに保存する", "学習を止めて保存する", "学習を止め[て]保存する"),
        ("Sorting in $O(n)$ time", "Sorting in $O(n^2)$ time", "Sorting in [$O(n^2)$] time"),
        ("2024", "2025", "[2025]"),
        ("", "A title", "A title"),
        ("A title", "", ""),
        ("Deep learning systems", "Cooking in the winter months", "[Cooking in the winter months]"),
    ],
)
def test_differing_words_are_marked(one, other, shown):
    assert marked(one, other) == shown


def test_comparing_long_texts_without_common_words_is_fast():
    long = "word " * 2_000
    one, other = (" ".join(f"{word}{n}" for n in range(2_000)) for word in ("left", "right"))
    started = time.process_time()
    assert marked(long, f"{long}more") == f"{long}[more]"
    assert marked(one, other) == f"[{other}]"
    assert time.process_time() - started < 2


@given(st.text(), st.text())
def test_nothing_of_the_other_text_is_lost(one, other):
    assert "".join(piece.text for piece in diff_fragments(one, other)) == other


@given(st.text())
def test_identical_text_has_no_marks(text):
    assert not any(piece.is_different for piece in diff_fragments(text, text))
