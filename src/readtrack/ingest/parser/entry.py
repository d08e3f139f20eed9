"""What a span of lines in a note became. The word every shape of note answers in."""

from dataclasses import dataclass, field

from readtrack.metadata.types import WebLink


@dataclass(frozen=True)
class ParsedEntry:
    """A span of lines and what it is.

    `first`/`last`: lines counted from 1, both included. `part`: 1 for the first entry that begins on a line, then 2, 3.
    Only part 1 entries count lines; their spans tile the note: every line is in exactly one of them.
    `kind`: paper (with `paper_kind`), mention, topic, question, lead, snippet, table, junk, blank.
    `decision`: add, review (a person should look), skip. "known" is told later, by whoever has a database.
    """

    first: int
    last: int
    part: int
    kind: str
    paper_kind: str = ""
    identifiers: tuple[str, ...] = ()
    links: tuple[WebLink, ...] = ()
    title: str = ""
    topics: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    status: str | None = None
    text: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""  # as far as the notes tell: "2023", "2023-05" or "2023-05-16"
    read_on: str = ""  # the day on which somebody read it, "2024-02-03", where the notes tell
    rating: str = ""  # stars and the like, as they stand
    abstract: str = ""
    twin: str = ""  # of a mention: the identifier of the paper above that has the same title under another identifier
    aliases: tuple[str, ...] = ()  # of a topic: what seems to be the same name in another language; offered, not done
    decision: str = "add"
    reason: str = ""
    headings: tuple[str, ...] = ()  # those above that name no topic: told to others, never filed under
    raw: str = field(default="", compare=False)  # the lines as they stand; "" for the further parts of a very long line
