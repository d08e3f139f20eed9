"""Verbs of imports: keep a note and propose what its lines become, correct the proposal, commit it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import col

from readtrack import events, jobs, names, notes, policy, search, sources
from readtrack.clock import now
from readtrack.db import Write
from readtrack.errors import Conflict, FieldError, Invalid, NotFound, TooLarge
from readtrack.imports import queries
from readtrack.models import Entry, Note, NoteRevision
from readtrack.papers.queries import find_by_refs
from readtrack.policy import Visitor
from readtrack.readings.commands import FirstStatus
from readtrack.sources import Ref, addresses

LONGEST = 5_000_000  # characters
LONGEST_TITLE = 200
STEP = 200  # entries carried out in one transaction
CHUNK = 500  # values in one IN (…)


class NoteAdd(BaseModel):
    """Raw notes, of any form."""

    model_config = ConfigDict(extra="forbid")
    text: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""


class EntryEdit(BaseModel):
    """A person's word on one entry; what is not given stays."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    decision: Literal["add", "skip"] | None = None
    identifier: Annotated[str, Field(max_length=4000)] | None = None
    title: Annotated[str, Field(max_length=1000)] | None = None
    topics: Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=50)] | None = None


class ImportCommit(BaseModel):
    """What to do with all papers of the import."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    topics: Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=50)] = []
    status: FirstStatus | None = None


class Parsed(BaseModel):
    """A note read before any transaction was open: a long one takes its time."""

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)
    title: str
    text: str
    entries: Sequence[notes.Entry]


def read_notes(text: str, title: str = "") -> Parsed:
    """Parses; pure. Raises TooLarge, and Invalid for notes without any text."""
    text = text.removeprefix("\ufeff")
    if len(text) > LONGEST:
        message = f"These notes are longer than {LONGEST:,} characters. Nothing was kept; import them in parts."
        raise TooLarge(message)
    if not text.strip():
        message = "There is no text in these notes. Nothing was kept."
        raise Invalid(message, [FieldError("/text", "missing", "Paste some notes, or choose a file.")])
    clean, named = names.clean(text), names.clean(title).strip()[:LONGEST_TITLE]
    return Parsed(title=named or _first_words(clean), text=clean, entries=notes.parse(clean))


def preview_notes(tx: Write, me: Visitor, parsed: Parsed) -> tuple[int, bool]:
    """Keeps the text and what its lines would become. The same text again is the same import: False, no change."""
    policy.require(me, "import")
    sha256 = hashlib.sha256(parsed.text.encode()).hexdigest()
    known = tx.scalar(sa.select(col(NoteRevision.id)).where(col(NoteRevision.sha256) == sha256))
    if known is not None:
        return known, False
    note_id, number = _note_for(tx, me, parsed.title)
    revision = NoteRevision(
        note_id=note_id,
        number=number,
        text=parsed.text,
        sha256=sha256,
        line_count=_lines(parsed.entries),
        created_by=me.id,
    )
    tx.add(revision)
    tx.flush()
    rows = _proposed(tx, parsed.entries, revision.id or 0)
    if rows:
        tx.execute(sa.insert(Entry), rows)
        search.update_entries(tx, tx.scalars(sa.select(col(Entry.id)).where(col(Entry.revision_id) == revision.id)))
    events.record(tx, me, "note.stored", data={"note": note_id, "import": revision.id})
    return revision.id or 0, True


def correct_entry(tx: Write, me: Visitor, import_id: int, position: int, *, edit: EntryEdit) -> None:
    """Sets what one entry becomes; the parser's proposal is kept beside it. Raises Conflict once it is committed."""
    policy.require(me, "import")
    _open_import(tx, me, import_id)
    entry = tx.scalar(sa.select(Entry).where(col(Entry.revision_id) == import_id, col(Entry.position) == position))
    if entry is None:
        message = f"This import has no entry {position}."
        raise NotFound(message)
    changes = _changes(tx, entry, edit)
    if not changes:
        return
    if entry.proposed is None:
        entry.proposed = {
            name: getattr(entry, name) for name in ("decision", "kind", "paper_kind", "identifiers", "title", "topics")
        }
    for name, value in changes.items():
        setattr(entry, name, value)
    tx.flush()


