"""Lines without content of their own: comments, and definitions of links used elsewhere."""

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    reason = page.ignored_lines.get(start)
    if reason is None:
        return None
    end = start + 1
    while page.ignored_lines.get(end) == reason:
        end += 1
    first, last = page.lines[start].number, page.lines[end - 1].number
    return EntryBlock(end - start, [ParsedEntry(first, last, 1, "junk", decision="skip", reason=reason)])


SHAPE = Shape("asides", 5, read)
