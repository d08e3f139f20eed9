"""Finds papers that are likely there twice: never all pairs, only those that have a key in common. Pure."""

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

_BEGINNING, _BEGINNING_CJK = 16, 8  # letters by which titles are found that were cut off, or lost their name
_RAREST, _RARE_ENOUGH = 5, 3  # words of a title that are keys by two, or with an author
_FEW = 25  # papers that may have a word which is a key alone
_CROWD, _NEIGHBOURS = 16, 5  # under one key: papers of which all pairs are looked at; in a crowd only the next ones

_PLACE = 24  # bits of a place in the list of papers: room for sixteen million
_KEY = (1 << 39) - 1  # with the bits of a key: small integers; two keys with the same ones cost a look

Keys = Callable[[Traits], Iterable[object]]
Found = TypeVar("Found")

log = structlog.get_logger()


def find_candidates(papers: Iterable[ComparedPaper]) -> list[DuplicateCandidate]:
    """Pairs that a person should look at, the likeliest first. Time and memory grow as the number of papers does."""
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
    """What the function finds; None when it raises: one odd paper must not keep all others from being compared."""
    try:
        return function(*papers)
    except Exception:
        log.exception("papers cannot be compared", function=function.__name__)
        return None


def _iterate_candidate_pairs(there: Sequence[Traits]) -> Iterator[tuple[int, int]]:
    """Places of pairs that share a key and words; some more than once."""
    shared = Counter(word for paper in there for word in paper.words)
    for keys in (_title_keys, _build_word_keys(shared), _build_author_keys(shared)):
        for places in _group_by_key(there, keys):
            yield from (
                (a, b) for a, b in _pairs_in_group(there, places) if _run_safely(is_worth_comparing, there[a], there[b])
            )


def _group_by_key(there: Sequence[Traits], keys: Keys) -> Iterator[list[int]]:
    """Places of the papers that have a key in common. One list of integers is all that is held for it."""
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
    """All pairs of a few; of a crowd those whose titles stand next to one another in the order of the alphabet."""
    if len(places) <= _CROWD:
        yield from combinations(places, 2)
        return
    ordered = sorted(places, key=lambda place: (there[place].letters, there[place].known.authors[:1], place))
    for ahead in range(1, _NEIGHBOURS + 1):
        yield from ((min(pair), max(pair)) for pair in zip(ordered, ordered[ahead:], strict=False))


def _title_keys(paper: Traits) -> Iterable[object]:
    """The title, what stands before and behind its colon, and how they begin."""
    beginning = _BEGINNING if paper.letters.isascii() else _BEGINNING_CJK
    whole = (paper.letters, paper.name, paper.rest)
    return {*whole, paper.letters[:beginning], paper.rest[:beginning]} - {""}


def _build_word_keys(shared: Mapping[str, int]) -> Keys:
    """The rarest words of the title, by two; those that few papers have, alone."""

    def keys(paper: Traits) -> Iterable[object]:
        rarest = _rarest_words(paper, shared)
        return [*combinations(rarest, 2), *(word for word in rarest if shared[word] <= _FEW)]

    return keys


def _build_author_keys(shared: Mapping[str, int]) -> Keys:
    """The first author with the year or the next; any part of that name with the rarest words of the title."""

    def keys(paper: Traits) -> Iterable[object]:
        first = compare.parse_author_name("".join(paper.known.authors[:1])).whole
        years = (paper.known.year, paper.known.year + 1) if paper.known.year else ()
        rarest = _rarest_words(paper, shared)[:_RARE_ENOUGH]
        return [*((first, year) for year in years if first), *((part, word) for part in first for word in rarest)]

    return keys


def _rarest_words(paper: Traits, shared: Mapping[str, int]) -> list[str]:
    """Words of the title that the fewest other papers have, in an order that is the same for all of them."""
    return sorted((word for word in paper.words if shared[word] > 1), key=lambda word: (shared[word], word))[:_RAREST]
