"""Queries for the statistics, and their scopes as SQL conditions.

The team's figures count shared readings only, also for the current user, so that everyone sees the same. Each query
reads an index over a period or over a limited number of latest rows, so the cost does not grow with the library.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import from_local
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, PaperTopic, Person, Reading, ReadingEvent, Topic
from readtrack.infra.permissions import CurrentUser, is_unlisted
from readtrack.reading.readings.queries import is_finished_pass
from readtrack.workspace.statistics.periods import Period

_person: Any = sa.bindparam("person")
_topics: Any = sa.bindparam("topics", expanding=True)
_UNLISTED = sa.select(col(Paper.id)).where(is_unlisted(Paper))
_FILED = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(_topics))
MAX_RECENT_READINGS = 1_000  # latest finished readings considered by the breakdowns by topic, venue and wait
MAX_TOPICS = 8
MAX_UNTOUCHED = 1_000  # readings counted in each age group
AGES = (7, 21, 90)  # days since the last change of a reading in progress


@dataclass(frozen=True)
class StatisticsScope:
    """The readings of a person, or of the team (None); of papers in topics, or of all papers (None)."""

    person: int | None = None
    topics: tuple[int, ...] | None = None

    @property
    def kind(self) -> tuple[bool, bool]:
        """The form of the statement: whether it has a person, and topics."""
        return self.person is not None, self.topics is not None

    @property
    def bound(self) -> dict[str, Any]:
        """The parameters of the statement."""
        parameters = {"person": self.person, "topics": self.topics}
        return {name: value for name, value in parameters.items() if value is not None}


Kind: TypeAlias = tuple[bool, bool]
Rows: TypeAlias = sa.Select[*tuple[Any, ...]]


def reader_filter(kind: Kind, reading: Any = Reading) -> sa.ColumnElement[bool]:  # noqa: ANN401 - the table, or an alias of it
    """Return the condition for the person's readings, or for shared ones."""
    condition: sa.ColumnElement[bool] = reading.person_id == _person if kind[0] else sa.not_(reading.private)
    return condition


def paper_filters(kind: Kind, paper_id: Any) -> list[sa.ColumnElement[bool]]:  # noqa: ANN401 - a column with papers
    """Return the conditions for listed papers, in the topics if there are any."""
    is_listed_paper = paper_id.not_in(_UNLISTED)
    return [is_listed_paper, paper_id.in_(_FILED)] if kind[1] else [is_listed_paper]


def reading_filters(kind: Kind) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for readings in the scope."""
    return [reader_filter(kind), *paper_filters(kind, col(Reading.paper_id))]


def latest_first() -> tuple[sa.UnaryExpression[Any], ...]:
    """Order by latest completion. Ties follow the columns of the index, so that no sort is needed."""
    return tuple(col(name).desc() for name in (Reading.finished_on, Reading.depth, Reading.paper_id, Reading.id))


class DailyCompletions(NamedTuple):
    """The number of readings finished on a day with a depth."""

    day: date
    depth: str
    number: int


class DailyAdditions(NamedTuple):
    """The number of readings added on a day."""

    day: date
    number: int


class ReadingCompletion(NamedTuple):
    """A finished reading with the time it was added as "to read", its reader's time zone, and its paper."""

    finished_on: date
    wished_at: datetime | None
    zone: str
    venue: str
    year: int | None


class TopicCount(NamedTuple):
    """The number of latest finished readings of a topic's papers."""

    slug: str
    name: str
    number: int


def list_daily_completions(tx: Read, scope: StatisticsScope, period: Period) -> list[DailyCompletions]:
    """Return the finished readings by day and depth, as far as their day is known."""
    parameters = {**scope.bound, "first": period.first, "last": period.last}
    return [DailyCompletions._make(row) for row in tx.rows(_daily_completions_query(scope.kind), parameters)]


def count_undated(tx: Read, scope: StatisticsScope) -> int:
    """Return the number of finished readings without a date."""
    return tx.scalar(_undated_query(scope.kind), scope.bound) or 0


def list_daily_additions(tx: Read, scope: StatisticsScope, period: Period) -> list[DailyAdditions]:
    """Return the number of readings added on each day."""
    parameters = {**scope.bound, "first": period.first, "last": period.last}
    return [DailyAdditions._make(row) for row in tx.rows(_daily_additions_query(scope.kind), parameters)]


def find_earliest(tx: Read, scope: StatisticsScope) -> date | None:
    """Return the first day with a reading added or finished."""
    return min((day for day in tx.rows(_earliest_day_query(scope.kind), scope.bound)[0] if day), default=None)


def list_completions(tx: Read, scope: StatisticsScope, period: Period) -> list[ReadingCompletion]:
    """Return the latest finished readings of the period, at most MAX_RECENT_READINGS."""
    parameters = {**scope.bound, "first": period.first, "last": period.last}
    return [ReadingCompletion._make(row) for row in tx.rows(_completions_query(scope.kind), parameters)]


def list_topic_counts(tx: Read, scope: StatisticsScope, period: Period) -> list[TopicCount]:
    """Return the most frequent topics of the latest finished readings of the period."""
    parameters = {**scope.bound, "first": period.first, "last": period.last}
    return [TopicCount._make(row) for row in tx.rows(_topic_counts_query(scope.kind), parameters)]


def count_untouched(tx: Read, scope: StatisticsScope, today: date, zone: str) -> list[int]:
    """Return the readings in progress by days since the last change, in the groups delimited by AGES.

    Days begin at midnight in `zone`. Each number is at most MAX_UNTOUCHED + 1.
    """
    edges = {f"before_{age}": _begin_of(today - timedelta(days=age - 1), zone) for age in AGES}
    return list(tx.rows(_untouched_query(scope.kind), {**scope.bound, **edges})[0])


