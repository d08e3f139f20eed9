"""Grouped paper lists: by my status, topic, venue, year or reader, with ungrouped papers last.

The list has two keyset-paginated stages: papers in groups, in the order of the groups, then those in none. A paper in
several groups appears in each.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.models import STATUSES, Paper, PaperTopic, Person, Reading, Topic, TopicAlias
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, shared_or_own
from readtrack.library.papers.display_options import STATUS_WORDS, quote_value
from readtrack.library.papers.lists import (
    PLAIN_SORTS,
    PaperFilter,
    PaperRow,
    get_sort_order,
    list_rows,
    visible_papers_filter,
)
from readtrack.reading.readings.queries import is_finished_pass

_QUALIFIERS = {"status": "status", "topic": "topic", "venue": "venue", "year": "year", "reader": "-unread-by"}
_NONE = {"status": "status:none", "topic": "no:topic", "year": "year:none", "reader": "readers:0"}


class GroupedPaper(NamedTuple):
    """A paper in one of its groups. `value`: of the group in the query language, "" for none."""

    value: str
    text: str
    paper: PaperRow


class PaperGroup(NamedTuple):
    """Consecutive papers of one group on a page.

    `filter_term`: query term for the whole group, "" if there is none; `repeated_ids`: papers already listed further up
    on the page.
    """

    value: str
    text: str
    filter_term: str
    papers: Sequence[PaperRow]
    repeated_ids: frozenset[int]


class _GroupKeys(NamedTuple):
    """The columns that sort and name groups. `ungrouped`: condition for papers without a group."""

    query: sa.Select[Any]
    key: Any
    value: Any
    text: Any
    ungrouped: sa.ColumnElement[bool]
    is_descending: bool = False


def page_groups(
    tx: Read, me: CurrentUser, paper_filter: PaperFilter, page_request: PageRequest, *, by: str
) -> Page[GroupedPaper]:
    """Return a page of the query's papers by group, sorted within each. Raise search.QueryError."""
    query = search.parse(paper_filter.q)
    sort_name, is_descending = get_sort_order(query, paper_filter.sort)
    name, is_descending = (sort_name, is_descending) if sort_name in PLAIN_SORTS else ("added", True)
    keys, is_match = _KEYS[by](me), visible_papers_filter(tx, me, query, clustered=True)
    rows: list[Any] = []
    for stage in (1, 0) if page_request.back else (0, 1):
        if page_request.after is None or (
            stage <= page_request.after[0][0] if page_request.back else stage >= page_request.after[0][0]
        ):
            order = _GroupOrder(name, is_descending, keys.is_descending, stage)
            rows += tx.rows(_stage(keys, order, page_request, page_request.limit + 1 - len(rows)).where(is_match))
    page_rows, has_more = split_page(rows, page_request.limit)
    if page_request.back and not has_more:
        return page_groups(tx, me, paper_filter, PageRequest(page_request.limit), by=by)
    page_rows = page_rows[::-1] if page_request.back else page_rows
    last = _place(page_rows[-1]) if has_more or page_request.back else None
    first = _place(page_rows[0]) if page_rows and page_request.after is not None else None
    return Page(_with_papers(tx, me, page_rows, by), last, first)


def group_rows(rows: Sequence[GroupedPaper], by: str) -> list[PaperGroup]:
    """Combine consecutive rows of the same group."""
    groups, seen_ids = [], set[int]()
    for (value, text), neighbours in groupby(rows, attrgetter("value", "text")):
        papers = [row.paper for row in neighbours]
        ids = {paper.id for paper in papers}
        groups.append(PaperGroup(value, text, _narrowing(by, value), papers, frozenset(ids & seen_ids)))
        seen_ids |= ids
    return groups


class _GroupOrder(NamedTuple):
    sort: str
    is_descending: bool
    groups_fall: bool
    stage: int


def _stage(keys: _GroupKeys, order: _GroupOrder, page_request: PageRequest, limit: int) -> sa.Select[Any]:
    sort, row_id = search.KEYS[order.sort], col(Paper.id)
    columns = [sa.literal(order.stage).label("stage"), row_id, sort.label("sort_value")]
    sort_columns = [row_id] if order.sort == "added" else [sort, row_id]
    if order.stage == 0:
        query = keys.query.add_columns(
            *columns, keys.key.label("key"), keys.value.label("value"), keys.text.label("text")
        )
    else:
        empty_text = sa.literal("")
        query = sa.select(*columns, empty_text.label("key"), empty_text.label("value"), empty_text.label("text")).where(
            keys.ungrouped
        )
    if page_request.after is not None and page_request.after[0][0] == order.stage:
        query = query.where(_beyond(keys, order, sort_columns, page_request))
    is_descending = order.is_descending != page_request.back
    group_order = (
        [_apply_direction(keys.key, descending=order.groups_fall != page_request.back)] if order.stage == 0 else []
    )
    return query.order_by(
        *group_order, *(_apply_direction(column, descending=is_descending) for column in sort_columns)
    ).limit(max(limit, 0))


