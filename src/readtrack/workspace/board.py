"""The board: columns of cards with a limit for each, in a fixed number of statements."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now, today_of
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.models import STATUSES, Assignment, Paper, Person, Reading
from readtrack.infra.models.columns import Moment
from readtrack.infra.permissions import CurrentUser, shared_or_own
from readtrack.library.papers.display_options import STATUS_WORDS
from readtrack.library.papers.lists import PaperRow, list_rows, visible_papers_filter
from readtrack.reading.readings.queries import HIDDEN, IN_QUEUE_ORDER
from readtrack.reading.summaries.queries import count_summaries

CARDS_PER_COLUMN = 20  # per column
MAX_COUNT = 200
MAX_READER_COLUMNS = 12  # columns of the board by reader
OVER = ("read", "dropped")  # statuses that show only recent changes
RECENT_PERIOD = timedelta(days=30)


class BoardCard(NamedTuple):
    """A paper on the board. `status`: of the column owner's reading."""

    paper: PaperRow
    status: str
    changed_at: datetime  # the last change
    reason: str
    due_on: date | None  # of my assignment
    overdue: bool


class BoardColumn(NamedTuple):
    """A column. `key`: a status or a person's id; `papers`: total, counted up to MAX_COUNT."""

    key: str
    text: str
    papers: int
    cards: Sequence[BoardCard]


class Board(NamedTuple):
    """The columns of a board. `limit`: how many papers I want to read at once; 0 for no limit."""

    columns: Sequence[BoardColumn]
    limit: int


def build_board(tx: Read, me: CurrentUser, query: str = "") -> Board:
    """Return my papers of the query by status. Raise search.QueryError."""
    cards, counts = _ALL if not query else _status_queries(visible_papers_filter(tx, me, search.parse(query)))
    parameters = {"me": me.id, "since": now() - RECENT_PERIOD}
    *numbers, limit = tx.rows(counts, parameters)[0]
    columns = _build_columns(tx, me, tx.rows(cards, parameters), {name: STATUS_WORDS[name] for name in STATUSES})
    return Board(_set_paper_counts(columns, numbers), limit)


def build_readers_board(tx: Read, me: CurrentUser, query: str = "") -> Board:
    """Return what everyone is reading, as far as I may see it, with my column first.

    Raise search.QueryError.
    """
    cards, counts = _ALL_READERS if not query else _reader_queries(visible_papers_filter(tx, me, search.parse(query)))
    people = {str(row.id): row.name for row in tx.rows(_READING_NOW, {"me": me.id})}
    person_keys = [*people, *["0"] * (MAX_READER_COLUMNS - len(people))]
    parameters = {"me": me.id} | {f"person_{number}": int(key) for number, key in enumerate(person_keys)}
    columns = _build_columns(tx, me, tx.rows(cards, parameters), people)
    counted_columns = _set_paper_counts(columns, list(tx.rows(counts, parameters)[0]))
    return Board([column for column in counted_columns if column.cards or column.key == str(me.id)], 0)


def _set_paper_counts(columns: Sequence[BoardColumn], numbers: Sequence[int]) -> list[BoardColumn]:
    return [column._replace(papers=papers) for column, papers in zip(columns, numbers, strict=False)]


def _build_columns(tx: Read, me: CurrentUser, rows: Sequence[Any], names: Mapping[str, str]) -> list[BoardColumn]:
    papers = list_rows(tx, me, list({row.paper_id for row in rows}))
    summaries, due_days, today = (
        count_summaries(tx, me, list(papers)),
        _find_due_days(tx, me, list(papers)),
        today_of(me.time_zone),
    )
    cards: dict[str, list[BoardCard]] = {key: [] for key in names}
    for row in sorted(rows, key=_card_sort_key):
        if row.paper_id in papers:
            paper = papers[row.paper_id]._replace(summaries=summaries.get(row.paper_id, 0))
            due_on = None if row.status in OVER else due_days.get(row.paper_id)
            is_overdue = due_on is not None and due_on < today
            cards[row.key].append(BoardCard(paper, row.status, row.updated_at, row.reason, due_on, overdue=is_overdue))
    return [BoardColumn(key, names[key], 0, column_cards) for key, column_cards in cards.items()]


def _card_sort_key(row: Any) -> tuple[float, ...]:  # noqa: ANN401 - a row of _cards
    """Return the sort key: queue order for papers to read, latest change first for others."""
    if row.status == "to_read":
        return (-row.priority, row.position, row.id)
    return (-row.updated_at.timestamp(), -row.id)


