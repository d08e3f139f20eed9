"""What a span of lines in a note became. The word every shape of note answers in."""

from dataclasses import dataclass, field

from readtrack.sources import WebLink


@dataclass(frozen=True)
class Entry:
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
    decision: str = "add"
    reason: str = ""
    raw: str = field(default="", compare=False)  # the lines as they stand; "" for the further parts of a very long line
