"""Questions about questions: the list, one of them, how many are open."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.db import Read
from readtrack.errors import NotFound
from readtrack.languages import gettext as _
from readtrack.models import AgendaItem, Comment, Paper, Person, Question, Topic
from readtrack.paging import Cut, Page, page
from readtrack.policy import Visitor, present

SHOWN_BESIDE = 5  # on the page of a paper or a topic


class QuestionRow(NamedTuple):
    """A question with its names. `answer_id`: the comment that answers it; `comments`: those not deleted."""

    id: int
    text: str
    state: str
    version: int
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    answer_id: int | None
    asked_by: str | None
    asked_by_id: int | None
    owner: str | None
    owner_id: int | None
    closed_by: str | None
    paper_id: int | None
    paper: str | None
    language: str | None
    topic: str | None  # its slug
    topic_name: str | None
    comments: int


@dataclass(frozen=True)
class QuestionFilter:
    """Which ones. `state`: open, answered, dropped or all; `mine`: that I look after; `topic`: a slug.

    `meeting`: those on its agenda, and on the papers of that.
    """

    state: str = "open"
    mine: bool = False
    topic: str = ""
    paper: int | None = None
    meeting: int | None = None

    @property
    def question(self) -> str:
        """What a cursor into this list is good for."""
        return f"questions {self.state} {self.mine} {self.topic} {self.paper} {self.meeting}"


_asker: Any = aliased(Person)
_owner: Any = aliased(Person)
_closer: Any = aliased(Person)


def list_questions(tx: Read, me: Visitor, wanted: QuestionFilter, cut: Cut) -> Page[QuestionRow]:
    """The newest first."""
    query = _rows().where(*_conditions(me, wanted)).order_by(col(Question.id).desc())
    if cut.after is not None:
        query = query.where(col(Question.id) < cut.after[1])
    rows, more = page(tx.execute(query.limit(cut.limit + 1)).all(), cut.limit)
    return Page([QuestionRow(*row) for row in rows], (None, rows[-1].id) if more else None)


def get_question(tx: Read, question_id: int) -> QuestionRow:
    """One. Raises NotFound."""
    row = tx.execute(_rows().where(col(Question.id) == question_id)).one_or_none()
    if row is None:
        message = _("There is no question {question_id}.").format(question_id=question_id)
        raise NotFound(message)
    return QuestionRow(*row)


def count_questions(tx: Read, me: Visitor, wanted: QuestionFilter) -> int:
    """How many there are of them."""
    query = sa.select(sa.func.count()).select_from(Question).join(Topic, _on_topic, isouter=True)
    return tx.scalar(query.where(*_conditions(me, wanted))) or 0


def _conditions(me: Visitor, wanted: QuestionFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if wanted.state != "all":
        found.append(col(Question.state) == wanted.state)
    if wanted.mine:
        asked = sa.and_(col(Question.owner_id).is_(None), col(Question.created_by) == me.id)
        found.append(sa.or_(col(Question.owner_id) == me.id, asked))
    if wanted.topic:
        found.append(col(Topic.slug) == wanted.topic)
    if wanted.paper is not None:
        found.append(col(Question.paper_id) == wanted.paper)
    if wanted.meeting is not None:
        here = col(AgendaItem.meeting_id) == wanted.meeting
        on_it = col(Question.id).in_(sa.select(col(AgendaItem.question_id)).where(here))
        found.append(sa.or_(on_it, col(Question.paper_id).in_(sa.select(col(AgendaItem.paper_id)).where(here))))
    return found


_on_topic = col(Topic.id) == col(Question.topic_id)


@cache
def _rows() -> sa.Select[Any]:
    said = sa.select(sa.func.count()).where(
        col(Comment.question_id) == col(Question.id), col(Comment.deleted_at).is_(None)
    )
    columns: list[Any] = [Question.id, Question.text, Question.state, Question.version, Question.created_at]
    columns += [Question.updated_at, Question.closed_at, Question.answer_id, _asker.name, Question.created_by]
    columns += [_owner.name, Question.owner_id, _closer.name, Paper.id, Paper.title, Paper.language]
    columns += [Topic.slug, Topic.name, said.scalar_subquery()]
    return (
        sa.select(*columns)
        .join(_asker, _asker.id == col(Question.created_by), isouter=True)
        .join(_owner, _owner.id == col(Question.owner_id), isouter=True)
        .join(_closer, _closer.id == col(Question.closed_by), isouter=True)
        .join(Paper, sa.and_(col(Paper.id) == col(Question.paper_id), present(Paper)), isouter=True)
        .join(Topic, _on_topic, isouter=True)
    )