def _find_due_days(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> dict[int, date]:
    rows = tx.rows(_DUE, {"me": me.id, "ids": paper_ids}) if paper_ids else ()
    return {row.paper_id: row.due_on for row in rows}


_DUE = (
    sa.select(col(Assignment.paper_id), sa.func.min(col(Assignment.due_on)).label("due_on"))
    .where(
        in_id_list(col(Assignment.paper_id), "ids"),
        col(Assignment.person_id) == sa.bindparam("me"),
        col(Assignment.state).in_(("proposed", "accepted")),
        col(Assignment.due_on).is_not(None),
    )
    .group_by(col(Assignment.paper_id))
)
_NEWEST = (col(Reading.updated_at).desc(), col(Reading.id).desc())
_ME: Any = sa.bindparam("me", type_=sa.Integer)


class _ColumnScope(NamedTuple):
    """The readings of one column: person and status; `visibility_filters` limits others' readings to visible ones."""

    person: Any
    status: str
    key: Any
    visibility_filters: Sequence[Any] = ()


Condition: TypeAlias = sa.ColumnElement[bool] | None  # on papers; None: all listed papers


def _column_filters(column: _ColumnScope) -> tuple[sa.ColumnElement[bool], ...]:
    conditions = (col(Reading.person_id) == column.person, col(Reading.current), col(Reading.status) == column.status)
    recency = [col(Reading.updated_at) >= sa.bindparam("since", type_=Moment())] if column.status in OVER else []
    return (*conditions, *recency, *column.visibility_filters)


def _column_query(column: _ColumnScope, condition: Condition, *selected: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401
    """Return the query of a column.

    Without a condition, hidden papers are excluded instead of joining papers.
    """
    query = sa.select(*selected).select_from(Reading).where(*_column_filters(column))
    if condition is None:
        return query.where(col(Reading.paper_id).not_in(HIDDEN))
    return query.join(Paper, col(Paper.id) == col(Reading.paper_id)).where(condition)


def _cards_query(columns: Sequence[_ColumnScope], condition: Condition) -> sa.Select[*tuple[Any, ...]]:
    attributes = (Reading.id, Reading.paper_id, Reading.status, Reading.updated_at, Reading.reason, Reading.priority)
    position = IN_QUEUE_ORDER[1].label("position")
    parts = []
    for column in columns:
        query = _column_query(column, condition, *map(col, attributes), position, column.key.label("key"))
        order = IN_QUEUE_ORDER if column.status == "to_read" else _NEWEST
        parts.append(sa.select(query.order_by(*order).limit(CARDS_PER_COLUMN).subquery()))
    return sa.select(sa.union_all(*parts).subquery())


def _count_queries(columns: Sequence[_ColumnScope], condition: Condition) -> list[sa.ScalarSelect[int]]:
    subqueries = [_column_query(column, condition, sa.literal(1)).limit(MAX_COUNT).subquery() for column in columns]
    return [sa.select(sa.func.count()).select_from(subquery).scalar_subquery() for subquery in subqueries]


def _status_queries(
    condition: Condition,
) -> tuple[sa.Select[*tuple[Any, ...]], sa.Select[*tuple[Any, ...]]]:
    """Return the cards query, and a query for one count per status followed by my reading limit."""
    columns = [_ColumnScope(_ME, status, sa.literal(status)) for status in STATUSES]
    limit = sa.select(*_count_queries(columns, condition), col(Person.reading_limit)).where(col(Person.id) == _ME)
    return _cards_query(columns, condition), limit


def _reader_queries(
    condition: Condition,
) -> tuple[sa.Select[*tuple[Any, ...]], sa.Select[*tuple[Any, ...]]]:
    """Return the cards query, and a query for one count per person."""
    visibility, key = [shared_or_own(Reading, _ME)], sa.cast(col(Reading.person_id), sa.String)
    people = [sa.bindparam(f"person_{number}", type_=sa.Integer) for number in range(MAX_READER_COLUMNS)]
    columns = [_ColumnScope(person, "reading", key, visibility) for person in people]
    return _cards_query(columns, condition), sa.select(*_count_queries(columns, condition))


_ALL, _ALL_READERS = _status_queries(None), _reader_queries(None)
_READING_NOW = (
    sa.select(col(Person.id), col(Person.name))
    .where(
        col(Person.disabled_at).is_(None),
        sa.or_(
            col(Person.id) == _ME,
            sa.exists().where(
                col(Reading.person_id) == col(Person.id),
                col(Reading.current),
                col(Reading.status) == "reading",
                shared_or_own(Reading, _ME),
            ),
        ),
    )
    .order_by(sa.case((col(Person.id) == _ME, 0), else_=1), col(Person.name_key))
    .limit(MAX_READER_COLUMNS)
)
