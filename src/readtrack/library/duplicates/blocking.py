"""Search for likely duplicates by blocking: only papers that share a key are compared."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any, TypeVar

import structlog

from readtrack.infra.text.titles import compare
from readtrack.library.duplicates.score_pairs import (
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
_MAX_PAPERS_PER_KEY = 25  # papers up to which a shared word is a key of its own
# Papers under one key up to which all pairs are compared; beyond that, each only with its next neighbours
_CROWD, _NEIGHBOURS = 16, 5

_POSITION_BITS = 24  # bits of a position in the list of papers: up to sixteen million
_KEY_MASK = (1 << 39) - 1  # bits kept of a key's hash, so that integers stay small; a collision only costs a comparison

Keys = Callable[[Traits], Iterable[object]]
Found = TypeVar("Found")

log = structlog.get_logger()


def find_candidates(papers: Iterable[ComparedPaper]) -> list[DuplicateCandidate]:
    """Return likely duplicates, the likeliest first.

    Time and memory are linear in the number of papers.
    """
    traits = [candidate for paper in papers if (candidate := _run_safely(build_traits, paper)) and candidate.letters]
    scored: set[int] = set()
    candidates = []
    for index, other_index in _iterate_candidate_pairs(traits):
        pair = index << _POSITION_BITS | other_index
        if pair not in scored:
            scored.add(pair)
            candidates.append(_run_safely(score_pair, traits[index], traits[other_index]))
    return sorted(filter(None, candidates), key=lambda candidate: (-candidate.likeness, candidate.one, candidate.other))


def _run_safely(function: Callable[..., Found | None], *papers: Any) -> Found | None:  # noqa: ANN401
    """Return the result, or None if the function raises: one odd paper must not abort the whole search."""
    try:
        return function(*papers)
    except Exception:
        log.exception("failed to compare papers", function=function.__name__)
        return None


def _iterate_candidate_pairs(traits: Sequence[Traits]) -> Iterator[tuple[int, int]]:
    """Yield positions of pairs that share a key and enough words; a pair may appear more than once."""
    word_counts = Counter(word for paper in traits for word in paper.title_words)
    for keys in (_title_keys, _build_word_keys(word_counts), _build_author_keys(word_counts)):
        for positions in _group_by_key(traits, keys):
            yield from (
                (first, second)
                for first, second in _pairs_in_group(traits, positions)
                if _run_safely(is_worth_comparing, traits[first], traits[second])
            )


def _group_by_key(traits: Sequence[Traits], keys: Keys) -> Iterator[list[int]]:
    """Yield the positions of papers that share a key.

    Keys and positions are packed into one sorted list of integers to save memory.
    """
    packed = sorted(
        (hash(key) & _KEY_MASK) << _POSITION_BITS | position
        for position, paper in enumerate(traits)
        for key in _run_safely(keys, paper) or ()
    )
    for _, group in groupby(packed, lambda packed_key: packed_key >> _POSITION_BITS):
        positions = [packed_key & ((1 << _POSITION_BITS) - 1) for packed_key in group]
        if len(positions) > 1:
            yield positions


def _pairs_in_group(traits: Sequence[Traits], positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield all pairs of a small group; in a large one, only pairs of neighbours by title."""
    if len(positions) <= _CROWD:
        yield from combinations(positions, 2)
        return
    by_title = sorted(positions, key=lambda place: (traits[place].letters, traits[place].paper.authors[:1], place))
    for distance in range(1, _NEIGHBOURS + 1):
        yield from ((min(pair), max(pair)) for pair in zip(by_title, by_title[distance:], strict=False))


def _title_keys(paper: Traits) -> Iterable[object]:
    """Return the title, the parts before and after its colon, and their beginnings."""
    prefix_length = _BEGINNING if paper.letters.isascii() else _BEGINNING_CJK
    titles = (paper.letters, paper.name, paper.subtitle)
    return {*titles, paper.letters[:prefix_length], paper.subtitle[:prefix_length]} - {""}


def _build_word_keys(word_counts: Mapping[str, int]) -> Keys:
    """Return a key function: pairs of a title's rarest words, and very rare words alone."""

    def keys(paper: Traits) -> Iterable[object]:
        rarest = _rarest_words(paper, word_counts)
        return [*combinations(rarest, 2), *(word for word in rarest if word_counts[word] <= _MAX_PAPERS_PER_KEY)]

    return keys


def _build_author_keys(word_counts: Mapping[str, int]) -> Keys:
    """Return a key function: the first author with the year, and with the title's rarest words.

    The following year is a key too, so that papers one year apart share a key.
    """

    def keys(paper: Traits) -> Iterable[object]:
        author_names = compare.parse_author_name("".join(paper.paper.authors[:1])).full_parts
        years = (paper.paper.year, paper.paper.year + 1) if paper.paper.year else ()
        rarest = _rarest_words(paper, word_counts)[:_RARE_ENOUGH]
        return [
            *((author_names, year) for year in years if author_names),
            *((author_name, word) for author_name in author_names for word in rarest),
        ]

    return keys


def _rarest_words(paper: Traits, word_counts: Mapping[str, int]) -> list[str]:
    """Return the title's words that the fewest other papers share, in an order equal for all papers."""
    return sorted(
        (word for word in paper.title_words if word_counts[word] > 1), key=lambda word: (word_counts[word], word)
    )[:_RAREST]
