"""Markup of HTML and XML: a linear-time scanner of tags, well-formed or not, and files of tags as blocks of entries.

Such files are outlines and bookmarks.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from readtrack.ingest.parser.document import EntryBlock, NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,19})(?=[\s/>])")
_ATTRIBUTE = re.compile(r"\s([A-Za-z_:][A-Za-z0-9_:.-]{0,39})\s?=\s?(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_PART = re.compile(r"[^\"'>]*")
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag.

    `name`: in lower case, with a leading slash if it closes. `text`: the text up to the next tag.
    """

    start: int
    end: int
    name: str
    attributes: dict[str, str]
    text: str
    is_self_closing: bool = False  # self-closing: <outline … />


def tags(text: str, names: frozenset[str]) -> Iterator[Tag]:
    """Yield the tags with these names in order. Other tags are text."""
    spans = list(_places(text, names))
    edges = [*(start for start, _ in spans), len(text)]
    for (start, end), (_, next_start) in zip(spans, pairwise(edges), strict=True):
        yield _tag(text, start, end, next_start)


def strip_tags(text: str) -> str:
    """Return the text without tags, with entities resolved."""
    return html.unescape(_ANY_TAG.sub("", text) if "<" in text else text)


def _tag(text: str, start: int, end: int, next_start: int) -> Tag:
    is_closing = text.startswith("</", start)
    match = _NAME.match(text, start)
    name = match[1].lower() if match else ""
    attributes = {} if is_closing else _attributes(text[start : end - 1])
    return Tag(
        start, end, f"/{name}" if is_closing else name, attributes, text[end:next_start], text[end - 2 : end] == "/>"
    )


def _attributes(tag: str) -> dict[str, str]:
    pairs = ((match[1].lower(), match[2] or match[3] or match[4] or "") for match in _ATTRIBUTE.finditer(tag))
    return {name: html.unescape(value) for name, value in pairs}


def _places(text: str, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the tags.

    Quotation marks that are not closed are ignored. After the first one, no later tag searches for a closing mark
    again, which keeps the scan linear.
    """
    position, unquoted_until = 0, 0
    for match in _NAME.finditer(text):
        if match.start() < position or match[1].lower() not in names:
            continue
        end = _end(text, match.end()) if match.start() >= unquoted_until else -1
        if end < 0:
            unquoted_until = len(text)
            end = text.find(">", match.end()) + 1
        if end <= 0:
            return
        yield match.start(), end
        position = end


def _end(text: str, position: int) -> int:
    """Return the position after the ">" that is not quoted, -1 if there is none."""
    while position < len(text):
        part = _PART.match(text, position)
        position = part.end() if part else position
        if position >= len(text):
            break
        if text[position] == ">":
            return position + 1
        quote_end = text.find(text[position], position + 1)
        if quote_end < 0:
            break
        position = quote_end + 1
    return -1


def tile_entries(entries: Iterable[ParsedEntry], first: int, last: int, *, reason: str) -> list[ParsedEntry]:
    """Cover the lines with entries, which must be in line order.

    `reason`: for the blank entries of the other lines.
    """
    tiles: list[ParsedEntry] = []
    last_line, part = first - 1, 1
    for entry in entries:
        if entry.first <= last_line:
            part += 1
            tiles.append(replace(entry, last=entry.first, part=part))
            continue
        tiles += _blank_entries(last_line + 1, entry.first - 1, reason)
        tiles.append(replace(entry, part=1))
        last_line, part = entry.last, 1
    return [*tiles, *_blank_entries(last_line + 1, last, reason)]


def _blank_entries(first: int, last: int, reason: str) -> list[ParsedEntry]:
    return [ParsedEntry(first, last, 1, "blank", decision="skip", reason=reason)] if first <= last else []


@dataclass
class MarkupBlock:
    """A block of `count` lines from an index on while its tags are read.

    `folders`: the topic of each open folder, "" if it has none.
    """

    page: NoteDocument
    index: int
    count: int
    folders: list[str] = field(default_factory=list)
    entries: list[ParsedEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        raw_lines = [line.raw for line in self.page.lines[self.index : self.index + self.count]]
        self.text = "\n".join(raw_lines)
        self._ends = list(accumulate(len(raw) + 1 for raw in raw_lines))

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.page.outline.topics, *(name for name in self.folders if name)]))

    def line(self, offset: int) -> int:
        """Return the line number at that offset of the text."""
        return self.page.lines[self.index + bisect_right(self._ends, offset)].number

    def block(self, *, markup: str) -> EntryBlock:
        """Return the block, with blank entries for lines that are only markup."""
        first = self.page.lines[self.index].number
        return EntryBlock(self.count, tile_entries(self.entries, first, first + self.count - 1, reason=markup))
