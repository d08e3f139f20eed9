"""The entry: the result of a span of lines, common to all note formats."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from readtrack.metadata.types import WebLink

if TYPE_CHECKING:
    from readtrack.ingest.parser.paper_details import PaperDetails


@dataclass(frozen=True)
class ParsedEntry:
    """A span of lines and what it is.

    `first`/`last`: 1-based line numbers, both included. `part`: 1 for the first entry that begins on a line, then 2, 3.
    Only entries of part 1 count lines: their spans cover every line of the note exactly once. `kind`: paper (with
    `paper_kind`), mention, topic, question, lead, snippet, table, junk, blank. `decision`: add, review (by a person),
    skip; "known" is set later by code with access to the database.
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
    publication_type: str = ""
    year: int | None = None
    status: str | None = None
    text: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""  # as precise as the notes: "2023", "2023-05" or "2023-05-16"
    read_on: str = ""  # the reading date in the notes, "2024-02-03"
    rating: str = ""  # stars and the like, verbatim
    abstract: str = ""
    language: str = ""  # as a code: "en", "ja"
    citation_key: str = ""  # of BibTeX files and readtrack's own exports
    twin: str = ""  # of a mention: the identifier of an earlier paper with the same title but another identifier
    aliases: tuple[str, ...] = ()  # of a topic: possible names in another language, offered to the user but not applied
    details: "PaperDetails | None" = None  # of papers from readtrack's own exports
    decision: str = "add"
    reason: str = ""
    headings: tuple[str, ...] = ()  # parent headings that name no topic: shown for context, never used for filing
    raw: str = field(default="", compare=False)  # the lines verbatim; "" for further parts of a very long line
