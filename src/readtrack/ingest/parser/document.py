"""The document being parsed: its lines and the parser state.

Formats return blocks of entries.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, cast

from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import Outline
from readtrack.ingest.parser.headings.venue_names import VenueName, venue_named
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.find_links import TextLink, find_links
from readtrack.ingest.parser.items.signed_titles import Splitter
from readtrack.ingest.parser.lines import TextLine

if TYPE_CHECKING:
    from readtrack.ingest.parser.column_fields import FileColumns
    from readtrack.ingest.parser.headings.headlines import HeadingSection

_Fact = TypeVar("_Fact")
_MAX_NESTING = 8


@dataclass(frozen=True)
class OpenItem:
    """A list item under which others may be nested."""

    indent: int
    topic: str
    text: str
    heading: str = ""  # the name of an item that heads others and names no topic: a date or venue
    is_linked_paper: bool = False  # what is nested below is said about it
    status: str | None = None  # the reading status that it states for the items below


@dataclass
class NoteDocument:
    lines: list[TextLine]
    outline: Outline = field(default_factory=Outline)
    items: list[OpenItem] = field(default_factory=list)
    previous: str = ""  # the format of the last block that was not blank
    quoted_paper: str = ""  # the title in a quotation that the items below it are notes on
    unclosed: set[str] = field(default_factory=set)  # fences without a closing line below
    ignored_lines: dict[int, str] = field(default_factory=dict)  # lines without content of their own, with the reason
    continued_lines: frozenset[int] = frozenset()  # lines whose text is part of the line above
    columns: "FileColumns | None" = None  # if all lines are rows of a table that is read by a mapping
    worded_lines: set[int] = field(default_factory=set)  # where entries begin that are no records with fields
    front_venue: VenueName | None = None  # that of all papers in the note, by its front matter
    front_status: str | None = None  # the same for the reading status, by the title of the note
    introduced_status: str | None = None  # the same, by the sentences before its first list
    sections: "dict[int, HeadingSection] | None" = None  # classified headings, computed on first use
    format_states: dict[str, object] = field(default_factory=dict)  # state of formats for the whole note, by name
    # by indent: first and last index of a run of items, and whether it lists papers
    lists: dict[int, tuple[int, int, bool]] = field(default_factory=dict)
    title_lists: dict[int, tuple[int, int, bool]] = field(default_factory=dict)  # the same for titles without addresses
    signed_items: dict[int, Splitter] | None = None  # what splits the items of lists of signed titles, on first use
    _found: dict[int, list[TextLink]] = field(default_factory=dict)

    def text(self, index: int) -> str:
        """Return the text of the line at that index, "" beyond the end."""
        if index < 0:
            return ""
        try:  # without len(), as formats ask for the text of a line dozens of times
            return self.lines[index].text
        except IndexError:
            return ""

    def is_deeper(self, index: int, above: int) -> bool:
        """Return True for a line with text that is further in than one above."""
        return bool(self.text(index)) and self.lines[index].indent > self.lines[above].indent

    def raw_text(self, start: int, end: int | None = None) -> str:
        """Return the lines from one index up to another, or to the end, verbatim."""
        return "\n".join(line.raw for line in self.lines[start:end])

    def numbers(self, start: int, end: int) -> tuple[int, int]:
        """Return the numbers of the first and the last line from one index up to another."""
        return self.lines[start].number, self.lines[end - 1].number

    def context(self, start: int, end: int, status: str | None = None) -> ItemContext:
        """Return the context of what is read from the lines from one index up to another: it is filed as they are."""
        return ItemContext(*self.numbers(start, end), self.outline.topics, status)

    def links_at(self, index: int) -> list[TextLink]:
        """Return the links of the line at that index. Cached, because several formats use them."""
        if index not in self._found:
            self._found[index] = find_links(self.text(index))
        return self._found[index]

    def nest(self, item: OpenItem) -> None:
        self.close_items(item.indent)
        if len(self.items) < _MAX_NESTING:
            self.items.append(item)

    @property
    def venue(self) -> VenueName | None:
        """The venue that an open item or heading names for the lines below."""
        names = (item.heading for item in reversed(self.items) if item.heading)
        return next((venue for name in names if (venue := venue_named(name))), None) or self.outline.venue

    @property
    def status(self) -> str | None:
        """The reading status that an open item, a heading or the title of the note states for the lines below."""
        stated = (item.status for item in reversed(self.items) if item.status)
        return next(stated, None) or self.outline.status or self.front_status or self.introduced_status

    def close_items(self, indent: int = 0) -> None:
        while self.items and self.items[-1].indent >= indent:
            self.items.pop()


@dataclass(frozen=True)
class EntryBlock:
    """A block of `count` lines with entries that cover them without gaps."""

    count: int
    entries: list[ParsedEntry]


def once_per_note(find: Callable[[NoteDocument], _Fact]) -> Callable[[NoteDocument], _Fact]:
    """Decorate a function that finds out something about the whole note: the first answer stays valid."""
    name = f"{find.__module__}.{find.__name__}"

    @wraps(find)
    def find_once(page: NoteDocument) -> _Fact:
        if name not in page.format_states:
            page.format_states[name] = find(page)
        return cast("_Fact", page.format_states[name])

    return find_once


def skip_lines(page: NoteDocument, start: int, end: int, reason: str, kind: str = "junk") -> EntryBlock:
    """Return the block of lines without content of their own, from one index up to another."""
    entry = ParsedEntry(*page.numbers(start, end), 1, kind, decision="skip", reason=reason)
    return EntryBlock(end - start, [entry])


def keep_as_remark(page: NoteDocument, start: int, end: int, text: str, reason: str = "") -> EntryBlock:
    """Return the block of lines whose text stays in the notes, from one index up to another."""
    entry = ParsedEntry(*page.numbers(start, end), 1, "snippet", topics=page.outline.topics, text=text, reason=reason)
    return EntryBlock(end - start, [entry])


@dataclass(frozen=True)
class Shape:
    """A note format. `read` returns None if the lines at that index are not in this format.

    Formats are tried by `order`. Prose, which accepts everything, is last.
    """

    name: str
    order: int
    read: Callable[[NoteDocument, int], EntryBlock | None]
