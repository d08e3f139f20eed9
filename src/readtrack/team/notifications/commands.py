"""Commands of notifications: mark one or all as read, change the settings, delete old read ones.

Everyone has only their own.
"""

from datetime import datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Notification, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import TrimmedModel
from readtrack.team.notifications import queries
from readtrack.team.notifications.messages import NotificationRow

Way = Literal["page", "mail", "nothing"]
KEEP_READ_FOR = timedelta(days=90)  # after reading; unread ones stay
MAX_DELETED_AT_ONCE = 500  # per transaction, so that other writers do not wait long


class NotificationSettings(TrimmedModel):
    """How to be notified of each kind: in the inbox, also by daily mail, or not at all.

    Kinds not given are unchanged.
    """

    mention: Way = "page"
    reply: Way = "page"
    assignment: Way = "page"
    meeting: Way = "page"
    version: Way = "page"
    job: Way = "page"


def mark_notification_read(tx: Write, me: CurrentUser, notice_id: int) -> NotificationRow:
    """Mark a notification as read and return it.

    The next event creates a new one. Raise NotFound.
    """
    permissions.require(me, "keep")
    row = queries.get_notification(tx, me, notice_id)
    _mark_read(tx, me, col(Notification.id) == notice_id)
    return row


def mark_all_read(tx: Write, me: CurrentUser, *, until: datetime | None = None) -> int:
    """Mark all notifications up to that time as read, and return how many.

    Later ones were not seen.
    """
    permissions.require(me, "keep")
    return _mark_read(tx, me, col(Notification.created_at) <= (until or now()))


def update_notification_settings(tx: Write, me: CurrentUser, data: NotificationSettings) -> dict[str, str]:
    """Change the settings, and remove pending notifications of unwanted kinds from the next mail."""
    permissions.require(me, "keep")
    old_settings = queries.get_notification_settings(tx, me)
    new_settings = old_settings | data.model_dump(include=data.model_fields_set)
    if new_settings == old_settings:
        return new_settings
    person = tx.get_one(Person, me.id, with_for_update=True)
    person.notification_settings = new_settings
    unmailed_kinds = [kind for kind, channel in new_settings.items() if channel != "mail"]
    statement = sa.update(Notification).where(
        col(Notification.person_id) == me.id, col(Notification.kind).in_(unmailed_kinds)
    )
    tx.execute(statement.values(mail_due=False))
    events.record_event(tx, me, "person.notices-chosen", before=old_settings, after=new_settings, private=True)
    tx.flush()
    return new_settings


def _mark_read(tx: Write, me: CurrentUser, condition: sa.ColumnElement[bool]) -> int:
    statement = sa.update(Notification).where(
        col(Notification.person_id) == me.id, col(Notification.read_at).is_(None), condition
    )
    result: Any = tx.execute(statement.values(read_at=now(), group_key=None, mail_due=False))
    return int(result.rowcount)


def delete_old_notifications(tx: Write) -> int:
    """Delete some of the oldest read notifications and return how many."""
    query = (
        sa.select(col(Notification.id))
        .where(col(Notification.read_at) < now() - KEEP_READ_FOR)
        .order_by(col(Notification.id))
    )
    ids = tx.scalars(query.limit(MAX_DELETED_AT_ONCE).with_for_update(skip_locked=True)).all()
    tx.bulk_execute(sa.delete(Notification).where(col(Notification.id).in_(ids)))
    return len(ids)
