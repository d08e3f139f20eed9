"""BibTeX and BibLaTeX entries in .bib files or within notes, also in fenced code.

The citation of a reading list itself is junk.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.bibliography.bibtex_entries import RawEntry, begins, read_entry, read_head
from readtrack.ingest.parser.bibliography.bibtex_parents import ParentEntries, may_be_parent, names_parent
from readtrack.ingest.parser.bibliography.bibtex_work import work_of
from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import BARE, Outline, OutlineHeading, topic_of
from readtrack.ingest.parser.lines import TextLine, split
from readtrack.ingest.parser.markup import tile_entries
from readtrack.ingest.parser.reasons import (
    BIBTEX_ABBREVIATION,
    BIBTEX_COMMENT,
    BIBTEX_PARENT,
    BIBTEX_PREAMBLE,
    HOW_TO_CITE,
    KEY_USED_BEFORE,
)

_GROUP = re.compile(r"(?P<depth>\d{1,2})\s(?:Static|Explicit)Group:(?P<name>[^\\;]{1,100})\\*;")
_GROUPS = re.compile(r"\s{0,20}@comment\s?\{\s?jabref-meta:\s?group(?:ing|stree):", re.IGNORECASE)
# A comment that heads the entries below: `% NUCLEAR PHYSICS`, `% --- 3. Attention ---`, `% Attention` between rules.
_SECTION = re.compile(
    r"(?P<left>%[%=*#~+\s-]*)(?:\d{1,2}[.)]\s)?(?P<name>[^\W\d_][^%@{}\\=]{1,58}?)(?P<right>[\s%=*#~+-]*)"
)
_RULE = re.compile(r"%[%=*#~+\s-]{4,}")
_NOT_A_SECTION = re.compile(
    r"\b(?:todo|fixme|check\w*|read|unread|old|new|end|important|unused|duplicates?|bibtex|not|this|done|missing|here|created|"
    r"compiled|saved|encoding|updated?|file|version|added|copyright|generated|exported|bibliography|overview|favou?rites?|"
    r"my|must|see|also|great|nice|good|key|needs?|style|papers?|articles?|references?|chapter|do)\b",
    re.IGNORECASE,
)
_MAX_COMMENT_CHARS = 160
_MIN_MARKS = 4  # of a rule, with the one that begins a comment
_MAX_SECTION_WORDS = 6
_FENCE = re.compile(r"(?P<marks>`{3,20}|~{3,20})\s?[\w-]{0,20}")
_CITING = re.compile(r"\b(?:cite|citing|citation|citations|acknowledg\w{0,10})\b|引用", re.IGNORECASE)
_BY_INSPIRE = re.compile(
    r"%\s?(?:\\cite\{[^{}]{1,200}\}|[\d,.]{1,9} citations? counted in INSPIRE.{0,60})"
)  # around entries
_MAX_FENCED_LINES = 5000
_SETTINGS = {
    "comment": BIBTEX_COMMENT,
    "preamble": BIBTEX_PREAMBLE,
    "string": BIBTEX_ABBREVIATION,
}
_TYPES = frozenset(
    [
        "article", "book", "booklet", "conference", "inbook", "incollection", "inproceedings", "manual",
        "mastersthesis", "misc", "online", "phdthesis", "proceedings", "report", "software", "techreport",
        "thesis", "unpublished",
    ]
)  # fmt: skip
_ENTRY_KINDS = frozenset({"paper", "mention", "lead"})  # what an entry that is not a setting becomes
_NAME = "bibtex"
_SECTION_LEVEL = BARE - 1  # below the headings of a note


@dataclass
class BibtexLibrary:
    """Definitions from the entries parsed so far."""

    strings: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)  # line of the first entry with that key
    has_entries: bool = False
    parents: ParentEntries | None = None  # None until the text is searched for them


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if text.startswith("@"):
        return _read_entry_block(page, start) if begins(page.lines[start].raw) else _read_remark(page, start)
    if text.startswith(("```", "~~~")):
        return _read_fence(page, start)
    return _read_remark(page, start) if text.startswith("%") else None


def _read_entry_block(page: NoteDocument, index: int) -> EntryBlock | None:
    raw = read_entry(page.lines, index, _library(page.format_states).strings)
    if raw is None or not _is_plausible(raw):
        return None
    if _GROUPS.match(page.lines[index].raw):
        return EntryBlock(raw.count, _read_groups(page, index, raw.count))
    return EntryBlock(raw.count, [_build_entry(page, index, raw)])


def _read_groups(page: NoteDocument, start: int, count: int) -> list[ParsedEntry]:
    """Return JabRef's tree of groups as topics. Groups that search or collect by keyword are none."""
    lines = page.lines[start : start + count]
    entries: list[ParsedEntry] = []
    parents: dict[int, str] = {}
    for line in lines:
        if (group := _GROUP.match(line.raw)) and (name := topic_of(clean_line(group["name"]))):
            depth = int(group["depth"])
            parents = {level: parent for level, parent in parents.items() if level < depth}
            topics = tuple(dict.fromkeys([*page.outline.topics, *parents.values()]))
            entries.append(ParsedEntry(line.number, line.number, 1, "topic", title=name, topics=topics))
            parents[depth] = name
    return tile_entries(entries, lines[0].number, lines[-1].number, reason=BIBTEX_COMMENT)


