"""What is kept of drawings: where their nodes stand. Nobody's work: it can be found again at any time."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import GraphLayout
from readtrack.workspace.graph.queries import StoredLayout

KEPT = 500  # layouts of neighbourhoods; the oldest go
MAP = "map"  # the subject of the one of all, which stays


def store_layout(tx: Write, laid: StoredLayout) -> None:
    """Instead of the one that was kept of the same subject."""
    known = tx.get(GraphLayout, laid.subject, with_for_update=True)
    if known is None:
        known = GraphLayout(subject=laid.subject, fingerprint="")
        tx.add(known)
    known.fingerprint, known.made_at = laid.fingerprint, now()
    known.positions = {key: list(place) for key, place in laid.positions.items()}
    tx.flush()
    near = col(GraphLayout.subject) != MAP
    newest = (
        sa.select(col(GraphLayout.subject)).where(near).order_by(col(GraphLayout.made_at).desc()).limit(KEPT).subquery()
    )
    tx.execute(sa.delete(GraphLayout).where(near, col(GraphLayout.subject).not_in(sa.select(newest.c.subject))))
