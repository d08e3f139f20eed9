"""What readtrack's own exports say about a paper beyond its metadata: a reading, and texts of people.

The fields are checked for their types here; commands check what they mean when an import is applied.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cache
from typing import Any, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError

from readtrack.infra.text.normalize import clean
from readtrack.workspace.export.formats import (
    ExportComment,
    ExportQuestion,
    ExportRelation,
    ExportTitle,
    PaperNumber,
)

# As in `infra.models`, which the parser does not know.
KINDS = frozenset({"paper", "article", "video", "slides", "code", "course", "documentation", "page"})
PUBLICATION_TYPES = frozenset(
    {"", "journal_article", "conference_paper", "book", "chapter", "thesis", "masters_thesis", "report"}
)
LINK_ROLES = frozenset({"landing", "pdf", "html", "video", "slides", "code", "commentary"})
MAX_PARTS = 1_000  # of one kind: more than anyone writes about a paper


@dataclass(frozen=True)
class ProgressDetails:
    """How far a paper is read."""

    unit: str
    at: int
    of: int | None = None


@dataclass(frozen=True)
class ReadingDetails:
    """The current pass of the person who exported. `person`: "" in exports that do not name them."""

    status: Literal["to_read", "reading", "paused", "read", "dropped"]
    person: str = ""
    depth: str = ""
    recommendation: str = ""
    progress: ProgressDetails | None = None
    started_on: date | None = None
    finished_on: date | None = None
    reason: str = ""
    version: str = ""
    priority: int = 0
    private: bool = False


@dataclass(frozen=True)
class SummaryDetails:
    """A summary. `person`: "" for the person who imports it."""

    person: str = ""
    tldr: str = ""
    markdown: str = ""


@dataclass(frozen=True)
class PaperDetails:
    """The details of a paper. `id`: its number in the file, to which relations of other papers refer."""

    id: PaperNumber | None = None
    reading: ReadingDetails | None = None
    titles: tuple[ExportTitle, ...] = ()
    summaries: tuple[SummaryDetails, ...] = ()
    comments: tuple[ExportComment, ...] = ()
    questions: tuple[ExportQuestion, ...] = ()
    relations: tuple[ExportRelation, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Return how many texts and relations there are, by kind, without zeros."""
        kinds = ("titles", "summaries", "comments", "questions", "relations")
        return {kind: len(getattr(self, kind)) for kind in kinds if getattr(self, kind)}


def parse_details(record: Mapping[str, Any]) -> tuple[PaperDetails, int]:
    """Return the details of a record of unknown origin, and how many of its parts cannot be read."""
    values, unreadable_count = dict[str, Any](), 0
    for name, value in record.items():
        if name not in _adapters() or value in (None, "", [], {}):
            continue
        parts = value[:MAX_PARTS] if isinstance(value, list) else None
        readable = [part for item in (parts or [value]) if (part := _read_part(name, item, is_item=bool(parts)))]
        unreadable_count += (len(value) if parts else 1) - len(readable)
        if readable:
            values[name] = tuple(readable) if parts else readable[0]
    return PaperDetails(**values), unreadable_count


def details_to_json(details: PaperDetails) -> dict[str, Any]:
    """Return the details as JSON, without blanks. Inverse of parse_details."""
    values: dict[str, Any] = TypeAdapter(PaperDetails).dump_python(details, mode="json")
    return {name: value for name, value in values.items() if value not in (None, "", [])}


@cache
def _adapters() -> Mapping[str, TypeAdapter[Any]]:
    return {name: TypeAdapter(kind) for name, kind in get_type_hints(PaperDetails, include_extras=True).items()}


def _read_part(name: str, value: Any, *, is_item: bool) -> Any:  # noqa: ANN401 - any field of the details
    """Return a part of that field, None if it has the wrong shape."""
    try:
        part = _adapters()[name].validate_python((value,) if is_item else value)
    except (ValidationError, RecursionError):
        return None
    return _clean_texts(part[0] if is_item else part)


def _clean_texts(value: Any) -> Any:  # noqa: ANN401 - any field of the details
    """Return the value with only characters that databases can store: JSON can escape others."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple):
        return tuple(map(_clean_texts, value))
    if hasattr(value, "__dataclass_fields__"):
        return replace(value, **{field.name: _clean_texts(getattr(value, field.name)) for field in fields(value)})
    return value