def _is_plausible(raw: RawEntry) -> bool:
    """Return False for prose that begins with "@name("."""
    return raw.type in _SETTINGS or bool(raw.fields) or bool(raw.key and raw.type in _TYPES)


def _build_entry(page: NoteDocument, index: int, raw: RawEntry) -> ParsedEntry:
    first, last = page.numbers(index, index + raw.count)
    library = _library(page.format_states)
    library.has_entries = True
    if raw.type in _SETTINGS:
        return ParsedEntry(first, last, 1, "junk", decision="skip", reason=_SETTINGS[raw.type])
    if library.parents is None:
        names_any = any(names_parent(line.raw) for line in page.lines)
        library.parents = _find_parents([page.lines]) if names_any else ParentEntries()
    if library.parents.is_only_parent(raw):
        return ParsedEntry(first, last, 1, "junk", title=work_of(raw).title, decision="skip", reason=BIBTEX_PARENT)
    if _is_own_citation(page, index):
        return ParsedEntry(first, last, 1, "junk", title=work_of(raw).title, decision="skip", reason=HOW_TO_CITE)
    work = work_of(library.parents.complete(raw))
    first_use = library.keys.setdefault(raw.key, first) if raw.key else first
    if first_use != first and not work.error:
        work = replace(work, error=KEY_USED_BEFORE.format(key=raw.key[:100], line=first_use))
    return replace(entry_of(work, page.context(index, index + raw.count)), citation_key=raw.key)


def _find_parents(parts: Iterable[Sequence[TextLine]]) -> ParentEntries:
    """Return the entries from which others take fields. Parts of a text are read one by one and forgotten."""
    parents, strings = ParentEntries(), dict[str, str]()
    for lines in parts:
        for _index, raw in _iter_raw_entries(lines, strings):
            parents.note(raw)
    return parents


def remember_parents(format_states: dict[str, object], parts: Iterable[Sequence[TextLine]]) -> None:
    """Take note of the entries from which others take fields, before any is read."""
    _library(format_states).parents = _find_parents(parts)


def _is_own_citation(page: NoteDocument, start: int) -> bool:
    """Return True under a heading or a line that asks for citation."""
    heading = page.outline.open[-1].name if page.outline.open else ""
    lines = (page.text(index) for index in range(start - 1, max(start - 5, -1), -1))
    line_above = next(
        (text for text in lines if text and not (text.startswith(("```", "~~~")) or _BY_INSPIRE.fullmatch(text))), ""
    )
    return _CITING.search(heading[:100]) is not None or (not begins(line_above) and requests_citation(line_above))


def requests_citation(line: str) -> bool:
    is_about_entry = _BY_INSPIRE.fullmatch(line[:300]) is not None
    return not is_about_entry and not line.startswith(("*", "}", "@")) and _CITING.search(line[:300]) is not None


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
            for index in range(inner, min(len(page.lines), start + _MAX_FENCED_LINES))
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
        raw = (
            read_entry(page.lines[:end], start, _library(page.format_states).strings)
            if begins(page.lines[start].raw)
            else None
        )
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
    below = range(start + 1, min(start + 30, len(page.lines)))
    next_index = next((index for index in below if page.text(index) and not page.text(index).startswith("%")), None)
    is_near_entry = next_index is not None and begins(page.lines[next_index].raw)
    if not (is_near_entry or _library(page.format_states).has_entries):
        return None
    is_last = is_near_entry and not any(map(_has_words, map(page.text, range(start + 1, next_index or start))))
    return EntryBlock(1, [_read_comment(page, start, is_above_entry=is_last)])


