"""Record formats as a stream: a long text is cut between records, and each segment is parsed and forgotten.

The entries are those of the whole text, with the same lines, as long as it consists of records. Duplicates are not
marked here, because a record may repeat one that was read long before (see `deduplicate.group_duplicates`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Protocol

import structlog

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser import parse_note
from readtrack.ingest.parser.bibliography import bibtex_entries
from readtrack.ingest.parser.column_fields import FileColumns
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats import (
    bibtex,
    blanks,
    bookmark_json,
    csl_json,
    delimited,
    exported_papers,
    ris,
    zotero_json,
)
from readtrack.ingest.parser.headings.outline import Outline
from readtrack.ingest.parser.json_lists import Item, JsonList, end_of_list, iter_items
from readtrack.ingest.parser.lines import LINE_END, count_line_ends, split
from readtrack.ingest.parser.reasons import AFTER_LIST, MALFORMED, UNREAD

SEGMENT_CHARS = 100_000  # a segment is cut at the last record that begins before this
MAX_SEGMENT_CHARS = 2_000_000  # without any record, a segment is cut at a line end
MAX_RAW_CHARS = 20_000  # of the lines stored with an entry, if they hold more than its record
SAMPLE_LINES = 60  # lines read to recognize the format
log = structlog.get_logger()
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_STARTS = {
    "bibtex": re.compile(r"(?<=[\r\n])(?=@[A-Za-z]{2,30}\s{0,10}[{(])"),
    "ris": re.compile(r"(?<=[\r\n])(?=[^\S\r\n]{0,40}TY\s{0,4}-(?:\s|\Z))"),
    "endnote": re.compile(r"(?<=[\r\n])(?=%0\s\w)"),
}
_JSON_LISTS = {
    "bookmark_json": bookmark_json.LIST,
    "csl_json": csl_json.LIST,
    "exported_papers": exported_papers.LIST,
}
_MAX_FOREWORD_LINES = 10  # before the first BibTeX entry, as programs write them


@dataclass
class ReaderState:
    """Where a reader continues.

    `offset`: characters of the text that are read. `line`: the first line that belongs to no entry yet. `header`: the
    header line of an open table. Of JSON: `text_line`, the line at `offset`; `part`, of the last entry on its line;
    `is_wrapped`, if the list is part of an object; `is_broken`, if the text cannot be read from here on.
    """

    offset: int = 0
    line: int = 1
    header: str = ""
    has_begun: bool = False
    text_line: int = 1
    part: int = 0
    is_wrapped: bool = False
    is_broken: bool = False


@dataclass(frozen=True)
class Segment:
    """Entries of some lines, and the state after them."""

    entries: list[ParsedEntry]
    state: ReaderState


class RecordReader(Protocol):
    """Turns pieces of text into segments."""

    def look_ahead(self, pieces: Iterable[str]) -> None:
        """Take note of what entries take from others anywhere in the text, before any is read."""

    def feed(self, text: str) -> Iterator[Segment]:
        """Yield the segments that are complete with this text."""

    def close(self) -> Iterator[Segment]:
        """Yield the rest."""

    def remember(self, kind: str, line: int, raw: str) -> None:
        """Take note of an entry read before an interruption, in order. `line`: its first one."""


def record_format(sample: str) -> str:
    """Return the record format of a text that begins like this, or "" if it is free-form."""
    texts = [clean_line(line) for line in LINE_END.split(sample, maxsplit=SAMPLE_LINES)[:SAMPLE_LINES]]
    number, first = next(((number, text) for number, text in enumerate(texts) if text), (0, ""))
    if exported_papers.begins_export(sample):
        return "exported_papers"
    if first.startswith(("[", "{")):
        return _json_format(sample)
    if ris.begins_ris(first):
        return "ris"
    if ris.begins_endnote(first):
        return "endnote"
    if _is_bibtex(texts):
        return "bibtex"
    raw = LINE_END.split(sample, maxsplit=number + 1)[number]
    return "delimited" if delimited.is_header(raw) else ""


def _json_format(sample: str) -> str:
    if zotero_json.begins_library(sample):  # its items are filed by its collections, so it is read as a whole
        return ""
    if bookmark_json.begins_bookmarks(sample):
        return "bookmark_json"
    return "csl_json" if csl_json.may_be_list(sample) else ""


def open_reader(form: str, state: ReaderState | None = None, columns: FileColumns | None = None) -> RecordReader:
    """Return a reader of that format, at the beginning or where another stopped. `columns`: of a mapped table."""
    state = state or ReaderState()
    return JsonReader(_JSON_LISTS[form], state) if form in _JSON_LISTS else LineReader(form, state, columns)


class LineReader:
    """Reader of formats whose records begin on a line of their own: BibTeX, RIS, EndNote, CSV and TSV."""

    def __init__(self, form: str, state: ReaderState, columns: FileColumns | None) -> None:
        self._form, self._state, self._text = form, state, ""
        self._columns = replace(columns, has_header=False) if columns and state.has_begun else columns
        self._outline, self._format_states = Outline(), dict[str, object]()
        self._previous = ""

    def look_ahead(self, pieces: Iterable[str]) -> None:
        if self._form == "bibtex":
            bibtex.remember_parents(self._format_states, map(split, _iter_entries(pieces)))

    def feed(self, text: str) -> Iterator[Segment]:
        self._text += text
        while len(self._text) > SEGMENT_CHARS:
            end, header = self._find_cut()
            if not end:
                return
            yield self._read(end, header)

    def close(self) -> Iterator[Segment]:
        yield from self.feed("")
        if self._text:
            yield self._read(len(self._text), "")

    def remember(self, kind: str, line: int, raw: str) -> None:
        if self._form == "bibtex":
            bibtex.remember_section(self._outline, kind, clean_line(raw))
            bibtex.remember_entry(self._format_states, kind, line, raw)
        elif self._form == "delimited" and kind in {"topic", "junk"}:  # a heading, which rows below may follow
            parse_note.read_entries(self._open_document(raw, line))

    def _find_cut(self) -> tuple[int, str]:
        """Return where the segment ends, 0 if more text is needed, and the header of the table that continues there."""
        if self._form == "delimited":
            return self._find_row_end()
        pattern = _STARTS[self._form]
        starts = [match.start() for match in pattern.finditer(self._text, 0, SEGMENT_CHARS + 2000)]
        end = next(filter(self._may_cut, reversed(starts)), 0)
        if not end and len(self._text) > MAX_SEGMENT_CHARS:
            end = max(starts, default=0) or self._find_line_end()
        elif not end:
            later = (match.start() for match in pattern.finditer(self._text, SEGMENT_CHARS))
            end = next(filter(self._may_cut, later), 0)
        return end, ""

    def _may_cut(self, start: int) -> bool:
        """Return False if the line above may head an entry of BibTeX, or say that it is how to cite a list."""
        if self._form != "bibtex":
            return True
        above = [clean_line(line) for line in LINE_END.split(self._text[max(start - 500, 0) : start].rstrip())]
        comments = takewhile(lambda line: line.startswith("%") or not line, reversed(above))
        return not (any(map(bibtex.heads_entries, comments)) or bibtex.requests_citation(above[-1]))

    def _find_line_end(self) -> int:
        """Return the end of the last line that may be in a segment, or where it is cut for lack of line ends."""
        end = max(self._text.rfind("\n", 0, MAX_SEGMENT_CHARS), self._text.rfind("\r", 0, MAX_SEGMENT_CHARS - 1)) + 1
        return end or MAX_SEGMENT_CHARS

    def _find_row_end(self) -> tuple[int, str]:
        """Return the end of the last complete row before the limit, and the header if the table continues there."""
        lines = _LINE.findall(self._text[:MAX_SEGMENT_CHARS])
        header, index, end = self._state.header, 0, 0
        if not self._state.has_begun and not self._columns:
            index = next((number for number, line in enumerate(lines) if line.strip()), 0) + 1
            end, header = sum(map(len, lines[:index])), lines[index - 1].rstrip("\r\n")
        while end < SEGMENT_CHARS and index < len(lines) - 1:
            if header and not delimited.is_row(lines[index].rstrip("\r\n"), header):
                header = ""
            stop = _row_end(lines, index) if header or self._columns else index + 1
            if stop >= len(lines):
                break
            end, index = end + sum(map(len, lines[index:stop])), stop
        if end in {0, len(lines[0])} and len(self._text) > MAX_SEGMENT_CHARS:
            return self._find_line_end(), ""
        return end if index > 1 else 0, header

    def _read(self, end: int, next_header: str) -> Segment:
        text, self._text = self._text[:end], self._text[end:]
        state = self._state
        page = self._open_document(text, state.line)
        entries = [_with_short_raw(entry) for entry in parse_note.read_entries(page) if entry.first >= state.line]
        self._previous = page.previous
        self._state = ReaderState(
            offset=state.offset + end,
            line=state.line + count_line_ends(text),
            header=next_header,
            has_begun=True,
        )
        return Segment(entries, self._state)

    def _open_document(self, text: str, line: int) -> NoteDocument:
        """Return these lines below what was read. `line`: the number of the first."""
        header = self._state.header
        page = parse_note.open_document(
            f"{header}\n{text}" if header else text, line - 1 if header else line, self._columns
        )
        page.outline, page.format_states, page.previous = self._outline, self._format_states, self._previous
        return page


class JsonReader:
    """Reader of a list in JSON: items are decoded one by one, on one line or many.

    The last complete item is held back, as its lines end where the next one begins.
    """

    def __init__(self, json_list: JsonList, state: ReaderState) -> None:
        self._list, self._state, self._text, self._awaited_chars = json_list, state, "", SEGMENT_CHARS

    def look_ahead(self, pieces: Iterable[str]) -> None:
        """Do nothing: items do not depend on each other."""

    def feed(self, text: str) -> Iterator[Segment]:
        self._text += text
        if self._state.is_broken:
            yield self._skip()
        elif len(self._text) >= self._awaited_chars:
            yield from self._read_complete()

    def close(self) -> Iterator[Segment]:
        items, start = self._items()
        end = items[-1].end if items else start
        works = [item for item in items if self._list.is_record(item.fields)]
        rest_start = self._end_of_list(end)
        is_closed = rest_start is not None
        rest_start = end if rest_start is None else rest_start
        last_line = self._state.text_line + len(LINE_END.findall(self._text, 0, max(rest_start - 1, 0)))
        entries = self._build_entries(works, last_line + 1) if not self._state.is_broken else []
        yield Segment([*entries, *self._read_rest(rest_start, last_line, is_closed=is_closed)], self._state)

    def remember(self, kind: str, line: int, raw: str) -> None:
        """Do nothing: items do not depend on each other."""

    def _items(self) -> tuple[list[Item], int]:
        start = 0 if self._state.has_begun else self._list.find_start(self._text)
        return ([] if self._state.is_broken else list(iter_items(self._text, start))), start

    def _read_complete(self) -> Iterator[Segment]:
        items, _ = self._items()
        works = [item for item in items if self._list.is_record(item.fields)]
        if len(works) < 2:
            self._awaited_chars = 2 * len(self._text)
            if len(self._text) > MAX_SEGMENT_CHARS:
                yield from self._give_up(works)
            return
        self._awaited_chars = SEGMENT_CHARS
        end = works[-1].start
        text_line = self._line_at(end)
        is_wrapped = self._is_wrapped()
        entries = self._build_entries(works[:-1], text_line)
        self._state = replace(self._state, is_wrapped=is_wrapped, text_line=text_line, **self._advance(end))
        yield Segment(entries, self._state)

    def _give_up(self, works: list[Item]) -> Iterator[Segment]:
        """Read no more: what follows is malformed, and stays in the notes as one entry."""
        end = works[-1].end if works else 0
        entries = self._build_entries(works, self._line_at(end) + 1)
        self._state = replace(self._state, is_broken=True)
        yield Segment(entries, self._state)

    def _skip(self) -> Segment:
        end = max(len(self._text) - 2, 0)  # the end stays, as it may be that of the whole text
        self._state = replace(self._state, text_line=self._line_at(end), **self._advance(end))
        return Segment([], self._state)

    def _advance(self, end: int) -> dict[str, Any]:
        self._text = self._text[end:]
        return {"offset": self._state.offset + end, "has_begun": True}

    def _line_at(self, position: int) -> int:
        return self._state.text_line + count_line_ends(self._text[:position])

    def _build_entries(self, works: list[Item], end_line: int) -> list[ParsedEntry]:
        """Build the entries. Each extends to the line of the next item; several on one line are parts of it."""
        entries: list[ParsedEntry] = []
        line, position = self._state.text_line, 0
        next_line, part = self._state.line, self._state.part
        starts: list[int] = []
        for item in works:
            line, position = line + len(LINE_END.findall(self._text, position, item.start)), item.start
            starts.append(line)
        for item, own_line, line_below in zip(works, starts, [*starts[1:], end_line], strict=True):
            if own_line >= next_line:
                first, last, part = next_line, max(line_below - 1, own_line), 1
                next_line = last + 1
            else:
                first, last, part = own_line, own_line, part + 1
            raw = self._text[item.start : item.end][:MAX_RAW_CHARS]
            entries.append(replace(self._build_entry(item, first, raw), last=last, part=part, raw=raw))
        self._state = replace(self._state, line=next_line, part=part)
        return entries

    def _build_entry(self, item: Item, line: int, raw: str) -> ParsedEntry:
        """Build the entry of an item. One that can't be read stays in the notes for review."""
        try:
            return self._list.build_entry(item, line)
        except Exception:
            log.exception("failed to read item", line=line)
            return ParsedEntry(line, line, 1, "snippet", text=clean_line(raw), decision="review", reason=UNREAD)

    def _end_of_list(self, end: int) -> int | None:
        """Return the offset after the list, None if it is not closed."""
        closing = end_of_list(self._text, end)
        return len(self._text.rstrip()) if closing is not None and self._is_wrapped() else closing

    def _is_wrapped(self) -> bool:
        return self._state.is_wrapped or (not self._state.has_begun and self._text.lstrip().startswith("{"))

    def _read_rest(self, start: int, last_line: int, *, is_closed: bool) -> list[ParsedEntry]:
        """Return what follows the list: blank lines, or lines for review."""
        rest = self._text[start:]
        end_line = self._line_at(len(self._text)) - self._text.endswith(("\n", "\r"))
        if not rest.strip(" ,\t\r\n") and not self._state.is_broken:
            return [blanks.blank_entry(self._state.line, end_line)] if end_line >= self._state.line else []
        reason = MALFORMED if not is_closed or self._state.is_broken else AFTER_LIST
        first, part = (self._state.line, 1) if end_line >= self._state.line else (last_line, self._state.part + 1)
        text = clean_line(rest[:MAX_RAW_CHARS])
        entry = ParsedEntry(first, max(end_line, first), part, "snippet", text=text, decision="review", reason=reason)
        return [replace(entry, raw=rest[:MAX_RAW_CHARS])]


