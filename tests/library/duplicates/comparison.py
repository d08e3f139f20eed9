"""Comparing papers without a database: as the job does it, and each with every other."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

from readtrack.library.duplicates.blocking import (
    MAX_PAPERS_PER_KEY,
    ComparedPaper,
    DuplicateCandidate,
    choose_candidates,
    find_keys,
    find_traits,
    score_candidates,
)


def find_candidates(papers: Iterable[ComparedPaper]) -> list[DuplicateCandidate]:
    """What the job finds in a library of these papers."""
    traits = find_traits(papers)
    keys = {paper_id: find_keys(found) for paper_id, found in traits.items()}
    blocks = defaultdict(list)
    for paper_id in sorted(keys):
        for key in keys[paper_id]:
            blocks[key].append(paper_id)
    pairs = {
        (min(paper_id, other_id), max(paper_id, other_id))
        for paper_id, own_keys in keys.items()
        for other_id in choose_candidates(paper_id, (blocks[key][:MAX_PAPERS_PER_KEY] for key in own_keys))
    }
    return score_candidates((traits[first_id], traits[second_id]) for first_id, second_id in pairs)


def find_all(papers: Iterable[ComparedPaper]) -> list[DuplicateCandidate]:
    """What there is to find: each paper is compared with every other, without keys."""
    return score_candidates(combinations(find_traits(papers).values(), 2))
