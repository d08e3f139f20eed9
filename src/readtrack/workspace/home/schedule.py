"""Greetings, and dates relative to today."""

from datetime import date, datetime

from readtrack.infra import i18n
from readtrack.infra.i18n import gettext as _


def greeting(local_time: datetime) -> str:
    """Return the greeting for the hour in the person's time zone, with `{name}` for the name."""
    if 5 <= local_time.hour < 12:
        return _("Good morning, {name}")
    return _("Good afternoon, {name}") if 12 <= local_time.hour < 18 else _("Good evening, {name}")


def long_day(day: date) -> str:
    """Return a date such as Monday, 3 November."""
    return i18n.format_long_day(day)


def near_day(day: date, today: date) -> str:
    """Return "today", "tomorrow", a weekday within six days, or the date, with the year if it differs."""
    day_offset = (day - today).days
    if day_offset in {-1, 0, 1}:
        return {-1: _("yesterday"), 0: _("today"), 1: _("tomorrow")}[day_offset]
    if 1 < day_offset < 7:
        return i18n.format_weekday(day)
    return i18n.format_short(day, "day") if day.year == today.year else i18n.format_day(day)
