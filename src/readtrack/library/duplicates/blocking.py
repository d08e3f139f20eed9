"""Search for likely duplicates by blocking: only papers that share a key are compared."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any, TypeVar

import structlog

from readtrack.infra.text.titles import compare
from readtrack.library.duplicates.pairs import (
    ComparedPaper,
    DuplicateCandidate,
    Traits,
    build_traits,
    is_worth_comparing,
    score_pair,
)

__all__ = ["ComparedPaper", "DuplicateCandidate", "find_candidates"]

# Leading letters used as a key, for titles that were cut off or lost the name before the colon
_BEGINNING, _BEGINNING_CJK = 16, 8
_RAREST, _RARE_ENOUGH = 5, 3  # rare words of a title used as keys: in pairs, or together with an author
_FEW = 25  # papers up to which a shared word is a key of its own
# Papers under one key up to which all pairs are compared; beyond that, each only with its next neighbours
_CROWD, _NEIGHBOURS = 16, 5

_PLACE = 24  # bits of a position in the list of papers: up to sixteen million
_KEY = (1 << 39) - 1  # bits kept of a key's hash, so that integers stay small; a collision only costs a comparison

Keys = Callable[[Traits], Iterable[object]]
Found = TypeVar("Found")

log = structlog.get_logger()


def find_candidates(papers: Iterable[ComparedPaper]) -> list[DuplicateCandidate]:
    """Return likely duplicates, the likeliest first.

    Time and memory are linear in the number of papers.
    """
    there = [found for paper in papers if (found := _run_safely(build_traits, paper)) and found.letters]
    weighed: set[int] = set()
    candidates = []
    for place, other in _iterate_candidate_pairs(there):
        pair = place << _PLACE | other
        if pair not in weighed:
            weighed.add(pair)
            candidates.append(_run_safely(score_pair, there[place], there[other]))
    return sorted(filter(None, candidates), key=lambda found: (-found.likeness, found.one, found.other))


def _run_safely(function: Callable[..., Found | None], *papers: Any) -> Found | None:  # noqa: ANN401
    """Return the result, or None if the function raises: one odd paper must not abort the whole search."""
    try:
        return function(*papers)
    except Exception:
        log.exception("papers cannot be compared", function=function.__name__)
        return None


def _iterate_candidate_pairs(there: Sequence[Traits]) -> Iterator[tuple[int, int]]:
    """Yield positions of pairs that share a key and enough words; a pair may appear more than once."""
    shared = Counter(word for paper in there for word in paper.words)
    for keys in (_title_keys, _build_word_keys(shared), _build_author_keys(shared)):
        for places in _group_by_key(there, keys):
            yield from (
                (a, b) for a, b in _pairs_in_group(there, places) if _run_safely(is_worth_comparing, there[a], there[b])
            )


def _group_by_key(there: Sequence[Traits], keys: Keys) -> Iterator[list[int]]:
    """Yield the positions of papers that share a key.

    Keys and positions are packed into one sorted list of integers to save memory.
    """
    held = sorted(
        (hash(key) & _KEY) << _PLACE | place
        for place, paper in enumerate(there)
        for key in _run_safely(keys, paper) or ()
    )
    for _, same in groupby(held, lambda one: one >> _PLACE):
        places = [one & ((1 << _PLACE) - 1) for one in same]
        if len(places) > 1:
            yield places


def _pairs_in_group(there: Sequence[Traits], places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield all pairs of a small group; in a large one, only pairs of neighbours by title."""
    if len(places) <= _CROWD:
        yield from combinations(places, 2)
        return
    ordered = sorted(places, key=lambda place: (there[place].letters, there[place].known.authors[:1], place))
    for ahead in range(1, _NEIGHBOURS + 1):
        yield from ((min(pair), max(pair)) for pair in zip(ordered, ordered[ahead:], strict=False))


def _title_keys(paper: Traits) -> Iterable[object]:
    """Return the title, the parts before and after its colon, and their beginnings."""
    beginning = _BEGINNING if paper.letters.isascii() else _BEGINNING_CJK
    whole = (paper.letters, paper.name, paper.rest)
    return {*whole, paper.letters[:beginning], paper.rest[:beginning]} - {""}


def _build_word_keys(shared: Mapping[str, int]) -> Keys:
    """Return a key function: pairs of a title's rarest words, and very rare words alone."""

    def keys(paper: Traits) -> Iterable[object]:
        rarest = _rarest_words(paper, shared)
        return [*combinations(rarest, 2), *(word for word in rarest if shared[word] <= _FEW)]

    return keys


def _build_author_keys(shared: Mapping[str, int]) -> Keys:
    """Return a key function: the first author with the year, and with the title's rarest words.

    The following year is a key too, so that papers one year apart share a key.
    """

    def keys(paper: Traits) -> Iterable[object]:
        first = compare.parse_author_name("".join(paper.known.authors[:1])).whole
        years = (paper.known.year, paper.known.year + 1) if paper.known.year else ()
        rarest = _rarest_words(paper, shared)[:_RARE_ENOUGH]
        return [*((first, year) for year in years if first), *((part, word) for part in first for word in rarest)]

    return keys


def _rarest_words(paper: Traits, shared: Mapping[str, int]) -> list[str]:
    """Return the title's words that the fewest other papers share, in an order equal for all papers."""
    return sorted((word for word in paper.words if shared[word] > 1), key=lambda word: (shared[word], word))[:_RAREST]
