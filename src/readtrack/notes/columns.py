"""Tables of papers: which column is the title, the venue, the status; a row read by them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readtrack.notes.entry import Entry
from readtrack.notes.found import find, without
from readtrack.notes.making import Place
from readtrack.notes.phrases import read_piece
from readtrack.notes.titles import clean_title, is_generic
from readtrack.notes.venues import take_tag

_TITLE = re.compile(
    r"(?:paper|article|work)?\s*(?:title|name)s?|papers?|题目|标题|论文|論文|タイトル|题名|論文名|论文名",
    re.IGNORECASE,
)
_VENUE = re.compile(
    r"venues?|conf(?:erence)?s?|journal|published(?: in)?|publication|会议|会議|期刊|学会|掲載",
    re.IGNORECASE,
)
_STATUS = re.compile(r"status|read\??|done|state|状态|狀態|ステータス|状態|既読|已读", re.IGNORECASE)
_MARKS = {**dict.fromkeys("✅✓✔☑", "read"), "[x]": "read", **dict.fromkeys("⬜☐", "to_read"), "[ ]": "to_read"}
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Columns:
    """Places of the columns with a known heading; None where there is none."""

    title: int | None = None
    venue: int | None = None
    status: int | None = None

    @classmethod
    def of(cls, header: Sequence[str]) -> "Columns":
        return cls(*(_place(header, pattern) for pattern in (_TITLE, _VENUE, _STATUS)))


def read_row(cells: Sequence[str], columns: Columns, place: Place) -> list[Entry]:
    """The first entry of a row has what the named columns say; the rest is read like any other line."""
    entries = read_piece(" ".join(cells), place, listed=True)
    words = title_in(cells, columns)
    if not words or entries[0].kind not in {"paper", "lead"}:
        return entries
    first = _told(entries[0], words, cells, columns)
    return [first, *entries[1:]]


def read_unlinked_row(cells: Sequence[str], columns: Columns, place: Place) -> Entry:
    """A row of a table of papers without any address names a paper that is still to be found."""
    reason = "Named in a table of papers, without any address; to be found."
    lead = Entry(place.first, place.last, 1, "lead", topics=place.topics, reason=reason)
    return _told(lead, title_in(cells, columns), cells, columns)


def title_in(cells: Sequence[str], columns: Columns) -> str:
    """The words of the title's cell without its links; "" when the link text itself is the title."""
    title = _cell(cells, columns.title)
    return clean_title(" ".join(without(title, find(title))))


def _told(entry: Entry, title: str, cells: Sequence[str], columns: Columns) -> Entry:
    tag = take_tag(_cell(cells, columns.venue))
    mark = _cell(cells, columns.status).strip("\ufe0f ")
    rest = [cell for index, cell in enumerate(cells) if index not in {columns.title, columns.venue, columns.status}]
    return replace(
        entry,
        title=title,
        venue=tag.venue or entry.venue,
        year=tag.year if tag.venue else entry.year,
        status=_MARKS.get(mark),
        text=_words_of(rest),
    )


def _words_of(cells: Sequence[str]) -> str:
    """What the other cells say besides their links."""
    words = (" ".join("".join(without(cell, find(cell))).split()) for cell in cells)
    return " · ".join(cell for cell in words if _LETTER.search(cell) and not is_generic(cell))


def _place(header: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    return next((index for index, name in enumerate(header) if pattern.fullmatch(name.strip(" *_"))), None)


def _cell(cells: Sequence[str], column: int | None) -> str:
    return cells[column] if column is not None and column < len(cells) else ""
