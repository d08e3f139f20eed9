"""Lists of works in YAML files, each a mapping: `- {title: "…", arxiv: "…"}`, or in a whole file a field a line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.front import read_item
from readtrack.ingest.parser.headings.fields import title_of
from readtrack.ingest.parser.headings.yaml_items import read_items
from readtrack.ingest.parser.markup import tile_entries
from readtrack.ingest.parser.reasons import BLANK, FRONT_MATTER

_FIELD = re.compile(r"(?:-\s+)?[a-z][a-z_-]{0,30}:(?:\s|$)")
_FEW, _MOSTLY = 2, 0.8
_MAX_NAME_CHARS = 60  # of a week or topic, with its key


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read the mappings, with the comments above the first of a file."""
    first = start or _skip_comments(page)
    end = len(page.lines) if start == 0 and _is_list(page, first) else first
    while _is_mapping(page.text(end)):
        end += 1
    if end == first:
        return None
    root = read_items(page.lines, first, end)
    entries = [entry for item in root.children for entry in read_item(page, item, ())]
    if not (any(title_of(item.fields) for item in root.children) or _hold_all(page, first, end, entries)):
        return None
    tiles = tile_entries(entries, *page.numbers(start, end), reason=FRONT_MATTER)
    return EntryBlock(end - start, [_give_reason(page, entry) for entry in tiles])


def _hold_all(page: NoteDocument, first: int, end: int, entries: Sequence[ParsedEntry]) -> bool:
    """Return True if the works in deeper lists are all that a file says: the rest names weeks, days and topics."""
    held = {number for entry in entries for number in range(entry.first, entry.last + 1)}
    others = [index for index in range(first, end) if page.lines[index].number not in held]
    return bool(entries) and all(_is_short_field(page, index) for index in others)


def _is_short_field(page: NoteDocument, index: int) -> bool:
    text = page.text(index)
    is_field = not text or text.startswith("#") or _FIELD.match(text) is not None
    return is_field and len(text) <= _MAX_NAME_CHARS and not page.links_at(index)


def _give_reason(page: NoteDocument, entry: ParsedEntry) -> ParsedEntry:
    """Return the entry of lines between items with the reason of blank lines, if they are."""
    first = page.lines[0].number
    is_empty = entry.kind == "blank" and not any(map(page.text, range(entry.first - first, entry.last - first + 1)))
    return replace(entry, reason=BLANK) if is_empty else entry


def _skip_comments(page: NoteDocument) -> int:
    index = 0
    while index < len(page.lines) and (not page.text(index) or page.text(index).startswith("#")):
        index += 1
    return index


def _is_list(page: NoteDocument, first: int) -> bool:
    """Return True for a note of fields, of which each item of its list has several and begins with the same."""
    if not page.text(first).startswith("-"):
        return False
    texts = list(_iter_fields(page, first))
    if not texts or not _FIELD.match(texts[0]):
        return False
    fields = sum(_FIELD.match(text) is not None for text in texts)
    firsts = [text.partition(":")[0] for text in texts if text.startswith("- ")]
    return fields >= max(_MOSTLY * len(texts), _FEW * len(firsts)) and firsts.count(firsts[0]) >= _FEW


def _iter_fields(page: NoteDocument, first: int) -> Iterator[str]:
    """Yield the lines without comments. The mark of an item may stand above its first field."""
    mark = ""
    for line in page.lines[first:]:
        if line.text == "-":
            mark = "- "
        elif line.text and not line.text.startswith("#"):
            yield mark + line.text
            mark = ""


def _is_mapping(text: str) -> bool:
    return text.startswith("- {") and text.endswith("}")


SHAPE = Shape("yaml_lists", 4, read)
