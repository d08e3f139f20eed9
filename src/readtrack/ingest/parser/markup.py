"""Files of tags, such as outlines and bookmarks: their lines, open folders and entries."""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from readtrack.ingest.parser.document import EntryBlock, NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.spans import tile_entries


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
