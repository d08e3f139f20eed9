"""The notes of a folder as data, and their file names."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from readtrack.ingest.parser.paper_details import ReadingDetails
from readtrack.workspace.export.formats import ExportComment, ExportQuestion

PAPERS, TOPICS, ABOUT = "papers", "topics", "README"
MAX_NAME_BYTES = 120  # bytes of a file name: file systems allow 255, and a suffix may follow
SUFFIX = ".md"
_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f\x7f]+')  # in file names on some systems, or in links of Obsidian
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)  # on Windows


class SummaryPart(NamedTuple):
    """A summary in a paper's note."""

    person: str
    tldr: str
    markdown: str


class RelatedNote(NamedTuple):
    """An outgoing relation of a paper, to a note of the folder or to an identifier."""

    kind: str
    to: str
    note: str = ""


class NoteLink(NamedTuple):
    """A link of a topic or a paper.

    `kind`: the kind of a topic's link or the role of a paper's link.
    """

    url: str
    kind: str
    title: str = ""
    note: str = ""


class FolderTable(NamedTuple):
    """A comparison table.

    Each row has its cells and the name of its paper's note, "" if it has none. `scale`: pairs of sign and meaning, best
    first.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...] = ()
    scale: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PaperNote:
    """A paper with the team's texts.

    `topics` and `relations` hold names of notes, `tags` names of topics. `drafted`: languages with a machine-translated
    title. `reading`: of the person who exported the folder. `unparsed_text`: text outside of all known sections.
    """

    title: str
    kind: str = "paper"
    authors: tuple[str, ...] = ()
    year: int | None = None
    published: str = ""
    venue: str = ""
    publication_type: str = ""
    language: str = ""
    identifiers: tuple[str, ...] = ()
    links: tuple[NoteLink, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    translated_titles: Mapping[str, str] | None = None
    drafted: tuple[str, ...] = ()
    abstract: str = ""
    summaries: tuple[SummaryPart, ...] = ()
    relations: tuple[RelatedNote, ...] = ()
    reading: ReadingDetails | None = None
    comments: tuple[ExportComment, ...] = ()
    questions: tuple[ExportQuestion, ...] = ()
    unparsed_text: str = ""


@dataclass(frozen=True)
class TopicNote:
    """A topic.

    `parent` and `papers` hold names of notes, `order` those of the reading order. `unparsed_text`: text outside of all
    known sections.
    """

    name: str
    aliases: tuple[str, ...] = ()
    parent: str = ""
    markdown: str = ""
    links: tuple[NoteLink, ...] = ()
    order: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    tables: tuple[FolderTable, ...] = ()
    unparsed_text: str = ""


FolderNote = PaperNote | TopicNote


def safe_name(title: str) -> str:
    """Return a title as a file name, without characters that an operating system or Obsidian forbids."""
    cleaned = " ".join(_FORBIDDEN.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(". ")
    shortened = cleaned.encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip(". ")
    return f"_{shortened}" if _RESERVED.match(shortened) else shortened or "Untitled"


def assign_file_names(titles: Iterable[tuple[int, str]], reserved_names: Iterable[str] = ()) -> dict[int, str]:
    """Return a unique file name for each id, also on case-insensitive or normalizing file systems."""
    used_keys = {_comparison_key(name) for name in reserved_names}
    names: dict[int, str] = {}
    for number, title in titles:
        base = name = safe_name(title)
        for attempt in count(2):
            if _comparison_key(name) not in used_keys:
                break
            name = f"{base} ({number})" if attempt == 2 else f"{base} ({number}, {attempt - 1})"
        used_keys.add(_comparison_key(name))
        names[number] = name
    return names


def _comparison_key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
