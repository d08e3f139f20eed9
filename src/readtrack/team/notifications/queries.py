"""Queries on the current user's notifications, latest first, and the number of unread ones.

A notification is visible only while the recipient may see its subject; inbox, count and mail all use `visible_filter`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    NOTIFICATION_CHANNELS,
    NOTIFICATION_KINDS,
    Assignment,
    Comment,
    Meeting,
    Note,
    NoteRevision,
    Notification,
    Paper,
    Person,
    Question,
    Summary,
    Topic,
)
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present, shared_or_own
from readtrack.reading.paper_facts import labels_of
from readtrack.team.notifications.messages import NotificationRow

_actor = aliased(Person)
_of_comment, _of_assignment, _of_summary = aliased(Paper), aliased(Paper), aliased(Paper)
SUBJECTS: Mapping[Any, Any] = {  # the columns of subjects, and the ids to which they refer
    Notification.paper_id: Paper.id,
    Notification.comment_id: Comment.id,
    Notification.question_id: Question.id,
    Notification.topic_id: Topic.id,
    Notification.summary_id: Summary.id,
    Notification.assignment_id: Assignment.id,
    Notification.meeting_id: Meeting.id,
    Notification.import_id: NoteRevision.id,
}
_NAMED: Mapping[str, Any] = {  # names of subjects
    "by": _actor.name,
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
MAX_COUNTED = 100


def join_subjects(columns: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401 - columns of any of these tables
    """Select these columns of notifications joined with their subjects."""
    query: sa.Select[*tuple[Any, ...]] = sa.select(*columns).select_from(Notification)
    for subject_column, row_id in SUBJECTS.items():
        query = query.join(row_id.class_, row_id == subject_column, isouter=True)
    query = query.join(Note, col(Note.id) == col(NoteRevision.note_id), isouter=True)
    query = query.join(_of_comment, _of_comment.id == Comment.paper_id, isouter=True)  # type: ignore[arg-type]
    query = query.join(_of_assignment, _of_assignment.id == Assignment.paper_id, isouter=True)  # type: ignore[arg-type]
    query = query.join(_of_summary, _of_summary.id == Summary.paper_id, isouter=True)  # type: ignore[arg-type]
    return query.join(_actor, _actor.id == Notification.actor_id, isouter=True)  # type: ignore[arg-type]


def visible_filter() -> sa.ColumnElement[bool]:
    """Return the condition that all subjects exist and are visible to the recipient."""
    comment = sa.and_(
        col(Comment.deleted_at).is_(None),
        col(Comment.hidden_at).is_(None),
        sa.or_(col(Comment.paper_id).is_(None), is_present(_of_comment)),
    )
    person_id: Any = col(Notification.person_id)
    summary = sa.and_(col(Summary.deleted_at).is_(None), shared_or_own(Summary, person_id), is_present(_of_summary))
    conditions = {
        Notification.paper_id: is_present(Paper),
        Notification.comment_id: comment,
        Notification.summary_id: summary,
        Notification.assignment_id: is_present(_of_assignment),
    }
    return sa.and_(
        *(
            _subject_filter(subject_column, row_id, conditions.get(subject_column))
            for subject_column, row_id in SUBJECTS.items()
        )
    )


def _subject_filter(column: Any, row_id: Any, extra: sa.ColumnElement[bool] | None) -> sa.ColumnElement[bool]:  # noqa: ANN401
    is_visible = row_id.is_not(None) if extra is None else sa.and_(row_id.is_not(None), extra)
    return sa.or_(column.is_(None), is_visible)


State = Literal["unread", "all"]


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
    return NotFound(_("Notification {notice_id} not found.").format(notice_id=notice_id))


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


_me: Any = sa.bindparam("me")
_UNREAD = join_subjects([col(Notification.id)]).where(
    col(Notification.person_id) == _me, col(Notification.read_at).is_(None), visible_filter()
)
_UNREAD_COUNT = sa.select(sa.func.count()).select_from(_UNREAD.limit(MAX_COUNTED).subquery())


def count_unread(tx: Read, person_id: int) -> int:
    """Count the unread notifications. MAX_COUNTED means that many or more."""
    return int(tx.rows(_UNREAD_COUNT, {"me": person_id})[0][0])
