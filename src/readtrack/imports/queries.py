"""Questions about notes and imports: what was stored, what each line became, how far the carrying out is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.db import Read
from readtrack.errors import NotFound
from readtrack.models import Entry, Identifier, Job, Note, NoteRevision, Paper, Person
from readtrack.papers.queries import waiting_for

SHOWN = {  # what a preview can be narrowed to
    "new": col(Entry.decision) == "add",
    "review": col(Entry.decision) == "review",
    "known": col(Entry.decision) == "known",
    "skip": col(Entry.decision) == "skip",
}
KEPT = ("paper", "mention")  # entries that are, or speak of, a paper


@dataclass(frozen=True)
class ImportState:
    """An import and how far it is."""

    id: int
    note_id: int
    title: str
    number: int
    state: str
    line_count: int
    created_by: int | None
    person: str
    created_at: Any
    job: Job | None


def get_import(tx: Read, import_id: int) -> ImportState:
    """One import. Raises NotFound."""
    row = tx.execute(_imports().where(col(NoteRevision.id) == import_id)).one_or_none()
    if row is None:
        raise unknown(import_id)
    job = tx.get(Job, row.job_id) if row.job_id else None
    return _state(row, job)


def list_imports(tx: Read, limit: int = 50) -> list[ImportState]:
    """The newest first."""
    return [_state(row, None) for row in tx.execute(_imports().order_by(col(NoteRevision.id).desc()).limit(limit))]


def list_entries(
    tx: Read, import_id: int, *, show: str = "", after: int = 0, limit: int | None = None
) -> Sequence[sa.Row[Any]]:
    """What the lines became, in their order, blank lines left out; from the entry after position `after`."""
    query = sa.select(Entry.__table__).where(col(Entry.revision_id) == import_id, col(Entry.position) > after)  # type: ignore[attr-defined]
    if show in SHOWN:
        query = query.where(SHOWN[show])
    if limit is not None:
        query = query.where(col(Entry.kind) != "blank").limit(limit)
    return tx.execute(query.order_by(col(Entry.position))).all()


def tally(tx: Read, import_id: int) -> dict[str, dict[str, int]]:
    """Lines by kind (their sum is the note's), and entries by decision, blank lines left out."""
    lines = sa.func.sum(sa.case((col(Entry.part) == 1, col(Entry.last_line) - col(Entry.first_line) + 1), else_=0))
    mine = col(Entry.revision_id) == import_id
    by_kind = tx.execute(sa.select(col(Entry.kind), lines).where(mine).group_by(col(Entry.kind)))
    counted = sa.select(col(Entry.decision), sa.func.count()).where(mine, col(Entry.kind) != "blank")
    by_decision = tx.execute(counted.group_by(col(Entry.decision)))
    return {"lines": {kind: int(n) for kind, n in by_kind}, "decisions": dict(by_decision.all())}


def results(tx: Read, import_id: int) -> list[sa.Row[Any]]:
    """The papers of an import in the order of their lines, with what their source has said so far."""
    query = (
        sa.select(
            col(Paper.id),
            col(Paper.title),
            col(Identifier.scheme),
            col(Identifier.value),
            col(Identifier.fetch_state),
            col(Identifier.problem),
            sa.func.min(col(Entry.position)).label("position"),
        )
        .join(Entry, col(Entry.paper_id) == col(Paper.id))
        .join(Identifier, col(Identifier.paper_id) == col(Paper.id), isouter=True)
        .where(col(Entry.revision_id) == import_id)
        .group_by(
            col(Paper.id),
            col(Paper.title),
            col(Identifier.scheme),
            col(Identifier.value),
            col(Identifier.fetch_state),
            col(Identifier.problem),
        )
        .order_by("position")
        .limit(1000)
    )
    return list(tx.execute(query))


def list_undone(tx: Read, import_id: int) -> Sequence[sa.Row[Any]]:
    """Entries that could not be carried out, with the reason; they are still in the note."""
    became = (Entry.paper_id, Entry.topic_id, Entry.question_id, Entry.lead_id)
    failed = (
        col(Entry.decision) == "review",
        col(Entry.done_at).is_not(None),
        *(col(column).is_(None) for column in became),
    )
    shown = (Entry.position, Entry.first_line, Entry.title, Entry.raw, Entry.reason)
    query = sa.select(*(col(column) for column in shown)).where(col(Entry.revision_id) == import_id, *failed)
    return tx.execute(query.order_by(col(Entry.position))).all()


def waiting_sentences(tx: Read, rows: Sequence[sa.Row[Any]]) -> dict[str, str]:
    """What is waited for, by service."""
    schemes = {row.scheme for row in rows if row.fetch_state == "waiting"}
    return {scheme: waiting_for(tx, scheme).sentence for scheme in schemes}


def list_notes(tx: Read) -> list[sa.Row[Any]]:
    """Every note with its latest revision, the newest first."""
    latest = (
        sa.select(col(NoteRevision.note_id), sa.func.max(col(NoteRevision.number)).label("number"))
        .group_by(col(NoteRevision.note_id))
        .subquery()
    )
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(
            col(Note.id),
            col(Note.title),
            col(NoteRevision.id).label("import_id"),
            col(NoteRevision.number),
            col(NoteRevision.state),
            col(NoteRevision.line_count),
            col(NoteRevision.created_at),
            col(Person.name).label("person"),
        )
        .join(latest, latest.c.note_id == col(Note.id))
        .join(
            NoteRevision,
            sa.and_(col(NoteRevision.note_id) == col(Note.id), col(NoteRevision.number) == latest.c.number),
        )
        .join(Person, col(Person.id) == col(NoteRevision.created_by), isouter=True)
        .order_by(col(NoteRevision.id).desc())
        .limit(500)
    )
    return list(tx.execute(query))


