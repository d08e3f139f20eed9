"""When the meetings of a series are: days in a rhythm, and the moment that a clock on the wall shows. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from zoneinfo import ZoneInfo

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Rhythm:
    """A weekday (0 is Monday) every so many weeks, on or after a day. No weeks: no rhythm."""

    every: int
    weekday: int
    starts_on: date


def next_day(rhythm: Rhythm, *, today: date, taken: Iterable[date]) -> date | None:
    """The first day of the rhythm from today on that has no meeting yet; None when there is no rhythm.

    `taken`: the days that have one. A meeting that was moved stands for the nearest day of the rhythm, so that one
    held a day early is not held again.
    """
    if not rhythm.every:
        return None
    first = rhythm.starts_on + timedelta(days=(rhythm.weekday - rhythm.starts_on.weekday()) % 7)
    step = 7 * rhythm.every
    gone = {((day - first).days + step // 2) // step for day in taken}
    soonest = max(0, -((first - today).days // step))  # rounded up: of those that are not over
    return next(first + timedelta(days=step * number) for number in count(soonest) if number not in gone)


def moment_of(day: date, at: str, zone: str) -> datetime:
    """When a clock on the wall of that zone shows `at` ("HH:MM") that day.

    A time that the clocks leave out is as much later as they go forward; of one that they show twice, the first.
    """
    return datetime.combine(day, time.fromisoformat(at), ZoneInfo(zone)).astimezone(UTC)


def words(every: int, weekday: int) -> str:
    """A rhythm as people say it: every 2 weeks on Wednesday."""
    if not every:
        return "when it is agreed"
    return f"every {'week' if every == 1 else f'{every} weeks'} on {DAYS[weekday]}"
