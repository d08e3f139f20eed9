"""Recurrence of meetings, rotation of presenters, and conversion of local times."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

DAYS = (N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday"))


@dataclass(frozen=True)
class Rhythm:
    """A recurrence: a weekday (0 is Monday) every so many weeks from a date. 0 weeks: none."""

    interval_weeks: int
    weekday: int
    starts_on: date


def next_day(rhythm: Rhythm, *, today: date, meeting_days: Iterable[date]) -> date | None:
    """Return the next date from today without a meeting, or None without a recurrence.

    `meeting_days`: dates of meetings. Weeks are counted from the previous meeting, even if it was moved. A gap before a
    planned meeting is filled only if it has room for a whole interval.
    """
    if not rhythm.interval_weeks:
        return None
    interval = timedelta(weeks=rhythm.interval_weeks)
    day = first = rhythm.starts_on + timedelta(days=(rhythm.weekday - rhythm.starts_on.weekday()) % 7)
    for meeting_day in sorted(meeting_days):
        day = _skip_past_days(day, today, interval)
        if meeting_day - day >= interval:
            break
        if (first - meeting_day) * 2 < interval:  # otherwise it belongs to an earlier recurrence
            day = _nearest_weekday(meeting_day, rhythm.weekday) + interval
    return _skip_past_days(day, today, interval)


def moment_of(day: date, time_text: str, zone: str) -> datetime:
    """Return the UTC time at which clocks in that zone show `time_text` ("HH:MM") on that day.

    A time skipped by daylight saving is moved forward by the offset; of a repeated time, the first one is used.
    """
    return datetime.combine(day, time.fromisoformat(time_text), ZoneInfo(zone)).astimezone(UTC)


def _skip_past_days(day: date, today: date, interval: timedelta) -> date:
    """Return the day, moved forward by whole intervals until it is not past."""
    return day + interval * max(0, -((day - today) // interval))


def _nearest_weekday(day: date, weekday: int) -> date:
    return day + timedelta(days=(weekday - day.weekday() + 3) % 7 - 3)


def format_rhythm(interval_weeks: int, weekday: int) -> str:
    """Return the recurrence as text, such as "every 2 weeks on Wednesday"."""
    return (
        _("{often} on {day}").format(often=format_interval(interval_weeks), day=_(DAYS[weekday]))
        if interval_weeks
        else format_interval(interval_weeks)
    )


def format_interval(interval_weeks: int) -> str:
    """Return the interval as text, such as "every 2 weeks"."""
    if interval_weeks > 1:
        return _("every {count} weeks").format(count=interval_weeks)
    return _("every week") if interval_weeks else _("no fixed schedule")


def rotate_presenters(
    presenter_order: Sequence[int], past_presenters: Sequence[int], active_people: Collection[int]
) -> list[int]:
    """Return the active people of the rotation, those with the longest wait first.

    People who never presented come before all others, in rotation order. `past_presenters`: past presenters, newest
    first. The order is computed from history, so people may swap dates without losing a turn.
    """
    meetings_since = {person: count for count, person in reversed([*enumerate(past_presenters)])}
    return sorted(
        (person for person in presenter_order if person in active_people),
        key=lambda person_id: -meetings_since.get(person_id, len(past_presenters)),
    )
