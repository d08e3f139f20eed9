"""Recurrence of meetings, and conversion of local times."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

DAYS = (N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday"))


@dataclass(frozen=True)
class Rhythm:
    """A recurrence: a weekday (0 is Monday) every so many weeks from a date. 0 weeks: none."""

    every: int
    weekday: int
    starts_on: date


def next_day(rhythm: Rhythm, *, today: date, taken: Iterable[date]) -> date | None:
    """Return the next date from today without a meeting, or None without a recurrence.

    `taken`: dates of meetings. Weeks are counted from the previous meeting, even if it was moved. A gap before a
    planned meeting is filled only if it has room for a whole interval.
    """
    if not rhythm.every:
        return None
    turn = timedelta(weeks=rhythm.every)
    day = first = rhythm.starts_on + timedelta(days=(rhythm.weekday - rhythm.starts_on.weekday()) % 7)
    for met in sorted(taken):
        day = _skip_past_days(day, today, turn)
        if met - day >= turn:
            break
        if (first - met) * 2 < turn:  # otherwise it belongs to an earlier recurrence
            day = _nearest_weekday(met, rhythm.weekday) + turn
    return _skip_past_days(day, today, turn)


def moment_of(day: date, at: str, zone: str) -> datetime:
    """Return the UTC time at which clocks in that zone show `at` ("HH:MM") on that day.

    A time skipped by daylight saving is moved forward by the offset; of a repeated time, the first one is used.
    """
    return datetime.combine(day, time.fromisoformat(at), ZoneInfo(zone)).astimezone(UTC)


def _skip_past_days(day: date, today: date, turn: timedelta) -> date:
    """Return the day, moved forward by whole intervals until it is not past."""
    return day + turn * max(0, -((day - today) // turn))


def _nearest_weekday(day: date, weekday: int) -> date:
    return day + timedelta(days=(weekday - day.weekday() + 3) % 7 - 3)


def format_rhythm(every: int, weekday: int) -> str:
    """Return the recurrence as text, such as "every 2 weeks on Wednesday"."""
    return (
        _("{often} on {day}").format(often=format_interval(every), day=_(DAYS[weekday]))
        if every
        else format_interval(every)
    )


def format_interval(every: int) -> str:
    """Return the interval as text, such as "every 2 weeks"."""
    if every > 1:
        return _("every {count} weeks").format(count=every)
    return _("every week") if every else _("when it is agreed")
