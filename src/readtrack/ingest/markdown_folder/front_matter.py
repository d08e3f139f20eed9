"""What the notes of a folder are made of, and how they are called. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

PAPERS, TOPICS, ABOUT = "papers", "topics", "README"
LONGEST_NAME = 120  # bytes of a file's name: some file systems take 255, and a suffix may follow
SUFFIX = ".md"
_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f\x7f]+')  # in names of files somewhere, or in links of Obsidian
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)  # to Windows


class SummaryPart(NamedTuple):
    """A summary as its note has it."""

    person: str
    tldr: str
    markdown: str


class RelatedNote(NamedTuple):
    """A relation that goes out from a paper: to a note of the folder, or to an identifier."""

    kind: str
    to: str
    note: str = ""


class NoteLink(NamedTuple):
    """A link of a topic or of a paper; `kind`: its kind, or its role."""

    url: str
    kind: str
    title: str = ""
    note: str = ""


class FolderTable(NamedTuple):
    """A comparison: each row has its cells and the name of the note of its paper; blank for none. `scale`: the best
    sign first.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...] = ()
    scale: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PaperNote:
    """A paper with what the team wrote of it. `topics`, `relations`: names of notes; `tags`: of topics. `drafted`: the
    languages whose title a machine said. `loose`: what stands outside of all parts.
    """

    title: str
    kind: str = "paper"
    authors: tuple[str, ...] = ()
    year: int | None = None
    published: str = ""
    venue: str = ""
    language: str = ""
    identifiers: tuple[str, ...] = ()
    links: tuple[NoteLink, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    glosses: Mapping[str, str] | None = None
    drafted: tuple[str, ...] = ()
    abstract: str = ""
    summaries: tuple[SummaryPart, ...] = ()
    relations: tuple[RelatedNote, ...] = ()
    loose: str = ""


@dataclass(frozen=True)
class TopicNote:
    """A topic. `parent`, `papers`: names of notes; `order`: those of the reading order. `loose`: as of a paper."""

    name: str
    aliases: tuple[str, ...] = ()
    parent: str = ""
    markdown: str = ""
    links: tuple[NoteLink, ...] = ()
    order: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    tables: tuple[FolderTable, ...] = ()
    loose: str = ""


FolderNote = PaperNote | TopicNote


def safe_name(title: str) -> str:
    """A title as the name of a file: what some system or Obsidian forbids is left out."""
    plain = " ".join(_FORBIDDEN.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(". ")
    short = plain.encode()[:LONGEST_NAME].decode(errors="ignore").strip(". ")
    return f"_{short}" if _RESERVED.match(short) else short or "Untitled"


def assign_file_names(titles: Iterable[tuple[int, str]], taken: Iterable[str] = ()) -> dict[int, str]:
    """A name for each thing, by its number; none like another, however a file system compares them."""
    used = {_comparison_key(name) for name in taken}
    found: dict[int, str] = {}
    for number, title in titles:
        plain = name = safe_name(title)
        for again in count(2):
            if _comparison_key(name) not in used:
                break
            name = f"{plain} ({number})" if again == 2 else f"{plain} ({number}, {again - 1})"
        used.add(_comparison_key(name))
        found[number] = name
    return found


def _comparison_key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
