"""Similar papers, by common words and, if an encoder is installed, by meaning."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.search.similarity import terms, vectors

MAX_SIMILAR_PAPERS = 300  # Maximum similar papers; all others count as equally distant.
MEANING, WORDS = 1.0, 0.4  # Weights of both measures if both are available.
MAX_SCORE = 1_000  # Scale of the similarity, an integer because cursors contain it.


def nearest(tx: Read, paper_id: int) -> dict[int, int]:
    """Map the IDs of the most similar papers to scores above 0, most similar first."""
    papers = tx.scalar(sa.select(sa.func.max(col(Paper.id)))) or 0
    word_scores, vector_scores = terms.nearest(tx, paper_id, papers), vectors.nearest(tx, paper_id, MAX_SIMILAR_PAPERS)
    max_score = max(word_scores.values(), default=0.0) or 1.0
    scores = {
        other_id: MEANING * vector_scores.get(other_id, 0.0) + WORDS * word_scores.get(other_id, 0.0) / max_score
        for other_id in {*word_scores, *vector_scores}
    }
    best = sorted(scores, key=lambda other_id: (-scores[other_id], other_id))[:MAX_SIMILAR_PAPERS]
    return {other_id: max(round(scores[other_id] / (MEANING + WORDS) * MAX_SCORE), 1) for other_id in best}