def get_topic_subtree(tx: Read, slug: str) -> tuple[str, tuple[int, ...]]:
    """Return a topic's name, and the ids of it and its subtopics. Raise NotFound."""
    rows = tx.rows(_WITHIN, {"slug": slug})
    if not rows:
        raise NotFound(_("{name} not found.").format(name=slug))
    return next(row.name for row in rows if row.slug == slug), tuple(row.id for row in rows)


def find_goal(tx: Read, me: CurrentUser) -> int | None:
    """Return my weekly goal, which is private."""
    return tx.scalar(_GOAL, {"me": me.id})


def count_by_venue(completions: Sequence[ReadingCompletion]) -> Counter[tuple[str, int | None]]:
    """Return the number of readings by (venue, year)."""
    return Counter((row.venue, row.year) for row in completions)


_top = sa.select(col(Topic.id)).where(col(Topic.slug) == sa.bindparam("slug")).cte("within", recursive=True)
_within = _top.union(sa.select(col(Topic.id)).join(_top, col(Topic.parent_id) == _top.c.id))
_WITHIN: Rows = sa.select(col(Topic.id), col(Topic.slug), col(Topic.name)).join(_within, _within.c.id == col(Topic.id))
_GOAL: Rows = sa.select(col(Person.goal)).where(col(Person.id) == sa.bindparam("me"))
_first: Any = sa.bindparam("first")
_last: Any = sa.bindparam("last")
_in_time = col(Reading.finished_on).between(_first, _last)


@cache
def _daily_completions_query(kind: Kind) -> Rows:
    day, depth = col(Reading.finished_on), col(Reading.depth)
    query = sa.select(day, depth, sa.func.count()).where(is_finished_pass(), _in_time, *reading_filters(kind))
    return query.group_by(day, depth).order_by(day, depth)


@cache
def _undated_query(kind: Kind) -> Rows:
    conditions = (is_finished_pass(), col(Reading.finished_on).is_(None), *reading_filters(kind))
    return sa.select(sa.func.count()).select_from(Reading).where(*conditions)


@cache
def _daily_additions_query(kind: Kind) -> Rows:
    day = col(Reading.added_on)
    query = sa.select(day, sa.func.count()).where(day.between(_first, _last), *reading_filters(kind))
    return query.group_by(day).order_by(day)


@cache
def _earliest_day_query(kind: Kind) -> Rows:
    added_day, finished_day = col(Reading.added_on), col(Reading.finished_on)
    first_added = sa.select(added_day).where(*reading_filters(kind)).order_by(added_day).limit(1)
    first_finished = (
        sa.select(finished_day)
        .where(is_finished_pass(), finished_day.is_not(None), *reading_filters(kind))
        .order_by(finished_day)
        .limit(1)
    )
    return sa.select(first_added.scalar_subquery(), first_finished.scalar_subquery())


def _latest_completions(kind: Kind) -> sa.Subquery:
    """Select the latest readings of the period in index order, before any join."""
    query: Rows = sa.select(col(Reading.id).label("id"), col(Reading.paper_id).label("paper_id"))
    query = query.where(is_finished_pass(), _in_time, *reading_filters(kind)).order_by(*latest_first())
    return query.limit(MAX_RECENT_READINGS).subquery()


@cache
def _completions_query(kind: Kind) -> Rows:
    latest = _latest_completions(kind)
    queued_at = (
        sa.select(sa.func.min(col(ReadingEvent.created_at)))
        .where(
            col(ReadingEvent.person_id) == col(Reading.person_id),
            col(ReadingEvent.paper_id) == col(Reading.paper_id),
            col(ReadingEvent.pass_number) == col(Reading.pass_number),
            col(ReadingEvent.to_status) == "to_read",
        )
        .scalar_subquery()
    )
    columns = (col(Reading.finished_on), queued_at, col(Person.time_zone), col(Paper.venue), col(Paper.year))
    return (
        sa.select(*columns)
        .select_from(latest)
        .join(Reading, col(Reading.id) == latest.c.id)
        .join(Paper, col(Paper.id) == latest.c.paper_id)
        .join(Person, col(Person.id) == col(Reading.person_id))
    )


@cache
def _topic_counts_query(kind: Kind) -> Rows:
    latest, count = _latest_completions(kind), sa.func.count()
    return (
        sa.select(col(Topic.slug), col(Topic.name), count)
        .select_from(latest)
        .join(PaperTopic, col(PaperTopic.paper_id) == latest.c.paper_id)
        .join(Topic, col(Topic.id) == col(PaperTopic.topic_id))
        .group_by(col(Topic.slug), col(Topic.name))
        .order_by(count.desc(), col(Topic.slug))
        .limit(MAX_TOPICS)
    )


@cache
def _untouched_query(kind: Kind) -> Rows:
    updated_at = col(Reading.updated_at)
    edges: list[Any] = [sa.bindparam(f"before_{age}") for age in AGES]
    ages = [
        updated_at >= edges[0],
        *(sa.and_(updated_at < newer, updated_at >= older) for newer, older in pairwise(edges)),
        updated_at < edges[-1],
    ]
    conditions = (col(Reading.current), col(Reading.status) == "reading", *reading_filters(kind))
    queries = [sa.select(sa.literal(1)).select_from(Reading).where(age, *conditions) for age in ages]
    subqueries = [query.limit(MAX_UNTOUCHED + 1).subquery() for query in queries]
    return sa.select(*(sa.select(sa.func.count()).select_from(query).scalar_subquery() for query in subqueries))


def _begin_of(day: date, zone: str) -> datetime:
    return from_local(datetime.combine(day, time()), zone)
