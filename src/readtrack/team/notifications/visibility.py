"""Visibility of notifications: only while the recipient may see the subject.

Used by inbox, count and mail.
"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.models import (
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
from readtrack.infra.permissions import is_present, shared_or_own

by = aliased(Person)
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


def join_subjects(columns: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401 - columns of any of these tables
    """Select these columns of notifications joined with their subjects."""
    query: sa.Select[*tuple[Any, ...]] = sa.select(*columns).select_from(Notification)
    for subject_column, row_id in SUBJECTS.items():
        query = query.join(row_id.class_, row_id == subject_column, isouter=True)
    query = query.join(Note, col(Note.id) == col(NoteRevision.note_id), isouter=True)
    query = query.join(_of_comment, _of_comment.id == Comment.paper_id, isouter=True)  # type: ignore[arg-type]
    query = query.join(_of_assignment, _of_assignment.id == Assignment.paper_id, isouter=True)  # type: ignore[arg-type]
    query = query.join(_of_summary, _of_summary.id == Summary.paper_id, isouter=True)  # type: ignore[arg-type]
    return query.join(by, by.id == Notification.actor_id, isouter=True)  # type: ignore[arg-type]


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
