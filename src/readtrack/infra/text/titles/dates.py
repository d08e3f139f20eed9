"""Parsing of dates in notes into ISO prefixes: "2023", "2023-05" or "2023-05-16".

Nothing is guessed: an ambiguous day and month are dropped, and a date with an ambiguous year is rejected.
"""

import calendar
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

# A year of four digits in any text. What stands before it is looked at last, which is three times faster.
YEAR = re.compile(r"(?:19|20)(?<!\d..)\d\d(?!\d)")
MONTH_NAME = r"(?i:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"  # in English, also shortened
_Y = r"(?:19|20)\d\d"
_M = r"(?:1[0-2]|0?[1-9])"
_D = r"(?:3[01]|[12]\d|0?[1-9])"
_ORDINAL = rf"{_D}(?:st|nd|rd|th)?"
MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "january jan januar janvier enero",
            "february feb februar février febrero",
            "march mar märz mars marzo",
            "april apr avril abril",
            "may mai mayo",
            "june jun juni juin junio",
            "july jul juli juillet julio",
            "august aug août agosto",
            "september sept sep septembre septiembre",
            "october oct oktober okt octobre octubre",
            "november nov novembre noviembre",
            "december dec dezember dez décembre diciembre",
        ),
        1,
    )
    for name in names.split()
}
_NAME = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})(?![a-zà-ÿ])\.?"
_SEASON = r"(?:q[1-4]|[1-4]q|spring|summer|autumn|fall|winter|early|mid|late|春|夏|秋|冬)"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?|[月火水木金土日]曜?日?|星期.|周.)"
_TIME = r"[T\s]\s?\d{1,2}[:：]\d\d(?::\d\d)?(?:[.,]\d{1,6})?\s?(?:Z|[+-]\d\d:?\d\d|[-–]\d{1,2}:\d\d|[ap]m)?"
_BEHIND = rf"(?:\s?[(（]\s?{_WEEKDAY}\s?[)）]?|,?\s{_WEEKDAY})?(?:{_TIME})?"
# Org repeaters and warning periods: every week, three days ahead.
_REPEATS = r"(?:\s(?:\.?\+{1,2}|-{1,2})\d{1,3}[dwmy])?"

_YEAR_FIRST = rf"{_Y}\s?[-/.年]\s?{_M}(?:\s?[-/.月]\s?{_D}(?!\d)\s?[日号]?|\s?月)?(?![\d/]){_BEHIND}{_REPEATS}"
_COMPACT = rf"{_Y}(?:1[0-2]|0[1-9])(?:3[01]|[12]\d|0[1-9])?(?!\d)"
_NAMED = (
    rf"(?:{_WEEKDAY},?\s)?(?:{_ORDINAL}\s)?{_NAME}(?:\s?[-/–]\s?{_NAME})?(?:\s{_ORDINAL},?)?"
    rf"[\s,/-]{{0,2}}(?:{_Y}|['’]\d\d)(?!\d)"
)
_NAME_BEHIND = rf"{_Y}[\s,/-]{{1,2}}{_NAME}(?:[\s-]{_ORDINAL})?(?!\d)"
_SLASHES = rf"\d{{1,2}}/\d{{1,2}}/(?:{_Y}|\d\d)(?!\d)"
_DOTS = rf"\d{{1,2}}([-.])\d{{1,2}}\1(?:{_Y}|\d\d)"
_MONTH_YEAR = rf"{_M}\s?[-/.]\s?{_Y}(?!\d)"
_SHORT = r"['’]?[0-4]\d[-/.](?:1[0-2]|0[1-9])(?![\d.])"
_YEAR = rf"(?:{_SEASON}[\s,]{{0,2}})?{_Y}(?:\s?年(?:度|春|夏|秋|冬)?|[\s,]{{0,2}}{_SEASON})?"
_SHORT_YEAR = re.compile(r"(?:['’‘`´]\s?|FY\s?['’]?)(?P<year>\d\d)\s?年?", re.IGNORECASE)
_EASTERN = rf"['’]?\d\d\s?年\s?{_M}\s?月(?:\s?{_D}\s?[日号])?"

