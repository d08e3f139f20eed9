"""How near papers are by the words of their titles and abstracts: the rarer a word that both have, the more it says.

BM25 over the search index, so nothing is computed beforehand and a paper is near others as soon as it is indexed.
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
MOST_WORDS = 120  # different ones of one paper: an abstract has about as many
COMMON = 1_500  # papers; a word that more of them have says little, and takes long
CANDIDATES = 400  # that are compared as a whole
IN_TITLE = 3  # how often a word of the title counts
SATURATION, LENGTH = 1.2, 0.6  # the k and b of BM25
_TITLE, _ABSTRACT = (PAPERS.fields.index(field) for field in FIELDS)


def nearest(tx: Read, paper_id: int, papers: int) -> dict[int, float]:
    """How near others are to a paper, those that share telling words with it, of a library of so many `papers`."""
    store = backend(tx)
    mine = _token_counts(store.find_documents(tx, PAPERS, [paper_id]).get(paper_id))
    found = store.postings(tx, PAPERS, list(mine), FIELDS, most=COMMON + 1)
    worth = {
        word: math.log1p((papers - len(ids) + 0.5) / (len(ids) + 0.5))
        for word, ids in found.items()
        if 1 < len(ids) <= COMMON  # its own paper has it
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
    """The candidates by their own words, so that a long abstract does not win by its length."""
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
    """The tokens of a paper that may tell something, each as often as it stands there."""
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
