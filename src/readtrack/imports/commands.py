"""Verbs of imports: keep a note and propose what its lines become, commit it."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import col

from readtrack import events, jobs, names, notes, policy, search
from readtrack.clock import now
from readtrack.db import Write
from readtrack.errors import FieldError, Invalid, TooLarge
from readtrack.imports import queries
from readtrack.imports.fates import LINE_END
from readtrack.models import Entry, Note, NoteRevision
from readtrack.policy import Visitor
from readtrack.readings.commands import FirstStatus

LONGEST = 5_000_000  # characters
MOST_THINGS = 50_000  # lines and addresses together: some seconds of reading
LONGEST_TITLE = 200
_THING = re.compile(r"\n|\r(?!\n)|://|www\.|(?:\d{4}|10)\.\d{4}", re.ASCII)
STEP = 200  # entries carried out in one transaction


class NoteAdd(BaseModel):
    """Raw notes, of any form."""

    model_config = ConfigDict(extra="forbid")
    text: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""


class ImportCommit(BaseModel):
    """What to do with all papers of the import."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    topics: Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=50)] = []
    status: FirstStatus | None = None


class Parsed(BaseModel):
    """A note read before any transaction was open: a long one takes its time."""

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)
    title: str
    named: bool  # by a person, or by a file's name: only then it may be a later revision
    text: str
    entries: Sequence[notes.Entry]
    rows: Sequence[Mapping[str, Any]]  # the same as the table has them
    documents: Sequence[search.Document]  # the same as the search has them


def read_notes(text: str, title: str = "") -> Parsed:
    """Parses; pure. Raises TooLarge, and Invalid for notes without any text."""
    text = text.removeprefix("\ufeff")
    if len(text) > LONGEST:
        message = f"These notes are longer than {LONGEST:,} characters. Nothing was kept; import them in parts."
        raise TooLarge(message)
    if _has_more(_THING.finditer(text), MOST_THINGS):
        message = (
            f"These notes have more than {MOST_THINGS:,} lines and addresses. Nothing was kept; import them in parts."
        )
        raise TooLarge(message)
    if not text.strip():
        message = "There is no text in these notes. Nothing was kept."
        raise Invalid(message, [FieldError("/text", "missing", "Paste some notes, or choose a file.")])
    clean, named = names.clean(text), names.clean(title).strip()[:LONGEST_TITLE]
    entries = notes.parse(clean)
    rows = [_row(entry, position) for position, entry in enumerate(entries, 1)]
    return Parsed(
        title=named or _first_words(clean),
        named=bool(named),
        text=clean,
        entries=entries,
        rows=rows,
        documents=[search.of_entry(entry.title, entry.text, entry.raw) for entry in entries],
    )


def preview_notes(tx: Write, me: Visitor, parsed: Parsed) -> tuple[int, bool]:
    """Keeps the text and what its lines would become. The same text again is the same import: False, no change.

    However its lines end: a browser sends CR LF where a file has LF.
    """
    policy.require(me, "import")
    sha256 = hashlib.sha256(LINE_END.sub("\n", parsed.text).encode()).hexdigest()
    known = tx.scalar(sa.select(col(NoteRevision.id)).where(col(NoteRevision.sha256) == sha256))
    if known is not None:
        return known, False
    note_id, number = _note_for(tx, me, parsed)
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
    rows = _proposed(tx, parsed.rows, revision.id or 0)
    if rows:
        tx.execute(sa.insert(Entry), rows)
        placed = sa.select(col(Entry.id), col(Entry.position)).where(col(Entry.revision_id) == revision.id)
        search.add_entries(tx, {row.id: parsed.documents[row.position - 1] for row in tx.execute(placed)})
    events.record(tx, me, "note.stored", data={"note": note_id, "import": revision.id})
    return revision.id or 0, True