# Brackets, in emphasis or not, or emphasis alone: `[2023]`, `**(2023)**`, `` `2023` ``.
_OPEN = r"(?:[*_`]{0,3}[\[【(（<「〔]|[*_`]{1,3})"
_CLOSE = r"(?:[\]】)）>」〕][*_`]{0,3}|[*_`]{1,3})"
_LABEL = (
    r"(?:(?:date|published|publication date|submitted|released?|posted|read(?: on)?|updated|added|"
    r"日期|时间|時間|发表|発表|公開|発行|投稿|日付)"
    r"\s?[:：]\s?)?"
)
_PLAIN = f"(?:{_YEAR_FIRST}|{_NAMED}|{_NAME_BEHIND}|{_SLASHES}|{_EASTERN})"
_INSIDE = r"(?P<date>[^\[\]【】()（）<>「」〔〕]{4,60}?)"
_FRAMED_FIRST = re.compile(
    rf"{_OPEN}\s?(?P<date>[^\[\]【】()（）<>「」〔〕]{{4,60}}?)\s?{_CLOSE}\s{{0,3}}[:：,，-]?\s{{0,3}}"
)
_FRAMED_LAST = re.compile(rf"\s{{0,3}}{_OPEN}\s?(?P<date>[^\[\]【】()（）<>「」〔〕]{{4,60}}?)\s?{_CLOSE}\s?[.。]?$")
_FIRST = re.compile(rf"(?P<date>{_LABEL}{_PLAIN})(?:\s?[:：,，|｜]\s?|\s[-–—]\s|\s(?!\w{{0,12}}$))", re.IGNORECASE)
_LAST = re.compile(
    rf"(?:^|\s?[,，;；|｜:：·•]\s?|\s[-–—]\s?|(?<=[)）\]】])\s?)(?P<date>{_LABEL}(?:{_PLAIN}|{_Y}年?))\s?[.。]?$|"
    rf"\s(?P<spaced>{_YEAR_FIRST}|(?:19|20)\d\d(?:1[0-2]|0[1-9])(?:3[01]|[12]\d|0[1-9])|(?<=[\u3040-\u9fff]\s)(?:19|20)\d\d)$",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_SAME = str.maketrans("０１２３４５６７８９／．－‐‑‒−", "0123456789/.-----")
_ENDS = re.compile(r"[\d年月日号Z)\]】）>」〕*_`季春夏秋冬][.。]?\s?$")
_CLOSERS = (*"]】)）>」〕*_`",)
_MAX_DATE_CHARS, _MAX_DATE_SPACES, _EDGE = 70, 10, 100
_PIVOT_YEAR = 70
_LAST_MONTH, _LAST_DAY = 12, 31
_YEAR_DIGITS, _DASHES_OF_A_DAY = 4, 2
_DAY_FOLLOWS = re.compile(rf"{_Y}\D{{1,3}}{_M}\s?[-/.月]\s?{_D}(?!\d)")  # A day, not the hour of a time.
_NUMBER = re.compile(r"\d{1,8}")
_WORD = re.compile(r"[a-zà-ÿ]{3,}", re.IGNORECASE)


class DatedText(NamedTuple):
    """The text without its date, and the date as an ISO prefix, "" if there is none."""

    remainder: str
    iso: str = ""


@lru_cache(maxsize=128)  # The same title is inspected several times while a line is parsed.
def take_date(text: str) -> DatedText:
    """Extract the date that a text consists of, starts with or ends with.

    Examples: `[2023/01/25] Title`, `Title (July 2019)`. Dates inside a sentence stay. A bare year is taken only from
    brackets, after a comma or after a Chinese or Japanese title.
    """
    if not _DIGIT.search(text):
        return DatedText(text)
    whole_date = iso_date(text)
    if whole_date:
        return DatedText("", whole_date)
    normalized = text if text.isascii() else text.translate(_SAME)
    for pattern in (_FRAMED_FIRST, _FIRST):
        match = pattern.match(normalized)
        iso = iso_date(match["date"]) if match else ""
        if match and iso:
            return DatedText(text[match.end() :].strip(), iso)
    return _from_the_end(text, normalized)


@lru_cache(maxsize=256)
def iso_date(text: str) -> str:
    """Return the ISO prefix if the whole text is a date, e.g. a table cell or Org timestamp; else ""."""
    if len(text) > _MAX_DATE_CHARS or text.count(" ") > _MAX_DATE_SPACES or not _DIGIT.search(text):
        return ""
    stripped = (
        (text if text.isascii() else text.translate(_SAME)).strip(" *_`[]【】()（）<>「」〔〕,.;:：。").casefold()
    )
    if label := _WHOLE_LABEL.match(stripped):
        stripped = stripped[label.end() :]
    for pattern, parse in _FORMS:
        if pattern.fullmatch(stripped):
            return parse(stripped)
    return ""


def iso_date_in_year_field(text: str) -> str:
    """Return the ISO prefix of a cell or field that says when a work was published: also `'17`, `FY17` and `'17年`."""
    short = _SHORT_YEAR.fullmatch(text.strip())
    return _full(short["year"]) if short else iso_date(text)


def iso_day(text: str) -> str:
    """Return an ISO date with a day, e.g. "2020-05-01"; "" if the day is missing."""
    iso = iso_date(text)
    return iso if iso.count("-") == _DASHES_OF_A_DAY else ""


def _from_the_end(text: str, normalized: str) -> DatedText:
    if not _ENDS.search(normalized, max(len(normalized) - len("日. "), 0)):
        return DatedText(text)
    start = max(len(normalized) - _EDGE, 0)
    for pattern in (_FRAMED_LAST, _LAST) if normalized.rstrip(" .。").endswith(_CLOSERS) else (_LAST,):
        match = pattern.search(normalized, start)
        date = (match["date"] or match.groupdict().get("spaced") or "") if match else ""
        iso = iso_date(date)
        if match and iso:
            return DatedText(text[: match.start()].strip(), iso)
    return DatedText(text)


def _year_first(text: str) -> str:
    year, month, *day_numbers = _NUMBER.findall(text.partition(":")[0])
    return _iso(year, month, day_numbers[0] if day_numbers and _DAY_FOLLOWS.match(text) else "")


def _compact(text: str) -> str:
    return _iso(text[:4], text[4:6], text[6:])


def _parse_named_month(text: str) -> str:
    """Parse July 2019, 16 May 2023, May 16th, 2023, 2023 May. Two months leave only the year."""
    months = {MONTHS[word] for word in _WORD.findall(text) if word in MONTHS}
    numbers = _NUMBER.findall(text)
    year = next((number for number in numbers if len(number) == _YEAR_DIGITS), numbers[-1])
    numbers.remove(year)
    return _iso(_full(year), str(*months), *numbers[:1]) if len(months) == 1 else _full(year)


def _slashes(text: str) -> str:
    """Parse 9/04/24 and 24/5/31.

    The year is last, unless only the first number can be one; if both could be, the date is ambiguous and rejected.
    """
    first, second, last = _NUMBER.findall(text)
    if len(last) < _YEAR_DIGITS and int(first) > _LAST_MONTH and int(last) <= _LAST_DAY and first != last:
        return _iso(_full(first), second, last) if int(first) > _LAST_DAY else ""
    return _day_or_month(first, second, _full(last))


def _day_or_month(first: str, second: str, year: str) -> str:
    """Distinguish day and month if one number is over 12 or both are equal.

    Otherwise return the year only.
    """
    if int(first) > _LAST_MONTH or int(first) == int(second):
        return _iso(year, second, first)
    return _iso(year, first, second) if int(second) > _LAST_MONTH else year


def _month_year(text: str) -> str:
    month, year = _NUMBER.findall(text)
    return _iso(year, month)


def _short(text: str) -> str:
    year, month, *day = _NUMBER.findall(text)
    return _iso(_full(year), month, *day)


def _year(text: str) -> str:
    return next(str(number) for number in _NUMBER.findall(text) if len(number) == _YEAR_DIGITS)


def _full(year: str) -> str:
    return year if len(year) == _YEAR_DIGITS else f"{19 if int(year) >= _PIVOT_YEAR else 20}{year:0>2}"


def _iso(year: str, month: str, day: str = "") -> str:
    """Return the ISO prefix, or "" if the date does not exist."""
    if not 1 <= int(month) <= _LAST_MONTH:
        return ""
    if day and not 1 <= int(day) <= calendar.monthrange(int(year), int(month))[1]:
        return ""
    return f"{year}-{int(month):02}" + (f"-{int(day):02}" if day else "")


_WHOLE_LABEL = re.compile(_LABEL, re.IGNORECASE)
_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = tuple(
    (re.compile(form, re.IGNORECASE), read)
    for form, read in (
        (_YEAR, _year),
        (_YEAR_FIRST, _year_first),
        (_COMPACT, _compact),
        (_NAMED, _parse_named_month),
        (_NAME_BEHIND, _parse_named_month),
        (_SLASHES, _slashes),
        (_DOTS, _slashes),
        (_MONTH_YEAR, _month_year),
        (_SHORT, _short),
        (_EASTERN, _short),
    )
)
