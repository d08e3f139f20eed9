"""A person's word on what the lines of a note become, while their import is not committed yet."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import col

from readtrack import names, policy, sources
from readtrack.db import Write
from readtrack.errors import Conflict, FieldError, Invalid, NotFound
from readtrack.imports import queries
from readtrack.imports.commands import require_decider
from readtrack.models import Entry, NoteRevision
from readtrack.policy import Visitor
from readtrack.sources import addresses

PROPOSED = ("decision", "kind", "paper_kind", "identifiers", "title", "topics")  # kept when a person says otherwise
LEFT_OUT = {"junk", "blank"}  # kinds that become nothing


class EntryEdit(BaseModel):
    """A person's word on one entry; what is not given stays."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    decision: Literal["add", "skip"] | None = None
    identifier: Annotated[str, Field(max_length=4000)] | None = None
    title: Annotated[str, Field(max_length=1000)] | None = None
    topics: Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=50)] | None = None


def correct_entry(tx: Write, me: Visitor, import_id: int, position: int, *, edit: EntryEdit) -> None:
    """Sets what one entry becomes; the parser's proposal is kept beside it. Raises Conflict once it is committed."""
    entry = _entries(tx, me, import_id, [position])[position]
    _apply(entry, _changes(tx, entry, edit))
    tx.flush()


def correct_entries(tx: Write, me: Visitor, import_id: int, edits: Mapping[int, EntryEdit]) -> None:
    """The same for several by their positions, all or none. Raises Invalid with pointers that begin with those."""
    entries = _entries(tx, me, import_id, list(edits))
    changes: dict[int, Mapping[str, Any]] = {}
    problems: list[FieldError] = []
    for position, edit in edits.items():
        try:
            changes[position] = _changes(tx, entries[position], edit)
        except Invalid as problem:
            problems += [FieldError(f"/{position}{each.pointer}", each.code, each.detail) for each in problem.errors]
    if problems:
        message = "Some of the entries cannot be changed so. Nothing was changed."
        raise Invalid(message, problems)
    for position, change in changes.items():
        _apply(entries[position], change)
    tx.flush()


def _entries(tx: Write, me: Visitor, import_id: int, positions: list[int]) -> Mapping[int, Entry]:
    """Those entries of an import that is still open, held against a commit at the same moment."""
    policy.require(me, "import")
    _open_import(tx, me, import_id)
    these = sa.select(Entry).where(col(Entry.revision_id) == import_id, col(Entry.position).in_(positions))
    entries = {entry.position: entry for entry in tx.scalars(these)}
    for position in positions:
        if position not in entries:
            message = f"This import has no entry {position}."
            raise NotFound(message)
    return entries


def _open_import(tx: Write, me: Visitor, import_id: int) -> None:
    revision = tx.get(NoteRevision, import_id, with_for_update=True)
    if revision is None:
        raise queries.unknown(import_id)
    if revision.state != "preview":
        message = (
            "This import is committed already; its entries cannot be changed any more. Correct the papers themselves."
        )
        raise Conflict(message)
    require_decider(me, revision)


def _apply(entry: Entry, changes: Mapping[str, Any]) -> None:
    if changes and entry.proposed is None:
        entry.proposed = {name: getattr(entry, name) for name in PROPOSED}
    for name, value in changes.items():
        setattr(entry, name, value)


def _changes(tx: Write, entry: Entry, edit: EntryEdit) -> Mapping[str, Any]:
    changes: dict[str, Any] = {}
    if edit.decision is not None and edit.decision != entry.decision:
        changes["decision"] = edit.decision
    if edit.title is not None and names.clean(edit.title) != entry.title:
        changes["title"] = names.clean(edit.title)
    if edit.topics is not None and edit.topics != entry.topics:
        changes["topics"] = [names.clean(topic) for topic in edit.topics]
    if edit.identifier is not None and [edit.identifier] != entry.identifiers[:1]:
        changes |= _renamed(tx, entry, edit.identifier)
    if changes.get("decision") == "add" and {**vars(entry), **changes}["kind"] in LEFT_OUT:
        changes |= _rescued(changes.get("title", entry.title))
    return changes


def _renamed(tx: Write, entry: Entry, text: str) -> dict[str, Any]:
    """Another identifier makes the entry a paper; none makes it one that is only named."""
    if not text:
        return {"identifiers": []} if entry.identifiers else {}
    ref = sources.named(text)
    junk = addresses.junk_reason(sources.url(ref)) if ref else f"“{text[:200]}” is no arXiv id, DOI or web address."
    if ref is None or junk:
        problem = FieldError("/identifier", "junk" if ref else "unknown-identifier", junk or "")
        raise Invalid(f"{junk} The entry was not changed.", [problem])
    known = queries.papers_of(tx, [str(ref)])
    kind = {"kind": "paper", "paper_kind": sources.by_name(ref.scheme).kind(ref.key)}
    return {"identifiers": [str(ref)], **kind, "decision": "known" if known else "add", "reason": "corrected by hand"}


def _rescued(title: str) -> dict[str, Any]:
    """A line that the parser left out becomes a paper by its title; one that says nothing becomes nothing."""
    if title.strip():
        return {"kind": "paper", "paper_kind": "paper", "reason": "kept by hand"}
    detail = "Nothing can be made of this line as it stands. Give it a title, or the identifier of a paper."
    raise Invalid(f"{detail} The entry was not changed.", [FieldError("/decision", "nothing-to-add", detail)])
