"""Tables separated by commas, semicolons or tabs, as exported by reference managers and others."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from readtrack.infra.text import csv as text_csv
from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.column_fields import JOINED_FIELDS
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.blanks import blank_entry
from readtrack.ingest.parser.headings.outline import BARE, OutlineHeading, build_heading_entry, topic_of
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.items.title_runs import could_be_titles
from readtrack.ingest.parser.lines import TextLine
from readtrack.ingest.parser.reasons import TABLE_HEADER
from readtrack.ingest.parser.tables.exported_columns import (
    MIN_KNOWN_COLUMNS,
    NAMING_FIELDS,
    field_of,
    fields_of,
    known_columns,
)
from readtrack.ingest.parser.tables.exported_rows import FieldRow, read_field_row
from readtrack.ingest.parser.tables.infer_fields import fill_columns, find_columns, without_other_references
from readtrack.ingest.parser.tables.readtrack_rows import is_readtrack_header, read_readtrack_row

DELIMITERS = ("\t", ";", ",", "；", "，")
UNUSED = "unused"  # the field of a column that a person chose not to use; an address in it does not count
MAX_CELL_LINES = 200  # a quotation mark that is not closed within so many lines is literal
MAX_HEADER_CHARS = 20_000
_MIN_ALIKE = 3
_TRIED_ROWS, _MAX_TRIES = "rows that are no table", 20
_NO_ROW = re.compile(r"[-*+|#>`]|\d{1,3}[.)]\s|\[[^\[\]]{1,60}\]\s")
_ADDRESS = re.compile(r"://|www\.|\d{4}\.\d{4}")
_BESIDE = frozenset({"authors", "year", "date", "venue", "topics", "other", "status"})
_MIN_HEADED_COLUMNS = 3
_ROW_HEADING = BARE - 1  # level of a heading between the rows of a table

Row = tuple[int, int, list[str]]  # index of the first line, index after the last, cells


@dataclass
class _TableRows:
    """A delimited table. `columns`: the field of each column, "" if unknown. `header`: its names, if it has one."""

    delimiter: str
    columns: list[str]
    rows: Sequence[Row]
    header: Sequence[str] = ()


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    raw = page.lines[start].raw
    if _NO_ROW.match(raw):
        return None
    for delimiter in DELIMITERS:
        if delimiter in raw:
            block = _read_table(page, start, delimiter)
            if block is not None:
                return block
    return _read_only_titles(page, start)


def _read_only_titles(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read a file with a single column, headed `Title` or the like. All lines of the file are its cells."""
    header = page.lines[start].raw
    is_folder = header.rstrip().endswith("/")  # of a tree of files
    if start or is_folder or field_of(header) not in NAMING_FIELDS:
        return None
    spans = [*_cells_of_one_column(page, start + 1)]
    cells = [cell for _, _, cell in spans if cell]
    if not cells or not could_be_titles(cells):
        return None
    first = page.lines[start].number
    entries = [header_entry(page, start, start + 1, [header])]
    for index, end, cell in spans:
        numbers = page.numbers(index, end)
        entries.append(read_field_row(FieldRow(*numbers, (), {"title": cell})) if cell else blank_entry(*numbers))
    return EntryBlock(entries[-1].last - first + 1, entries)


