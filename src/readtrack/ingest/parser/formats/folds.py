"""<details> and </details>: the limits of a fold. Its summary is a heading."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry

_TAGS = re.compile(r"(?:\s?</?(?:details|summary|center|table|tbody|thead|tr)\b[^<>]{0,200}>){1,10}", re.IGNORECASE)
_OPENS = re.compile(r"<details\b", re.IGNORECASE)
_CLOSES = re.compile(r"</details\s?>", re.IGNORECASE)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if "<" not in text or "details" not in text.lower():
        return None
    for _ in _OPENS.findall(text):
        page.outline.open_fold()
    if not _TAGS.fullmatch(text):
        return None
    for _ in _CLOSES.findall(text):
        page.outline.close_fold()
    number = page.lines[start].number
    reason = "Start or end of a collapsible section."
    return EntryBlock(1, [ParsedEntry(number, number, 1, "blank", decision="skip", reason=reason)])


SHAPE = Shape("folds", 7, read)