def _read_comment(page: NoteDocument, index: int, *, is_above_entry: bool) -> ParsedEntry:
    """Read a comment, which may head the entries below. `is_above_entry`: no other words are between."""
    number, text = page.lines[index].number, page.text(index)
    is_ruled = all(map(_RULE.fullmatch, (page.text(index - 1), page.text(index + 1))))
    name = _parse_section(text, is_ruled=is_ruled)
    topic = topic_of(name) if name else ""
    if (topic and is_above_entry) or (name and not topic):
        page.outline.leave(_SECTION_LEVEL)
    if not topic or not is_above_entry:
        return ParsedEntry(number, number, 1, "junk", decision="skip", reason=BIBTEX_COMMENT)
    topics = page.outline.topics
    page.outline.enter(OutlineHeading(_SECTION_LEVEL, name, topic))
    return ParsedEntry(number, number, 1, "topic", title=topic, topics=topics)


def _has_words(comment: str) -> bool:
    return any(map(str.isalpha, comment)) and _BY_INSPIRE.fullmatch(comment[:300]) is None


def _parse_section(comment: str, *, is_ruled: bool = False) -> str:
    """Return the name that a comment in capitals or between rules consists of, or "". `is_ruled`: above and below."""
    section = _SECTION.fullmatch(comment) if len(comment) <= _MAX_COMMENT_CHARS and _has_words(comment) else None
    name = section["name"].strip(" ,.:;") if section else ""
    words = name.split()
    if section is None or not name or len(words) > _MAX_SECTION_WORDS or _NOT_A_SECTION.search(name):
        return ""
    left, right = ("".join(section[side].split()) for side in ("left", "right"))
    is_framed = is_ruled or len(left) >= _MIN_MARKS or bool(right)
    is_capital = name.isupper() and len(words) > 1
    return name if (is_framed and not name[0].islower()) or (is_capital and topic_of(name)) else ""


def heads_entries(comment: str) -> bool:
    """Return True for a comment that may name a section, or end one between rules."""
    return comment.startswith("%") and (_RULE.fullmatch(comment) is not None or bool(_parse_section(comment)))


def _library(format_states: dict[str, object]) -> BibtexLibrary:
    library = format_states.get(_NAME)
    if not isinstance(library, BibtexLibrary):
        library = format_states[_NAME] = BibtexLibrary()
    return library


def remember_entry(format_states: dict[str, object], kind: str, line: int, raw: str) -> None:
    """Take note of the abbreviations or the key of an entry that was read before."""
    library = _library(format_states)
    entry_type, key = read_head(raw)
    if entry_type == "string":
        read_entry(split(raw), 0, library.strings)
    elif entry_type not in _SETTINGS and (kind in _ENTRY_KINDS or may_be_parent(entry_type)):
        library.has_entries = True
        library.keys.setdefault(key, line)


def remember_section(outline: Outline, kind: str, comment: str) -> None:
    """Open or close the heading of a comment that was read before."""
    name = _parse_section(comment, is_ruled=kind == "topic")
    topic = topic_of(name) if name else ""
    if topic and kind == "topic":
        outline.enter(OutlineHeading(_SECTION_LEVEL, name, topic))
    elif name and not topic:  # `% --- Misc ---`
        outline.leave(_SECTION_LEVEL)


def works_by_line(page: NoteDocument) -> dict[int, BibliographyWork]:
    """Return every BibTeX work of the note by line index, for citations."""
    parents = _find_parents([page.lines])
    return {index: work_of(parents.complete(raw)) for index, raw in _iter_raw_entries(page.lines, {})}


def _iter_raw_entries(lines: Sequence[TextLine], strings: dict[str, str]) -> Iterator[tuple[int, RawEntry]]:
    index = 0
    while index < len(lines):
        raw = read_entry(lines, index, strings) if begins(lines[index].raw) else None
        if raw is not None and raw.type not in _SETTINGS and _is_plausible(raw):
            yield index, raw
        index += raw.count if raw is not None else 1


SHAPE = Shape(_NAME, 8, read)