def _cells_of_one_column(page: NoteDocument, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield (first index, index after the last, cell). Only a quoted cell may contain line ends."""
    index = start
    while index < len(page.lines):
        raw = page.lines[index].raw
        is_quoted = raw.startswith('"')
        end = find_row_end(page.lines, index) if is_quoted else index + 1
        text = page.raw_text(index, end)
        cell = split_cells(text, ",")[0] if is_quoted and text.rstrip().endswith('"') else raw
        yield index, end, cell.strip()
        index = end


def _read_table(page: NoteDocument, index: int, delimiter: str) -> EntryBlock | None:
    raw = page.lines[index].raw
    if len(raw) > MAX_HEADER_CHARS:
        return None
    cells = split_cells(raw, delimiter)
    tried_rows = cast("int", page.format_states.get(_TRIED_ROWS, 0))
    may_be_inferred = tried_rows < _MAX_TRIES * len(page.lines) and _may_be_inferred(page, index, cells, delimiter)
    if known_columns(cells) is None and not may_be_inferred:
        return None
    rows = [*_rows(page, index, delimiter)]
    below = rows[-1][1] if rows else len(page.lines)
    is_spaced = _step_of_rows(page, index, delimiter) > 1  # then all rows have the same number of cells
    is_cut_off = is_spaced and below < len(page.lines) and delimiter in page.lines[below].raw
    block = None if is_cut_off else read_rows(page, rows, delimiter)
    page.format_states[_TRIED_ROWS] = tried_rows + (len(rows) if block is None else 0)
    return block


def _may_be_inferred(page: NoteDocument, index: int, cells: Sequence[str], delimiter: str) -> bool:
    """Return True if rows of equal width begin here. Only a row with an address may follow other lines directly."""
    has_address = _ADDRESS.search(page.lines[index].raw) is not None and any(map(_is_address, cells))
    step = _step_of_rows(page, index, delimiter)
    is_below_row = step > 1 and index >= step and delimiter in page.text(index - step)
    if not has_address and (page.text(index - 1) or is_below_row):
        return False
    rows_below = page.lines[index + step : index + _MIN_ALIKE * step : step]
    return all(len(split_cells(line.raw, delimiter)) == len(cells) > 1 for line in rows_below)


def _step_of_rows(page: NoteDocument, index: int, delimiter: str) -> int:
    """Return how many lines a row takes: two if a blank line is below each."""
    is_row = (
        index + 2 < len(page.lines) and delimiter in page.lines[index + 2].raw and "://" in page.lines[index + 2].raw
    )
    is_spaced = is_row and not page.text(index + 1)
    return 2 if is_spaced else 1


def read_rows(page: NoteDocument, rows: Sequence[Row], delimiter: str) -> EntryBlock | None:
    """Read the rows of a table, the first of which may be its header. `delimiter`: joins surplus cells."""
    start, end, first_cells = rows[0] if rows else (0, 0, [])
    has_header, columns = infer_columns([cells for _, _, cells in rows], page.lines[start].raw)
    body = rows[1:] if has_header else rows
    if not columns or not body:
        return None
    table = _TableRows(delimiter, columns, body, first_cells if has_header else ())
    header = [header_entry(page, start, end, first_cells)] if has_header else []
    return EntryBlock(body[-1][1] - start, [*header, *_entries(page, table)])


def infer_columns(rows: Sequence[Sequence[str]], first_line: str) -> tuple[bool, list[str]]:
    """Return whether the first row is a header, and the field of each column. [] if these are no papers."""
    first_cells = rows[0] if rows else ()
    columns = without_other_references(known_columns(first_cells) or [], rows[1:])
    if len({*columns} - {""}) >= MIN_KNOWN_COLUMNS and "://" not in first_line:
        return True, fill_columns(columns, rows[1:])
    if len(rows) < _MIN_ALIKE:
        return False, []
    return find_columns(fields_of(first_cells), rows)


def header_entry(page: NoteDocument, start: int, end: int, names: Sequence[str]) -> ParsedEntry:
    """Return the entry of a header. `end`: index after its last line."""
    first, last = page.numbers(start, end)
    title = clean_line(", ".join(filter(None, names)))[:200]
    return ParsedEntry(first, last, 1, "table", title=title, text=page.text(start), reason=TABLE_HEADER)


def is_header(raw: str) -> bool:
    """Return True if a line is the header of a table."""
    return bool(_header_delimiter(raw))


def is_row(raw: str, header: str) -> bool:
    """Return True if a line begins a row of the table with that header."""
    delimiter = _header_delimiter(header)
    if delimiter not in raw and (not raw.strip() or '"' not in raw):
        return False
    return raw.count('"') != 2 or len(split_cells(raw, delimiter)) > 1


@lru_cache(maxsize=8)
def _header_delimiter(raw: str) -> str:
    if len(raw) > MAX_HEADER_CHARS or "://" in raw or _NO_ROW.match(raw):
        return ""
    is_known = (
        delimiter for delimiter in DELIMITERS if delimiter in raw and known_columns(split_cells(raw, delimiter))
    )
    return next(is_known, "")


def _is_address(cell: str) -> bool:
    text = cell.strip()
    return " " not in text and is_bare(text, find_links(text))


def _rows(page: NoteDocument, start: int, delimiter: str) -> Iterator[Row]:
    """Yield the rows up to another kind of line. Blank lines between all rows belong to the rows above."""
    is_spaced = _step_of_rows(page, start, delimiter) > 1
    width = len(split_cells(page.lines[start].raw, delimiter))
    index = start
    while index < len(page.lines):
        raw = page.lines[index].raw
        if delimiter not in raw and (not raw.strip() or '"' not in raw):
            return
        end = find_row_end(page.lines, index)
        cells = split_cells(page.raw_text(index, end), delimiter)
        if len(cells) < 2 or (is_spaced and len(cells) != width):
            return
        if is_spaced and end < len(page.lines) and not page.text(end):
            end += 1
        yield index, end, cells
        index = end


def find_row_end(lines: Sequence[TextLine], start: int) -> int:
    """Return the index after the last line of the row. Quoted cells may contain line ends."""
    quotes = lines[start].raw.count('"')
    end = start + 1
    while quotes % 2 and end < min(start + MAX_CELL_LINES, len(lines)):
        quotes += lines[end].raw.count('"')
        end += 1
    return start + 1 if quotes % 2 else end


def split_cells(text: str, delimiter: str) -> list[str]:
    text = text.lstrip("\ufeff").replace("\0", "")
    if '"' not in text:
        return text.split(delimiter)
    try:
        cells = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=False), [])
    except csv.Error:
        return text.split(delimiter)
    return [text_csv.unescape_cell(cell) for cell in cells]


def _entries(page: NoteDocument, table: _TableRows) -> list[ParsedEntry]:
    if is_readtrack_header(table.header):
        return [read_readtrack_row(table.header, cells, *page.numbers(start, end)) for start, end, cells in table.rows]
    return [
        header_entry(page, start, end, cells)  # repeated, as where files were joined
        if cells == table.header
        else read_row(page, (start, end, cells), table.columns, table.delimiter)
        for start, end, cells in table.rows
    ]


def read_row(page: NoteDocument, row: Row, columns: Sequence[str], delimiter: str) -> ParsedEntry:
    """Return the entry of a row: a paper, a heading for the rows below, or a blank line. `columns`: their fields."""
    start, end, cells = row
    first, last = page.numbers(start, end)
    if not any(map(str.strip, cells)):
        return blank_entry(first, last)
    if heading := _heading_of(cells, columns):
        return _enter_heading(page, heading, first, last)
    return read_field_row(FieldRow(first, last, page.outline.topics, _map_cells(cells, columns, delimiter)))


def _heading_of(cells: Sequence[str], columns: Sequence[str]) -> str:
    """Return the heading that a row consists of: its only filled cell is the first, and names no work."""
    cell = cells[0].strip()
    if any(map(str.strip, cells[1:])) or not any(map(str.isalpha, cell)) or find_links(cell):
        return ""
    is_marked = cell.startswith("#")
    return cell.strip(" #") if is_marked or (len(columns) >= _MIN_HEADED_COLUMNS and columns[0] in _BESIDE) else ""


def _enter_heading(page: NoteDocument, name: str, first: int, last: int) -> ParsedEntry:
    """Open a heading between rows, below those above the table."""
    page.outline.leave(_ROW_HEADING)
    topic, topics = topic_of(name), page.outline.topics
    page.outline.enter(OutlineHeading(_ROW_HEADING, name, topic))
    return build_heading_entry(first, last, name, topic, topics)


def _map_cells(cells: Sequence[str], columns: Sequence[str], delimiter: str) -> dict[str, str]:
    """Return the cells by field, without those of UNUSED columns."""
    fields: dict[str, str] = {}
    for column, cell in zip(columns, _fit_cells(cells, columns, delimiter), strict=False):
        field = column or ("link" if cell.lstrip().startswith("http") else "")  # an address in an unknown column
        if field in {"", UNUSED} or not cell.strip():
            continue
        text = _strip_braces(cell)  # exported from BibTeX
        if field in fields and field in JOINED_FIELDS:
            fields[field] += f"\n{text}"
        else:
            fields.setdefault(field, text)
    return fields


def _fit_cells(cells: Sequence[str], columns: Sequence[str], delimiter: str) -> list[str]:
    """Return as many cells as there are columns: surplus ones are of a title with unquoted delimiters."""
    end = len(cells)
    while end > len(columns) and not cells[end - 1].strip():
        end -= 1
    surplus = end - len(columns)
    if surplus <= 0 or "title" not in columns:
        return [*cells[:end]]
    title = columns.index("title")
    rest = title + surplus + 1
    return [*cells[:title], delimiter.join(cells[title:rest]), *cells[rest:end]]


def _strip_braces(cell: str) -> str:
    return cell[1:-1] if cell.startswith("{") and cell.endswith("}") else cell


SHAPE = Shape("delimited", 25, read)
