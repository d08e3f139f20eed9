"""When the meetings of a series are: days in a rhythm, and the moment that a clock on the wall shows. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

DAYS = (N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday"))


@dataclass(frozen=True)
class Rhythm:
    """A weekday (0 is Monday) every so many weeks, on or after a day. No weeks: no rhythm."""

    every: int
    weekday: int
    starts_on: date


def next_day(rhythm: Rhythm, *, today: date, taken: Iterable[date]) -> date | None:
    """The next day from today on that has no meeting yet; None when there is no rhythm.

    `taken`: the days that have one. Weeks are counted from one meeting to the next, as people do, wherever that one was
    moved to; a gap is filled only where a whole turn has room before what is planned.
    """
    if not rhythm.every:
        return None
    turn = timedelta(weeks=rhythm.every)
    day = first = rhythm.starts_on + timedelta(days=(rhythm.weekday - rhythm.starts_on.weekday()) % 7)
    for met in sorted(taken):
        day = _skip_past_days(day, today, turn)
        if met - day >= turn:
            break
        if (first - met) * 2 < turn:  # else it is of a rhythm before this one
            day = _nearest_weekday(met, rhythm.weekday) + turn
    return _skip_past_days(day, today, turn)


def moment_of(day: date, at: str, zone: str) -> datetime:
    """When a clock on the wall of that zone shows `at` ("HH:MM") that day.

    A time that the clocks leave out is as much later as they go forward; of one that they show twice, the first.
    """
    return datetime.combine(day, time.fromisoformat(at), ZoneInfo(zone)).astimezone(UTC)


def _skip_past_days(day: date, today: date, turn: timedelta) -> date:
    """That day, or as many turns later as it takes."""
    return day + turn * max(0, -((day - today) // turn))


def _nearest_weekday(day: date, weekday: int) -> date:
    return day + timedelta(days=(weekday - day.weekday() + 3) % 7 - 3)


def format_rhythm(every: int, weekday: int) -> str:
    """A rhythm as people say it: every 2 weeks on Wednesday."""
    return (
        _("{often} on {day}").format(often=format_interval(every), day=_(DAYS[weekday]))
        if every
        else format_interval(every)
    )


def format_interval(every: int) -> str:
    """Every 2 weeks."""
    if every > 1:
        return _("every {count} weeks").format(count=every)
    return _("every week") if every else _("when it is agreed")