def _beyond(
    keys: _GroupKeys, order: _GroupOrder, sort_columns: Sequence[Any], page_request: PageRequest
) -> sa.ColumnElement[bool]:
    (stage, key, value), row_id = page_request.after or ((0, None, None), 0)
    cursor_values = [row_id] if len(sort_columns) == 1 else [_value(order.sort, value), row_id]
    row_key = sa.tuple_(*sort_columns)
    is_after = (
        row_key < sa.tuple_(*cursor_values)
        if order.is_descending != page_request.back
        else row_key > sa.tuple_(*cursor_values)
    )
    if stage == 1:
        return is_after
    is_later_group = keys.key < key if order.groups_fall != page_request.back else keys.key > key
    # Redundant condition that lets the database seek in an index
    is_group_reached = keys.key <= key if order.groups_fall != page_request.back else keys.key >= key
    return sa.and_(is_group_reached, sa.or_(is_later_group, sa.and_(keys.key == key, is_after)))


def _apply_direction(column: Any, *, descending: bool) -> Any:  # noqa: ANN401 - a column
    return column.desc() if descending else column.asc()


def _value(name: str, value: Any) -> Any:  # noqa: ANN401 - type of the sort column
    return sa.literal(datetime.fromisoformat(value), Moment()) if name == "updated" else value


def _place(row: Any) -> tuple[Any, int]:  # noqa: ANN401 - a row of a stage
    return (row.stage, row.key, row.sort_value), row.id


def _with_papers(tx: Read, me: CurrentUser, rows: Sequence[Any], by: str) -> list[GroupedPaper]:
    papers = list_rows(tx, me, [row.id for row in rows])
    return [
        GroupedPaper(str(row.value), STATUS_WORDS[row.text] if by == "status" and row.text else str(row.text), paper)
        for row in rows
        if (paper := papers.get(row.id))
    ]


def _narrowing(by: str, value: str) -> str:
    return f"{_QUALIFIERS[by]}:{quote_value(value)}" if value else _NONE.get(by, "")


def _by_status(me: CurrentUser) -> _GroupKeys:
    is_my_reading = sa.and_(
        col(Reading.paper_id) == col(Paper.id), col(Reading.person_id) == me.id, col(Reading.current)
    )
    status = col(Reading.status)
    rank = sa.case({name: number for number, name in enumerate(STATUSES)}, value=status)
    query = sa.select().select_from(Paper).join(Reading, is_my_reading)
    return _GroupKeys(query, rank, status, status, sa.not_(sa.exists().where(is_my_reading).correlate(Paper)))


def _by_topic(_me: CurrentUser) -> _GroupKeys:
    is_assigned = col(PaperTopic.paper_id) == col(Paper.id)
    query = sa.select().select_from(TopicAlias).where(col(TopicAlias.is_canonical))
    query = query.join(Topic, col(Topic.id) == col(TopicAlias.topic_id))
    query = query.join(PaperTopic, col(PaperTopic.topic_id) == col(Topic.id)).join(Paper, is_assigned)
    is_unassigned = sa.not_(sa.exists().where(is_assigned).correlate(Paper))
    return _GroupKeys(query, col(TopicAlias.alias_key), col(Topic.slug), col(Topic.name), is_unassigned)


def _by_venue(_me: CurrentUser) -> _GroupKeys:
    venue = sa.func.substr(col(Paper.venue), sa.literal_column("1"), sa.literal_column("100"))  # the indexed expression
    return _GroupKeys(sa.select().where(venue > ""), venue, venue, venue, venue == "")


def _by_year(_me: CurrentUser) -> _GroupKeys:
    year = search.KEYS["year"]  # 0 if unknown
    return _GroupKeys(sa.select().where(year > 0), year, year, year, year == 0, is_descending=True)


def _by_reader(me: CurrentUser) -> _GroupKeys:
    earlier_reading: Any = aliased(Reading)
    same_reader = sa.and_(
        earlier_reading.paper_id == col(Reading.paper_id), earlier_reading.person_id == col(Reading.person_id)
    )
    earlier_finished = (
        same_reader,
        earlier_reading.pass_number < col(Reading.pass_number),
        earlier_reading.status == "read",
    )
    is_first = sa.not_(sa.exists().where(*earlier_finished, shared_or_own(earlier_reading, me.id)))
    is_read = (col(Reading.paper_id) == col(Paper.id), is_finished_pass(), shared_or_own(Reading, me.id))
    query = sa.select().select_from(Person).join(Reading, col(Reading.person_id) == col(Person.id))
    query = query.join(Paper, col(Reading.paper_id) == col(Paper.id)).where(*is_read[1:], is_first)
    is_unread = sa.not_(sa.exists().where(*is_read).correlate(Paper))
    return _GroupKeys(query, col(Person.name_key), col(Person.name), col(Person.name), is_unread)


_KEYS = {"status": _by_status, "topic": _by_topic, "venue": _by_venue, "year": _by_year, "reader": _by_reader}
