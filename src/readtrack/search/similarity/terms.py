"""Similarity by words of titles and abstracts, weighted by rarity (BM25).

It uses the search index, so nothing is precomputed and new papers are included at once.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from readtrack.infra.db import Read
from readtrack.search.backend import backend
from readtrack.search.documents import PAPERS
from readtrack.search.tokens import BARRIER

FIELDS = ("title", "abstract")
MOST_WORDS = 120  # Distinct words per paper, about the size of an abstract.
COMMON = 1_500  # Papers; more frequent words carry little information and are slow.
CANDIDATES = 400  # Candidates compared in full.
IN_TITLE = 3  # Weight of words in the title.
SATURATION, LENGTH = 1.2, 0.6  # The parameters k and b of BM25.
_TITLE, _ABSTRACT = (PAPERS.fields.index(field) for field in FIELDS)


def nearest(tx: Read, paper_id: int, papers: int) -> dict[int, float]:
    """Return the similarity of papers that share distinctive words with the given one.

    `papers` is the library's size.
    """
    store = backend(tx)
    mine = _token_counts(store.find_documents(tx, PAPERS, [paper_id]).get(paper_id))
    found = store.postings(tx, PAPERS, list(mine), FIELDS, most=COMMON + 1)
    worth = {
        word: math.log1p((papers - len(ids) + 0.5) / (len(ids) + 0.5))
        for word, ids in found.items()
        if 1 < len(ids) <= COMMON  # The paper itself is one of them.
    }
    shared: defaultdict[int, float] = defaultdict(float)
    for word, value in worth.items():
        for other in found[word]:
            shared[other] += value * min(mine[word], IN_TITLE + 1)
    best = sorted(shared.keys() - {paper_id}, key=lambda other: (-shared[other], other))[:CANDIDATES]
    return _score_candidates(store.find_documents(tx, PAPERS, best), worth, shared)


def _score_candidates(
    documents: Mapping[int, Sequence[str]], worth: Mapping[str, float], shared: Mapping[int, float]
) -> dict[int, float]:
    """Score candidates with their own document lengths, so that long abstracts have no advantage."""
    words = {other: _token_counts(document) for other, document in documents.items()}
    lengths = {other: sum(counted.values()) for other, counted in words.items()}
    mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
    most = max(shared.values(), default=1.0)
    return {
        other: _bm25(counted, worth, lengths[other] / mean) + shared[other] / most / 1_000
        for other, counted in words.items()
    }


def _bm25(counted: Mapping[str, int], worth: Mapping[str, float], length: float) -> float:
    slope = SATURATION * (1 - LENGTH + LENGTH * length)
    return sum(value * counted[word] / (counted[word] + slope) for word, value in worth.items() if word in counted)


def _token_counts(document: Sequence[str] | None) -> Counter[str]:
    """Return the counts of a paper's distinctive tokens."""
    if document is None:
        return Counter()
    title, abstract = (filter(_is_distinctive, document[at].split()) for at in (_TITLE, _ABSTRACT))
    counted: Counter[str] = Counter()
    for word in title:
        counted[word] += IN_TITLE
    counted.update(abstract)
    return Counter(dict(islice(counted.items(), MOST_WORDS)))


def _is_distinctive(word: str) -> bool:
    return len(word) > 1 and word != BARRIER and not word.isdigit()