def _iter_entries(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a BibTeX file in parts that begin with an entry."""
    text = ""
    for piece in pieces:
        text += piece
        starts = [match.start() for match in _STARTS["bibtex"].finditer(text)]
        end = starts[-1] if starts else len(text) if len(text) > MAX_SEGMENT_CHARS else 0
        yield text[:end]
        text = text[end:]
    yield text


def _row_end(lines: list[str], start: int) -> int:
    """Return the index after the last line of a row of a table; at the end of the lines, it may not be complete."""
    quotes, end = lines[start].count('"'), start + 1
    while quotes % 2 and end < start + delimited.MAX_CELL_LINES:
        if end >= len(lines):
            return end
        quotes += lines[end].count('"')
        end += 1
    return start + 1 if quotes % 2 else end


def _with_short_raw(entry: ParsedEntry) -> ParsedEntry:
    if max(len(entry.raw), len(entry.text)) <= MAX_RAW_CHARS:
        return entry
    return replace(entry, raw=entry.raw[:MAX_RAW_CHARS], text=entry.text[:MAX_RAW_CHARS])


def _is_bibtex(texts: list[str]) -> bool:
    """Return True if the first entry comes after remarks only, or a few lines as programs write them."""
    start = next((index for index, text in enumerate(texts) if bibtex_entries.begins(text)), None)
    plain = [text for text in texts[:start] if text and not text.startswith("%")]
    return start is not None and len(plain) <= _MAX_FOREWORD_LINES and not any(map(_is_markup, plain))


def _is_markup(text: str) -> bool:
    return text.startswith(("#", "-", "*", "+", ">", "|", "`", "<")) or "](" in text
