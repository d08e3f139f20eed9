"""Similarity by words of titles and abstracts, weighted by rarity (BM25).

It uses the search index, so nothing is precomputed and new papers are included at once.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from readtrack.infra.db import Read
from readtrack.search.documents import PAPERS
from readtrack.search.index import backend
from readtrack.search.tokens import BARRIER

FIELDS = ("title", "abstract")
MAX_WORDS = 120  # Distinct words per paper, about the size of an abstract.
COMMON_WORD_PAPERS = 1_500  # Papers; more frequent words carry little information and are slow.
MAX_CANDIDATES = 400  # Candidates compared in full.
IN_TITLE = 3  # Weight of words in the title.
SATURATION, LENGTH = 1.2, 0.6  # The parameters k and b of BM25.
_TITLE, _ABSTRACT = (PAPERS.fields.index(field) for field in FIELDS)


def nearest(tx: Read, paper_id: int, paper_count: int) -> dict[int, float]:
    """Return the similarity of papers that share distinctive words with the given one.

    `paper_count` is the library's size.
    """
    store = backend(tx)
    own_counts = _token_counts(store.find_documents(tx, PAPERS, [paper_id]).get(paper_id))
    ids_by_word = store.postings(tx, PAPERS, list(own_counts), FIELDS, limit=COMMON_WORD_PAPERS + 1)
    weights = {
        word: math.log1p((paper_count - len(ids) + 0.5) / (len(ids) + 0.5))
        for word, ids in ids_by_word.items()
        if 1 < len(ids) <= COMMON_WORD_PAPERS  # The paper itself is one of them.
    }
    shared_weights: defaultdict[int, float] = defaultdict(float)
    for word, value in weights.items():
        for other_id in ids_by_word[word]:
            shared_weights[other_id] += value * min(own_counts[word], IN_TITLE + 1)
    best = sorted(shared_weights.keys() - {paper_id}, key=lambda other_id: (-shared_weights[other_id], other_id))[
        :MAX_CANDIDATES
    ]
    return _score_candidates(store.find_documents(tx, PAPERS, best), weights, shared_weights)


def _score_candidates(
    documents: Mapping[int, Sequence[str]], weights: Mapping[str, float], shared_weights: Mapping[int, float]
) -> dict[int, float]:
    """Score candidates with their own document lengths, so that long abstracts have no advantage."""
    words = {other_id: _token_counts(document) for other_id, document in documents.items()}
    lengths = {other_id: sum(counts.values()) for other_id, counts in words.items()}
    mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
    max_shared = max(shared_weights.values(), default=1.0)
    return {
        other_id: _bm25(counts, weights, lengths[other_id] / mean) + shared_weights[other_id] / max_shared / 1_000
        for other_id, counts in words.items()
    }


def _bm25(counts: Mapping[str, int], weights: Mapping[str, float], length: float) -> float:
    slope = SATURATION * (1 - LENGTH + LENGTH * length)
    return sum(value * counts[word] / (counts[word] + slope) for word, value in weights.items() if word in counts)


def _token_counts(document: Sequence[str] | None) -> Counter[str]:
    """Return the counts of a paper's distinctive tokens."""
    if document is None:
        return Counter()
    title, abstract = (filter(_is_distinctive, document[index].split()) for index in (_TITLE, _ABSTRACT))
    counts: Counter[str] = Counter()
    for word in title:
        counts[word] += IN_TITLE
    counts.update(abstract)
    return Counter(dict(islice(counts.items(), MAX_WORDS)))


def _is_distinctive(word: str) -> bool:
    return len(word) > 1 and word != BARRIER and not word.isdigit()
