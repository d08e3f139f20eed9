"""Fenced code: one snippet, whatever links it contains."""

import re

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, keep_as_remark

_FENCE = re.compile(r"(`{3,20}|~{3,20})[^`~]*")


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    fence = _FENCE.fullmatch(page.text(start))
    if not fence or fence[1] in page.unclosed:
        return None
    for end in range(start + 1, len(page.lines)):
        if page.text(end).startswith(fence[1]) and not page.text(end).strip(fence[1][0]):
            text = "\n".join(clean_line(line.raw) for line in page.lines[start + 1 : end])
            return keep_as_remark(page, start, end + 1, text)
    page.unclosed.add(fence[1])
    return None


SHAPE = Shape("fences", 20, read)
