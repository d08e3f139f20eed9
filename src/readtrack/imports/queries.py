"""Questions about notes and imports: what was stored, what each line became, how far the carrying out is."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.db import Read
from readtrack.errors import NotFound
from readtrack.models import Entry, Identifier, Job, Note, NoteRevision, Paper, Person
from readtrack.papers.queries import Waiting, waiting_for
from readtrack.policy import present
from readtrack.sources import Ref

BECOMING = ("paper", "mention", "topic", "question", "lead")  # kinds of entries that something is made of
_BECOMES = col(Entry.kind).in_(BECOMING)
SHOWN = {  # what a preview can be narrowed to
    "new": sa.and_(col(Entry.decision) == "add", _BECOMES),
    "kept": sa.and_(col(Entry.decision) == "add", sa.not_(_BECOMES)),
    "review": col(Entry.decision) == "review",
    "known": col(Entry.decision) == "known",
    "skip": col(Entry.decision) == "skip",
}
CHUNK = 500  # values in one IN (…)
KEPT = ("paper", "mention")  # entries that are, or speak of, a paper


@dataclass(frozen=True)
class Carrying:
    """The job that carries an import out, and how far it is."""

    id: int
    state: str
    done: int
    total: int | None
    problem: str


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
    job: Carrying | None


def get_import(tx: Read, import_id: int) -> ImportState:
    """One import. Raises NotFound."""
    row = tx.execute(_imports().where(col(NoteRevision.id) == import_id)).one_or_none()
    if row is None:
        raise unknown(import_id)
    columns = (Job.id, Job.state, Job.done, Job.total, Job.problem)
    job = tx.execute(sa.select(*(col(column) for column in columns)).where(col(Job.id) == row.job_id)).one_or_none()
    return _state(row, Carrying(*job) if job else None)


def list_imports(tx: Read, limit: int = 50) -> list[ImportState]:
    """The newest first."""
    return [_state(row, None) for row in tx.execute(_imports().order_by(col(NoteRevision.id).desc()).limit(limit))]


def list_entries(tx: Read, import_id: int, *, lines: tuple[int, int] | None = None) -> Sequence[sa.Row[Any]]:
    """What the lines became, in their order; all, or those that touch the lines from the first to the last given."""
    query = _entries_of(import_id)
    if lines is not None:
        query = query.where(col(Entry.last_line) >= lines[0], col(Entry.first_line) <= lines[1])
    return tx.execute(query).all()


def list_shown(
    tx: Read, import_id: int, *, show: str = "", after: int = 0, limit: int
) -> tuple[Sequence[sa.Row[Any]], bool]:
    """One page of a preview, behind the entry at position `after`, blank lines left out; True when more follow."""
    rows = tx.execute(_shown(import_id, show).where(col(Entry.position) > after).limit(limit + 1)).all()
    return rows[:limit], len(rows) > limit


def find_page_before(tx: Read, import_id: int, *, show: str = "", after: int, limit: int) -> int | None:
    """The `after` of the page before that one; None on the first page."""
    before = _shown(import_id, show).with_only_columns(col(Entry.position)).where(col(Entry.position) <= after)
    positions = tx.scalars(before.order_by(None).order_by(col(Entry.position).desc()).limit(limit)).all()
    return positions[-1] - 1 if positions else None


def get_entry(tx: Read, import_id: int, position: int) -> sa.Row[Any]:
    """One entry. Raises NotFound."""
    row = tx.execute(_entries_of(import_id).where(col(Entry.position) == position)).one_or_none()
    if row is None:
        message = f"This import has no entry {position}."
        raise NotFound(message)
    return row


def entries_at(tx: Read, import_id: int, positions: Collection[int]) -> dict[int, sa.Row[Any]]:
    """Those of these entries that there are, by position, in one statement."""
    rows = tx.execute(_entries_of(import_id).where(col(Entry.position).in_(positions)))
    return {row.position: row for row in rows}


@dataclass(frozen=True)
class Known:
    """A paper that has an identifier. `present`: neither deleted nor merged into another."""

    id: int
    present: bool


def papers_of(tx: Read, identifiers: Collection[str]) -> dict[str, Known]:
    """The papers that have these identifiers, by identifier."""
    refs = sorted({Ref.parse(identifier) for identifier in identifiers})
    portions = (refs[start : start + CHUNK] for start in range(0, len(refs), CHUNK))
    return {name: known for portion in portions for name, known in _papers_of(tx, portion)}


def _papers_of(tx: Read, refs: Sequence[Ref]) -> Iterator[tuple[str, Known]]:
    named = sa.tuple_(col(Identifier.scheme), col(Identifier.value)).in_([(ref.scheme, ref.key) for ref in refs])
    columns = (Identifier.scheme, Identifier.value, Identifier.paper_id)
    query = sa.select(*(col(column) for column in columns), present(Paper).label("present"))
    for row in tx.execute(query.join(Paper, col(Paper.id) == col(Identifier.paper_id)).where(named)):
        yield f"{row.scheme}:{row.value}", Known(row.paper_id, bool(row.present))


def tally(tx: Read, import_id: int) -> dict[str, dict[str, int]]:
    """Lines by kind (their sum is the note's), and entries by decision, blank lines left out.

    "kept" are those that nothing is made of and nothing is decided on: they stay in the notes.
    """
    lines = sa.func.sum(sa.case((col(Entry.part) == 1, col(Entry.last_line) - col(Entry.first_line) + 1), else_=0))
    mine = col(Entry.revision_id) == import_id
    by_kind = tx.execute(sa.select(col(Entry.kind), lines).where(mine).group_by(col(Entry.kind)))
    decision = sa.case((SHOWN["kept"], sa.literal_column("'kept'")), else_=col(Entry.decision)).label("said")
    counted = sa.select(decision, sa.func.count()).where(mine, col(Entry.kind) != "blank")
    by_decision = tx.execute(counted.group_by(decision))
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


def waited_for(tx: Read, rows: Sequence[sa.Row[Any]]) -> dict[str, Waiting]:
    """What is waited for, by service."""
    schemes = {row.scheme for row in rows if row.fetch_state == "waiting"}
    return {scheme: waiting_for(tx, scheme) for scheme in schemes}


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


def unknown(import_id: int) -> NotFound:
    """The sentence for an import that is not there."""
    return NotFound(f"There is no import {import_id}.")


def _entries_of(import_id: int) -> sa.Select[*tuple[Any, ...]]:
    mine = sa.select(Entry.__table__).where(col(Entry.revision_id) == import_id)  # type: ignore[attr-defined]
    return mine.order_by(col(Entry.position))


def _shown(import_id: int, show: str) -> sa.Select[*tuple[Any, ...]]:
    query = _entries_of(import_id).where(col(Entry.kind) != "blank")
    return query.where(SHOWN[show]) if show in SHOWN else query


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


def _state(row: sa.Row[Any], job: Carrying | None) -> ImportState:
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
