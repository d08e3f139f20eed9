"""The page's one question: everything that the figures of a time, a person or the team, and a topic show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from readtrack.infra import permissions
from readtrack.infra.clock import local, today_of
from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.workspace.statistics import figures, queries
from readtrack.workspace.statistics.coverage import Standing, get_standing
from readtrack.workspace.statistics.figures import Bar, Share, Shelf, Step, Waits
from readtrack.workspace.statistics.periods import Period, Span, period_of, year_of
from readtrack.workspace.statistics.queries import Finished
from readtrack.workspace.statistics.scopes import Scope

EARLIEST_YEAR = 1900


@dataclass(frozen=True)
class Asked:
    """Whose figures, of which time, of which topic (its slug; blank for all), and the calendar of which year."""

    who: Literal["me", "team"] = "me"
    span: Span = "weeks"
    topic: str = ""
    year: int | None = None


@dataclass(frozen=True)
class Progress:
    """All figures. `looked_at`: how many of the latest finished readings the breakdowns are made of."""

    asked: Asked
    topic: str  # its name
    period: Period
    bars: Sequence[Bar]
    steps: Sequence[Step]
    depths: Sequence[Share]
    topics: Sequence[Share]
    waits: Waits
    venues: Sequence[Share]
    years: Sequence[Share]
    ages: Sequence[Share]
    stale: str  # where what nothing happened to for long is listed
    year: int
    first_year: int  # before it nothing happened
    calendar: Mapping[date, int]
    undated: int
    looked_at: int
    goal: int | None

    @property
    def finished(self) -> int:
        """How many ended in that time."""
        return sum(bar.number for bar in self.bars)

    @property
    def added(self) -> int:
        """How many came onto a list in it."""
        return self.steps[-1].added

    @property
    def most_in_a_day(self) -> int:
        """The highest number of the calendar."""
        return max(self.calendar.values(), default=0)


def get_progress(tx: Read, me: Visitor, asked: Asked) -> Progress:
    """The figures. Raises NotFound for a topic that is not there."""
    permissions.require(me, "see")
    scope, name = _scope(tx, me, asked)
    shelf = Shelf(asked.who == "me", asked.topic)
    today = today_of(me.time_zone)
    earliest = queries.find_earliest(tx, scope) or today
    period = period_of(asked.span, today, earliest=earliest)
    ended = queries.list_ended(tx, scope, period)
    year = asked.year or today.year
    in_period, in_year = _finished(tx, scope, period, year_of(year, today))
    bars = figures.bars(period, in_period, shelf)
    found, untouched = queries.by_venue(ended), queries.count_untouched(tx, scope, today, me.time_zone)
    return Progress(
        asked=asked,
        topic=name,
        period=period,
        bars=bars,
        steps=figures.steps(period, queries.list_added(tx, scope, period), bars),
        depths=figures.depths(bars, period, shelf),
        topics=[_topic(row, shelf) for row in queries.list_filed(tx, scope, period)],
        waits=figures.waits([days for row in ended if (days := _waited(row)) is not None]),
        venues=figures.venues(found, shelf),
        years=figures.years(found, shelf),
        ages=figures.ages(untouched, queries.MOST_UNTOUCHED),
        stale=shelf.link("is:stale"),
        year=year,
        first_year=min(earliest.year, today.year),
        calendar=figures.by_day(in_year),
        undated=queries.count_undated(tx, scope),
        looked_at=len(ended),
        goal=queries.find_goal(tx, me) if asked.who == "me" else None,
    )


def get_coverage(tx: Read, me: Visitor, asked: Asked) -> Standing:
    """How much of the library is read, and which papers deserve a look. Raises NotFound without that topic."""
    permissions.require(me, "see")
    return get_standing(tx, _scope(tx, me, asked)[0])


def _scope(tx: Read, me: Visitor, asked: Asked) -> tuple[Scope, str]:
    person = me.id if asked.who == "me" else None
    if not asked.topic:
        return Scope(person), ""
    name, topics = queries.topics_within(tx, asked.topic)
    return Scope(person, topics), name


def _finished(tx: Read, scope: Scope, period: Period, calendar: Period) -> tuple[list[Finished], list[Finished]]:
    """What ended in each of them; asked for once where one lies within the other, as it mostly does."""
    if period.holds(calendar):
        rows = queries.list_finished(tx, scope, period)
        return rows, [row for row in rows if calendar.first <= row.day <= calendar.last]
    rows = queries.list_finished(tx, scope, calendar)
    if calendar.holds(period):
        return [row for row in rows if period.first <= row.day <= period.last], rows
    return queries.list_finished(tx, scope, period), rows


def _topic(row: queries.Filed, shelf: Shelf) -> Share:
    return Share(row.name, row.number, Shelf(shelf.mine, row.slug).link("status:read"))


def _waited(row: queries.Ended) -> int | None:
    """Whole days where the reader is, from the wish to the end; None where nobody wished, or the end was told of an
    earlier day.
    """
    if row.wished_at is None:
        return None
    days = (row.finished_on - local(row.wished_at, row.zone).date()).days
    return days if days >= 0 else None
