"""Lines that hold nothing of their own: comments, and definitions of addresses that are used elsewhere."""

from readtrack.ingest.parser.document import Block, Page, Shape
from readtrack.ingest.parser.entry import Entry


def read(page: Page, at: int) -> Block | None:
    reason = page.asides.get(at)
    if reason is None:
        return None
    end = at + 1
    while page.asides.get(end) == reason:
        end += 1
    first, last = page.lines[at].number, page.lines[end - 1].number
    return Block(end - at, [Entry(first, last, 1, "junk", decision="skip", reason=reason)])


SHAPE = Shape("asides", 5, read)
