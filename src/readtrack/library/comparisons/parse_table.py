"""Parsing of pasted tables (Markdown, TSV or CSV), and output as Markdown or CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from readtrack.infra.text import csv as text_csv

MAX_ROWS = 200
MAX_COLUMNS = 30
MAX_CELL_CHARS = 500  # characters
MAX_TEXT_CHARS = 1_000_000  # characters of a pasted table
_RULE = frozenset("-:|—+ \t")


class ComparisonGrid(NamedTuple):
    """The column names, and rows with as many cells each."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def read_table(text: str) -> ComparisonGrid | None:
    """Parse a pasted table: Markdown, tab-separated or comma-separated.

    Return None if it is not a table. The first row names the columns. Bold, italics and code in Markdown are reduced to
    their text.
    """
    lines = [line for line in text[:MAX_TEXT_CHARS].strip().splitlines() if line.strip()]
    if len(lines) < 2:
        return None
    rows = _parse_rows(lines)
    width = max(map(len, rows), default=0)
    if width < 2 or len(rows) < 2:
        return None
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    return ComparisonGrid(padded[0], padded[1:])


def _parse_rows(lines: Sequence[str]) -> list[list[str]]:
    if lines[0].lstrip().startswith("|") or (is_row(lines[0]) and is_rule(lines[1])):
        from readtrack.infra.text.table_rows import split_row

        row_lines = [line for index, line in enumerate(lines) if is_row(line) and not (index == 1 and is_rule(line))]
        return [_clean_cells(split_row(line)) for line in row_lines]
    delimiter = "\t" if "\t" in lines[0] else ","
    reader = csv.reader(io.StringIO("\n".join(lines).removeprefix(text_csv.MARK)), delimiter=delimiter)
    try:
        return [[" ".join(text_csv.unescape_cell(cell).split()) for cell in row] for row in reader]
    except csv.Error:  # a field longer than the csv module's limit
        return []


def is_row(line: str) -> bool:
    """Return True if a line alone looks like a row of a Markdown table."""
    return "|" in line


def is_rule(line: str) -> bool:
    """Return True for the delimiter row below the header of a Markdown table."""
    return "-" in line and "|" in line and _RULE.issuperset(line)


def _clean_cells(cells: Iterable[str]) -> list[str]:
    return [" ".join(_unescape_cell(cell).split()) for cell in cells]


def _unescape_cell(cell: str) -> str:
    """Return the text of a cell without emphasis; escaped marks stay as characters."""
    from readtrack.infra.text.titles.clean import without_emphasis

    escaped = _ESCAPED.sub(lambda found: _HELD[found[1]], cell)
    return without_emphasis(escaped).translate(_MARKS)


def as_markdown(grid: ComparisonGrid) -> str:
    """Return the table as Markdown."""
    lines = [
        map(_escape_cell, grid.columns),
        ["---"] * len(grid.columns),
        *(map(_escape_cell, row) for row in grid.rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escape_cell(cell: str) -> str:
    """Escape a cell so that parsing it returns the same text."""
    return (cell if _unescape_cell(cell) == cell else _MARK.sub(r"\\\g<0>", cell)).replace("|", BAR)


BAR = "\\|"
_MARK = re.compile(r"[*_`~]")
_ESCAPED = re.compile(r"\\([*_`~])")
# Noncharacters, which no text contains, as placeholders
_HELD = {mark: chr(0xFDD0 + place) for place, mark in enumerate("*_`~")}
_MARKS = {ord(held): mark for mark, held in _HELD.items()}


def as_csv(grid: ComparisonGrid) -> str:
    """Return the table as CSV, with cells escaped against formula injection."""
    return "".join(text_csv.csv_lines([grid.columns, *grid.rows]))
