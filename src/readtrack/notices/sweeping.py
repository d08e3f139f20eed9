"""What was read long ago is nobody's news: it goes, so that an inbox does not grow for ever."""

from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.clock import now
from readtrack.db import Write
from readtrack.models import Notice

KEPT = timedelta(days=90)  # after it was read; what is unread stays
MOST_AT_ONCE = 5000  # others want to write too; the rest goes the next time


def sweep(tx: Write) -> None:
    """Notices that were read so long ago are removed, the oldest first."""
    old = sa.select(col(Notice.id)).where(col(Notice.read_at) < now() - KEPT).order_by(col(Notice.id))
    gone = sa.delete(Notice).where(col(Notice.id).in_(old.limit(MOST_AT_ONCE)))
    tx.execute(gone.execution_options(synchronize_session=False))
