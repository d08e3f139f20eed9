"""Parsing of dates in service responses.

No guessing: no day without a month, no ambiguous order of day and month.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date

_EARLIEST, _LATEST = 1400, 2200
_MAX_CHARS = 100
_NUMBERS = re.compile(r"(\d{4})(?:\s?[-/.年]\s?(\d{1,2})(?:\s?[-/.月]\s?(\d{1,2})日?(?:[T\s].*)?)?月?)?年?", re.DOTALL)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)")
_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split("|"), 1)}
_MONTH = rf"(?P<month>{_NAMES})[a-z]{{0,6}}\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WRITTEN = tuple(
    re.compile(rf"(?:[a-z]{{3,9}},?\s)?{form}(?:[T\s,].*)?", re.IGNORECASE | re.DOTALL)
    for form in (
        rf"{_DAY}[\s-]{_MONTH}[\s,-]{{1,2}}{_YEAR}",
        rf"{_MONTH}\s{_DAY}[\s,]{{1,2}}{_YEAR}",
        rf"{_YEAR}[\s,-]{{1,2}}{_MONTH}(?:[\s-]{_DAY})?",
        rf"{_MONTH}[\s,]{{1,2}}{_YEAR}",
    )
)
_ANY_YEAR = re.compile(r"(?<!\d)((?:1[4-9]|20|21)\d\d)(?!\d)")


def day(value: object) -> tuple[int | None, date | None]:
    """Return the year and, if complete, the date.

    Examples: [[2024, 4, 22]], "2024-04-22", "22 April 2024".
    """
    year, month, day_of_month = _parts(value)
    if year is None or not _EARLIEST <= year <= _LATEST:
        return None, None
    if month is None or day_of_month is None:
        return year, None
    try:
        return year, date(year, month, day_of_month)
    except (ValueError, OverflowError):
        return year, None


Parts = tuple[int | None, int | None, int | None]
_NOTHING: Parts = (None, None, None)


def _parts(value: object) -> Parts:
    if isinstance(value, date):
        return value.year, value.month, value.day
    if isinstance(value, Mapping):
        return _of_mapping(value)
    if isinstance(value, str):
        return _of_text(" ".join(value[:_MAX_CHARS].split()))
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return _of_list(value)
    return (_number(value), None, None)


def _of_mapping(value: Mapping[object, object]) -> Parts:
    """Parse Crossref's `{"date-parts": …}`, or a mapping with year, month and day."""
    if "date-parts" in value:
        date_parts = value["date-parts"]
        return _of_list(date_parts) if isinstance(date_parts, list | tuple) else _NOTHING
    return _number(value.get("year")), _number(value.get("month")), _number(value.get("day"))


def _of_list(value: Sequence[object]) -> Parts:
    """Parse [2024, 4, 22], or a list whose first member is such a list."""
    parts = value[0] if value and isinstance(value[0], list | tuple) else value
    year, month, day_of_month = [*map(_number, parts[:3]), None, None, None][:3]
    return year, month, day_of_month if month is not None else None


def _of_text(text: str) -> Parts:
    if match := _NUMBERS.fullmatch(text) or _COMPACT.fullmatch(text):
        return _number(match[1]), _number(match[2]), _number(match[3])
    for pattern in _WRITTEN:
        if match := pattern.fullmatch(text):
            groups = match.groupdict()
            return _number(groups["year"]), _MONTHS[groups["month"][:3].lower()], _number(groups.get("day"))
    years = set(_ANY_YEAR.findall(text))
    return (_number(years.pop()) if len(years) == 1 else None, None, None)


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = value.strip() if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else None
