"""Lists of todo.txt: `(A) 2024-05-01 Title +reading @desk`, `x 2024-05-12 Title +reading due:2024-06-01`."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import as_diary_line

_DAY = r"(?:19|20)\d\d-\d\d-\d\d\s"
_MARKED = re.compile(rf"(?:(?P<done>x\s)(?:{_DAY}){{1,2}}|\([A-Z]\)\s(?:{_DAY})?)(?=\S)")
_TAGS = re.compile(r"(?:\s(?:[+@][^\W\d_][\w-]{0,40}|[a-z]{2,12}:(?:19|20)\d\d-\d\d-\d\d)){1,30}$")
_OF_READING = re.compile(r"\s\+(?:to-?read|reading|papers|literature)(?!\S)", re.IGNORECASE)
_TO_READ = re.compile(r"(?:re-?)?read\s", re.IGNORECASE)  # of an open task: not the past
_SEVERAL = 3


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _is_todo_list(page):
        return None
    text = page.text(start)
    mark, tags = _MARKED.match(text), _TAGS.search(text)
    if not (mark or tags):
        return None
    words = text[mark.end() if mark else 0 : tags.start() if tags else len(text)]
    is_done = mark is not None and mark["done"] is not None
    status = "read" if is_done else "to_read" if _TO_READ.match(words) else None
    context = page.context(start, start + 1, status)
    is_title = tags is not None and _OF_READING.search(tags[0]) is not None
    return EntryBlock(1, [*map(as_diary_line, read_piece(words, context, in_list=True, is_title=is_title))])


@once_per_note
def _is_todo_list(page: NoteDocument) -> bool:
    """Return True if several lines of the note begin as such tasks do."""
    return sum(_MARKED.match(line.text) is not None for line in page.lines) >= _SEVERAL


SHAPE = Shape("todo_lines", 23, read)
