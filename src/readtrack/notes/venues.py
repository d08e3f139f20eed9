"""Venue tags that people write beside a paper's title: (OSDI'24), [NSDI 25], 【ICML 2023】."""

import re
from typing import NamedTuple

from readtrack.notes.vocabulary import VENUES

_TAG = (
    rf"(?P<venue>(?:Findings of |USENIX |ACM |IEEE )?(?:{VENUES}))[ \-]?['’‘`]?[ ]?(?P<year>(?:19|20)\d\d|\d\d)(?!\d)"
)
_TAIL = rf"{_TAG}(?P<more>[^()\[\]【】（）]{{0,60}})"
_OWN = (
    re.compile(rf"^\s*[\[【(（]\s*{_TAIL}[\]】)）]\s*[:：,-]?\s*", re.IGNORECASE),
    re.compile(rf"\s*[\[【(（]\s*{_TAIL}[\]】)）]\s*\.?\s*$", re.IGNORECASE),
    re.compile(rf"(?:^|\s*(?:,|，|\||｜|\s[-–—]))\s*{_TAG}(?P<more>)\s*$", re.IGNORECASE),
)
_DIGITS = re.compile(r"\d\d")
_CENTURY = 100
_PIVOT = 70


class Venue(NamedTuple):
    """What stood in the tag, and the text without it."""

    rest: str
    venue: str = ""
    year: int | None = None


def take_tag(text: str) -> Venue:
    """A paper's own tag stands in brackets before or behind its title, or behind a comma; elsewhere it is mere text."""
    for pattern in _OWN if _DIGITS.search(text) else ():
        if match := pattern.search(text[:600] if pattern is _OWN[0] else text[-200:]):
            start = match.start() if pattern is _OWN[0] else max(len(text) - 200, 0) + match.start()
            rest = text[:start] + text[start + match.end() - match.start() :]
            return Venue(rest.strip(), _spelled(match["venue"]), _full_year(match["year"]))
    return Venue(text)


def _spelled(name: str) -> str:
    return " ".join(name.split())


def _full_year(digits: str) -> int:
    year = int(digits)
    if year >= _CENTURY:
        return year
    return year + (1900 if year >= _PIVOT else 2000)
