"""Highlighting of matches in the original text, although matching uses folded text."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from readtrack.search.ast import Query, iter_texts
from readtrack.search.han_variants import needles
from readtrack.search.scopes import resolve_scopes
from readtrack.search.tokens import Needle, TokenRun, fold, parts, runs, stem_token

_CACHE_SIZE = 100  # Cached queries; a page highlights the same query in every row.
_VOICED_HALF_WIDTH = "\uff9e\uff9f"


def highlight(text: str, query: Query, *, variants: bool = False, field: str = "") -> list[tuple[str, bool]]:
    """Split a text into segments, with True for matches; joined, they equal the text.

    `variants`: variants of Han characters match too. `field`: the field of the text, so that terms for other fields are
    not highlighted; "" for any.
    """
    query_needles = _query_needles(query, variants, field)
    if not text or not query_needles:
        return [(text, False)] if text else []
    folded, source_ranges = (
        (text, [(index, index + 1) for index in range(len(text))]) if text.isascii() else _folded(text)
    )
    is_marked = [False] * len(text)
    for start, end in _spans(folded, query_needles):
        marked_start, marked_end = source_ranges[start][0], source_ranges[end - 1][1]
        is_marked[marked_start:marked_end] = [True] * (marked_end - marked_start)
    return list(_split_marked(text, is_marked))


@lru_cache(_CACHE_SIZE)
def _query_needles(query: Query, variants: bool, field: str) -> list[Needle]:  # noqa: FBT001 - lru_cache needs a positional argument
    words = iter_texts(resolve_scopes(query.condition))
    field_words = (word for word in words if not (field and word.fields) or field in word.fields)
    return [result for word in field_words for result in needles(word, variants=variants)]


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text and, for each of its characters, the original range."""
    folded: list[str] = []
    source_ranges: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        folded_text = fold(text[start:end])
        folded.append(folded_text)
        source_ranges += [(start, end)] * len(folded_text)
    return "".join(folded), source_ranges


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield ranges that folding does not combine: a character and its combining marks."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not _is_combining(text[index]):
            yield start, index
            start = index


def _is_combining(character: str) -> bool:
    is_trailing_jamo = "\u1160" <= character <= "\u11ff"
    return is_trailing_jamo or character in _VOICED_HALF_WIDTH or unicodedata.combining(character) > 0


def _spans(folded: str, needles: list[Needle]) -> Iterator[tuple[int, int]]:
    token_runs = list(runs(folded))
    words = _token_positions(token_runs)
    part_words = _token_positions([part for run in token_runs for part in parts(run)])
    stems = [(stem_token(word), start, end) for word, start, end in (*words, *part_words)]
    for sequence in (words, part_words, stems):
        for needle in needles:
            yield from _find_matches(sequence, needle)


def _token_positions(token_runs: list[TokenRun]) -> list[tuple[str, int, int]]:
    """Return each token with start and end."""
    return [
        (token, run.start + offset, run.start + (offset + len(token) if run.cjk else len(run.text)))
        for run in token_runs
        for offset, token in enumerate(run.tokens())
    ]


def _find_matches(positions: list[tuple[str, int, int]], needle: Needle) -> Iterator[tuple[int, int]]:
    *leading, last_token = needle.tokens
    for index in range(len(positions) - len(leading)):
        token, start, end = positions[index + len(leading)]
        is_last_match = token.startswith(last_token) if needle.prefix else token == last_token
        if is_last_match and all(positions[index + offset][0] == word for offset, word in enumerate(leading)):
            yield positions[index][1], min(end, start + len(last_token)) if needle.prefix else end


def _split_marked(text: str, is_marked: list[bool]) -> Iterator[tuple[str, bool]]:
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or is_marked[index] != is_marked[start]:
            yield text[start:index], is_marked[start]
            start = index
