"""Queries on questions: the list, one question, the number of open ones."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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


def list_questions(
    tx: Read, me: CurrentUser, question_filter: QuestionFilter, page_request: PageRequest
) -> Page[QuestionRow]:
    """List questions, newest first."""
    filter_params, is_first_page = _query_params(me, question_filter), page_request.after is None
    parameters = {
        **filter_params,
        "most": page_request.limit + 1,
        **({} if page_request.after is None else {"before": page_request.after[1]}),
    }
    rows, has_more = split_page(
        tx.rows(_page_query(tuple(filter_params), is_first_page=is_first_page), parameters), page_request.limit
    )
    questions = [QuestionRow(*row) for row in rows]
    return Page(questions, (None, questions[-1].id) if has_more else None)


def get_question(tx: Read, question_id: int) -> QuestionRow:
    """Return a question. Raise NotFound."""
    question = find_questions(tx, [question_id]).get(question_id)
    if question is None:
        message = _("Question {question_id} not found.").format(question_id=question_id)
        raise NotFound(message)
    return question


def find_questions(tx: Read, question_ids: Sequence[int]) -> dict[int, QuestionRow]:
    """Return questions by id; missing ones are left out."""
    rows = [QuestionRow(*row) for row in tx.execute(_questions_query().where(col(Question.id).in_(question_ids)))]
    return {row.id: row for row in rows}


@cache
def _page_query(names: tuple[str, ...], *, is_first_page: bool) -> sa.Select[*tuple[Any, ...]]:
    conditions = [] if is_first_page else [col(Question.id) < sa.bindparam("before")]
    query = _questions_query().where(*_build_filters(names), *conditions)
    return query.order_by(col(Question.id).desc()).limit(sa.bindparam("most"))


def _query_params(me: CurrentUser, question_filter: QuestionFilter) -> dict[str, Any]:
    values = {"topic": question_filter.topic, "paper": question_filter.paper, "meeting": question_filter.meeting}
    parameters = {name: value for name, value in values.items() if value not in {"", None}}
    state = {} if question_filter.state == "all" else {"state": question_filter.state}
    return {**state, **({"me": me.id} if question_filter.mine else {}), **parameters}


def _build_filters(names: Iterable[str]) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for these parameters."""
    return [_CONDITIONS[name](sa.bindparam(name)) for name in names]


def _agenda_filter(meeting: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a bind parameter
    is_in_meeting = col(AgendaItem.meeting_id) == meeting
    is_on_agenda = col(Question.id).in_(sa.select(col(AgendaItem.question_id)).where(is_in_meeting))
    return sa.or_(is_on_agenda, col(Question.paper_id).in_(sa.select(col(AgendaItem.paper_id)).where(is_in_meeting)))


def _owner_filter(me: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a bind parameter
    is_unowned = sa.and_(col(Question.owner_id).is_(None), col(Question.created_by) == me)
    return sa.or_(col(Question.owner_id) == me, is_unowned)


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
    answer_count = sa.select(sa.func.count()).where(
        col(Comment.question_id) == col(Question.id), col(Comment.deleted_at).is_(None)
    )
    columns: list[Any] = [Question.id, Question.text, Question.state, Question.version, Question.created_at]
    columns += [Question.updated_at, Question.closed_at, Question.answer_id, _asker.name, Question.created_by]
    columns += [_owner.name, Question.owner_id, _closer.name, Paper.id, Paper.title, Paper.language]
    columns += [Topic.slug, Topic.name, answer_count.scalar_subquery()]
    return (
        sa.select(*columns)
        .join(_asker, _asker.id == col(Question.created_by), isouter=True)
        .join(_owner, _owner.id == col(Question.owner_id), isouter=True)
        .join(_closer, _closer.id == col(Question.closed_by), isouter=True)
        .join(Paper, sa.and_(col(Paper.id) == col(Question.paper_id), is_present(Paper)), isouter=True)
        .join(Topic, _on_topic, isouter=True)
    )
