"""Fenced code: one snippet, whatever links it contains."""

import re

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry

_FENCE = re.compile(r"(`{3,20}|~{3,20})[^`~]*")


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    fence = _FENCE.fullmatch(page.text(start))
    if not fence or fence[1] in page.unclosed:
        return None
    for end in range(start + 1, len(page.lines)):
        if page.text(end).startswith(fence[1]) and not page.text(end).strip(fence[1][0]):
            return EntryBlock(end - start + 1, [_snippet(page, start, end)])
    page.unclosed.add(fence[1])
    return None


def _snippet(page: NoteDocument, start: int, end: int) -> ParsedEntry:
    lines = page.lines[start : end + 1]
    text = "\n".join(clean_line(line.raw) for line in lines[1:-1])
    return ParsedEntry(lines[0].number, lines[-1].number, 1, "snippet", topics=page.outline.topics, text=text)


SHAPE = Shape("fences", 20, read)
