"""Marks in a text what a search found. On the text as it was written, whatever folding did to find it. Pure."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from readtrack.search.ast import Query, iter_texts
from readtrack.search.han_variants import needles
from readtrack.search.scopes import resolve_scopes
from readtrack.search.tokens import Needle, TokenRun, fold, parts, runs

_KEPT = 100  # searches whose words are kept: a page marks the same ones in each of its rows
_VOICED_HALF_WIDTH = "\uff9e\uff9f"


def highlight(text: str, query: Query, *, variants: bool = False, field: str = "") -> list[tuple[str, bool]]:
    """The text in pieces, those that were looked for marked True; joined they are the text again.

    `variants`: of who wants other forms of Han characters found, too. `field`: which one the text is of, so that what
    was looked for in others is not marked; blank: of any.
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
def _query_needles(query: Query, variants: bool, field: str) -> list[Needle]:  # noqa: FBT001 - as lru_cache takes it
    words = iter_texts(resolve_scopes(query.condition))
    here = (word for word in words if not (field and word.fields) or field in word.fields)
    return [found for word in here for found in needles(word, variants=variants)]


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The folded text, and for each of its characters the piece of the original that it comes from."""
    folded: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = fold(text[start:end])
        folded.append(piece)
        origins += [(start, end)] * len(piece)
    return "".join(folded), origins


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Pieces that folding does not join: a character and the marks on it."""
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
    """Each token, and from where to where it goes."""
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