def find_lines(tx: Read, q: str, limit: int = 10) -> Sequence[sa.Row[Any]]:
    """Lines of notes that became no paper and have these words, the newest first; filters find no lines.

    The same line of several revisions is told once; looked for among the newest lines only, so that a common word costs
    no more than a rare one.
    """
    query = search.parse(q)
    if not query.has_words:
        return []
    lines: sa.Select[*tuple[Any, ...]] = (
        sa.select(
            col(Entry.kind),
            col(Entry.first_line),
            col(Entry.raw),
            col(Entry.fingerprint),
            col(Note.id).label("note_id"),
            col(Note.title),
        )
        .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
        .join(Note, col(Note.id) == col(NoteRevision.note_id))
        .where(search.where_entries(tx, query), col(Entry.paper_id).is_(None))
        .order_by(col(Entry.id).desc())
        .limit(limit * 5)
    )
    once = {row.fingerprint: row for row in reversed(tx.execute(lines).all())}
    return sorted(once.values(), key=lambda row: (-row.note_id, row.first_line))[:limit]


@dataclass(frozen=True)
class NoteText:
    """A note's text with the fate of each line, and its revisions."""

    id: int
    title: str
    revision: ImportState
    text: str
    entries: Sequence[sa.Row[Any]]
    revisions: Sequence[sa.Row[Any]]


def get_note(tx: Read, note_id: int, number: int | None = None) -> NoteText:
    """One revision of a note, the latest unless said otherwise. Raises NotFound."""
    revisions = tx.execute(
        sa.select(col(NoteRevision.id), col(NoteRevision.number), col(NoteRevision.state), col(NoteRevision.created_at))
        .where(col(NoteRevision.note_id) == note_id)
        .order_by(col(NoteRevision.number).desc())
    ).all()
    wanted = next((row for row in revisions if number in (None, row.number)), None)
    if wanted is None:
        message = f"There is no note {note_id}."
        raise NotFound(message)
    state = get_import(tx, wanted.id)
    text = tx.scalar(sa.select(col(NoteRevision.text)).where(col(NoteRevision.id) == wanted.id)) or ""
    return NoteText(note_id, state.title, state, text, list_entries(tx, wanted.id), revisions)


def unknown(import_id: int) -> NotFound:
    """The sentence for an import that is not there."""
    return NotFound(f"There is no import {import_id}.")


def _imports() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(
            col(NoteRevision.id),
            col(NoteRevision.note_id),
            col(Note.title),
            col(NoteRevision.number),
            col(NoteRevision.state),
            col(NoteRevision.line_count),
            col(NoteRevision.created_by),
            col(NoteRevision.created_at),
            col(NoteRevision.job_id),
            col(Person.name).label("person"),
        )
        .join(Note, col(Note.id) == col(NoteRevision.note_id))
        .join(Person, col(Person.id) == col(NoteRevision.created_by), isouter=True)
    )


def _state(row: sa.Row[Any], job: Job | None) -> ImportState:
    return ImportState(
        id=row.id,
        note_id=row.note_id,
        title=row.title,
        number=row.number,
        state=row.state,
        line_count=row.line_count,
        created_by=row.created_by,
        person=row.person or "",
        created_at=row.created_at,
        job=job,
    )
