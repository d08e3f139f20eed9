"""Queries on the current user's notifications whose subjects are visible, latest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    NOTIFICATION_CHANNELS,
    NOTIFICATION_KINDS,
    Assignment,
    Meeting,
    Note,
    Notification,
    Paper,
    Person,
    Question,
    Topic,
)
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.paper_facts import labels_of
from readtrack.team.notifications.messages import NotificationRow
from readtrack.team.notifications.visibility import by, join_subjects, visible_filter

State = Literal["unread", "all"]
_NAMED: Mapping[str, Any] = {  # names of subjects
    "by": by.name,
    "paper": Paper.title,
    "language": Paper.language,
    "question": Question.text,
    "topic": Topic.name,
    "topic_slug": Topic.slug,
    "meeting": Meeting.title,
    "note": Note.title,
}
_THERE: Mapping[str, Any] = {
    "due_on": Assignment.due_on,
    "starts_at": Meeting.starts_at,
    "times": col(Notification.count),
}


@dataclass(frozen=True)
class NotificationFilter:
    """A filter of notifications."""

    state: State = "unread"

    @property
    def question(self) -> str:
        """The query identity for which a cursor is valid."""
        return f"notices\0{self.state}"


def list_notifications(
    tx: Read, me: CurrentUser, notification_filter: NotificationFilter, page_request: PageRequest
) -> Page[NotificationRow]:
    """List the user's notifications, latest first."""
    permissions.require(me, "see")
    query = _page_query(unread_only=notification_filter.state == "unread")
    if page_request.after is not None:
        last_created, last_id = page_request.after
        last_key = sa.tuple_(sa.literal(datetime.fromisoformat(last_created), Moment()), last_id)
        query = query.where(sa.tuple_(col(Notification.created_at), col(Notification.id)) < last_key)
    rows, has_more = split_page(
        tx.rows(query, {"person_id": me.id, "most": page_request.limit + 1}), page_request.limit
    )
    return Page(build_rows(tx, rows), (rows[-1].created_at, rows[-1].id) if has_more else None)


def get_notification(tx: Read, me: CurrentUser, notice_id: int) -> NotificationRow:
    """Return one of the user's notifications.

    Raise NotFound, also if its subject is no longer visible.
    """
    permissions.require(me, "see")
    row = next(
        iter(tx.rows(notifications_query().where(col(Notification.id) == notice_id), {"person_id": me.id})), None
    )
    if row is None:
        raise notification_not_found(notice_id)
    return build_rows(tx, [row])[0]


def notification_not_found(notice_id: int) -> NotFound:
    """Build the error for a missing notification, or one of another person."""
    return NotFound(_("You have no notice {notice_id}. What it was about may be gone.").format(notice_id=notice_id))


def get_notification_settings(tx: Read, me: CurrentUser) -> dict[str, str]:
    """Return the user's settings by kind: inbox, inbox and mail, or none."""
    permissions.require(me, "see")
    settings = tx.scalar(sa.select(col(Person.notification_settings)).where(col(Person.id) == me.id)) or {}
    return {kind: settings.get(kind, NOTIFICATION_CHANNELS[0]) for kind in NOTIFICATION_KINDS}


@cache
def notifications_query() -> sa.Select[*tuple[Any, ...]]:
    """Build the query of notifications of `:person_id` with their subjects, latest first."""
    own_fields = [name for name in NotificationRow._fields if name not in {*_NAMED, *_THERE}]
    columns: Sequence[Any] = (
        *(getattr(Notification, name) for name in own_fields),
        *(sa.func.coalesce(column, "").label(name) for name, column in _NAMED.items()),
        *(column.label(name) for name, column in _THERE.items()),
    )
    query = join_subjects(columns).where(col(Notification.person_id) == sa.bindparam("person_id"), visible_filter())
    return query.order_by(col(Notification.created_at).desc(), col(Notification.id).desc())


@cache
def _page_query(*, unread_only: bool) -> sa.Select[*tuple[Any, ...]]:
    query = notifications_query().where(col(Notification.read_at).is_(None)) if unread_only else notifications_query()
    return query.limit(sa.bindparam("most"))


def build_rows(tx: Read, rows: Sequence[Any]) -> list[NotificationRow]:
    """Build the rows. A paper without a title is named by its identifier."""
    labels = labels_of(tx, sorted({row.paper_id for row in rows if row.paper_id and not row.paper}))
    notifications = [NotificationRow(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name
    return [row._replace(paper=row.paper or labels.get(row.paper_id or 0, "")) for row in notifications]
