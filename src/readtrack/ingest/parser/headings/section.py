"""A heading of a note with its section."""

from dataclasses import dataclass, field
from enum import Enum

from readtrack.ingest.parser.headings.lines_below import PaperDetails
from readtrack.ingest.parser.headings.markup import Headline, name_of
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links


class Role(Enum):
    TOPIC = "topic"
    PAPER = "paper"
    TITLE = "title"
    PART = "part"
    NOISE = "noise"


@dataclass
class HeadingSection:
    """A heading with its section.

    `body`: index of the first line below; `end`: index of the next heading of any level.
    """

    index: int
    head: Headline
    name: str
    end: int
    links: list[TextLink]
    parent: int | None = None
    children: list[int] = field(default_factory=list)
    role: Role = Role.TOPIC
    details: PaperDetails | None = None

    @property
    def body(self) -> int:
        return self.index + self.head.count

    @property
    def words_beside(self) -> str:
        """The heading without its links."""
        if not self.links:
            return self.name
        return name_of(" ".join(split_around_links(self.head.text, self.links)))
