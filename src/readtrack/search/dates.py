"""Dates and times in queries: `2024-05`, `today`, `<2w`, and the ranges they stand for."""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, TypeVar

from readtrack.infra import clock
from readtrack.search.ast import TimeRange

EARLIEST, LATEST = 1000, 9998  # Years; beyond them time zone conversion overflows.
T = TypeVar("T", date, datetime)
_DATE = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}t[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:z|[+-][0-9]{2}:[0-9]{2})?")
_AGE = re.compile(r"(?P<count>[0-9]{1,4})(?P<unit>[dwmy])")
_WHEN = re.compile(r"(?P<sign>>=|<=|>|<|)(?P<low>[^.<>=]+)(?:\.\.(?P<high>[^.<>=]+))?")
_ONE_DAY = timedelta(days=1)


class Days(NamedTuple):
    """The days from `begin` to before `end`; None is unbounded."""

    begin: date | None
    end: date | None


class Moments(NamedTuple):
    """The moments from `begin` to before `end`, in UTC; None is unbounded."""

    begin: datetime | None
    end: datetime | None


class LocalTime(NamedTuple):
    """The current moment and the name of the user's time zone."""

    now: datetime
    zone: str

    @property
    def today(self) -> date:
        """Return the current date in the time zone."""
        return clock.to_local(self.now, self.zone).date()


def parse(text: str) -> TimeRange | None:
    """Parse a lower-case time expression. Return None if it is invalid or its range is reversed."""
    match = _WHEN.fullmatch(text)
    if not match:
        return None
    sign, low, high = match["sign"], match["low"], match["high"] or ""
    if sign:
        return TimeRange(sign, low) if not high and (_is_bound(low) or _AGE.fullmatch(low)) else None
    return _range(low, high) if high else TimeRange("", low) if _is_bound(low) else None


def days(time_range: TimeRange, today: date, *, ahead: bool = False) -> Days:
    """Return the days of an expression on the day `today`.

    With `ahead`, ages count into the future, as for due dates.
    """
    if _AGE.fullmatch(time_range.low):
        edge = _shift_day(today, time_range.low, 1 if ahead else -1) + (_ONE_DAY if ahead else timedelta())
        return Days(edge, None) if time_range.sign.startswith(">") == ahead else Days(None, edge)
    high = _unit(time_range.high, today) if time_range.high else None
    return Days(*_range_edges(time_range, _unit(time_range.low, today), high))


def moments(time_range: TimeRange, local_time: LocalTime) -> Moments:
    """Return the moments of an expression; days start at midnight in the user's time zone."""
    if _AGE.fullmatch(time_range.low):
        edge = datetime.combine(
            _shift_day(local_time.today, time_range.low, -1), clock.to_local(local_time.now, local_time.zone).time()
        )
        moment = _utc(edge, local_time.zone)
        return Moments(None, moment) if time_range.sign.startswith(">") else Moments(moment, None)
    high = _moment_unit(time_range.high, local_time) if time_range.high else None
    return Moments(*_range_edges(time_range, _moment_unit(time_range.low, local_time), high))


def _is_bound(text: str) -> bool:
    try:
        return text == "today" or _first(text) is not None
    except ValueError:
        return False


def _first(text: str) -> datetime | None:
    """Return the first moment of a bound, without time zone; None if it has no valid form.

    Raise ValueError for 2024-13.
    """
    if _MOMENT.fullmatch(text):
        parsed = datetime.fromisoformat(text.upper())
    elif match := _DATE.fullmatch(text):
        parsed = datetime(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1))  # noqa: DTZ001
    else:
        return None
    return parsed if EARLIEST <= parsed.year <= LATEST else None


def _range(low: str, high: str) -> TimeRange | None:
    if not all(text == "*" or _is_bound(text) for text in (low, high)):
        return None
    if low == "*":
        return None if high == "*" else TimeRange("<=", high)
    if high in {"*", low}:
        return TimeRange(">=" if high == "*" else "", low)
    return None if _backwards(low, high) else TimeRange("", low, high)


def _backwards(low: str, high: str) -> bool:
    if "today" in {low, high}:
        return False
    low_time, high_time = _first(low), _first(high)
    return (
        low_time is not None
        and high_time is not None
        and low_time.replace(tzinfo=None) > high_time.replace(tzinfo=None)
    )


def _range_edges(
    time_range: TimeRange, low_unit: tuple[T, T], high_unit: tuple[T, T] | None
) -> tuple[T | None, T | None]:
    """Return begin and end of a comparison.

    `low_unit` and `high_unit` are begin and end of the two bounds.
    """
    start, end = low_unit
    match time_range.sign:
        case ">":
            return end, None
        case ">=":
            return start, None
        case "<":
            return None, start
        case "<=":
            return None, end
        case _:
            return start, high_unit[1] if high_unit else end


def _unit(text: str, today: date) -> tuple[date, date]:
    """Return the first day of a year, month or day, and the day after it."""
    parsed = today if text == "today" else _first(text)
    assert parsed is not None, "bounds were checked when the search was read"  # noqa: S101 - see parse
    day = date(parsed.year, parsed.month, parsed.day)
    return day, day + timedelta(days=_length(text, day))


def _length(text: str, day: date) -> int:
    if len(text) == len("2024"):
        return (date(day.year + 1, 1, 1) - day).days
    return monthrange(day.year, day.month)[1] if len(text) == len("2024-05") else 1


def _moment_unit(text: str, local_time: LocalTime) -> tuple[datetime, datetime]:
    if _MOMENT.fullmatch(text):
        minute = _utc(datetime.fromisoformat(text.upper()), local_time.zone)
        return minute, minute + timedelta(seconds=1 if text[16:17] == ":" else 60)
    first_day, next_day = _unit(text, local_time.today)
    return _midnight(first_day, local_time.zone), _midnight(next_day, local_time.zone)


def _midnight(day: date, zone: str) -> datetime:
    return _utc(datetime.combine(day, time()), zone)


def _utc(moment: datetime, zone: str) -> datetime:
    return (clock.from_local(moment, zone) if moment.tzinfo is None else moment).astimezone(UTC)


def _shift_day(day: date, age: str, direction: int) -> date:
    """Return the day shifted by an age, back (-1) or ahead (1).

    Limited to the last day of a shorter month.
    """
    match = _AGE.fullmatch(age)
    assert match is not None, "ages were checked when the search was read"  # noqa: S101 - see parse
    count, unit = int(match["count"]) * direction, match["unit"]
    if unit in "dw":
        return day + timedelta(days=count * (7 if unit == "w" else 1))
    year, month = divmod(day.year * 12 + day.month - 1 + count * (12 if unit == "y" else 1), 12)
    year = min(max(year, EARLIEST), LATEST)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
