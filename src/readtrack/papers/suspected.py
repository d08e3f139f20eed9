"""Pairs of papers that may be one, for a person to decide."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Write
from readtrack.models import Duplicate


def suspect(tx: Write, one_id: int, other_id: int, *, likeness: int, evidence: str) -> None:
    """Two papers that may be one, unless that was said before, or a person has decided about them."""
    older, newer = sorted((one_id, other_id))
    known = sa.select(col(Duplicate.id)).where(col(Duplicate.one_id) == older, col(Duplicate.other_id) == newer)
    if tx.scalar(known) is None:
        tx.add(Duplicate(one_id=older, other_id=newer, likeness=likeness, evidence=evidence))
        tx.flush()
