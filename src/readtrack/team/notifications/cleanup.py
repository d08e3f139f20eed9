"""Deletion of old read notifications."""

from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Notification

KEEP_READ_FOR = timedelta(days=90)  # after reading; unread ones stay
MOST_AT_ONCE = 500  # per transaction, so that other writers do not wait long


def delete_old_notifications(tx: Write) -> int:
    """Delete some of the oldest read notifications and return how many."""
    query = (
        sa.select(col(Notification.id))
        .where(col(Notification.read_at) < now() - KEEP_READ_FOR)
        .order_by(col(Notification.id))
    )
    ids = tx.scalars(query.limit(MOST_AT_ONCE).with_for_update(skip_locked=True)).all()
    tx.bulk_execute(sa.delete(Notification).where(col(Notification.id).in_(ids)))
    return len(ids)
