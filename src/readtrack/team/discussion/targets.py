"""Targets of discussions: papers, topics and questions."""

from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comment, Question, Topic

Kind = Literal["paper", "topic", "question"]
_COLUMNS: dict[str, Any] = {"paper": Comment.paper_id, "topic": Comment.topic_id, "question": Comment.question_id}


class DiscussionTarget(NamedTuple):
    """A target. `name`: its id or a topic's slug, as in addresses."""

    kind: Kind
    id: int
    name: str

    @property
    def address(self) -> str:
        """The path of its page. The API has its discussion at the same path."""
        return f"/{self.kind}s/{quote(self.name)}"

    @property
    def column(self) -> str:
        """The column of its id in other tables."""
        return f"{self.kind}_id"


def get_target(tx: Read, kind: Kind, name: int | str) -> DiscussionTarget:
    """Return a target by id, or a topic by slug. Raise NotFound, or Moved for a merged paper."""
    if kind == "paper":
        permissions.require_present(tx, int(name))
        return DiscussionTarget(kind, int(name), str(name))
    if kind == "topic":
        target_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == name))
    else:
        target_id = tx.scalar(sa.select(col(Question.id)).where(col(Question.id) == name))
    if target_id is None:
        raise _not_found_error(kind, str(name))
    return DiscussionTarget(kind, target_id, str(name))


def lock_target(tx: Write, subject: DiscussionTarget) -> None:
    """Lock the target against deletion until the transaction ends. Raise NotFound.

    A question is locked exclusively, before its comments: a comment may answer it, and all writers use this order.
    """
    if subject.kind == "paper":
        permissions.lock_present_paper(tx, subject.id)
        return
    id_column = col(Topic.id if subject.kind == "topic" else Question.id)
    query = (
        sa.select(id_column)
        .where(id_column == subject.id)
        .with_for_update(read=subject.kind == "topic", key_share=True)
    )
    if tx.scalar(query) is None:
        raise _not_found_error(subject.kind, subject.name)


def get_comment_target(tx: Read, comment: Comment) -> DiscussionTarget:
    """Return the target of a comment. Raise NotFound if it is not visible."""
    if comment.topic_id is not None:
        slug = tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == comment.topic_id))
        return DiscussionTarget("topic", comment.topic_id, slug or "")
    if comment.question_id is not None:
        return DiscussionTarget("question", comment.question_id, str(comment.question_id))
    paper_id = comment.paper_id or 0
    permissions.require_present(tx, paper_id)
    return DiscussionTarget("paper", paper_id, str(paper_id))


def comments_filter(subject: DiscussionTarget) -> sa.ColumnElement[bool]:
    """Return the condition for comments of the target."""
    condition: sa.ColumnElement[bool] = target_column(subject.kind) == subject.id
    return condition


def target_column(kind: Kind) -> Any:  # noqa: ANN401 - a column of comments
    """Return the column of comments for that kind of target."""
    return col(_COLUMNS[kind])


def _not_found_error(kind: Kind, name: str) -> NotFound:
    return NotFound(
        _("Question {name} not found.").format(name=name)
        if kind == "question"
        else _("“{name}” not found.").format(name=name)
    )
