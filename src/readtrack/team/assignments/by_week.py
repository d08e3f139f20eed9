"""Grouping of assignments by the week in which they are due."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Protocol, TypeVar

from readtrack.infra.i18n import format_day
from readtrack.infra.i18n import gettext as _


class HasDueDate(Protocol):
    """An object with an optional due date."""

    @property
    def due_on(self) -> date | None: ...

    @property
    def overdue(self) -> bool: ...


Row = TypeVar("Row", bound=HasDueDate)


def group_by_week(rows: Iterable[Row], today: date) -> list[tuple[str, Sequence[Row]]]:
    """Group the rows in order by week, each under the week's label."""
    return [(label, list(group)) for label, group in groupby(rows, key=lambda row: _week(row, today))]


def _week(row: HasDueDate, today: date) -> str:
    if row.due_on is None:
        return _("No day set")
    if row.overdue:
        return _("Overdue")
    monday = _monday(row.due_on)
    near_weeks = {timedelta(): _("This week"), timedelta(days=7): _("Next week")}
    return near_weeks.get(monday - _monday(today), _("Week of {day}").format(day=format_day(monday)))


def _monday(day: date) -> date:
    return date.fromordinal(max(day.toordinal() - day.weekday(), 1))
