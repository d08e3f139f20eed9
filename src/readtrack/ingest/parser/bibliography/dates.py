"""Publication dates, as precise as the entry states them."""

import re

from readtrack.infra.text.titles.dates import MONTHS, iso_date

_YEAR = re.compile(r"(?<!\d)(?P<year>1[89]\d\d|20\d\d)(?!\d)")
_ISO = re.compile(r"(?P<year>\d{4})(?:[-/](?P<month>\d{1,2})(?:[-/](?P<day>\d{1,2}))?)?(?![\d-])")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"\d{1,2}")


def format_published(date: str, month: str = "", day: str = "") -> str:
    """Return 2023, 2023-05 or 2023-05-16 from a year or date, a month as a word or number, and a day.

    "" without a year.
    """
    match = _ISO.match(date.strip())
    if match and match["month"]:
        return format_iso_date(match["year"], match["month"], match["day"] or "")
    year = _YEAR.search(date)
    if not year:
        return ""
    if not month and (iso := iso_date(date)):
        return iso
    return format_iso_date(year["year"], _month(month), day if _NUMBER.fullmatch(day) else _day(month))


def format_iso_date(year: str, month: str = "", day: str = "") -> str:
    """Return the date in ISO format, or only the year if the date is impossible."""
    published = iso_date("-".join(f"{int(part):02}" for part in (year, month, day) if part)) if year else ""
    return published or year


def _month(text: str) -> str:
    word = _WORD.search(text)
    if word and word[0].lower() in MONTHS:
        return str(MONTHS[word[0].lower()])
    number = _NUMBER.fullmatch(text.strip())
    return number[0] if number and 1 <= int(number[0]) <= 12 else ""


def _day(month: str) -> str:
    """Return the day in a month field such as "16~may" or "May 16": BibTeX has no field for the day."""
    number = _NUMBER.search(month)
    return number[0] if number and _WORD.search(month) else ""
