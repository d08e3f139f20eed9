"""Lists of records in JSON, decoded one by one up to where the text breaks off, and the entries of their lines."""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.document import EntryBlock, NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.reasons import MALFORMED

_SPACE = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


class Item(NamedTuple):
    """An item: its offsets in the text and its fields by lower-case name."""

    start: int
    end: int
    fields: Mapping[str, Any]


class Items(NamedTuple):
    """Parsed items.

    `end`: the offset after the last. `error`: why the rest cannot be parsed, or "".
    """

    items: list[Item]
    end: int
    error: str = ""


@dataclass(frozen=True)
class JsonList:
    """A kind of JSON with a list of records, which can be read in pieces.

    `find_start`: returns the offset after the bracket that opens the list, 0 if there is none. `build_entry`: takes the
    line on which a record begins.
    """

    find_start: Callable[[str], int]
    is_record: Callable[[Mapping[str, Any]], bool]
    build_entry: Callable[[Item, int], ParsedEntry]


def read_list(text: str, start: int, is_record: Callable[[Mapping[str, Any]], bool]) -> Items | None:
    """Return the records of the list that is open at `start`, or None if there are none."""
    all_items = list(iter_items(text, start)) if start else []
    items = [item for item in all_items if is_record(item.fields)]
    if not items:
        return None
    end = all_items[-1].end
    after = end_of_list(text, end)
    if after is None:
        return Items(items, end, MALFORMED)
    whole = read_value(text, 0) if text.lstrip().startswith("{") else None
    return Items(items, whole.end if whole else after)


def iter_items(text: str, position: int) -> Iterator[Item]:
    """Yield the complete items from that offset on, records and others."""
    while True:
        item = read_value(text, _skip_space(text, position))
        if item is None:
            return
        yield item
        position = item.end


def _skip_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def read_value(text: str, position: int) -> Item | None:
    """Return the object that begins at that offset, None if none does or it is malformed."""
    if text[position : position + 1] != "{":
        return None
    try:
        value, end = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    return Item(position, end, {str(name).lower(): content for name, content in value.items()})


def end_of_list(text: str, end: int) -> int | None:
    """Return the offset after the bracket that closes the list after the last item, None without one."""
    after = _skip_space(text, end)
    return after + 1 if text[after : after + 1] == "]" else None


def text_of(value: object) -> str:
    """Return a value as one line of text, "" if it is no text."""
    return clean_line(value) if isinstance(value, str) else ""


def texts_in(value: object) -> list[str]:
    """Return the texts in a list, without its other values; none if it is no list."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, without its other values; none if it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def build_block(
    page: NoteDocument, start: int, items: Items, build_entry: Callable[[Item, int], ParsedEntry]
) -> EntryBlock:
    """Build the entries. Each extends to the next one; several on one line are parts of it."""
    entries: list[ParsedEntry] = []
    offsets = [0, *accumulate(len(line.raw) + 1 for line in page.lines[start:-1])]
    last = bisect_right(offsets, items.end - 1) - 1
    for item in items.items:
        index = bisect_right(offsets, item.start) - 1
        number = page.lines[start + index].number if entries else page.lines[start].number
        entries.append(replace(build_entry(item, number), part=_part(entries, number)))
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
