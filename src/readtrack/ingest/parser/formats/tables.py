"""Markdown tables.

Rows that name papers become entries; a comparison is one entry, its legend a remark.
"""

import re
from dataclasses import replace

from readtrack.infra.text.table_rows import split_row
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, keep_as_remark, skip_lines
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.reasons import BLANK, TABLE_LEGEND
from readtrack.ingest.parser.tables.rows import TableGrid, TableRow, read_grid

_RULE = re.compile(r"\|?\s?:?(?:-{1,2000}|—{1,100}):?\s?(?:[|+]\s?:?(?:-{1,2000}|—{1,100})?:?\s?){0,60}\|?")
_LEGEND = re.compile(
    r"^[*_>\s]*(?:凡例|图例|圖例|図例|注|备注|備考|※|legend|key|note)\b[*_]*\s*[*_]*[:：]?", re.IGNORECASE
)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    has_rule = _has_rule(page, start)
    if not has_rule and not _begins_without_rule(page, start):
        return None
    is_strict = _text(page, start).startswith("|")
    end = _find_end(page, start + 2 if has_rule else start, is_strict=is_strict)
    entries = _with_blanks(page, start, read_grid(_build_grid(page, start, end, has_rule=has_rule)))
    legend = _read_legend(page, start, end) if all(entry.kind in {"table", "blank"} for entry in entries) else []
    return EntryBlock(end - start + sum(entry.last - entry.first + 1 for entry in legend), [*entries, *legend])


def _text(page: NoteDocument, index: int) -> str:
    text = page.text(index)
    return text.lstrip("> ") if text.startswith(">") else text


def _is_rule(text: str) -> bool:
    return "-" in text and "|" in text and _RULE.fullmatch(text) is not None


def _has_rule(page: NoteDocument, index: int) -> bool:
    return "|" in page.text(index) and _is_rule(_text(page, index + 1)) and not _is_rule(_text(page, index))


def _begins_without_rule(page: NoteDocument, index: int) -> bool:
    row, next_row = _text(page, index), _text(page, index + 1)
    return row.startswith("|") and row.count("|") > 2 and next_row.startswith("|")


def _find_end(page: NoteDocument, index: int, *, is_strict: bool) -> int:
    """Return the index after the table.

    A single blank line between rows does not end it unless another table begins there.
    """
    while True:
        if _is_row(_text(page, index), is_strict=is_strict):
            index += 1
        elif not page.text(index) and _text(page, index + 1).startswith("|") and _continues(page, index + 1):
            index += 2
        else:
            return index


def _is_row(text: str, *, is_strict: bool) -> bool:
    return text.startswith("|") if is_strict else "|" in text


def _continues(page: NoteDocument, index: int) -> bool:
    previous_row = _text(page, index - 2)
    row = _text(page, index)
    return (
        previous_row.startswith("|")
        and not _is_rule(row)
        and not _has_rule(page, index)
        and row.count("|") == previous_row.count("|") > 2
    )


def _build_grid(page: NoteDocument, start: int, end: int, *, has_rule: bool) -> TableGrid:
    headings = tuple(split_row(_text(page, start))) if has_rule else ()
    width = len(headings)
    rows = tuple(
        _build_row(page, index, width)
        for index in range(start + 2 if has_rule else start, end)
        if page.text(index) and not _is_rule(_text(page, index))
    )
    lines = [page.text(index) for index in range(start, end)]
    return TableGrid(page.lines[start].number, lines, headings if any(headings) else (), rows, page.outline.topics)


def _build_row(page: NoteDocument, index: int, width: int) -> TableRow:
    line = page.lines[index]
    return TableRow(line.number, line.number, tuple(split_row(_text(page, index), width)), raw=line.raw)


def _with_blanks(page: NoteDocument, index: int, entries: list[ParsedEntry]) -> list[ParsedEntry]:
    """Turn entries of blank lines within the table back into blank entries."""
    start = page.lines[index].number - index
    return [
        replace(
            entry,
            kind="blank",
            decision="skip",
            title="",
            text="",
            topics=(),
            reason=page.ignored_lines.get(entry.first - start, BLANK),
        )
        if entry.kind == "table" and entry.first == entry.last and not page.text(entry.first - start)
        else entry
        for entry in entries
    ]


def _read_legend(page: NoteDocument, start: int, end: int) -> list[ParsedEntry]:
    """Return the line that explains the signs, with at most one blank line between it and the table."""
    gap = 0 if page.text(end) else 1
    line = end + gap
    if not _LEGEND.match(page.text(line)):
        return []
    first, last = page.numbers(start, end)
    reason = TABLE_LEGEND.format(first=first, last=last)
    blanks = skip_lines(page, end, line, BLANK, "blank").entries if gap else []
    return [*blanks, *keep_as_remark(page, line, line + 1, page.text(line), reason).entries]


SHAPE = Shape("tables", 30, read)
