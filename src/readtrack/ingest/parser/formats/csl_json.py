"""CSL-JSON: a list, one item, or {"items": […]}.

Each item has its lines; a broken rest is flagged for review.
"""

from bisect import bisect_right
from dataclasses import replace

from readtrack.ingest.parser.bibliography.csl import Items, read_items, work_of
from readtrack.ingest.parser.bibliography.work import entry_of
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext

_OPENINGS = ("[", "{", "[{", '{"', "[ {", '{ "')
_TRIED = "csl_json"
_NEAR_CHARS = 40


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if not text.startswith(("[", "{")) or not _may_be(page, start) or page.format_states.get(_TRIED):
        return None
    raw_lines = [line.raw for line in page.lines[start:]]
    items = read_items("\n".join(raw_lines))
    if items is None:
        page.format_states[_TRIED] = True  # retrying at every bracket of a long file would take quadratic time
        return None
    return _block(page, start, items, _offsets(raw_lines))


def _may_be(page: NoteDocument, index: int) -> bool:
    """Return True for brackets, alone or with a quoted name, and a title nearby."""
    text = page.text(index)
    if text.rstrip() not in _OPENINGS and not text.startswith(('[{"', '{"', "[ {", '{ "')):
        return False
    return any('"title"' in line.raw for line in page.lines[index : index + _NEAR_CHARS])


def _offsets(raw_lines: list[str]) -> list[int]:
    offsets, position = [], 0
    for raw in raw_lines:
        offsets.append(position)
        position += len(raw) + 1
    return offsets


def _block(page: NoteDocument, start: int, items: Items, offsets: list[int]) -> EntryBlock:
    """Build the entries. Each extends to the next one; several on one line are parts of it."""
    entries: list[ParsedEntry] = []
    last = bisect_right(offsets, items.end - 1) - 1
    for item in items.items:
        index = bisect_right(offsets, item.start) - 1
        number = page.lines[start + index].number if entries else page.lines[start].number
        entry = entry_of(work_of(item.fields), ItemContext(number, number, page.outline.topics))
        entries.append(replace(entry, part=_part(entries, number)))
    first_lines = [entry.first for entry in entries]
    end = page.lines[start + last].number
    entries = [_to_the_next(entry, first_lines, end) for entry in entries]
    return _with_rest(page, start, EntryBlock(last + 1, entries), items.error)


def _part(entries: list[ParsedEntry], number: int) -> int:
    return entries[-1].part + 1 if entries and entries[-1].first == number else 1


def _to_the_next(entry: ParsedEntry, first_lines: list[int], end: int) -> ParsedEntry:
    if entry.part > 1:
        return entry
    index = bisect_right(first_lines, entry.first)
    return replace(entry, last=first_lines[index] - 1 if index < len(first_lines) else end)


def _with_rest(page: NoteDocument, index: int, block: EntryBlock, fault: str) -> EntryBlock:
    """Add the text after a syntax error, up to the end of the note, as an entry for review."""
    first = index + block.count
    if not fault or first >= len(page.lines):
        return block
    lines = page.lines[first:]
    text = "\n".join(line.text for line in lines)
    rest = ParsedEntry(lines[0].number, lines[-1].number, 1, "snippet", text=text, decision="review", reason=fault)
    return EntryBlock(len(page.lines) - index, [*block.entries, rest])


SHAPE = Shape("csl_json", 9, read)
