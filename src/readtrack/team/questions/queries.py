"""Queries on questions: the list, one question, the number of open ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Comment, Paper, Person, Question, Topic
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present

SHOWN_BESIDE = 5  # on the page of a paper or a topic


class QuestionRow(NamedTuple):
    """A question with names. `answer_id`: the answering comment; `comments`: those not deleted."""

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
    """A filter of questions.

    `state`: open, answered, dropped or all; `mine`: owned by the user; `topic`: a slug; `meeting`: on its agenda, or on
    papers of its agenda.
    """

    state: str = "open"
    mine: bool = False
    topic: str = ""
    paper: int | None = None
    meeting: int | None = None

    @property
    def question(self) -> str:
        """The query identity for which a cursor is valid."""
        return f"questions {self.state} {self.mine} {self.topic} {self.paper} {self.meeting}"


_asker: Any = aliased(Person)
_owner: Any = aliased(Person)
_closer: Any = aliased(Person)


def list_questions(tx: Read, me: CurrentUser, wanted: QuestionFilter, cut: PageRequest) -> Page[QuestionRow]:
    """List questions, newest first."""
    asked, begun = _query_params(me, wanted), cut.after is None
    given = {**asked, "most": cut.limit + 1, **({} if cut.after is None else {"before": cut.after[1]})}
    rows, more = split_page(tx.rows(_page_query(tuple(asked), begun=begun), given), cut.limit)
    found = [QuestionRow(*row) for row in rows]
    return Page(found, (None, found[-1].id) if more else None)


def get_question(tx: Read, question_id: int) -> QuestionRow:
    """Return a question. Raise NotFound."""
    row = tx.execute(_questions_query().where(col(Question.id) == question_id)).one_or_none()
    if row is None:
        message = _("There is no question {question_id}.").format(question_id=question_id)
        raise NotFound(message)
    return QuestionRow(*row)


@cache
def _page_query(names: tuple[str, ...], *, begun: bool) -> sa.Select[*tuple[Any, ...]]:
    before = [] if begun else [col(Question.id) < sa.bindparam("before")]
    query = _questions_query().where(*_build_filters(names), *before)
    return query.order_by(col(Question.id).desc()).limit(sa.bindparam("most"))


def _query_params(me: CurrentUser, wanted: QuestionFilter) -> dict[str, Any]:
    said = {"topic": wanted.topic, "paper": wanted.paper, "meeting": wanted.meeting}
    given = {name: value for name, value in said.items() if value not in {"", None}}
    state = {} if wanted.state == "all" else {"state": wanted.state}
    return {**state, **({"me": me.id} if wanted.mine else {}), **given}


def _build_filters(names: Iterable[str]) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for these parameters."""
    return [_CONDITIONS[name](sa.bindparam(name)) for name in names]


def _agenda_filter(meeting: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a bind parameter
    here = col(AgendaItem.meeting_id) == meeting
    on_it = col(Question.id).in_(sa.select(col(AgendaItem.question_id)).where(here))
    return sa.or_(on_it, col(Question.paper_id).in_(sa.select(col(AgendaItem.paper_id)).where(here)))


def _owner_filter(me: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a bind parameter
    asked = sa.and_(col(Question.owner_id).is_(None), col(Question.created_by) == me)
    return sa.or_(col(Question.owner_id) == me, asked)


_CONDITIONS: Mapping[str, Callable[[Any], sa.ColumnElement[bool]]] = {
    "state": lambda state: col(Question.state) == state,
    "me": _owner_filter,
    "topic": lambda slug: col(Topic.slug) == slug,
    "paper": lambda paper: col(Question.paper_id) == paper,
    "meeting": _agenda_filter,
}
_on_topic = col(Topic.id) == col(Question.topic_id)


@cache
def _questions_query() -> sa.Select[Any]:
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
        .join(Paper, sa.and_(col(Paper.id) == col(Question.paper_id), is_present(Paper)), isouter=True)
        .join(Topic, _on_topic, isouter=True)
    )
