"""The view of the statistics page: all figures for a scope, period and topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from readtrack.infra import permissions
from readtrack.infra.clock import to_local, today_of
from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.statistics import figures, queries
from readtrack.workspace.statistics.coverage import CoverageReport, get_coverage_report
from readtrack.workspace.statistics.figures import Bar, GrowthStep, Share, Shelf, Waits
from readtrack.workspace.statistics.periods import Period, Span, build_period, build_year_period
from readtrack.workspace.statistics.queries import DailyCompletions, StatisticsScope

EARLIEST_YEAR = 1900


@dataclass(frozen=True)
class StatisticsOptions:
    """What to show: person or team, period, topic (slug, "" for all), and year of the calendar."""

    who: Literal["me", "team"] = "me"
    span: Span = "weeks"
    topic: str = ""
    year: int | None = None


@dataclass(frozen=True)
class ReadingStatistics:
    """All figures. `sample_size`: number of latest finished readings that the breakdowns cover."""

    options: StatisticsOptions
    topic: str  # name
    period: Period
    bars: Sequence[Bar]
    steps: Sequence[GrowthStep]
    depths: Sequence[Share]
    topics: Sequence[Share]
    waiting_times: Waits
    venues: Sequence[Share]
    years: Sequence[Share]
    ages: Sequence[Share]
    stale: str  # link to the stale readings
    year: int
    first_year: int  # the first year with any activity
    calendar: Mapping[date, int]
    undated: int
    sample_size: int
    goal: int | None

    @property
    def finished(self) -> int:
        """The number of papers finished in the period."""
        return sum(bar.number for bar in self.bars)

    @property
    def added(self) -> int:
        """The number of papers added in the period."""
        return self.steps[-1].added

    @property
    def most_in_a_day(self) -> int:
        """The maximum of the calendar."""
        return max(self.calendar.values(), default=0)


def get_statistics(tx: Read, me: CurrentUser, options: StatisticsOptions) -> ReadingStatistics:
    """Return the figures. Raise NotFound if the topic does not exist."""
    permissions.require(me, "see")
    scope, name = _build_scope(tx, me, options)
    shelf = Shelf(options.who == "me", options.topic)
    today = today_of(me.time_zone)
    earliest = queries.find_earliest(tx, scope) or today
    period = build_period(options.span, today, earliest=earliest)
    completions = queries.list_completions(tx, scope, period)
    year = options.year or today.year
    period_completions, year_completions = _list_completions(tx, scope, period, build_year_period(year, today))
    bars = figures.build_bars(period, period_completions, shelf)
    publication_counts, age_counts = (
        queries.count_by_venue(completions),
        queries.count_untouched(tx, scope, today, me.time_zone),
    )
    return ReadingStatistics(
        options=options,
        topic=name,
        period=period,
        bars=bars,
        steps=figures.build_steps(period, queries.list_daily_additions(tx, scope, period), bars),
        depths=figures.build_depth_shares(bars, period, shelf),
        topics=[_topic_share(row, shelf) for row in queries.list_topic_counts(tx, scope, period)],
        waiting_times=figures.build_waits([days for row in completions if (days := _wait_days(row)) is not None]),
        venues=figures.build_venue_shares(publication_counts, shelf),
        years=figures.build_year_shares(publication_counts, shelf),
        ages=figures.build_age_shares(age_counts, queries.MAX_UNTOUCHED),
        stale=shelf.link("is:stale"),
        year=year,
        first_year=min(earliest.year, today.year),
        calendar=figures.count_by_day(year_completions),
        undated=queries.count_undated(tx, scope),
        sample_size=len(completions),
        goal=queries.find_goal(tx, me) if options.who == "me" else None,
    )


def get_coverage(tx: Read, me: CurrentUser, options: StatisticsOptions) -> CoverageReport:
    """Return the coverage report. Raise NotFound if the topic does not exist."""
    permissions.require(me, "see")
    return get_coverage_report(tx, _build_scope(tx, me, options)[0])


def _build_scope(tx: Read, me: CurrentUser, options: StatisticsOptions) -> tuple[StatisticsScope, str]:
    person = me.id if options.who == "me" else None
    if not options.topic:
        return StatisticsScope(person), ""
    name, topics = queries.get_topic_subtree(tx, options.topic)
    return StatisticsScope(person, topics), name


def _list_completions(
    tx: Read, scope: StatisticsScope, period: Period, calendar: Period
) -> tuple[list[DailyCompletions], list[DailyCompletions]]:
    """Return the completions of both periods, with one query if one includes the other."""
    if period.includes(calendar):
        rows = queries.list_daily_completions(tx, scope, period)
        return rows, [row for row in rows if calendar.first <= row.day <= calendar.last]
    rows = queries.list_daily_completions(tx, scope, calendar)
    if calendar.includes(period):
        return [row for row in rows if period.first <= row.day <= period.last], rows
    return queries.list_daily_completions(tx, scope, period), rows


def _topic_share(row: queries.TopicCount, shelf: Shelf) -> Share:
    return Share(row.name, row.number, Shelf(shelf.is_own, row.slug).link("status:read"))


def _wait_days(row: queries.ReadingCompletion) -> int | None:
    """Return the days from "to read" to completion in the reader's time zone.

    Return None if the paper was never "to read", or if the given date is before that.
    """
    if row.wished_at is None:
        return None
    days = (row.finished_on - to_local(row.wished_at, row.zone).date()).days
    return days if days >= 0 else None
