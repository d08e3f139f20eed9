"""Markdown tables. A comparison is one entry, its legend a remark; rows with addresses are read one by one."""

import re

from readtrack.notes.columns import Columns, read_row, read_unlinked_row, title_in
from readtrack.notes.entry import Entry
from readtrack.notes.making import Place
from readtrack.notes.page import Block, Page, Shape

_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*){0,60}\|?")
_LEGEND = re.compile(
    r"^[*_>\s]*(?:凡例|图例|圖例|図例|注|备注|備考|※|legend|key|note)\b[*_]*\s*[*_]*[:：]?", re.IGNORECASE
)
_CELL = re.compile(r"(?<!\\)\|")


def read(page: Page, at: int) -> Block | None:
    if not _begins(page, at):
        return None
    end = at
    while _is_row(page.text(end), strict=page.text(at).startswith("|")):
        end += 1
    linked = any(page.found(index) for index in range(at, end))
    entries = _rows(page, at, end) if linked else [_table(page, at, end - 1)]
    legend = [] if linked else _legend(page, at, end)
    return Block(end - at + sum(entry.last - entry.first + 1 for entry in legend), [*entries, *legend])


def _begins(page: Page, at: int) -> bool:
    here, below = page.text(at), page.text(at + 1)
    if "|" in here and "-" in below and "|" in below and _RULE.fullmatch(below):
        return True
    return here.startswith("|") and here.count("|") > 2 and below.startswith("|")


def _is_row(text: str, *, strict: bool) -> bool:
    return text.startswith("|") if strict else "|" in text


def _table(page: Page, at: int, last: int) -> Entry:
    lines = page.lines[at : last + 1]
    title = " | ".join(cell for cell in _cells(lines[0].text) if cell)[:200]
    text = "\n".join(line.text for line in lines)
    return Entry(lines[0].number, lines[-1].number, 1, "table", title=title, topics=page.outline.topics, text=text)


def _legend(page: Page, at: int, end: int) -> list[Entry]:
    """The line that explains the marks, at most one blank line below the table."""
    gap = 0 if page.text(end) else 1
    line = end + gap
    if not _LEGEND.match(page.text(line)):
        return []
    first, last, number = page.lines[at].number, page.lines[end - 1].number, page.lines[line].number
    blank = Entry(number - 1, number - 1, 1, "blank", decision="skip", reason="Nothing stands here.")
    reason = f"The legend of the table in lines {first} to {last}."
    legend = Entry(number, number, 1, "snippet", topics=page.outline.topics, text=page.text(line), reason=reason)
    return [*([blank] if gap else []), legend]


def _rows(page: Page, at: int, end: int) -> list[Entry]:
    """Rows with addresses on their own, and those that name a paper; what stands between them stays a table."""
    columns = Columns.of(_cells(page.text(at)))
    entries: list[Entry] = []
    rest = at
    for index in range(at, end):
        read = _row(page, index, columns) if index > at or page.found(index) else []
        if read:
            entries += [_table(page, rest, index - 1)] if rest < index else []
            entries += read
            rest = index + 1
    return entries + ([_table(page, rest, end - 1)] if rest < end else [])


def _row(page: Page, index: int, columns: Columns) -> list[Entry]:
    number = page.lines[index].number
    place = Place(number, number, page.outline.topics)
    cells = _cells(page.text(index))
    if page.found(index):
        return read_row(cells, columns, place)
    return [read_unlinked_row(cells, columns, place)] if " " in title_in(cells, columns) else []


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(row.strip().removeprefix("|").removesuffix("|"))]


SHAPE = Shape("tables", 30, read)
