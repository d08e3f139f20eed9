"""<details> and </details>: the limits of a fold. Its summary is a heading."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note, skip_lines
from readtrack.ingest.parser.reasons import FOLD_EDGE

_TAGS = re.compile(r"(?:\s?</?(?:details|summary|center|table|tbody|thead|tr)\b[^<>]{0,200}>){1,10}", re.IGNORECASE)
_OPENS = re.compile(r"<details\b", re.IGNORECASE)
_CLOSES = re.compile(r"</details\s?>", re.IGNORECASE)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if "<" not in text or "details" not in text.lower():
        return None
    for _ in _OPENS.findall(text):
        page.outline.open_fold(is_closed_below=start in _closed_folds(page))
    if not _TAGS.fullmatch(text):
        return None
    for _ in _CLOSES.findall(text):
        page.outline.close_fold()
    return skip_lines(page, start, start + 1, FOLD_EDGE, "blank")


@once_per_note
def _closed_folds(page: NoteDocument) -> set[int]:
    """Return the indexes of lines with start tags whose end tags are below."""
    closed: set[int] = set()
    open_indexes: list[int] = []
    for index, line in enumerate(page.lines):
        if "details" in line.text.lower():
            open_indexes += [index] * len(_OPENS.findall(line.text))
            ends = _CLOSES.findall(line.text) if _TAGS.fullmatch(line.text) else []
            for _ in ends[: len(open_indexes)]:
                closed.add(open_indexes.pop())
    return closed


SHAPE = Shape("folds", 7, read)
