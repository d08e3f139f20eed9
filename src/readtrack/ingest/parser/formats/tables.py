"""Markdown tables.

Rows that name papers become entries; a comparison is one entry, its legend a remark.
"""

import re
from dataclasses import replace

from readtrack.infra.text.table_rows import split_row
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.tables.grids import TableGrid, read_grid
from readtrack.ingest.parser.tables.rows import TableRow

_RULE = re.compile(r"\|?\s?:?(?:-{1,2000}|—{1,100}):?\s?(?:[|+]\s?:?(?:-{1,2000}|—{1,100})?:?\s?){0,60}\|?")
_LEGEND = re.compile(
    r"^[*_>\s]*(?:凡例|图例|圖例|図例|注|备注|備考|※|legend|key|note)\b[*_]*\s*[*_]*[:：]?", re.IGNORECASE
)
_BLANK = "Nothing stands here."


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    ruled = _has_rule(page, at)
    if not ruled and not _begins_without_rule(page, at):
        return None
    strict = _text(page, at).startswith("|")
    end = _end(page, at + 2 if ruled else at, strict=strict)
    entries = _with_blanks(page, at, read_grid(_grid(page, at, end, ruled=ruled)))
    legend = _legend(page, at, end) if all(entry.kind in {"table", "blank"} for entry in entries) else []
    return EntryBlock(end - at + sum(entry.last - entry.first + 1 for entry in legend), [*entries, *legend])


def _text(page: NoteDocument, at: int) -> str:
    text = page.text(at)
    return text.lstrip("> ") if text.startswith(">") else text


def _is_rule(text: str) -> bool:
    return "-" in text and "|" in text and _RULE.fullmatch(text) is not None


def _has_rule(page: NoteDocument, at: int) -> bool:
    return "|" in page.text(at) and _is_rule(_text(page, at + 1)) and not _is_rule(_text(page, at))


def _begins_without_rule(page: NoteDocument, at: int) -> bool:
    here, below = _text(page, at), _text(page, at + 1)
    return here.startswith("|") and here.count("|") > 2 and below.startswith("|")


def _end(page: NoteDocument, at: int, *, strict: bool) -> int:
    """Return the index after the table.

    A single blank line between rows does not end it unless another table begins there.
    """
    while True:
        if _is_row(_text(page, at), strict=strict):
            at += 1
        elif not page.text(at) and _text(page, at + 1).startswith("|") and _continues(page, at + 1):
            at += 2
        else:
            return at


def _is_row(text: str, *, strict: bool) -> bool:
    return text.startswith("|") if strict else "|" in text


def _continues(page: NoteDocument, at: int) -> bool:
    above = _text(page, at - 2)
    here = _text(page, at)
    return (
        above.startswith("|")
        and not _is_rule(here)
        and not _has_rule(page, at)
        and here.count("|") == above.count("|") > 2
    )


def _grid(page: NoteDocument, at: int, end: int, *, ruled: bool) -> TableGrid:
    headings = tuple(split_row(_text(page, at))) if ruled else ()
    width = len(headings)
    rows = tuple(
        _row(page, index, width)
        for index in range(at + 2 if ruled else at, end)
        if page.text(index) and not _is_rule(_text(page, index))
    )
    lines = [page.text(index) for index in range(at, end)]
    return TableGrid(page.lines[at].number, lines, headings if any(headings) else (), rows, page.outline.topics)


def _row(page: NoteDocument, index: int, width: int) -> TableRow:
    line = page.lines[index]
    return TableRow(line.number, line.number, tuple(split_row(_text(page, index), width)), raw=line.raw)


def _with_blanks(page: NoteDocument, at: int, entries: list[ParsedEntry]) -> list[ParsedEntry]:
    """Turn entries of blank lines within the table back into blank entries."""
    start = page.lines[at].number - at
    return [
        replace(
            entry,
            kind="blank",
            decision="skip",
            title="",
            text="",
            topics=(),
            reason=page.asides.get(entry.first - start, _BLANK),
        )
        if entry.kind == "table" and entry.first == entry.last and not page.text(entry.first - start)
        else entry
        for entry in entries
    ]


def _legend(page: NoteDocument, at: int, end: int) -> list[ParsedEntry]:
    """Return the line that explains the signs, with at most one blank line between it and the table."""
    gap = 0 if page.text(end) else 1
    line = end + gap
    if not _LEGEND.match(page.text(line)):
        return []
    first, last, number = page.lines[at].number, page.lines[end - 1].number, page.lines[line].number
    blank = ParsedEntry(number - 1, number - 1, 1, "blank", decision="skip", reason=_BLANK)
    reason = f"The legend of the table in lines {first} to {last}."
    legend = ParsedEntry(number, number, 1, "snippet", topics=page.outline.topics, text=page.text(line), reason=reason)
    return [*([blank] if gap else []), legend]


SHAPE = Shape("tables", 30, read)
