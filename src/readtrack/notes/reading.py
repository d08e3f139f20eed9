"""A note from its first line to its last: each shape is asked in turn, and the one that knows the lines reads them."""

from readtrack.notes import lines, repeats
from readtrack.notes.entry import Entry
from readtrack.notes.page import Block, Page
from readtrack.notes.shapes import all_shapes

_LONG = 2000


def parse(text: str) -> list[Entry]:
    """Every line in exactly one entry of part 1, in order. Pure, and the same each time."""
    page = Page(lines.split(text))
    entries: list[Entry] = []
    at = 0
    while at < len(page.lines):
        block = _read(page, at)
        entries += [_with_lines(page, entry) for entry in block.entries]
        at += block.count
    return repeats.mark(entries)


def _read(page: Page, at: int) -> Block:
    for shape in all_shapes():
        block = shape.read(page, at)
        if block is not None:
            if shape.name != "blanks":
                page.previous = shape.name
            if shape.name not in {"blanks", "bullets"}:
                page.close_items()
            return block
    raise AssertionError(f"No shape reads line {page.lines[at].number}; prose should.")


def _with_lines(page: Page, entry: Entry) -> Entry:
    """Thousands of entries may begin on one very long line: only the first of them carries it."""
    if entry.part > 1 and len(page.lines[entry.first - 1].raw) > _LONG:
        return entry
    raw = "\n".join(line.raw for line in page.lines[entry.first - 1 : entry.last])
    return Entry(**(vars(entry) | {"raw": raw}))  # dataclasses.replace takes four times as long, on every line
