"""BibTeX entries in .bib files or within notes, also in fenced code.

The citation of a reading list itself is junk.
"""

import re
from dataclasses import dataclass, field, replace

from readtrack.ingest.parser.bibliography.bibtex import work_of
from readtrack.ingest.parser.bibliography.bibtex_entries import RawEntry, begins, read_entry
from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext

_FENCE = re.compile(r"(?P<marks>`{3,20}|~{3,20})\s?[\w-]{0,20}")
_CITING = re.compile(r"\b(?:cite|citing|citation|citations|acknowledg\w{0,10})\b|引用", re.IGNORECASE)
_MOST_FENCED = 5000
_SETTINGS = {
    "comment": "A comment of the bibliography; nothing is made of it.",
    "preamble": "A setting of the bibliography; nothing is made of it.",
    "string": "An abbreviation for the entries of the bibliography; they are read with it.",
}
_TYPES = frozenset(
    [
        "article", "book", "booklet", "conference", "inbook", "incollection", "inproceedings", "manual",
        "mastersthesis", "misc", "online", "phdthesis", "proceedings", "report", "software", "techreport",
        "thesis", "unpublished",
    ]
)  # fmt: skip
_OWN = "How the list itself wants to be cited; it is not something to read."
_REMARK = "A comment between the entries of the bibliography; nothing is made of it."
NAME = "bibtex"


@dataclass
class BibtexLibrary:
    """Definitions from the entries parsed so far."""

    strings: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)  # line of the first entry with that key
    has_entries: bool = False


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if text.startswith("@"):
        return _read_entry_block(page, start) if begins(page.lines[start].raw) else _read_remark(page, start)
    if text.startswith(("```", "~~~")):
        return _read_fence(page, start)
    return _read_remark(page, start) if text.startswith("%") else None


def _read_entry_block(page: NoteDocument, index: int) -> EntryBlock | None:
    raw = read_entry(page.lines, index, _library(page).strings)
    if raw is None or not _is_plausible(raw):
        return None
    return EntryBlock(raw.count, [_build_entry(page, index, raw)])


def _is_plausible(raw: RawEntry) -> bool:
    """Return False for prose that begins with "@name("."""
    return raw.type in _SETTINGS or bool(raw.fields) or bool(raw.key and raw.type in _TYPES)


def _build_entry(page: NoteDocument, index: int, raw: RawEntry) -> ParsedEntry:
    first, last = page.lines[index].number, page.lines[index + raw.count - 1].number
    library = _library(page)
    library.has_entries = True
    if raw.type in _SETTINGS:
        return ParsedEntry(first, last, 1, "junk", decision="skip", reason=_SETTINGS[raw.type])
    if _is_own_citation(page, index):
        return ParsedEntry(first, last, 1, "junk", title=work_of(raw).title, decision="skip", reason=_OWN)
    work = work_of(raw)
    first_use = library.keys.setdefault(raw.key, first) if raw.key else first
    if first_use != first and not work.error:
        work = replace(
            work, error=f"The key “{raw.key[:100]}” stands on line {first_use} already: is it the same work?"
        )
    return entry_of(work, ItemContext(first, last, page.outline.topics))


def _is_own_citation(page: NoteDocument, start: int) -> bool:
    """Return True under a heading or a line that asks for citation."""
    heading = page.outline.open[-1].name if page.outline.open else ""
    lines = (page.text(index) for index in range(start - 1, max(start - 5, -1), -1))
    line_above = next((text for text in lines if text and not text.startswith(("```", "~~~"))), "")
    return _CITING.search(heading[:100]) is not None or (not begins(line_above) and _requests_citation(line_above))


def _requests_citation(line: str) -> bool:
    return not line.startswith(("*", "}", "@")) and _CITING.search(line[:300]) is not None


def _read_fence(page: NoteDocument, start: int) -> EntryBlock | None:
    """Parse fenced entries.

    The opening line belongs to the first entry, the closing line to the last.
    """
    fence = _FENCE.fullmatch(page.text(start))
    inner = start + 1
    while inner < len(page.lines) and not page.text(inner):
        inner += 1
    if not fence or inner >= len(page.lines) or not begins(page.lines[inner].raw):
        return None
    end = next(
        (
            index
            for index in range(inner, min(len(page.lines), start + _MOST_FENCED))
            if page.text(index) == fence["marks"]
        ),
        None,
    )
    return None if end is None else read_framed_entries(page, start, end)


def read_framed_entries(page: NoteDocument, start: int, end: int) -> EntryBlock | None:
    """Parse the entries between two framing lines. Return None if anything else comes first."""
    inner = next((index for index in range(start + 1, end) if page.text(index)), end)
    entries = _read_fence_entries(page, inner, end)
    if not entries:
        return None
    entries[0] = replace(entries[0], first=page.lines[start].number)
    entries[-1] = replace(entries[-1], last=page.lines[end].number)
    return EntryBlock(end - start + 1, entries)


def _read_fence_entries(page: NoteDocument, start: int, end: int) -> list[ParsedEntry]:
    """Parse the entries in a fence. Other lines between them belong to the entry above."""
    entries: list[ParsedEntry] = []
    while start < end:
        raw = read_entry(page.lines[:end], start, _library(page).strings) if begins(page.lines[start].raw) else None
        if raw is not None and _is_plausible(raw):
            entries.append(_build_entry(page, start, raw))
            start += raw.count
            continue
        if not entries:
            return []
        entries[-1] = replace(entries[-1], last=page.lines[start].number)
        start += 1
    return entries


def _read_remark(page: NoteDocument, start: int) -> EntryBlock | None:
    """Parse a comment (% or @comment) between entries or above the first."""
    if page.text(start).startswith("@") and not page.text(start).lower().startswith("@comment"):
        return None
    next_index = next(
        (
            index
            for index in range(start + 1, min(start + 30, len(page.lines)))
            if not page.text(index).startswith("%") and page.text(index)
        ),
        None,
    )
    is_near_entry = next_index is not None and begins(page.lines[next_index].raw)
    if not (is_near_entry or _library(page).has_entries):
        return None
    number = page.lines[start].number
    return EntryBlock(1, [ParsedEntry(number, number, 1, "junk", decision="skip", reason=_REMARK)])


def _library(page: NoteDocument) -> BibtexLibrary:
    library = page.format_states.get(NAME)
    if not isinstance(library, BibtexLibrary):
        library = BibtexLibrary()
        page.format_states[NAME] = library
    return library


def works_by_line(page: NoteDocument) -> dict[int, BibliographyWork]:
    """Return every BibTeX work of the note by line index, for citations."""
    strings: dict[str, str] = {}
    works: dict[int, BibliographyWork] = {}
    index = 0
    while index < len(page.lines):
        raw = read_entry(page.lines, index, strings) if begins(page.lines[index].raw) else None
        if raw is not None and raw.type not in _SETTINGS and _is_plausible(raw):
            works[index] = work_of(raw)
        index += raw.count if raw is not None else 1
    return works


SHAPE = Shape(NAME, 8, read)
