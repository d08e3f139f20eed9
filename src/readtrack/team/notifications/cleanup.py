"""What was read long ago is nobody's news: it goes, so that an inbox does not grow for ever."""

from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Notification

KEPT = timedelta(days=90)  # after it was read; what is unread stays
MOST_AT_ONCE = 500  # in one transaction, as others want to write too


def delete_old_notifications(tx: Write) -> int:
    """Some of the notices that were read so long ago are removed, the oldest first; how many."""
    old = sa.select(col(Notification.id)).where(col(Notification.read_at) < now() - KEPT).order_by(col(Notification.id))
    some = tx.scalars(old.limit(MOST_AT_ONCE).with_for_update(skip_locked=True)).all()
    tx.bulk_execute(sa.delete(Notification).where(col(Notification.id).in_(some)))
    return len(some)
