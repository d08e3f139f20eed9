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
_PLENTY = 5  # known names that are enough in a header of dozens
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


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    raw = page.lines[at].raw
    if _NO_ROW.match(raw):
        return None
    for delimiter in _DELIMITERS:
        if delimiter in raw:
            block = _read_with_header(page, at, delimiter) or _read_without_header(page, at, delimiter)
            if block is not None:
                return block
    return None


def _read_with_header(page: NoteDocument, at: int, delimiter: str) -> EntryBlock | None:
    raw = page.lines[at].raw
    if len(raw) > _LONGEST_HEADER or "://" in raw:
        return None
    names = _split(raw, delimiter)
    columns = [FIELDS.get(_NOT_IN_A_NAME.sub("", name.casefold()), "") for name in names]
    known = {name for name in columns if name}
    if len(known) < 2 or not known & _NEEDED or (len(known) * 2 < len(names) and len(known) < _PLENTY):
        return None
    table = _DelimitedTable(delimiter, columns, [*_rows(page, at + 1, delimiter)])
    if not table.rows:
        return None
    first = page.lines[at].number
    reason = "The header of a table; it tells what the columns hold."
    header = ParsedEntry(
        first, first, 1, "table", title=clean(", ".join(filter(None, names)))[:200], text=page.text(at), reason=reason
    )
    return EntryBlock(table.rows[-1][1] - at, [header, *_entries(page, table)])


def _read_without_header(page: NoteDocument, at: int, delimiter: str) -> EntryBlock | None:
    """Parse rows of equal width with one column that contains only addresses."""
    if "." not in page.lines[at].raw or delimiter == "，":
        return None
    alike = [_split(page.lines[index].raw, delimiter) for index in range(at, min(at + _LEAST_ALIKE, len(page.lines)))]
    width = len(alike[0])
    if width < 2 or len(alike) < _LEAST_ALIKE or any(len(cells) != width for cells in alike):
        return None
    addressed = [place for place in range(width) if all(_is_address(cells[place]) for cells in alike)]
    if not addressed:
        return None
    columns = _guess_columns(alike, addressed[0])
    if "title" not in columns:
        return None
    table = _DelimitedTable(delimiter, columns, [*_rows(page, at, delimiter)])
    return EntryBlock(table.rows[-1][1] - at, _entries(page, table)) if table.rows else None


def _guess_columns(alike: Sequence[Sequence[str]], address: int) -> list[str]:
    """Return the columns, with the longest text as the title."""
    columns = [""] * len(alike[0])
    columns[address] = "url"
    worded = [
        place
        for place in range(len(columns))
        if place != address and all(" " in row[place] or len(row[place]) > 12 for row in alike)
    ]
    if worded:
        columns[max(worded, key=lambda place: sum(len(row[place]) for row in alike))] = "title"
    return columns


def _is_address(cell: str) -> bool:
    found = find_links(cell.strip())
    return is_bare(cell.strip(), found)


def _rows(page: NoteDocument, at: int, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (first index, index after the last, cells) of each row, up to another kind of line."""
    index = at
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


def _find_row_end(page: NoteDocument, at: int) -> int:
    """Return the index after the last line of the row. Quoted cells may contain line ends."""
    quotes = page.lines[at].raw.count('"')
    end = at + 1
    while quotes % 2 and end < min(at + _MOST_CELL_LINES, len(page.lines)):
        quotes += page.lines[end].raw.count('"')
        end += 1
    return at + 1 if quotes % 2 else end


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
    numbered = ((page.lines[first].number, page.lines[end - 1].number, cells) for first, end, cells in table.rows)
    topics = page.outline.topics
    return [read_field_row(FieldRow(first, last, topics, _map_cells(cells, table))) for first, last, cells in numbered]


def _map_cells(cells: list[str], table: _DelimitedTable) -> dict[str, str]:
    """Return the cells by field. Surplus cells from unquoted commas are joined into the title."""
    while len(cells) > len(table.columns) and not cells[-1].strip():
        cells.pop()
    surplus = len(cells) - len(table.columns)
    if surplus > 0 and "title" in table.columns:
        title = table.columns.index("title")
        cells[title : title + surplus + 1] = [table.delimiter.join(cells[title : title + surplus + 1])]
    told: dict[str, str] = {}
    for name, cell in zip(table.columns, cells, strict=False):
        if not name and cell.lstrip().startswith("http"):
            name = "elsewhere"  # noqa: PLW2901 - an address under an unknown header
        if name and cell.strip():
            cell = _strip_braces(cell)  # noqa: PLW2901 - exported from BibTeX
            told[name] = f"{told[name]}\n{cell}" if name in told and name in _JOINED else told.get(name, cell)
    return told


def _strip_braces(cell: str) -> str:
    return cell[1:-1] if cell.startswith("{") and cell.endswith("}") else cell


SHAPE = Shape("delimited", 25, read)
