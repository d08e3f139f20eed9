"""Blocking: only papers that share a key are compared, and of those the ones that share the most and the rarest keys.

A key depends on its paper alone, not on other papers, so that a new paper finds those stored before it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
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

__all__ = ["ComparedPaper", "DuplicateCandidate", "Traits"]

# Leading letters used as keys, for titles that were cut off; the longer ones are for beginnings that many titles share.
_BEGINNINGS, _BEGINNINGS_CJK = (16, 32), (8, 12)
_COMMON_WORDS = frozenset(("a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "is", "of", "on", "or")) | {
    "the", "to", "toward", "towards", "under", "using", "via", "with", "through",
}  # fmt: skip

# Papers of one key that are read. Of a key that more papers share, only the oldest: it tells little about any of them.
MAX_PAPERS_PER_KEY = 40
MAX_CANDIDATES = 8  # papers that one paper is compared with

Result = TypeVar("Result")

log = structlog.get_logger()


def find_traits(papers: Iterable[ComparedPaper]) -> dict[int, Traits]:
    """Return the traits of papers by id, without those that have no title or cannot be compared."""
    traits = (_run_safely(build_traits, paper) for paper in papers)
    return {found.paper.id: found for found in traits if found and found.letters}


def find_keys(traits: Traits) -> frozenset[int]:
    """Return the keys of a paper."""
    return frozenset(_run_safely(_build_keys, traits) or ())


def find_title_keys(traits: Traits) -> frozenset[int]:
    """Return only those keys of a paper that come from its whole title, from the parts of it, and their beginnings."""
    return frozenset(_run_safely(_build_title_keys, traits) or ())


def choose_candidates(paper_id: int, blocks: Iterable[Collection[int]]) -> list[int]:
    """Return the papers to compare with a paper, the likeliest first.

    `blocks`: for each key of the paper, the papers that have it.
    """
    weights: defaultdict[int, float] = defaultdict(float)
    for block in filter(None, blocks):
        weight = 1 / len(block)
        for other_id in block:
            weights[other_id] += weight
    weights.pop(paper_id, None)
    return sorted(weights, key=weights.__getitem__, reverse=True)[:MAX_CANDIDATES]


def score_candidates(pairs: Iterable[tuple[Traits, Traits]]) -> list[DuplicateCandidate]:
    """Return those pairs that are likely duplicates, the likeliest first."""
    candidates = [
        _run_safely(score_pair, first, second)
        for first, second in pairs
        if _run_safely(is_worth_comparing, first, second)
    ]
    return sorted(filter(None, candidates), key=lambda candidate: (-candidate.likeness, candidate.one, candidate.other))


def _run_safely(function: Callable[..., Result | None], *papers: Any) -> Result | None:  # noqa: ANN401
    """Return the result, or None if the function raises: one odd paper must not abort the whole search."""
    try:
        return function(*papers)
    except Exception:
        log.exception("failed to compare papers", function=function.__name__)
        return None


def _build_keys(paper: Traits) -> set[int]:
    return {_hash_key(*parts) for keys in (_title_keys, _word_keys, _author_keys) for parts in keys(paper)}


def _build_title_keys(paper: Traits) -> set[int]:
    return {_hash_key(*parts) for parts in _title_keys(paper)}


def _title_keys(paper: Traits) -> Iterator[tuple[str, ...]]:
    """Yield the title, the parts before and after its colon, and their beginnings."""
    short, long = _BEGINNINGS if paper.letters.isascii() else _BEGINNINGS_CJK
    titles = (paper.letters, paper.name, paper.subtitle)
    beginnings = (paper.letters[:short], paper.letters[:long], paper.subtitle[:short])
    yield from (("title", text) for text in (*titles, *beginnings) if text)


def _word_keys(paper: Traits) -> Iterator[tuple[str, ...]]:
    """Yield pairs of adjacent words, which are rare even if both words are common."""
    words = [word for word in paper.title_words if word not in _COMMON_WORDS]
    yield from (("words", *pair) for pair in pairwise(words))


def _author_keys(paper: Traits) -> Iterator[tuple[str, ...]]:
    """Yield each part of the first author's name, and the whole name with the year.

    The following year is a key too, so that papers one year apart share a key.
    """
    names = sorted(compare.parse_author_name("".join(paper.paper.authors[:1])).full_parts)
    years = (paper.paper.year, paper.paper.year + 1) if names and paper.paper.year else ()
    yield from (("author", name) for name in names)
    yield from (("year", *names, str(year)) for year in years)


def _hash_key(*parts: str) -> int:
    """Return 64 bits as a signed integer, as databases store them; a collision only costs a comparison."""
    return int.from_bytes(blake2b("\0".join(parts).encode(), digest_size=8).digest(), signed=True)
