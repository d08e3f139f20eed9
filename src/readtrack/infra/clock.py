"""The system clock and conversion between UTC and local time.

No other module reads the clock.
"""

from datetime import UTC, date, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_NO_PLACES = ("Etc/", "SystemV/", "US/", "posix/", "right/")


def now() -> datetime:
    """Return the current time as an aware datetime in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Return today's date in UTC. Reading dates are dates, not moments."""
    return now().date()


def today_of(zone: str) -> date:
    """Return today's date in the time zone `zone`, an IANA name; blank means UTC."""
    return to_local(now(), zone).date()


def to_local(moment: datetime, zone: str) -> datetime:
    """Convert a moment to local time in the time zone `zone`."""
    return moment.astimezone(_zone(zone))


def from_local(moment: datetime, zone: str) -> datetime:
    """Convert local time in `zone`, given without a zone, to UTC. The inverse of `to_local`."""
    return moment.replace(tzinfo=_zone(zone)).astimezone(UTC)


@cache
def zones() -> tuple[str, ...]:
    """Return the names of the time zones a person can choose: region/city names and UTC."""
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES)))


@cache
def _zone(name: str) -> tzinfo:
    """Return the time zone, or UTC if the system does not know the name.

    A stored name that a newer tzdata has dropped must not break a page.
    """
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):
        return UTC
