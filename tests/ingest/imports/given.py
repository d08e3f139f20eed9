"""Notes as a parser might have read them: tests of what entries become do not hang on how lines are read."""

from typing import Any

from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports.commands import ParsedNotes, preview_notes
from readtrack.ingest.parser import ParsedEntry
from readtrack.metadata.types import WebLink
from tests.sample_library import carry_out

LONG = "Fast Failure Recovery for Distributed Training"
OTHER = "Elastic Scheduling of Many Small Jobs"


def line(number: int, kind: str = "paper", **fields: Any) -> ParsedEntry:
    """An entry of one line, unless `last` says otherwise."""
    paper_kind = "paper" if kind in {"paper", "mention"} else ""
    plain = {"last": number, "part": 1, "raw": f"line {number}", "paper_kind": paper_kind}
    links = tuple(WebLink(*link) for link in fields.pop("links", ()))
    return ParsedEntry(first=number, kind=kind, links=links, **{**plain, **fields})


def given(database: Database, me: CurrentUser, *entries: ParsedEntry, title: str = "notes.md", more: str = "") -> int:
    """The preview of a note with these entries; `more` makes its text another."""
    text = "\n".join(entry.raw for entry in entries if entry.part == 1) + more
    parsed = ParsedNotes(title=title, is_named=True, text=text, entries=entries)
    with database.write() as tx:
        return preview_notes(tx, me, parsed)[0]


def imported(
    database: Database, me: CurrentUser, *entries: ParsedEntry, title: str = "notes.md", more: str = ""
) -> int:
    """The same, carried out."""
    import_id = given(database, me, *entries, title=title, more=more)
    carry_out(database, me, import_id)
    return import_id
