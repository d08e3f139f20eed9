"""Rate limits for user actions: far above normal use, far below a flood."""

from datetime import timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Event
from readtrack.infra.permissions import CurrentUser


class Quota(NamedTuple):
    """At most `limit` actions within a period."""

    limit: int
    period: timedelta


_HOUR = timedelta(hours=1)
QUOTAS = {  # Keyed by the verb of the event each action records.
    "comment.added": Quota(120, _HOUR),
    "question.asked": Quota(200, _HOUR),
    "assignment.made": Quota(500, _HOUR),
    "candidate.proposed": Quota(200, _HOUR),
    "topic.added": Quota(2000, _HOUR),  # Imports may add more; they are not limited.
    "comparison.added": Quota(200, _HOUR),  # Imports are not limited.
    "image.added": Quota(60, _HOUR),
    "person.invited": Quota(200, _HOUR),
    "paper.added": Quota(20_000, _HOUR),  # Checked only for imported folders, like the next one.
    "person.added": Quota(200, _HOUR),
}


def remaining(tx: Write, me: CurrentUser, verb: str) -> int:
    """Return how many more actions are allowed now. Locks the person, as in `require`."""
    quota = QUOTAS[verb]
    permissions.lock_person(tx, me)
    conditions = (col(Event.person_id) == me.id, col(Event.created_at) > now() - quota.period, col(Event.verb) == verb)
    recent_events = sa.select(col(Event.id)).where(*conditions).limit(quota.limit).subquery()
    return quota.limit - (tx.scalar(sa.select(sa.func.count()).select_from(recent_events)) or 0)


def require(tx: Write, me: CurrentUser, verb: str) -> None:
    """Raise TooManyRequests if the quota is used up.

    Whatever of it they do at this moment elsewhere is done first, and counts: many requests at once are no way round.
    """
    quota, window_start = QUOTAS[verb], now() - QUOTAS[verb].period
    if remaining(tx, me, verb) > 0:
        return
    conditions = (col(Event.person_id) == me.id, col(Event.created_at) > window_start, col(Event.verb) == verb)
    latest = (
        sa.select(col(Event.created_at)).where(*conditions).order_by(col(Event.created_at).desc()).limit(quota.limit)
    )
    oldest = tx.scalar(sa.select(sa.func.min(latest.subquery().c.created_at))) or now()
    minutes = max(int(quota.period.total_seconds() // 60), 1)
    message = _("Limit reached ({most} in {minutes} minutes). Try again later.").format(
        most=quota.limit, minutes=minutes
    )
    raise TooManyRequests(message, retry_after=max((oldest - window_start).total_seconds(), 1.0))
