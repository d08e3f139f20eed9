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
from readtrack.library.papers.lists import PaperFilter, PaperRow, get_sort_order, list_rows, visible_papers_filter
from readtrack.reading.readings.queries import is_finished_pass

# Sorts within a group; others fall back to the order of adding
PLAIN_SORTS = frozenset({"added", "updated", "year", "title"})
_QUALIFIERS = {"status": "status", "topic": "topic", "venue": "venue", "year": "year", "reader": "-unread-by"}
_NONE = {"status": "status:none", "topic": "no:topic", "year": "year:none", "reader": "readers:0"}


class GroupedPaper(NamedTuple):
    """A paper in one of its groups. `value`: of the group in the query language, "" for none."""

    value: str
    text: str
    paper: PaperRow


class PaperGroup(NamedTuple):
    """Consecutive papers of one group on a page.

    `narrowing`: query term for the whole group, "" if there is none; `again`: papers already listed further up on the
    page.
    """

    value: str
    text: str
    narrowing: str
    papers: Sequence[PaperRow]
    again: frozenset[int]


class _GroupKeys(NamedTuple):
    """The columns that sort and name groups. `rest`: condition for papers without a group."""

    query: sa.Select[Any]
    key: Any
    value: Any
    text: Any
    rest: sa.ColumnElement[bool]
    falls: bool = False


def page_groups(tx: Read, me: CurrentUser, wanted: PaperFilter, cut: PageRequest, *, by: str) -> Page[GroupedPaper]:
    """Return a page of the query's papers by group, sorted within each. Raise search.QueryError."""
    query = search.parse(wanted.q)
    said, falls = get_sort_order(query, wanted.sort)
    name, falls = (said, falls) if said in PLAIN_SORTS else ("added", True)
    keys, found = _KEYS[by](me), visible_papers_filter(tx, me, query, clustered=True)
    rows: list[Any] = []
    for stage in (1, 0) if cut.back else (0, 1):
        if cut.after is None or (stage <= cut.after[0][0] if cut.back else stage >= cut.after[0][0]):
            order = _GroupOrder(name, falls, keys.falls, stage)
            rows += tx.rows(_stage(keys, order, cut, cut.limit + 1 - len(rows)).where(found))
    shown, more = split_page(rows, cut.limit)
    if cut.back and not more:
        return page_groups(tx, me, wanted, PageRequest(cut.limit), by=by)
    shown = shown[::-1] if cut.back else shown
    last = _place(shown[-1]) if more or cut.back else None
    first = _place(shown[0]) if shown and cut.after is not None else None
    return Page(_with_papers(tx, me, shown, by), last, first)


def group_rows(rows: Sequence[GroupedPaper], by: str) -> list[PaperGroup]:
    """Combine consecutive rows of the same group."""
    groups, seen = [], set[int]()
    for (value, text), neighbours in groupby(rows, attrgetter("value", "text")):
        papers = [row.paper for row in neighbours]
        ids = {paper.id for paper in papers}
        groups.append(PaperGroup(value, text, _narrowing(by, value), papers, frozenset(ids & seen)))
        seen |= ids
    return groups


class _GroupOrder(NamedTuple):
    sort: str
    falls: bool
    groups_fall: bool
    stage: int


def _stage(keys: _GroupKeys, order: _GroupOrder, cut: PageRequest, most: int) -> sa.Select[Any]:
    sort, row_id = search.KEYS[order.sort], col(Paper.id)
    shown = [sa.literal(order.stage).label("stage"), row_id, sort.label("sort_value")]
    within = [row_id] if order.sort == "added" else [sort, row_id]
    if order.stage == 0:
        query = keys.query.add_columns(
            *shown, keys.key.label("key"), keys.value.label("value"), keys.text.label("text")
        )
    else:
        blank = sa.literal("")
        query = sa.select(*shown, blank.label("key"), blank.label("value"), blank.label("text")).where(keys.rest)
    if cut.after is not None and cut.after[0][0] == order.stage:
        query = query.where(_beyond(keys, order, within, cut))
    falls = order.falls != cut.back
    first = [_apply_direction(keys.key, falls=order.groups_fall != cut.back)] if order.stage == 0 else []
    return query.order_by(*first, *(_apply_direction(part, falls=falls) for part in within)).limit(max(most, 0))


