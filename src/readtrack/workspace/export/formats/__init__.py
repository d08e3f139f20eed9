"""Export formats, one module each, discovered at start; each renders papers as a stream of text.

A module is named like its format with "_" for "-" (csl_json.py is `csl-json`) and defines EXPORT.
"""

import importlib
import pkgutil
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Annotated, TypeAlias

from pydantic import Field

from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.workspace.export.journals import is_journal

PROVIDER = "readtrack"  # tells its readers that topics stand in a file just as they are
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_REPOSITORY = re.compile(r"(?:arxiv(?:\.org)?|corr|biorxiv|medrxiv)\b.{0,40}", re.IGNORECASE)


IN_PUBLICATIONS = frozenset({"journal_article", "conference_paper", "chapter"})  # publication types
PUBLISHED_ALONE = frozenset({"book", "thesis", "masters_thesis", "report"})  # publisher or school is the venue
MASTERS_THESIS = "Master's thesis"  # in formats that have one type for all theses
PaperNumber: TypeAlias = Annotated[int, Field(ge=1, le=2**31 - 1)]  # an id in a file, as databases store it


@dataclass(frozen=True)
class ExportTitle:
    """A title in another language. `machine`: translated by a language model."""

    language: str
    title: str
    machine: bool = False


@dataclass(frozen=True)
class ExportRelation:
    """A relation to another paper, which has this id in the file or this identifier anywhere."""

    kind: str
    paper: PaperNumber | None = None
    identifier: str = ""
    note: str = ""


@dataclass(frozen=True)
class ExportReply:
    """A comment in a thread."""

    person: str
    markdown: str
    written_at: datetime | None = None
    is_answer: bool = False  # of the question that is discussed


@dataclass(frozen=True)
class ExportComment(ExportReply):
    """The first comment of a thread, with its replies."""

    is_resolved: bool = False
    replies: tuple[ExportReply, ...] = ()


@dataclass(frozen=True)
class ExportQuestion:
    """A question about a paper, with its discussion."""

    person: str
    text: str
    state: str = "open"
    asked_at: datetime | None = None
    comments: tuple[ExportComment, ...] = ()


@dataclass(frozen=True)
class ExportPaper:
    """A paper with everything that formats use. Permissions were checked when it was loaded."""

    id: int
    kind: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    publication_type: str = ""
    abstract: str = ""
    language: str = ""
    identifiers: tuple[tuple[str, str], ...] = ()  # (scheme, key)
    links: tuple[tuple[str, str], ...] = ()  # (URL, role)
    topics: tuple[str, ...] = ()
    summaries: tuple[tuple[str, str, str], ...] = ()  # (person, TL;DR, Markdown); shared ones only
    reading: Mapping[str, object] | None = None  # the current user's, in the shape of GET /papers/{id}/reading
    added_on: date | None = None
    citation_key: str = ""
    arxiv_class: str = ""  # "cs.DC"
    # Of formats that hold discussions, otherwise empty:
    titles: tuple[ExportTitle, ...] = ()
    comments: tuple[ExportComment, ...] = ()
    questions: tuple[ExportQuestion, ...] = ()
    relations: tuple[ExportRelation, ...] = ()

    def key(self, scheme: str) -> str:
        """Return the first key with this scheme, or ""."""
        return next((value for identifier_scheme, value in self.identifiers if identifier_scheme == scheme), "")

    @property
    def address(self) -> str:
        """The page of the first identifier, else the first link, landing pages before others, else ""."""
        urls = [url for url, _ in sorted(self.links, key=lambda link: link[1] != "landing")]
        own_pages = (sources.find_page(Ref(scheme, key), urls) for scheme, key in self.identifiers[:1])
        return next(filter(None, own_pages), next(iter(urls), ""))

    @property
    def published_in(self) -> str:
        """The venue, or "" for a preprint, which is in a repository only."""
        return _find_publication(self.venue)

    @property
    def issued(self) -> tuple[int, ...]:
        """The year, with month and day if the date is known and of that year."""
        day = self.published_on
        if day is not None and self.year in {None, day.year}:
            return day.year, day.month, day.day
        return (self.year,) if self.year else ()

    @property
    def cited_as(self) -> str:
        """The publication type, if unknown guessed by the venue; "" for a preprint and what is no paper."""
        is_preprint = not self.published_in and bool(self.venue or self.key("arxiv"))
        if self.kind != "paper" or (is_preprint and self.publication_type in IN_PUBLICATIONS):
            return ""
        return self.publication_type or guess_publication_type(self.venue)


def guess_publication_type(venue: str) -> str:
    """Return the type of a paper of which nothing else is known, "" for a preprint or without a venue."""
    publication = _find_publication(venue)
    if not publication:
        return ""
    return "journal_article" if is_journal(publication) else "conference_paper"


def _find_publication(venue: str) -> str:
    """Return the venue on one line, "" for a server of preprints."""
    name = one_line(venue)
    return "" if is_repository(name) else name


def is_repository(venue: str) -> bool:
    """Return True for a server of preprints, which is no venue."""
    return _REPOSITORY.fullmatch(venue) is not None


def one_line(text: str) -> str:
    """Return the text on one line without control characters, so that it cannot end a field."""
    visible = "".join(
        " " if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} else character for character in text
    )
    return " ".join(visible.split())


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on one line."""
    return [line for part in _BLANK_LINE.split(text) if (line := one_line(part))]


@dataclass(frozen=True)
class Export:
    """An export format.

    `suffix`: of files, with the dot; `render`: takes papers one by one, oldest first, and keeps none, so that memory
    use does not depend on the size of the library. `has_discussions`: holds translated titles, comments, questions and
    relations.
    """

    media_type: str
    suffix: str
    render: Callable[[Iterable[ExportPaper]], Iterator[str]]
    has_discussions: bool = False

    def render_document(self, papers: Iterable[ExportPaper]) -> str:
        """Return the whole export as one string, for few papers."""
        return "".join(self.render(papers))


@cache
def all_exports() -> Mapping[str, Export]:
    """Return all formats by name. A module without EXPORT deliberately fails at start."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}").EXPORT for name in names}
