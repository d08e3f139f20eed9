"""The job that carries an import out: steps of entries, each step one transaction together with its progress."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, search
from readtrack.clock import now
from readtrack.comparisons.taking import keep_tables
from readtrack.db import Database, Read, Write
from readtrack.imports import queries
from readtrack.imports.commands import STEP, may_decide
from readtrack.imports.in_sets import carry_out_entries
from readtrack.imports.told import Import, find_twins
from readtrack.jobs import Claimed
from readtrack.models import Entry, NoteRevision
from readtrack.notices.telling import tell
from readtrack.papers.answers import asking
from readtrack.papers.finding.resolving import resolve_what_is_left
from readtrack.papers.joining.twice import find_later
from readtrack.people.queries import find_visitor
from readtrack.policy import Visitor
from readtrack.sources import Http

_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # past the ORM, as in `in_sets`
_ENDED = sa.update(_ENTRIES).where(_ENTRIES.c.id == sa.bindparam("entry")).values(done_at=sa.bindparam("ended"))


@jobs.handler("imports.commit")
def carry_out(database: Database, _http: Http, claimed: Claimed) -> None:
    """Step after step until no entry is left; a step that was not committed is done again as if it had never begun."""
    import_id = claimed.payload["import"]
    with database.read() as tx:
        twins, done = find_twins(tx, import_id), _count_done(tx, import_id)
    while True:
        with database.write() as tx:
            jobs.hold(tx, claimed)
            revision = tx.get_one(NoteRevision, import_id)
            me = find_visitor(tx, revision.committed_by or 0)
            if me is None or not may_decide(me, revision.created_by):
                _hand_back(tx, claimed, revision)
                return
            carried_out = _step(tx, me, revision, Import(revision.note_id, revision.defaults, twins))
            if not carried_out:
                revision.state = "committed"
                keep_tables(tx, me, import_id, revision.defaults.get("topics", ()))
                _tell_of_undecided(tx, revision)
                resolve_what_is_left(tx)
                find_later(tx)
                jobs.finish(tx, claimed)
                return
            done += carried_out
            jobs.hold(tx, claimed, done=done)


def _hand_back(tx: Write, claimed: Claimed, revision: NoteRevision) -> None:
    """Who committed it was shut out since, or may not import any more: somebody else decides on what is left.

    The page tells so: an import in its preview that has had a job was handed back.
    """
    revision.state, revision.committed_by, revision.committed_at = "preview", None, None
    _tell(tx, revision, revision.created_by, {"happened": "handed-back"})
    jobs.finish(tx, claimed)


def _tell_of_undecided(tx: Write, revision: NoteRevision) -> None:
    """Entries that nobody decided on, or that could not be carried out, wait for whoever committed the import."""
    undecided = sa.select(sa.func.count()).select_from(Entry).where(col(Entry.decision) == "review")
    count = tx.scalar(undecided.where(*_standing(revision.id or 0)))
    if count:
        _tell(tx, revision, revision.committed_by, {"happened": "waits", "count": count})


def _tell(tx: Write, revision: NoteRevision, person_id: int | None, data: Mapping[str, Any]) -> None:
    import_id = revision.id or 0
    tell(tx, None, "job", [person_id or 0], about={"import_id": import_id}, once=f"import:{import_id}", data=data)


def _step(tx: Write, me: Visitor, revision: NoteRevision, whole: Import) -> int:
    """The next entries; how many they were, 0 when there are none."""
    left = sa.select(Entry).where(*_standing(revision.id or 0), col(Entry.done_at).is_(None))
    entries: Sequence[Entry] = tx.scalars(left.order_by(*queries.PLACE).limit(STEP)).all()
    if not entries:
        _end_joined(tx, revision.id or 0)
        return 0
    with search.together(tx), asking.together(tx):
        done = carry_out_entries(tx, me, entries, whole)
        tx.flush()
        tx.connection().execute(_ENDED, [{"entry": entry.id, "ended": now()} for entry in done])
        search.update_papers(tx, [entry.paper_id for entry in done if entry.paper_id])
    return len(done)


def _end_joined(tx: Write, import_id: int) -> None:
    """What was joined to another entry came with that one: a later revision shall know these words."""
    joined = sa.update(Entry).where(col(Entry.revision_id) == import_id, col(Entry.joined_to).is_not(None))
    tx.execute(joined.values(done_at=now()))


def _standing(import_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Entry.revision_id) == import_id, queries.STANDING


def _count_done(tx: Read, import_id: int) -> int:
    done = sa.select(sa.func.count()).select_from(Entry)
    return tx.scalar(done.where(*_standing(import_id), col(Entry.done_at).is_not(None))) or 0
