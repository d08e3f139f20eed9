"""Schemas of imports and entries, and their conversion to JSON."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from readtrack.infra.db import Read
from readtrack.infra.schemas import StrictModel
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.queries import EntryFilter

_PLAIN = (
    "part", "identifiers", "links", "title", "topics", "venue", "year", "authors", "read_on", "rating", "abstract",
    "status", "text", "twin", "apart", "aliases", "alias_taken", "rules", "decision", "reason", "made",
)  # fmt: skip


class EntrySelection(StrictModel):
    """The filter of entries: by decision, kind, and words in their lines; all by default."""

    show: Literal["", "new", "kept", "review", "known", "skip"] = ""
    kind: Annotated[str, Field(max_length=20)] = ""
    q: Annotated[str, Field(max_length=1000)] = ""

    @property
    def narrowed(self) -> EntryFilter:
        return EntryFilter(self.show, self.kind, self.q)


class EntryRead(BaseModel):
    """An entry: a range of lines, and what it becomes.

    `n`: permanent number; entries are listed in the order of their lines. `twin`: an earlier entry has the same title;
    `apart`: a person confirmed that it is another work; `aliases`: suggested for a topic; `rules`: ids of applied
    rules; `changed`: edited by a person; `made`: it created its paper, topic, question or lead.
    """

    n: int
    lines: tuple[int, int]
    part: int
    kind: str
    identifiers: list[str]
    links: list[dict[str, str]]
    title: str
    topics: list[str]
    venue: str
    year: int | None
    authors: list[str]
    date: str
    read_on: str
    rating: str
    abstract: str
    status: str | None
    text: str
    twin: str
    apart: bool
    aliases: list[str]
    alias_taken: bool
    rules: list[int]
    decision: str
    reason: str
    changed: bool
    made: bool
    paper: int | None


class ImportRead(BaseModel):
    """An import: state, number of lines by kind, number of entries by decision.

    `problem`: why its job is waiting or has failed.
    """

    id: int
    note: int
    title: str
    revision: int
    state: str
    line_count: int
    lines: dict[str, int]
    decisions: dict[str, int]
    job: int | None
    done: int
    total: int | None
    problem: str


class ImportDetailRead(ImportRead):
    """An import with its entries."""

    entries: list[EntryRead]


class EntryList(BaseModel):
    """A list of entries; `next` is the `after` of the next page, null at the end."""

    items: list[EntryRead]
    next: int | None


def import_json(tx: Read, import_id: int) -> dict[str, Any]:
    """Return the state and counts of an import as JSON. Raise NotFound."""
    state = queries.get_import(tx, import_id)
    return {
        "id": state.id,
        "note": state.note_id,
        "title": state.title,
        "revision": state.number,
        "state": state.state,
        "line_count": state.line_count,
        **queries.count_by_kind(tx, import_id),
        "job": state.job.id if state.job else None,
        "done": state.job.progress_done if state.job else 0,
        "total": state.job.total if state.job else None,
        "problem": state.job.error if state.job else "",
    }


def entries_json(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return rows of entries as JSON."""
    return [entry_json(row) for row in rows]


def entry_json(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """Return an entry as JSON."""
    return {
        "n": row.position,
        "lines": [row.first_line, row.last_line],
        "kind": queries.display_kind(row),
        **{name: getattr(row, name) for name in _PLAIN},
        "date": row.published,
        "changed": row.proposed is not None,
        "paper": row.paper_id,
    }
