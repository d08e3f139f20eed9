"""Blank lines and horizontal rules, which may end the weak headings above: bold and bare lines.

Such a heading has no mark of its end. It ends at a rule, or at a gap with lines of another shape below: the list under
it is over when titles with addresses begin. A gap of several lines also ends it before a paragraph, and ends a bare
line in any case.
"""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.venues_below_addresses import is_address_line
from readtrack.ingest.parser.reasons import BLANK

_RULE = re.compile(r"(?:[-*_=~—─]\s?){3,200}")
_WIDE_LINES = 2
_ITEM = re.compile(r"(?:[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)]|\[\d{1,3}\])(?:\s|$)|[•‣◦▪●○・]")
_LIST, _TABLE, _ADDRESS, _TEXT = "list", "table", "address", "text"


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    count = 0
    while start + count < len(page.lines) and not (page.text(start + count) or start + count in page.ignored_lines):
        count += 1
    if count:
        if page.previous != "headings":
            _end_weak_headings(page, start, start + count)
        return skip_lines(page, start, start + count, BLANK, "blank")
    if _RULE.fullmatch(page.text(start)):
        if page.previous != "headings":
            page.outline.leave_weak()
        return skip_lines(page, start, start + 1, BLANK, "blank")
    return None


def _end_weak_headings(page: NoteDocument, start: int, end: int) -> None:
    is_wide = end - start >= _WIDE_LINES
    above, below = _shape(page, start - 1), _shape(page, end)
    if (_ADDRESS in {above, below} and above != below and below != _TEXT != above) or (
        is_wide and below != above != _TEXT and below
    ):
        page.outline.leave_weak()
    elif is_wide:
        page.outline.leave_bare()


def _shape(page: NoteDocument, index: int) -> str:
    """Return the shape of the lines around one: items and what is nested below, addresses and their titles, text."""
    text = page.text(index)
    if not text:
        return ""
    is_item = _ITEM.match(text) is not None
    if page.lines[index].indent or (is_item and not (text[0].isdecimal() and is_address_line(page, index + 1))):
        return _LIST
    if text.startswith("|"):
        return _TABLE
    if is_address_line(page, index) or is_address_line(page, index + 1):
        return _ADDRESS
    return _TEXT


def blank_entry(first: int, last: int) -> ParsedEntry:
    return ParsedEntry(first, last, 1, "blank", decision="skip", reason=BLANK)


SHAPE = Shape("blanks", 10, read)
