"""Blank lines and horizontal rules. Several blank lines end the weak headings above."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry

_RULE = re.compile(r"(?:[-*_=~—─]\s?){3,200}")
_WIDE = 2


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    count = 0
    while at + count < len(page.lines) and not page.text(at + count):
        count += 1
    if count:
        if count >= _WIDE and page.previous != "headings":
            page.outline.leave_weak()
        return EntryBlock(count, [_blank(page, at, count)])
    if _RULE.fullmatch(page.text(at)):
        return EntryBlock(1, [_blank(page, at, 1)])
    return None


def _blank(page: NoteDocument, at: int, count: int) -> ParsedEntry:
    first = page.lines[at].number
    return ParsedEntry(first, first + count - 1, 1, "blank", decision="skip", reason="Nothing stands here.")


SHAPE = Shape("blanks", 10, read)