def _beyond(keys: _GroupKeys, order: _GroupOrder, within: Sequence[Any], cut: PageRequest) -> sa.ColumnElement[bool]:
    (stage, key, value), row_id = cut.after or ((0, None, None), 0)
    at = [row_id] if len(within) == 1 else [_value(order.sort, value), row_id]
    here = sa.tuple_(*within)
    later = here < sa.tuple_(*at) if order.falls != cut.back else here > sa.tuple_(*at)
    if stage == 1:
        return later
    beyond = keys.key < key if order.groups_fall != cut.back else keys.key > key
    # Redundant condition that lets the database seek in an index
    reached = keys.key <= key if order.groups_fall != cut.back else keys.key >= key
    return sa.and_(reached, sa.or_(beyond, sa.and_(keys.key == key, later)))


def _apply_direction(part: Any, *, falls: bool) -> Any:  # noqa: ANN401 - a column
    return part.desc() if falls else part.asc()


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
    mine = sa.and_(col(Reading.paper_id) == col(Paper.id), col(Reading.person_id) == me.id, col(Reading.current))
    status = col(Reading.status)
    rank = sa.case({name: number for number, name in enumerate(STATUSES)}, value=status)
    query = sa.select().select_from(Paper).join(Reading, mine)
    return _GroupKeys(query, rank, status, status, sa.not_(sa.exists().where(mine).correlate(Paper)))


def _by_topic(_me: CurrentUser) -> _GroupKeys:
    filed = col(PaperTopic.paper_id) == col(Paper.id)
    query = sa.select().select_from(TopicAlias).where(col(TopicAlias.is_canonical))
    query = query.join(Topic, col(Topic.id) == col(TopicAlias.topic_id))
    query = query.join(PaperTopic, col(PaperTopic.topic_id) == col(Topic.id)).join(Paper, filed)
    rest = sa.not_(sa.exists().where(filed).correlate(Paper))
    return _GroupKeys(query, col(TopicAlias.alias_key), col(Topic.slug), col(Topic.name), rest)


def _by_venue(_me: CurrentUser) -> _GroupKeys:
    venue = sa.func.substr(col(Paper.venue), sa.literal_column("1"), sa.literal_column("100"))  # the indexed expression
    return _GroupKeys(sa.select().where(venue > ""), venue, venue, venue, venue == "")


def _by_year(_me: CurrentUser) -> _GroupKeys:
    year = search.KEYS["year"]  # 0 if unknown
    return _GroupKeys(sa.select().where(year > 0), year, year, year, year == 0, falls=True)


def _by_reader(me: CurrentUser) -> _GroupKeys:
    earlier: Any = aliased(Reading)
    same = sa.and_(earlier.paper_id == col(Reading.paper_id), earlier.person_id == col(Reading.person_id))
    before = (same, earlier.pass_number < col(Reading.pass_number), earlier.status == "read")
    first = sa.not_(sa.exists().where(*before, shared_or_own(earlier, me.id)))
    seen = (col(Reading.paper_id) == col(Paper.id), is_finished_pass(), shared_or_own(Reading, me.id))
    query = sa.select().select_from(Person).join(Reading, col(Reading.person_id) == col(Person.id))
    query = query.join(Paper, col(Reading.paper_id) == col(Paper.id)).where(*seen[1:], first)
    rest = sa.not_(sa.exists().where(*seen).correlate(Paper))
    return _GroupKeys(query, col(Person.name_key), col(Person.name), col(Person.name), rest)


_KEYS = {"status": _by_status, "topic": _by_topic, "venue": _by_venue, "year": _by_year, "reader": _by_reader}
