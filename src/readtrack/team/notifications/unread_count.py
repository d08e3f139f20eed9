"""Number of unread notifications, counted in one statement."""

from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Notification
from readtrack.team.notifications.visibility import join_subjects, visible_filter

MOST_COUNTED = 100
_me: Any = sa.bindparam("me")
_WAITING = join_subjects([col(Notification.id)]).where(
    col(Notification.person_id) == _me, col(Notification.read_at).is_(None), visible_filter()
)
_COUNT = sa.select(sa.func.count()).select_from(_WAITING.limit(MOST_COUNTED).subquery())


def count_unread(tx: Read, person_id: int) -> int:
    """Count the unread notifications. MOST_COUNTED means that many or more."""
    return int(tx.rows(_COUNT, {"me": person_id})[0][0])
