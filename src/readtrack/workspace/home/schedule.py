"""How a day is spoken of: greetings, and when something is due. Pure."""

from datetime import date, datetime

from readtrack.infra import i18n
from readtrack.infra.i18n import gettext as _


def greeting(moment: datetime) -> str:
    """By the hour where the person is."""
    if 5 <= moment.hour < 12:
        return _("Good morning")
    return _("Good afternoon") if 12 <= moment.hour < 18 else _("Good evening")


def long_day(day: date) -> str:
    """Monday, 3 November."""
    return i18n.format_long_day(day)


def near_day(day: date, today: date) -> str:
    """Today, tomorrow, a weekday of the coming six days; else the date, with its year when that is another."""
    away = (day - today).days
    if away in {-1, 0, 1}:
        return {-1: _("yesterday"), 0: _("today"), 1: _("tomorrow")}[away]
    if 1 < away < 7:
        return i18n.format_weekday(day)
    return i18n.format_short(day, "day") if day.year == today.year else i18n.format_day(day)
