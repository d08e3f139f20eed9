"""Highlighting of matches in the original text, although matching uses folded text."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from readtrack.search.ast import Query, iter_texts
from readtrack.search.han_variants import needles
from readtrack.search.scopes import resolve_scopes
from readtrack.search.tokens import Needle, TokenRun, fold, parts, runs

_KEPT = 100  # Cached queries; a page highlights the same query in every row.
_VOICED_HALF_WIDTH = "\uff9e\uff9f"


def highlight(text: str, query: Query, *, variants: bool = False, field: str = "") -> list[tuple[str, bool]]:
    """Split a text into segments, with True for matches; joined, they equal the text.

    `variants`: variants of Han characters match too. `field`: the field of the text, so that terms for other fields are
    not highlighted; "" for any.
    """
    wanted = _query_needles(query, variants, field)
    if not text or not wanted:
        return [(text, False)] if text else []
    folded, origins = (text, [(at, at + 1) for at in range(len(text))]) if text.isascii() else _folded(text)
    marked = [False] * len(text)
    for start, end in _spans(folded, wanted):
        first, last = origins[start][0], origins[end - 1][1]
        marked[first:last] = [True] * (last - first)
    return list(_split_marked(text, marked))


@lru_cache(_KEPT)
def _query_needles(query: Query, variants: bool, field: str) -> list[Needle]:  # noqa: FBT001 - lru_cache needs a positional argument
    words = iter_texts(resolve_scopes(query.condition))
    here = (word for word in words if not (field and word.fields) or field in word.fields)
    return [found for word in here for found in needles(word, variants=variants)]


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text and, for each of its characters, the original range."""
    folded: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = fold(text[start:end])
        folded.append(piece)
        origins += [(start, end)] * len(piece)
    return "".join(folded), origins


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield ranges that folding does not combine: a character and its combining marks."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _is_combining(text[at]):
            yield start, at
            start = at


def _is_combining(character: str) -> bool:
    is_later_jamo = "\u1160" <= character <= "\u11ff"
    return is_later_jamo or character in _VOICED_HALF_WIDTH or unicodedata.combining(character) > 0


def _spans(folded: str, sought: list[Needle]) -> Iterator[tuple[int, int]]:
    found = list(runs(folded))
    for sequence in (_token_positions(found), _token_positions([part for run in found for part in parts(run)])):
        for wanted in sought:
            yield from _find_matches(sequence, wanted)


def _token_positions(found: list[TokenRun]) -> list[tuple[str, int, int]]:
    """Return each token with start and end."""
    return [
        (token, run.start + at, run.start + (at + len(token) if run.cjk else len(run.text)))
        for run in found
        for at, token in enumerate(run.tokens())
    ]


def _find_matches(placed: list[tuple[str, int, int]], wanted: Needle) -> Iterator[tuple[int, int]]:
    *before, last = wanted.tokens
    for at in range(len(placed) - len(before)):
        token, start, end = placed[at + len(before)]
        fits = token.startswith(last) if wanted.prefix else token == last
        if fits and all(placed[at + n][0] == word for n, word in enumerate(before)):
            yield placed[at][1], min(end, start + len(last)) if wanted.prefix else end


def _split_marked(text: str, marked: list[bool]) -> Iterator[tuple[str, bool]]:
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or marked[at] != marked[start]:
            yield text[start:at], marked[start]
            start = at
