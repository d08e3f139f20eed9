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


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    text = page.text(at)
    if text.startswith("@"):
        return _read_entry_block(page, at) if begins(page.lines[at].raw) else _read_remark(page, at)
    if text.startswith(("```", "~~~")):
        return _read_fence(page, at)
    return _read_remark(page, at) if text.startswith("%") else None


def _read_entry_block(page: NoteDocument, at: int) -> EntryBlock | None:
    raw = read_entry(page.lines, at, _library(page).strings)
    if raw is None or not _is_plausible(raw):
        return None
    return EntryBlock(raw.count, [_build_entry(page, at, raw)])


def _is_plausible(raw: RawEntry) -> bool:
    """Return False for prose that begins with "@name("."""
    return raw.type in _SETTINGS or bool(raw.fields) or bool(raw.key and raw.type in _TYPES)


def _build_entry(page: NoteDocument, at: int, raw: RawEntry) -> ParsedEntry:
    first, last = page.lines[at].number, page.lines[at + raw.count - 1].number
    library = _library(page)
    library.has_entries = True
    if raw.type in _SETTINGS:
        return ParsedEntry(first, last, 1, "junk", decision="skip", reason=_SETTINGS[raw.type])
    if _is_own_citation(page, at):
        return ParsedEntry(first, last, 1, "junk", title=work_of(raw).title, decision="skip", reason=_OWN)
    work = work_of(raw)
    earlier = library.keys.setdefault(raw.key, first) if raw.key else first
    if earlier != first and not work.fault:
        work = replace(work, fault=f"The key “{raw.key[:100]}” stands on line {earlier} already: is it the same work?")
    return entry_of(work, ItemContext(first, last, page.outline.topics))


def _is_own_citation(page: NoteDocument, at: int) -> bool:
    """Return True under a heading or a line that asks for citation."""
    heading = page.outline.open[-1].name if page.outline.open else ""
    lines = (page.text(index) for index in range(at - 1, max(at - 5, -1), -1))
    above = next((text for text in lines if text and not text.startswith(("```", "~~~"))), "")
    return _CITING.search(heading[:100]) is not None or (not begins(above) and _requests_citation(above))


def _requests_citation(above: str) -> bool:
    return not above.startswith(("*", "}", "@")) and _CITING.search(above[:300]) is not None


def _read_fence(page: NoteDocument, at: int) -> EntryBlock | None:
    """Parse fenced entries.

    The opening line belongs to the first entry, the closing line to the last.
    """
    opening = _FENCE.fullmatch(page.text(at))
    inner = at + 1
    while inner < len(page.lines) and not page.text(inner):
        inner += 1
    if not opening or inner >= len(page.lines) or not begins(page.lines[inner].raw):
        return None
    end = next(
        (n for n in range(inner, min(len(page.lines), at + _MOST_FENCED)) if page.text(n) == opening["marks"]), None
    )
    return None if end is None else read_framed_entries(page, at, end)


def read_framed_entries(page: NoteDocument, at: int, end: int) -> EntryBlock | None:
    """Parse the entries between two framing lines. Return None if anything else comes first."""
    inner = next((index for index in range(at + 1, end) if page.text(index)), end)
    entries = _read_fence_entries(page, inner, end)
    if not entries:
        return None
    entries[0] = replace(entries[0], first=page.lines[at].number)
    entries[-1] = replace(entries[-1], last=page.lines[end].number)
    return EntryBlock(end - at + 1, entries)


def _read_fence_entries(page: NoteDocument, at: int, end: int) -> list[ParsedEntry]:
    """Parse the entries in a fence. Other lines between them belong to the entry above."""
    entries: list[ParsedEntry] = []
    while at < end:
        raw = read_entry(page.lines[:end], at, _library(page).strings) if begins(page.lines[at].raw) else None
        if raw is not None and _is_plausible(raw):
            entries.append(_build_entry(page, at, raw))
            at += raw.count
            continue
        if not entries:
            return []
        entries[-1] = replace(entries[-1], last=page.lines[at].number)
        at += 1
    return entries


def _read_remark(page: NoteDocument, at: int) -> EntryBlock | None:
    """Parse a comment (% or @comment) between entries or above the first."""
    if page.text(at).startswith("@") and not page.text(at).lower().startswith("@comment"):
        return None
    below = next(
        (n for n in range(at + 1, min(at + 30, len(page.lines))) if not page.text(n).startswith("%") and page.text(n)),
        None,
    )
    near = below is not None and begins(page.lines[below].raw)
    if not (near or _library(page).has_entries):
        return None
    number = page.lines[at].number
    return EntryBlock(1, [ParsedEntry(number, number, 1, "junk", decision="skip", reason=_REMARK)])


def _library(page: NoteDocument) -> BibtexLibrary:
    known = page.kept.get(NAME)
    if not isinstance(known, BibtexLibrary):
        known = BibtexLibrary()
        page.kept[NAME] = known
    return known


def works_by_line(page: NoteDocument) -> dict[int, BibliographyWork]:
    """Return every BibTeX work of the note by line index, for citations."""
    strings: dict[str, str] = {}
    found: dict[int, BibliographyWork] = {}
    at = 0
    while at < len(page.lines):
        raw = read_entry(page.lines, at, strings) if begins(page.lines[at].raw) else None
        if raw is not None and raw.type not in _SETTINGS and _is_plausible(raw):
            found[at] = work_of(raw)
        at += raw.count if raw is not None else 1
    return found


SHAPE = Shape(NAME, 8, read)
