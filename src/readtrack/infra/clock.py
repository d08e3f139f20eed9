"""The one place that asks what time it is."""

from datetime import UTC, date, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_NO_PLACES = ("Etc/", "SystemV/", "US/", "posix/", "right/")


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Today's date in UTC: reading dates are days, not moments."""
    return now().date()


def today_of(zone: str) -> date:
    """Today's date where that person is: `zone` is an IANA name, blank for UTC."""
    return to_local(now(), zone).date()


def to_local(moment: datetime, zone: str) -> datetime:
    """The same moment as a clock there shows it."""
    return moment.astimezone(_zone(zone))


def from_local(moment: datetime, zone: str) -> datetime:
    """The moment at which a clock there shows this: the inverse of local(), for a moment that names no zone."""
    return moment.replace(tzinfo=_zone(zone)).astimezone(UTC)


@cache
def zones() -> tuple[str, ...]:
    """The zones that a person can choose, by name: places, and UTC."""
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES)))


@cache
def _zone(name: str) -> tzinfo:
    """A zone that this machine does not know (any more) is UTC: a name in the database must not break a page."""
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):
        return UTC
