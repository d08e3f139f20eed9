"""Storage of graph layouts. They are a cache and can be recomputed at any time."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import GraphLayout
from readtrack.workspace.graph.queries import StoredLayout

MAX_LAYOUTS = 500  # neighbourhood layouts; the oldest are deleted
MAP = "map"  # the subject of the map's layout, which is kept


def store_layout(tx: Write, laid: StoredLayout) -> None:
    """Store a layout, replacing the one with the same subject."""
    known = tx.get(GraphLayout, laid.subject, with_for_update=True)
    if known is None:
        known = GraphLayout(subject=laid.subject, fingerprint="")
        tx.add(known)
    known.fingerprint, known.made_at = laid.fingerprint, now()
    known.positions = {key: list(place) for key, place in laid.positions.items()}
    tx.flush()
    near = col(GraphLayout.subject) != MAP
    newest = (
        sa.select(col(GraphLayout.subject))
        .where(near)
        .order_by(col(GraphLayout.made_at).desc())
        .limit(MAX_LAYOUTS)
        .subquery()
    )
    tx.execute(sa.delete(GraphLayout).where(near, col(GraphLayout.subject).not_in(sa.select(newest.c.subject))))
