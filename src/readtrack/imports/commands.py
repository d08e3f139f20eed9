"""Verbs of imports: keep a note and propose what its lines become, commit it."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Annotated

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import col

from readtrack import events, jobs, names, notes, policy, search
from readtrack.clock import now
from readtrack.db import Write
from readtrack.errors import FieldError, Invalid, TooLarge
from readtrack.imports import proposing, queries
from readtrack.imports.fates import LINE_END
from readtrack.languages import gettext as _
from readtrack.models import Entry, Job, Note, NoteRevision
from readtrack.policy import Visitor
from readtrack.readings.commands import FirstStatus

LONGEST = 5_000_000  # characters
MOST_LINES = 100_000
MOST_ADDRESSES = 100_000  # some seconds of reading
LONGEST_TITLE = 200
_ADDRESS = re.compile(r"://|www\.|(?:\d{4}|10)\.\d{4}", re.ASCII)
AT_ONCE = 1000  # entries kept in one statement: a long note shall not stand in memory several times
_ENTRIES = Entry.__table__  # type: ignore[attr-defined]  # plain rows: as objects they take twice the time
STEP = 500  # entries carried out in one transaction, if many of them are plain


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


@dataclass(frozen=True)
class Parsed:
    """A note that was read. What a library keeps besides is made once, when it is first asked for."""

    title: str
    named: bool  # by a person, or by a file's name: only then it may be a later revision
    text: str
    entries: Sequence[notes.Entry]

    @cached_property
    def rows(self) -> Sequence[proposing.Row]:
        """The entries as the table has them."""
        return [proposing.row_of(entry, position) for position, entry in enumerate(self.entries, 1)]

    @cached_property
    def documents(self) -> Sequence[search.Document]:
        """The same as the search has them."""
        return [proposing.document_of(row) for row in self.rows]


def read_notes(text: str, title: str = "") -> Parsed:
    """A note ready to be kept: all that takes its time is done before a transaction is open. Raises as parse_notes."""
    parsed = parse_notes(text, title)
    _ = parsed.documents
    return parsed


def parse_notes(text: str, title: str = "") -> Parsed:
    """Parses; pure. Raises TooLarge, and Invalid for notes without any text."""
    text = text.removeprefix("\ufeff")
    if len(text) > LONGEST:
        message = _(
            "These notes are longer than {longest:,} characters. Nothing was kept; import them in parts."
        ).format(longest=LONGEST)
        raise TooLarge(message)
    _refuse_more(LINE_END.finditer(text), MOST_LINES, "lines")
    _refuse_more(_ADDRESS.finditer(text), MOST_ADDRESSES, "addresses")
    if not text.strip():
        message = _("There is no text in these notes. Nothing was kept.")
        raise Invalid(message, [FieldError("/text", "missing", _("Paste some notes, or choose a file."))])
    clean, named = names.clean(text), names.clean(title).strip()[:LONGEST_TITLE]
    return Parsed(title=named or _first_words(clean), named=bool(named), text=clean, entries=notes.parse(clean))


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
    _keep(tx, parsed, revision)
    events.record(tx, me, "note.stored", data={"note": note_id, "import": revision.id})
    return revision.id or 0, True


def commit_import(tx: Write, me: Visitor, import_id: int, defaults: ImportCommit) -> int:
    """Start the job that carries the import out. Return the same job if it was started before, and restart a failed
    one: for the person who had committed it, with what they had said of all papers.
    """
    policy.require(me, "import")
    revision = tx.get(NoteRevision, import_id, with_for_update=True)
    if revision is None:
        raise queries.unknown(import_id)
    if queries.get_import(tx, import_id).state == "failed":
        return _restart(tx, me, revision)
    if revision.state != "preview":
        return revision.job_id or 0
    require_decider(me, revision)
    revision.job_id = _enqueue(tx, me, import_id)
    revision.state, revision.defaults = "committing", defaults.model_dump()
    revision.committed_by, revision.committed_at = me.id, now()
    events.record(tx, me, "import.committed", data={"import": import_id})
    tx.flush()
    return revision.job_id


def _enqueue(tx: Write, me: Visitor, import_id: int) -> int:
    mine = sa.select(sa.func.count()).select_from(Entry).where(col(Entry.revision_id) == import_id, queries.STANDING)
    job_id = jobs.enqueue(tx, "imports.commit", {"import": import_id}, priority=10, created_by=me.id)
    jobs.announce(tx, job_id, tx.scalar(mine) or 0)
    return job_id


def _restart(tx: Write, me: Visitor, revision: NoteRevision) -> int:
    """Have a failed job tried again, or another one in its place when it is gone."""
    require_decider(me, revision)
    if revision.job_id is not None and tx.get(Job, revision.job_id) is not None:
        jobs.retry(tx, revision.job_id)
    else:
        revision.job_id = _enqueue(tx, me, revision.id or 0)
    tx.flush()
    return revision.job_id


def may_decide(me: Visitor, created_by: int | None) -> bool:
    """Whether this person may decide on an import: their own; an editor also on another's."""
    return policy.may(me, "import") and (created_by == me.id or policy.may(me, "commit-others"))


def require_decider(me: Visitor, revision: NoteRevision) -> None:
    """Raises NotAllowed, naming what is missing."""
    policy.require(me, "import" if revision.created_by == me.id else "commit-others")


def _refuse_more(things: Iterator[object], most: int, called: str) -> None:
    if next(islice(things, most, None), None) is not None:
        message = _("These notes have more than {most:,} {called}. Nothing was kept; import them in parts.").format(
            most=most, called=called
        )
        raise TooLarge(message)


def _keep(tx: Write, parsed: Parsed, revision: NoteRevision) -> None:
    """The entries as they are proposed: by the parser, the rules of the team, and what is here already."""
    rows = proposing.proposed(tx, parsed.entries, parsed.rows, revision.note_id)
    every = zip(parsed.rows, rows, parsed.documents, strict=True)
    while portion := list(islice(every, AT_ONCE)):
        tx.execute(sa.insert(_ENTRIES), [{**row, "revision_id": revision.id} for _, row, _ in portion])
        documents = {
            row["position"]: told if was["title"] == row["title"] else proposing.document_of(row)
            for was, row, told in portion
        }
        here = col(Entry.position).between(min(documents), max(documents))
        placed = sa.select(col(Entry.id), col(Entry.position)).where(col(Entry.revision_id) == revision.id, here)
        search.add_entries(tx, {row.id: documents[row.position] for row in tx.execute(placed)})


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
