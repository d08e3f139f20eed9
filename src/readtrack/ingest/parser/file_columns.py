"""Delimited files by their columns: what the parser takes each for, and reading by what a person chose."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from readtrack.infra.text import normalize
from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.dates import iso_date
from readtrack.ingest.parser import lines
from readtrack.ingest.parser.column_fields import COLUMN_FIELDS, MAX_COLUMNS, FileColumns, cut_name
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats import blanks
from readtrack.ingest.parser.formats.delimited import (
    DELIMITERS,
    MAX_HEADER_CHARS,
    UNUSED,
    find_row_end,
    header_entry,
    infer_columns,
    read_row,
    split_cells,
)
from readtrack.ingest.parser.tables.exported_columns import field_of
from readtrack.ingest.parser.tables.infer_fields import fill_columns
from readtrack.ingest.parser.tables.readtrack_rows import is_readtrack_header

_MAX_SAMPLE_CHARS = 120
_SAMPLE_ROWS, _MAX_ROWS = 40, 2_000  # rows inspected for their contents, and for their number of cells
_MIN_CELLS = 6  # of a table between commas, which notes contain, too
_NOT_A_TABLE = re.compile(r"[-*+|>`{\[<@%\\]|\d{1,3}[.)]\s")
_HEADER_CHARS = 60
_ADDRESS = re.compile(r"(?:https?://|www\.)", re.IGNORECASE)


def find_file_columns(text: str, *, has_header: bool | None = None) -> FileColumns | None:
    """Return the columns of a delimited file, as the parser reads them. None for other notes.

    `text`: the file, or whole lines from its beginning. `has_header`: whether the first row is one, if a person said
    so. readtrack's own exports are read by their names alone.
    """
    page = NoteDocument(lines.split(text))
    start = next((index for index in range(len(page.lines)) if page.text(index)), None)
    if start is None:
        return None
    first_lines = page.lines[start : find_row_end(page.lines, start)]
    first_row = "\n".join(line.raw for line in first_lines).lstrip("\ufeff")
    if len(first_row) > MAX_HEADER_CHARS or _NOT_A_TABLE.match(first_row):
        return None
    delimiters = (delimiter for delimiter in DELIMITERS if delimiter in first_row)
    tables = (_read_table(page, start, delimiter, wanted_header=has_header) for delimiter in delimiters)
    return next(filter(None, tables), None)


def _read_table(page: NoteDocument, start: int, delimiter: str, *, wanted_header: bool | None) -> FileColumns | None:
    rows = [cells for _, _, cells in islice(_iter_rows(page, start, delimiter), _MAX_ROWS)]
    first_cells = rows[0]
    width = len(first_cells)
    if not 1 < width <= MAX_COLUMNS or is_readtrack_header(first_cells):
        return None
    sample = rows[: _SAMPLE_ROWS + 1]
    has_header, found = infer_columns(sample, page.lines[start].raw)
    is_table = bool(found) and len(rows) > 1
    if is_table and sum(len(cells) > 1 for cells in rows) * 5 < len(rows) * 4:
        return None  # other notes follow
    if not is_table and not _is_grid(rows, delimiter):
        return None
    if wanted_header not in {None, has_header} or not is_table:
        has_header = not any(map(_is_content, first_cells)) if wanted_header is None else wanted_header
        found = fill_columns([field_of(name) if has_header else "" for name in first_cells], sample[has_header:])
    body = sample[has_header:]
    names = _unique_names(first_cells if has_header else [""] * width)
    samples = tuple(_find_sample(body, column) for column in range(width))
    fields = tuple(_public_field(field, body, column) for column, field in enumerate(found))
    return FileColumns(delimiter, has_header, names, fields, samples, is_table)


def _iter_rows(page: NoteDocument, start: int, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield index, index after the last line, and cells of all rows; blank lines are skipped."""
    index = start
    while index < len(page.lines):
        end = find_row_end(page.lines, index) if page.text(index) else index + 1
        if page.text(index):
            yield index, end, split_cells(page.raw_text(index, end), delimiter)
        index = end


def _is_grid(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Return True if nearly all rows have as many cells as the first. Lists between commas must be typed tightly."""
    width = len(rows[0])
    same = sum(len(cells) == width for cells in rows)
    if len(rows) < 2 or same * 20 < len(rows) * 19:
        return False
    if delimiter in "\t;":
        return True
    is_tight = any(cell and not cell.startswith(" ") for cells in islice(rows, _SAMPLE_ROWS) for cell in cells[1:])
    return delimiter == "," and is_tight and len(rows) * width >= _MIN_CELLS


def _is_content(cell: str) -> bool:
    """Return True for a cell that is no name of a column: an address, a date, a number or a long text."""
    text = cell.strip()
    return bool(_ADDRESS.match(text) or iso_date(text)) or text.isdecimal() or len(text) > _HEADER_CHARS


def _unique_names(cells: Sequence[str]) -> tuple[str, ...]:
    names: dict[str, str] = {}  # by key
    for number, cell in enumerate(cells, 1):
        name = base = cut_name(cell) or f"Column {number}"
        count = 1
        while normalize.key(name) in names:
            count += 1
            name = f"{base} ({count})"
        names[normalize.key(name)] = name
    return tuple(names.values())


def _find_sample(rows: Sequence[Sequence[str]], column: int) -> str:
    cells = (clean_line(cells[column]) for cells in rows if column < len(cells))
    return next(filter(None, cells), "")[:_MAX_SAMPLE_CHARS]


def _public_field(field: str, rows: Sequence[Sequence[str]], column: int) -> str:
    """Return the field of a column, "" if it is not used. Addresses in an unknown column are used if need be."""
    if field:
        return field if field in COLUMN_FIELDS else ""
    has_address = any(cells[column].lstrip().startswith("http") for cells in rows if column < len(cells))
    return "link" if has_address else ""


def _read_row(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read one row by the columns of the document. A line without a delimiter is no row and stays as text."""
    columns = page.columns
    if columns is None:
        return None
    index, end, cells = next(_iter_rows(page, start, columns.delimiter))
    is_first = columns.has_header and page.previous != MAPPED_ROW.name
    if is_first or _is_header(cells, columns):
        return EntryBlock(end - index, [header_entry(page, index, end, cells)])
    if len(cells) < 2:
        first, last = page.lines[index].number, page.lines[end - 1].number
        return EntryBlock(end - index, [ParsedEntry(first, last, 1, "snippet", text=clean_line(cells[0]))])
    return EntryBlock(end - index, [read_row(page, (index, end, cells), _row_fields(columns), columns.delimiter)])


def _is_header(cells: Sequence[str], columns: FileColumns) -> bool:
    """Return True if a row is the header, which is repeated where files were joined."""
    return _unique_names(cells[:1]) == columns.names[:1] and any(cells) and _unique_names(cells) == columns.names


@lru_cache(maxsize=8)
def _row_fields(columns: FileColumns) -> tuple[str, ...]:
    """Return what the cells of a row are: a chosen field, one that the parser knows and does not use, or UNUSED."""
    known = ((field, field_of(name)) for field, name in zip(columns.fields, columns.names, strict=True))
    return tuple(field or (UNUSED if name in COLUMN_FIELDS else name or UNUSED) for field, name in known)


MAPPED_ROW = Shape("mapped_row", 0, _read_row)
MAPPED_SHAPES = (blanks.SHAPE, MAPPED_ROW)  # of a file that is read by its columns
