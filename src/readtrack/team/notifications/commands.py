"""Verbs of notices: read one, read all, choose how to be told. Each person's are their own."""

from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Notification, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.schemas import TrimmedModel
from readtrack.team.notifications import queries
from readtrack.team.notifications.messages import NotificationRow

Way = Literal["page", "mail", "nothing"]


class NotificationSettings(TrimmedModel):
    """How to be told of each kind: in the inbox, there and by the daily mail, or not. What is not given stays."""

    mention: Way = "page"
    reply: Way = "page"
    assignment: Way = "page"
    meeting: Way = "page"
    version: Way = "page"
    job: Way = "page"


def mark_notification_read(tx: Write, me: CurrentUser, notice_id: int) -> NotificationRow:
    """It is read; what it tells. The next of the same is a new notice. Raises NotFound."""
    permissions.require(me, "keep")
    row = queries.get_notification(tx, me, notice_id)
    _mark_read(tx, me, col(Notification.id) == notice_id)
    return row


def mark_all_read(tx: Write, me: CurrentUser, *, until: datetime | None = None) -> int:
    """All that came until then are read: what came since was not seen. How many they were."""
    permissions.require(me, "keep")
    return _mark_read(tx, me, col(Notification.created_at) <= (until or now()))


def update_notification_settings(tx: Write, me: CurrentUser, wanted: NotificationSettings) -> dict[str, str]:
    """How I am told from now on. What waits for a mail that is not wanted any more goes into none."""
    permissions.require(me, "keep")
    before = queries.get_notification_settings(tx, me)
    after = before | wanted.model_dump(include=wanted.model_fields_set)
    if after == before:
        return after
    person = tx.get_one(Person, me.id, with_for_update=True)
    person.notification_settings = after
    unwanted = [kind for kind, way in after.items() if way != "mail"]
    mine = sa.update(Notification).where(col(Notification.person_id) == me.id, col(Notification.kind).in_(unwanted))
    tx.execute(mine.values(mail_due=False))
    events.record_event(tx, me, "person.notices-chosen", before=before, after=after, private=True)
    tx.flush()
    return after


def _mark_read(tx: Write, me: CurrentUser, these: sa.ColumnElement[bool]) -> int:
    unread = sa.update(Notification).where(
        col(Notification.person_id) == me.id, col(Notification.read_at).is_(None), these
    )
    result: Any = tx.execute(unread.values(read_at=now(), group_key=None, mail_due=False))
    return int(result.rowcount)