def commit_import(tx: Write, me: Visitor, import_id: int, defaults: ImportCommit) -> int:
    """Starts the job that carries the import out; the same job when it was started before."""
    policy.require(me, "import")
    revision = tx.get(NoteRevision, import_id, with_for_update=True)
    if revision is None:
        raise queries.unknown(import_id)
    if revision.state != "preview":
        return revision.job_id or 0
    _may_decide(me, revision)
    total = tx.scalar(sa.select(sa.func.count()).select_from(Entry).where(col(Entry.revision_id) == import_id)) or 0
    who = {"id": me.id, "name": me.name, "role": me.role}
    revision.job_id = jobs.enqueue(
        tx, "imports.commit", {"import": import_id, "person": who}, priority=10, created_by=me.id
    )
    jobs.announce(tx, revision.job_id, total)
    revision.state, revision.defaults = "committing", defaults.model_dump()
    revision.committed_by, revision.committed_at = me.id, now()
    events.record(tx, me, "import.committed", data={"import": import_id})
    tx.flush()
    return revision.job_id


def fingerprint(entry: notes.Entry) -> str:
    """Entries that say the same have the same one: how a later revision is known to bring nothing new."""
    said = "\0".join((entry.kind, *entry.identifiers, names.key(entry.title), names.key(entry.text)))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _first_words(text: str) -> str:
    lines = (line.strip(" \t#-*>|•·") for line in text.splitlines())
    return next((line for line in lines if line), "Notes")[:60]


def _lines(entries: Sequence[notes.Entry]) -> int:
    return max((entry.last for entry in entries), default=0)


def _note_for(tx: Write, me: Visitor, title: str) -> tuple[int, int]:
    """The note of that title and the number of its next revision: a file that changed keeps its name."""
    known = tx.scalar(sa.select(Note).where(col(Note.title_key) == names.key(title)).order_by(col(Note.id)).limit(1))
    if known is None:
        known = Note(title=title, title_key=names.key(title), created_by=me.id)
        tx.add(known)
        tx.flush()
    last = tx.scalar(sa.select(sa.func.max(col(NoteRevision.number))).where(col(NoteRevision.note_id) == known.id))
    return known.id or 0, (last or 0) + 1


def _proposed(tx: Write, entries: Sequence[notes.Entry], import_id: int) -> list[dict[str, Any]]:
    """The rows of the preview, with what is here already marked as known."""
    papers = _known_papers(tx, entries)
    done = _done_before(tx, [fingerprint(entry) for entry in entries])
    rows = []
    for position, entry in enumerate(entries, 1):
        row = _row(entry, import_id, position)
        here = [papers[identifier] for identifier in entry.identifiers if identifier in papers]
        if row["decision"] in {"add", "review"} and (here or row["fingerprint"] in done):
            row |= {"decision": "known", "reason": "already here" if here else "imported before"}
        rows.append(row)
    return rows


def _row(entry: notes.Entry, import_id: int, position: int) -> dict[str, Any]:
    plain = ("part", "kind", "paper_kind", "title", "venue", "year", "status", "text", "raw", "decision", "reason")
    return {
        **{name: getattr(entry, name) for name in plain},
        "revision_id": import_id,
        "position": position,
        "first_line": entry.first,
        "last_line": entry.last,
        "identifiers": list(entry.identifiers),
        "links": [asdict(link) for link in entry.links],
        "topics": list(entry.topics),
        "fingerprint": fingerprint(entry),
    }


def _known_papers(tx: Write, entries: Sequence[notes.Entry]) -> dict[str, int]:
    refs = sorted({Ref.parse(identifier) for entry in entries for identifier in entry.identifiers})
    known: dict[str, int] = {}
    for start in range(0, len(refs), CHUNK):
        known |= {str(ref): paper_id for ref, paper_id in find_by_refs(tx, refs[start : start + CHUNK]).items()}
    return known


def _done_before(tx: Write, fingerprints: Sequence[str]) -> set[str]:
    """Those of entries that an import has carried out already, with whatever result."""
    done: set[str] = set()
    for start in range(0, len(fingerprints), CHUNK):
        these = col(Entry.fingerprint).in_(fingerprints[start : start + CHUNK])
        done |= set(tx.scalars(sa.select(col(Entry.fingerprint)).where(these, col(Entry.done_at).is_not(None))))
    return done


def _open_import(tx: Write, me: Visitor, import_id: int) -> None:
    revision = tx.get(NoteRevision, import_id, with_for_update=True)
    if revision is None:
        raise queries.unknown(import_id)
    if revision.state != "preview":
        message = (
            "This import is committed already; its entries cannot be changed any more. Correct the papers themselves."
        )
        raise Conflict(message)
    _may_decide(me, revision)


def _may_decide(me: Visitor, revision: NoteRevision) -> None:
    if revision.created_by != me.id:
        policy.require(me, "commit-others")


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
    known = bool(find_by_refs(tx, [ref]))
    kind = {"kind": "paper", "paper_kind": sources.by_name(ref.scheme).kind(ref.key)}
    return {"identifiers": [str(ref)], **kind, "decision": "known" if known else "add", "reason": "corrected by hand"}
