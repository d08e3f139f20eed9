"""Conversion of tables to entries: rows to papers, headings between them to topics.

Everything else stays a table.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readtrack.infra.text.titles.clean import without_emphasis
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import no_topic_reason, topic_of
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.tables.cells import TableCell, is_nothing
from readtrack.ingest.parser.tables.columns import SAMPLE_ROWS, infer_columns
from readtrack.ingest.parser.tables.rows import TableRow, read_row

COLUMN_NAMES = "The headings of the columns of a table; the rows below are read by them, nothing is made of this line."
MARKUP = "Only the markup of a table; nothing stands here."
_TAGS = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_MARKED = ("**", "__", "*", "_", "#")
_LONGEST_HEADING = 80
_LONGEST_TITLE = 200


@dataclass(frozen=True)
class TableGrid:
    """A table.

    `lines`: the text of all its lines, the first numbered `start`. `headings` may be empty.
    """

    start: int
    lines: Sequence[str]
    headings: tuple[str, ...]
    rows: tuple[TableRow, ...]
    topics: tuple[str, ...] = ()


@dataclass
class _EntryTiler:
    """Entries that cover the lines so far.

    Lines without entries are added as parts of the table.
    """

    grid: TableGrid
    next: int
    entries: list[ParsedEntry] = field(default_factory=list)

    def add(self, row: TableRow, entries: Sequence[ParsedEntry]) -> None:
        """Add the entries of a row.

        If the row begins on the last line of another, they are further parts of that line.
        """
        if row.last < self.next and self.entries:
            previous = self.entries[-1]
            parts = enumerate(entries, previous.part + 1)
            self.entries += [
                replace(entry, first=previous.first, last=previous.last, part=part) for part, entry in parts
            ]
            return
        first = max(row.first, self.next)
        self.fill(first - 1)
        last = max(row.last, first)
        self.entries += [entry if entry.first == first else replace(entry, first=first, last=last) for entry in entries]
        self.next = max(row.last, first) + 1

    def fill(self, last: int) -> None:
        if self.next <= last:
            self.entries.append(_table(self.grid, self.next, last))
            self.next = last + 1


def read_grid(grid: TableGrid) -> list[ParsedEntry]:
    """Return entries that cover the lines of the table."""
    rows = [(row, _heading(row) if len(grid.rows) > 1 else "") for row in grid.rows]
    columns = infer_columns(grid.headings, [row.cells for row, heading in rows[:SAMPLE_ROWS] if not heading])
    topics = grid.topics
    tiler = _EntryTiler(grid, grid.start)
    for row, heading in rows:
        if heading:
            tiler.add(row, [_topic(heading, grid.topics)])
            topics = _below(grid.topics, heading)
        elif row_entries := read_row(row, columns, ItemContext(row.first, row.last, topics)):
            tiler.add(row, row_entries)
    tiler.fill(grid.start + len(grid.lines) - 1)
    return tiler.entries


def _below(topics: tuple[str, ...], heading: str) -> tuple[str, ...]:
    name = topic_of(heading)
    return tuple(dict.fromkeys([*topics, name])) if name else topics


def _heading(row: TableRow) -> str:
    """Return the heading if the row has only one bold cell, or one cell across all columns."""
    filled = [text for text in row.texts if not is_nothing(text)]
    if len(filled) != 1 or len(row.texts) < 2 or not (row.is_full_width or filled[0].startswith(_MARKED)):
        return ""
    cell = TableCell.from_text(filled[0])
    words = cell.text_without_links.strip(" *_#:：")
    return words if not any(cell.iter_links) and 1 < len(words) <= _LONGEST_HEADING else ""


def _topic(heading: str, topics: tuple[str, ...]) -> ParsedEntry:
    reason = no_topic_reason(heading)
    if reason:
        return ParsedEntry(0, 0, 1, "junk", title=heading, topics=topics, decision="skip", reason=reason)
    return ParsedEntry(0, 0, 1, "topic", title=topic_of(heading), topics=topics)


def _table(grid: TableGrid, first: int, last: int) -> ParsedEntry:
    lines = grid.lines[first - grid.start : last - grid.start + 1]
    text = "\n".join(lines)
    if not _TAGS.sub("", text).strip():
        return ParsedEntry(first, last, 1, "blank", decision="skip", reason=MARKUP)
    entry = ParsedEntry(first, last, 1, "table", topics=grid.topics, text=text)
    if first > grid.start:
        return entry
    entry = replace(entry, title=" | ".join(without_emphasis(name) for name in grid.headings if name)[:_LONGEST_TITLE])
    only_names = bool(grid.headings) and bool(grid.rows) and last < grid.rows[0].first
    return replace(entry, decision="skip", reason=COLUMN_NAMES) if only_names else entry
