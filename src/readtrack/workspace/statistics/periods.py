"""Time periods of the statistics, divided into weeks, months or years."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, NamedTuple

from readtrack.infra import i18n
from readtrack.infra.i18n import N_

Span = Literal["weeks", "year", "all"]
Step = Literal["week", "month", "year"]
SPANS = {"weeks": N_("Last 12 weeks"), "year": N_("This year"), "all": N_("All time")}
WEEKS = 12
MAX_STEPS = 60  # maximum bars of a chart
_DAYS = {"week": 7, "month": 31, "year": 366}


class Stretch(NamedTuple):
    """A week, month or year; both days are inclusive."""

    first: date
    last: date


@dataclass(frozen=True)
class Period:
    """A period from first to last day, divided into steps."""

    first: date
    last: date
    step: Step

    def includes(self, other: "Period") -> bool:
        """Return True if this period includes the other one."""
        return self.first <= other.first and other.last <= self.last

    def list_time_steps(self) -> Sequence[Stretch]:
        """Return the time steps in order."""
        return list(self._iter_time_steps())

    def _iter_time_steps(self) -> Iterator[Stretch]:
        start = first_day_of_step(self.first, self.step)
        while start <= self.last:
            next_start = next_step_start(start, self.step)
            yield Stretch(max(start, self.first), min(next_start - timedelta(days=1), self.last))
            start = next_start

    def format_label(self, stretch: Stretch) -> str:
        """Return the label of a time step."""
        if self.step == "year":
            return str(stretch.first.year)
        return i18n.format_month(stretch.first) if self.step == "month" else i18n.format_short(stretch.first, "day")


def build_period(span: Span, today: date, *, earliest: date | None = None) -> Period:
    """Return the period for a named span. `earliest`: first day with any activity."""
    if span == "weeks":
        return Period(first_day_of_step(today, "week") - timedelta(weeks=WEEKS - 1), today, "week")
    if span == "year":
        return Period(date(today.year, 1, 1), today, "week")
    first = max(min(earliest or today, today), date(today.year - MAX_STEPS + 1, 1, 1))
    step = _step_for(first, today)
    return Period(first_day_of_step(first, step), today, step)


def build_year_period(year: int, today: date) -> Period:
    """Return a calendar year, up to today."""
    return Period(date(year, 1, 1), min(date(year, 12, 31), max(today, date(year, 1, 1))), "week")


def first_day_of_step(day: date, step: Step) -> date:
    """Return the first day of the week (Monday), month or year."""
    if step == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if step == "month" else day.replace(month=1, day=1)


def next_step_start(start: date, step: Step) -> date:
    """Return the first day of the next step."""
    return first_day_of_step(start + timedelta(days=_DAYS[step]), step)


def _step_for(first: date, last: date) -> Step:
    days = (last - first).days
    if days < 7 * (MAX_STEPS // 2):
        return "week"
    return "month" if days < 30 * MAX_STEPS else "year"
