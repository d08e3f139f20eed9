"""The one place that asks what time it is, and how a day is written."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Today's date in UTC: reading dates are days, not moments."""
    return now().date()


def day(moment: date) -> str:
    """A date, or the day of a moment in UTC, as people write it: 3 Dec 2025."""
    if isinstance(moment, datetime):
        moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%b %Y}"