def commit_import(tx: Write, me: Visitor, import_id: int, defaults: ImportCommit) -> int:
    """Starts the job that carries the import out; the same job when it was started before."""
    policy.require(me, "import")
    revision = tx.get(NoteRevision, import_id, with_for_update=True)
    if revision is None:
        raise queries.unknown(import_id)
    if revision.state != "preview":
        return revision.job_id or 0
    require_decider(me, revision)
    total = tx.scalar(sa.select(sa.func.count()).select_from(Entry).where(col(Entry.revision_id) == import_id)) or 0
    revision.job_id = jobs.enqueue(tx, "imports.commit", {"import": import_id}, priority=10, created_by=me.id)
    jobs.announce(tx, revision.job_id, total)
    revision.state, revision.defaults = "committing", defaults.model_dump()
    revision.committed_by, revision.committed_at = me.id, now()
    events.record(tx, me, "import.committed", data={"import": import_id})
    tx.flush()
    return revision.job_id


def may_decide(me: Visitor, created_by: int | None) -> bool:
    """Whether this person may decide on an import: their own; an editor also on another's."""
    return policy.may(me, "import") and (created_by == me.id or policy.may(me, "commit-others"))


def require_decider(me: Visitor, revision: NoteRevision) -> None:
    """Raises NotAllowed, naming what is missing."""
    policy.require(me, "import" if revision.created_by == me.id else "commit-others")


def fingerprint(entry: notes.Entry) -> str:
    """Entries that say the same have the same one: how a later revision is known to bring nothing new."""
    said = "\0".join((entry.kind, *entry.identifiers, names.key(entry.title), names.key(entry.text)))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _has_more(things: Iterator[object], most: int) -> bool:
    return next(islice(things, most, None), None) is not None


def _first_words(text: str) -> str:
    lines = (line.strip(" \t#-*>|•·") for line in text.splitlines())
    return next((line for line in lines if line), "Notes")[:60]


def _lines(entries: Sequence[notes.Entry]) -> int:
    return max((entry.last for entry in entries), default=0)


def _note_for(tx: Write, me: Visitor, parsed: Parsed) -> tuple[int, int]:
    """The note of that name and the number of its next revision: a file that changed keeps its name."""
    same = sa.select(Note).where(col(Note.title_key) == names.key(parsed.title)).order_by(col(Note.id)).limit(1)
    known = tx.scalar(same) if parsed.named else None
    if known is None:
        known = Note(title=parsed.title, title_key=names.key(parsed.title), created_by=me.id)
        tx.add(known)
        tx.flush()
    last = tx.scalar(sa.select(sa.func.max(col(NoteRevision.number))).where(col(NoteRevision.note_id) == known.id))
    return known.id or 0, (last or 0) + 1


def _proposed(tx: Write, rows: Sequence[Mapping[str, Any]], import_id: int) -> list[dict[str, Any]]:
    """The rows of the preview, with what is here already marked as known."""
    papers = queries.papers_of(tx, {identifier for row in rows for identifier in row["identifiers"]})
    done = _done_before(tx, sorted({row["fingerprint"] for row in rows}))
    proposed = []
    for row in rows:
        here = [papers[identifier] for identifier in row["identifiers"] if identifier in papers]
        known = row["decision"] in {"add", "review"} and (here or row["fingerprint"] in done)
        said = {"decision": "known", "reason": _why_known(here)} if known else {}
        proposed.append({**row, **said, "revision_id": import_id})
    return proposed


def _why_known(here: Sequence[queries.Known]) -> str:
    if not here:
        return "imported before"
    return "already here" if any(paper.present for paper in here) else "deleted before; it stays so"


def _row(entry: notes.Entry, position: int) -> dict[str, Any]:
    plain = ("part", "kind", "paper_kind", "title", "venue", "year", "status", "text", "raw", "decision", "reason")
    return {
        **{name: getattr(entry, name) for name in plain},
        "position": position,
        "first_line": entry.first,
        "last_line": entry.last,
        "identifiers": list(entry.identifiers),
        "links": [{"url": link.url, "role": link.role} for link in entry.links],
        "topics": list(entry.topics),
        "fingerprint": fingerprint(entry),
    }


def _done_before(tx: Write, fingerprints: Sequence[str]) -> set[str]:
    """Those of entries that an import has carried out already, with whatever result."""
    done: set[str] = set()
    for start in range(0, len(fingerprints), queries.CHUNK):
        these = col(Entry.fingerprint).in_(fingerprints[start : start + queries.CHUNK])
        done |= set(tx.scalars(sa.select(col(Entry.fingerprint)).where(these, col(Entry.done_at).is_not(None))))
    return done
