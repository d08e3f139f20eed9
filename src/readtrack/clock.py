"""The one place that asks what time it is."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Today's date in UTC: reading dates are days, not moments."""
    return now().date()
