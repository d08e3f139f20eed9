"""Blank lines and horizontal rules. Several blank lines end the weak headings above."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.lines import BLANK

_RULE = re.compile(r"(?:[-*_=~—─]\s?){3,200}")
_WIDE_COLUMNS = 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    count = 0
    while start + count < len(page.lines) and not page.text(start + count):
        count += 1
    if count:
        if count >= _WIDE_COLUMNS and page.previous != "headings":
            page.outline.leave_weak()
        return EntryBlock(count, [_blank(page, start, count)])
    if _RULE.fullmatch(page.text(start)):
        return EntryBlock(1, [_blank(page, start, 1)])
    return None


def _blank(page: NoteDocument, start: int, count: int) -> ParsedEntry:
    first = page.lines[start].number
    return blank_entry(first, first + count - 1)


def blank_entry(first: int, last: int) -> ParsedEntry:
    return ParsedEntry(first, last, 1, "blank", decision="skip", reason=BLANK)


SHAPE = Shape("blanks", 10, read)
