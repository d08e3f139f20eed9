"""Storage of layouts, a cache that can be recomputed at any time."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import GraphLayout
from readtrack.workspace.graph.queries import StoredLayout

MAX_LAYOUTS = 500  # neighbourhood layouts; the oldest are deleted
MAP_SUBJECT = "map"  # the subject of the map's layout, which is kept


def store_layout(tx: Write, layout: StoredLayout) -> None:
    """Store a layout, replacing the one with the same subject."""
    row = tx.get(GraphLayout, layout.subject, with_for_update=True)
    if row is None:
        row = GraphLayout(subject=layout.subject, fingerprint="")
        tx.add(row)
    row.fingerprint, row.made_at = layout.fingerprint, now()
    row.positions = {key: list(position) for key, position in layout.positions.items()}
    tx.flush()
    is_neighborhood = col(GraphLayout.subject) != MAP_SUBJECT
    newest = (
        sa.select(col(GraphLayout.subject))
        .where(is_neighborhood)
        .order_by(col(GraphLayout.made_at).desc())
        .limit(MAX_LAYOUTS)
        .subquery()
    )
    tx.execute(
        sa.delete(GraphLayout).where(is_neighborhood, col(GraphLayout.subject).not_in(sa.select(newest.c.subject)))
    )
