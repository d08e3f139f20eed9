"""Similar papers, by common words and, if an encoder is installed, by meaning."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.search.similarity import terms, vectors

MOST = 300  # Maximum similar papers; all others count as equally distant.
MEANING, WORDS = 1.0, 0.4  # Weights of both measures if both are available.
NEAREST = 1_000  # Scale of the similarity, an integer because cursors contain it.


def nearest(tx: Read, paper_id: int) -> dict[int, int]:
    """Map the IDs of the most similar papers to scores above 0, most similar first."""
    papers = tx.scalar(sa.select(sa.func.max(col(Paper.id)))) or 0
    by_words, by_meaning = terms.nearest(tx, paper_id, papers), vectors.nearest(tx, paper_id, MOST)
    most = max(by_words.values(), default=0.0) or 1.0
    near = {
        other: MEANING * by_meaning.get(other, 0.0) + WORDS * by_words.get(other, 0.0) / most
        for other in {*by_words, *by_meaning}
    }
    best = sorted(near, key=lambda other: (-near[other], other))[:MOST]
    return {other: max(round(near[other] / (MEANING + WORDS) * NEAREST), 1) for other in best}
