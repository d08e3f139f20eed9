"""Tables separated by commas, semicolons or tabs, as exported by reference managers and others."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readtrack.infra.text import csv as text_csv
from readtrack.infra.text.printable import clean
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.tables.exported_rows import FieldRow, read_field_row
from readtrack.ingest.parser.tables.field_names import FIELDS

_DELIMITERS = ("\t", ";", ",", "；", "，")
_MOST_CELL_LINES = 200  # a quotation mark that is not closed within so many lines is literal
_LONGEST_HEADER = 20_000
_LEAST_ALIKE = 3
_ENOUGH_KNOWN_NAMES = 5  # known names that are enough in a header of dozens
_NO_ROW = re.compile(r"[-*+|#>`]|\d{1,3}[.)]\s")
_NOT_IN_A_NAME = re.compile(r"[\W_]+")
_JOINED = frozenset({"topics", "notes", "url", "code", "elsewhere"})  # fields that may have several columns
_NEEDED = frozenset({"title", "url", "doi", "arxiv"})


@dataclass
class _DelimitedTable:
    """A delimited table. `columns`: the field of each column, "" if unknown."""

    delimiter: str
    columns: list[str]
    rows: list[tuple[int, int, list[str]]]  # index of the first line, index after the last, cells


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    raw = page.lines[start].raw
    if _NO_ROW.match(raw):
        return None
    for delimiter in _DELIMITERS:
        if delimiter in raw:
            block = _read_with_header(page, start, delimiter) or _read_without_header(page, start, delimiter)
            if block is not None:
                return block
    return None


def _read_with_header(page: NoteDocument, index: int, delimiter: str) -> EntryBlock | None:
    raw = page.lines[index].raw
    if len(raw) > _LONGEST_HEADER or "://" in raw:
        return None
    names = _split(raw, delimiter)
    columns = [FIELDS.get(_NOT_IN_A_NAME.sub("", name.casefold()), "") for name in names]
    field_names = {name for name in columns if name}
    if (
        len(field_names) < 2
        or not field_names & _NEEDED
        or (len(field_names) * 2 < len(names) and len(field_names) < _ENOUGH_KNOWN_NAMES)
    ):
        return None
    table = _DelimitedTable(delimiter, columns, [*_rows(page, index + 1, delimiter)])
    if not table.rows:
        return None
    first = page.lines[index].number
    reason = "The header of a table; it tells what the columns hold."
    header = ParsedEntry(
        first,
        first,
        1,
        "table",
        title=clean(", ".join(filter(None, names)))[:200],
        text=page.text(index),
        reason=reason,
    )
    return EntryBlock(table.rows[-1][1] - index, [header, *_entries(page, table)])


def _read_without_header(page: NoteDocument, start: int, delimiter: str) -> EntryBlock | None:
    """Parse rows of equal width with one column that contains only addresses."""
    if "." not in page.lines[start].raw or delimiter == "，":
        return None
    rows = [
        _split(page.lines[index].raw, delimiter) for index in range(start, min(start + _LEAST_ALIKE, len(page.lines)))
    ]
    width = len(rows[0])
    if width < 2 or len(rows) < _LEAST_ALIKE or any(len(cells) != width for cells in rows):
        return None
    address_columns = [column for column in range(width) if all(_is_address(cells[column]) for cells in rows)]
    if not address_columns:
        return None
    columns = _guess_columns(rows, address_columns[0])
    if "title" not in columns:
        return None
    table = _DelimitedTable(delimiter, columns, [*_rows(page, start, delimiter)])
    return EntryBlock(table.rows[-1][1] - start, _entries(page, table)) if table.rows else None


def _guess_columns(rows: Sequence[Sequence[str]], address: int) -> list[str]:
    """Return the columns, with the longest text as the title."""
    columns = [""] * len(rows[0])
    columns[address] = "url"
    text_columns = [
        column
        for column in range(len(columns))
        if column != address and all(" " in row[column] or len(row[column]) > 12 for row in rows)
    ]
    if text_columns:
        columns[max(text_columns, key=lambda column: sum(len(row[column]) for row in rows))] = "title"
    return columns


def _is_address(cell: str) -> bool:
    links = find_links(cell.strip())
    return is_bare(cell.strip(), links)


def _rows(page: NoteDocument, start: int, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (first index, index after the last, cells) of each row, up to another kind of line."""
    index = start
    while index < len(page.lines):
        raw = page.lines[index].raw
        if not raw.strip() or (delimiter not in raw and '"' not in raw):
            return
        end = _find_row_end(page, index)
        cells = _split("\n".join(line.raw for line in page.lines[index:end]), delimiter)
        if len(cells) < 2:
            return
        yield index, end, cells
        index = end


def _find_row_end(page: NoteDocument, start: int) -> int:
    """Return the index after the last line of the row. Quoted cells may contain line ends."""
    quotes = page.lines[start].raw.count('"')
    end = start + 1
    while quotes % 2 and end < min(start + _MOST_CELL_LINES, len(page.lines)):
        quotes += page.lines[end].raw.count('"')
        end += 1
    return start + 1 if quotes % 2 else end


def _split(text: str, delimiter: str) -> list[str]:
    text = text.lstrip("\ufeff").replace("\0", "")
    if '"' not in text:
        return text.split(delimiter)
    try:
        cells = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=False), [])
    except csv.Error:
        return text.split(delimiter)
    return [text_csv.unescape_cell(cell) for cell in cells]


def _entries(page: NoteDocument, table: _DelimitedTable) -> list[ParsedEntry]:
    numbered_rows = ((page.lines[first].number, page.lines[end - 1].number, cells) for first, end, cells in table.rows)
    topics = page.outline.topics
    return [
        read_field_row(FieldRow(first, last, topics, _map_cells(cells, table))) for first, last, cells in numbered_rows
    ]


def _map_cells(cells: list[str], table: _DelimitedTable) -> dict[str, str]:
    """Return the cells by field. Surplus cells from unquoted commas are joined into the title."""
    while len(cells) > len(table.columns) and not cells[-1].strip():
        cells.pop()
    surplus = len(cells) - len(table.columns)
    if surplus > 0 and "title" in table.columns:
        title = table.columns.index("title")
        cells[title : title + surplus + 1] = [table.delimiter.join(cells[title : title + surplus + 1])]
    fields: dict[str, str] = {}
    for name, cell in zip(table.columns, cells, strict=False):
        if not name and cell.lstrip().startswith("http"):
            name = "elsewhere"  # noqa: PLW2901 - an address under an unknown header
        if name and cell.strip():
            cell = _strip_braces(cell)  # noqa: PLW2901 - exported from BibTeX
            fields[name] = f"{fields[name]}\n{cell}" if name in fields and name in _JOINED else fields.get(name, cell)
    return fields


def _strip_braces(cell: str) -> str:
    return cell[1:-1] if cell.startswith("{") and cell.endswith("}") else cell


SHAPE = Shape("delimited", 25, read)
