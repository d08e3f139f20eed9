"""How a day is spoken of: greetings, and when something is due. Pure."""

from datetime import date, datetime


def greeting(moment: datetime) -> str:
    """By the hour where the person is."""
    if 5 <= moment.hour < 12:
        return "Good morning"
    return "Good afternoon" if 12 <= moment.hour < 18 else "Good evening"


def long_day(day: date) -> str:
    """Monday, 3 November."""
    return f"{day:%A}, {day.day} {day:%B}"


def near_day(day: date, today: date) -> str:
    """Today, tomorrow, a weekday of the coming six days; else the date, with its year when that is another."""
    away = (day - today).days
    if away in {-1, 0, 1}:
        return {-1: "yesterday", 0: "today", 1: "tomorrow"}[away]
    if 1 < away < 7:
        return f"{day:%A}"
    return f"{day.day} {day:%b}" if day.year == today.year else f"{day.day} {day:%b %Y}"
