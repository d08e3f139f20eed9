"""Lines without content of their own: comments, and definitions of links used elsewhere."""

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    reason = page.ignored_lines.get(start)
    if reason is None:
        return None
    end = start + 1
    while page.ignored_lines.get(end) == reason:
        end += 1
    return skip_lines(page, start, end, reason)


SHAPE = Shape("comments", 5, read)
