"""HTML tables, however their tags are split over lines.

Tables with Markdown blocks in cells are left to other formats.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.markup import Tag, tags
from readtrack.ingest.parser.reasons import TABLE_MARKUP
from readtrack.ingest.parser.tables.cells import TableCell, is_nothing
from readtrack.ingest.parser.tables.column_names import role_of
from readtrack.ingest.parser.tables.rows import TableGrid, TableRow, read_grid

_NAMES = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"})
_OPENS = re.compile(r"<table(?:\s[^<>]{0,500})?>", re.IGNORECASE)
_CLOSES = "</table"
_CELLS = frozenset({"td", "th"})
_ENDS = frozenset({"/tr", "/thead", "/tbody", "/tfoot", "/table"})
_ONLY_TAGS = re.compile(
    r"(?:</?(?:table|thead|tbody|tfoot|tr|td|th|colgroup|col)(?:\s[^<>]{0,300})?/?>\s*){1,50}", re.IGNORECASE
)
_OF_ITS_OWN = re.compile(r"#{1,6}\s|[-*+]\s.{0,300}\]\(|```|\|")
_BREAK_LAST = re.compile(r"<br\s?/?>\s*\Z", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\s*<(?:p|div|li)[\s>]", re.IGNORECASE)
_UNCLOSED = "<table>"
_MIN_KNOWN_NAMES = 2
_MAX_COLUMNS = 60
_MAX_NESTING = 20  # nested tables: deeper nesting is not intended, and finding the ends would be slow


@dataclass
class _HtmlCell:
    text: list[str]
    colspan: int = 1
    rowspan: int = 1
    heading: bool = False


@dataclass
class _HtmlRow:
    first: int
    last: int
    cells: list[_HtmlCell] = field(default_factory=list)
    closed: bool = False


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if not text.startswith("<"):
        return None
    end = _find_end(page, start) if _OPENS.match(text) else None
    if end is not None:
        return EntryBlock(end - start, read_grid(_build_grid(page, start, end)))
    if _ONLY_TAGS.fullmatch(text):
        return skip_lines(page, start, start + 1, TABLE_MARKUP, "blank")
    return None


def _find_end(page: NoteDocument, start: int) -> int | None:
    """Return the index after the table, or None if it contains Markdown blocks.

    The last table of a file may lack its end tag, as in a part of a page: it ends with its last row.
    """
    if _UNCLOSED in page.unclosed:
        return None
    depth = opened = last = 0
    for index in range(start, len(page.lines)):
        text = page.text(index)
        if "<" in text:
            lower_text = text.lower()
            opens = lower_text.count("<table")
            opened += opens
            depth += opens - lower_text.count(_CLOSES)
            if depth <= 0:
                return index + 1
            last = index if "</tr" in lower_text or "</td" in lower_text else last
        if depth > _MAX_NESTING or _OF_ITS_OWN.match(text):
            return None
    if opened == 1 and last:
        return last + 1
    page.unclosed.add(_UNCLOSED)
    return None


def _build_grid(page: NoteDocument, start: int, end: int) -> TableGrid:
    lines = [_with_breaks(page, index) for index in range(start, end)]
    first = page.lines[start].number
    rows = _spread_cells(_read_rows(lines, first))
    has_header = bool(rows) and _is_heading(rows[0])
    headings = (
        tuple(TableCell.from_text(cell).text_without_links for _, cells in rows[:1] for cell in cells)
        if has_header
        else ()
    )
    body = tuple(
        TableRow(row.first, row.last, tuple(cells), is_full_width=_is_full_width(row))
        for row, cells in rows[bool(headings) :]
    )
    return TableGrid(first, lines, headings, body, page.outline.topics)


def _with_breaks(page: NoteDocument, index: int) -> str:
    """Return the text of a line with the break at its end or its beginning, which separates the parts of a cell."""
    text, raw = page.text(index), page.lines[index].raw
    if text and not text.startswith("<") and _PARAGRAPH.match(raw):
        return f"<br>{text}"
    return f"{text}<br>" if _BREAK_LAST.search(raw[-20:]) and not _BREAK_LAST.search(text) else text


def _is_heading(row: tuple[_HtmlRow, list[str]]) -> bool:
    cells = row[0].cells
    return len(cells) > 1 and (
        all(cell.heading for cell in cells) or all(_is_bold(cell) for cell in cells) or _are_column_names(row[1])
    )


def _are_column_names(texts: Sequence[str]) -> bool:
    """Return True for the names of columns in plain cells, one of which holds titles."""
    roles = [role_of(text) for text in texts if not is_nothing(text)]
    known = [role for role in roles if role]
    return (
        not {"title", "paper"}.isdisjoint(known)
        and len(set(known)) >= _MIN_KNOWN_NAMES
        and 2 * len(known) >= len(roles)
    )


def _is_bold(cell: _HtmlCell) -> bool:
    text = " ".join(cell.text).strip()
    return text.startswith("**") and text.endswith("**") and "](" not in text


def _is_full_width(row: _HtmlRow) -> bool:
    return len(row.cells) == 1 and row.cells[0].colspan > 1


def _read_rows(lines: Sequence[str], first: int) -> list[_HtmlRow]:
    """Return the rows with their lines. Tags of nested tables count as text of their cell."""
    line_starts = [0, *accumulate(len(line) + 1 for line in lines)]
    rows: list[_HtmlRow] = []
    depth = 0
    for tag in tags("\n".join(lines), _NAMES):
        depth += (tag.name == "table") - (tag.name == "/table")
        if depth > 1 or (depth == 1 and tag.name == "/table"):
            _add_text(rows, tag)
        else:
            _add_tag(rows, tag, first + bisect_right(line_starts, tag.start) - 1)
    return [row for row in rows if row.cells]


def _add_tag(rows: list[_HtmlRow], tag: Tag, line: int) -> None:
    """Add a tag to the rows.

    Closing tags are optional; if present, their lines belong to the row.
    """
    if tag.name == "tr" or (tag.name in _CELLS and (not rows or rows[-1].closed)):
        rows.append(_HtmlRow(line, line))
    row = rows[-1] if rows else None
    if row is None or row.closed:
        return
    if tag.name in _CELLS and len(row.cells) < _MAX_COLUMNS:
        row.cells.append(_build_cell(tag))
    if tag.name in {"td", "th", "/td", "/th", "/tr"}:
        row.last = line
    row.closed = tag.name in _ENDS


def _build_cell(tag: Tag) -> _HtmlCell:
    column_span, row_span = (_parse_span(tag.attributes.get(name, "")) for name in ("colspan", "rowspan"))
    return _HtmlCell([tag.text], column_span, row_span, heading=tag.name == "th")


def _parse_span(text: str) -> int:
    return (
        min(int(text), _MAX_COLUMNS) if text.isdecimal() and text.isascii() and 0 < len(text) < 5 and int(text) else 1
    )


def _add_text(rows: Sequence[_HtmlRow], tag: Tag) -> None:
    if rows and rows[-1].cells:
        rows[-1].cells[-1].text.append(tag.text)


def _spread_cells(rows: Sequence[_HtmlRow]) -> list[tuple[_HtmlRow, list[str]]]:
    """Return each row with one text per column. Cells with a rowspan are repeated in each row."""
    spanning: dict[int, tuple[int, str]] = {}
    result: list[tuple[_HtmlRow, list[str]]] = []
    for row in rows:
        texts: list[str] = []
        for cell in row.cells:
            _add_spanning_cells(texts, spanning)
            text = " ".join(" ".join(cell.text).split())
            if cell.rowspan > 1:
                spanning[len(texts)] = (cell.rowspan - 1, text)
            texts += [text, *[""] * (cell.colspan - 1)]
        _add_spanning_cells(texts, spanning)
        result.append((row, texts[:_MAX_COLUMNS]))
    return result


def _add_spanning_cells(texts: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    while len(texts) in spanning:
        remaining, text = spanning.pop(len(texts))
        if remaining > 1:
            spanning[len(texts)] = (remaining - 1, text)
        texts.append(text)


SHAPE = Shape("html_tables", 25, read)
