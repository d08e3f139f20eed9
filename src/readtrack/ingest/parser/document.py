"""The note while it is read: its lines, and what is open at the place reached. Shapes answer with blocks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import Outline
from readtrack.ingest.parser.items.find_links import TextLink, find_links
from readtrack.ingest.parser.lines import TextLine

if TYPE_CHECKING:
    from readtrack.ingest.parser.headings.section import HeadingSection

_DEEPEST = 8


@dataclass(frozen=True)
class OpenItem:
    """A bullet under which others may be nested."""

    indent: int
    topic: str
    text: str


@dataclass
class NoteDocument:
    lines: list[TextLine]
    outline: Outline = field(default_factory=Outline)
    items: list[OpenItem] = field(default_factory=list)
    previous: str = ""  # the shape of the last block that was not blank
    unclosed: set[str] = field(default_factory=set)  # fences that nothing below closes
    asides: dict[int, str] = field(default_factory=dict)  # lines that hold nothing of their own, and why
    carried: frozenset[int] = frozenset()  # lines whose text stands in the line above
    sections: "dict[int, HeadingSection] | None" = None  # what the headings are, once that has been asked
    kept: dict[str, object] = field(default_factory=dict)  # what a shape has learned of the whole note, by its name
    lists: dict[int, tuple[int, int, bool]] = field(default_factory=dict)  # by indent: a run of items, is it of papers?
    _found: dict[int, list[TextLink]] = field(default_factory=dict)

    def text(self, at: int) -> str:
        """The text of the line at that index; "" beyond the end, as on a blank line."""
        return self.lines[at].text if 0 <= at < len(self.lines) else ""

    def links_at(self, at: int) -> list[TextLink]:
        """What the line at that index names; several shapes ask, so it is looked for once."""
        if at not in self._found:
            self._found[at] = find_links(self.text(at))
        return self._found[at]

    def nest(self, item: OpenItem) -> None:
        self.close_items(item.indent)
        if len(self.items) < _DEEPEST:
            self.items.append(item)

    def close_items(self, indent: int = 0) -> None:
        while self.items and self.items[-1].indent >= indent:
            self.items.pop()


@dataclass(frozen=True)
class EntryBlock:
    """`count` lines that a shape has read, and their entries, which tile them."""

    count: int
    entries: list[ParsedEntry]


@dataclass(frozen=True)
class Shape:
    """One way of writing notes. `read` answers None when the lines at that index are not of this shape.

    `order`: who is asked first; prose, which takes everything, is last.
    """

    name: str
    order: int
    read: Callable[[NoteDocument, int], EntryBlock | None]
