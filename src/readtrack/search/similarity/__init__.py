"""Which papers lie near one: by the words that both have, and by meaning where an encoder is installed."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.search.similarity import terms, vectors

MOST = 300  # papers that are told to be near one; all others are as far
MEANING, WORDS = 1.0, 0.4  # what each says, where there are both
NEAREST = 1_000  # nearness is a whole number: cursors carry it


def nearest(tx: Read, paper_id: int) -> dict[int, int]:
    """The papers nearest to one, each with a number above 0, the higher the nearer; in that order."""
    papers = tx.scalar(sa.select(sa.func.max(col(Paper.id)))) or 0
    by_words, by_meaning = terms.nearest(tx, paper_id, papers), vectors.nearest(tx, paper_id, MOST)
    most = max(by_words.values(), default=0.0) or 1.0
    near = {
        other: MEANING * by_meaning.get(other, 0.0) + WORDS * by_words.get(other, 0.0) / most
        for other in {*by_words, *by_meaning}
    }
    best = sorted(near, key=lambda other: (-near[other], other))[:MOST]
    return {other: max(round(near[other] / (MEANING + WORDS) * NEAREST), 1) for other in best}
