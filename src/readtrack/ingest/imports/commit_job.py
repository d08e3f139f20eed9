"""The job that applies an import in batches, each in one transaction with its progress.

A batch that fails is repeated entry by entry, so that an error affects only its own entry.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

import readtrack.ingest.imports.long_imports  # noqa: F401 - registers the jobs that read and delete imports
from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write, savepoint
from readtrack.infra.db.batch_size import BatchSize
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob, LeaseLostError
from readtrack.infra.models import Entry, NoteRevision
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.comparison_tables import import_tables
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.apply_batch import MAX_SINGLE_ENTRIES, apply_entries, apply_or_flag_entry, is_applied
from readtrack.ingest.imports.apply_entry import ImportContext, find_twins, relate_paper
from readtrack.ingest.imports.commands import APPLY_BATCH_SIZE, WITHOUT_TEXT, may_decide
from readtrack.ingest.imports.reasons import BROKEN
from readtrack.library.duplicates.jobs import enqueue_duplicate_search
from readtrack.library.enrichment import scheduler
from readtrack.library.matching.title_search import enqueue_remaining_searches
from readtrack.team.accounts.queries import find_visitor

TURN_SECONDS = 20.0  # seconds that one import may keep other jobs waiting
MARKED_BATCH_SIZE = 2_000  # entries that change nothing, marked in one transaction
Way = Callable[[Write, CurrentUser, Sequence[Entry], ImportContext], Sequence[Entry]]
log = structlog.get_logger()
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # Core table, as in `apply_batch`
# Statements of every step are built once: building one takes longer than running it.
_REVISION = (
    sa.select(*map(col, (NoteRevision.state, NoteRevision.job_id, NoteRevision.note_id, NoteRevision.defaults)))
    .add_columns(col(NoteRevision.created_by), col(NoteRevision.committed_by))
    .where(col(NoteRevision.id) == sa.bindparam("import_id"))
    .with_for_update()
)
_REMAINING = (
    sa.select(Entry)
    .where(*queries.effective_entries(sa.bindparam("import_id", type_=sa.Integer())), col(Entry.done_at).is_(None))
    .order_by(*queries.ENTRY_ORDER)
    .limit(sa.bindparam("size"))
)
_PLACE = ("first_line", "part", "position")
_NEXT = _REMAINING.where(sa.tuple_(*queries.ENTRY_ORDER) > sa.tuple_(*map(sa.bindparam, _PLACE)))
_DONE = sa.update(_ENTRIES).where(in_id_list(_ENTRIES.c.id, "ids")).values(done_at=sa.bindparam("now"))


@queue.handler("imports.commit")
def run_import(database: Database, _http: Http, job: LeasedJob) -> None:
    """Apply batches until no entry is left.

    A batch that was not committed is repeated from the start.
    """
    import_id = job.payload["import"]
    with database.read() as tx:
        twins, done_count = find_twins(tx, import_id), _count_done(tx, import_id)
    apply, step = _apply_in_batch, ImportStep(BatchSize(database, APPLY_BATCH_SIZE), done_count)
    deadline = time.monotonic() + TURN_SECONDS
    while not step.has_ended:
        if time.monotonic() > deadline:
            with database.write() as tx:
                queue.requeue_job(tx, job)
            return
        try:
            run_import_batch(database, job, twins, step, apply=apply)
        except (LeaseLostError, StorageUnavailable, KeyboardInterrupt):
            raise
        except BaseException:  # also SystemExit and panics of native libraries
            if apply is _apply_one_by_one:
                raise
            log.exception("import step failed, retrying its entries one by one", **{"import": import_id})
            apply = _apply_one_by_one
        else:
            apply = _apply_in_batch


@dataclass
class ImportStep:
    """How far a commit is. `after`: place of the last entry applied, from which the next ones are looked for.

    `related`: position of the last entry whose relations were added, after all entries were applied.
    """

    batch: BatchSize
    done_count: int
    after: tuple[int, ...] | None = None
    related: int = 0
    has_ended: bool = False


def run_import_batch(
    database: Database, job: LeasedJob, twins: Mapping[str, Sequence[str]], step: ImportStep, *, apply: Way
) -> None:
    """Apply the next entries and store the progress in one transaction."""
    import_id = job.payload["import"]
    with database.write() as tx, step.batch.measured():
        queue.extend_lease(tx, job)
        # Locked, so that the import is not cancelled in the middle of a batch, which would go unnoticed.
        (revision,) = tx.rows(_REVISION, {"import_id": import_id})
        if revision.state != "committing" or revision.job_id != job.id:  # cancelled, and perhaps resumed by another job
            queue.finish_job(tx, job)
            step.has_ended = True
            return
        me = find_visitor(tx, revision.committed_by or 0)
        if me is None or not may_decide(me, revision.created_by):
            _return_to_preview(tx, job, _get_revision(tx, import_id))
            step.has_ended = True
            return
        entries = _next_entries(tx, import_id, step)
        applied: Sequence[Entry] = []
        related = step.related
        if entries:
            applied = apply(tx, me, entries, ImportContext(revision.note_id, revision.defaults, twins))
            queue.extend_lease(tx, job, done=step.done_count + len(applied))
        elif (
            step.after is None
            and not _mark_rest_done(tx, import_id)
            and not (related := _add_relations(tx, me, import_id, step.related))
        ):
            _finish_import(tx, me, _get_revision(tx, import_id))
            queue.finish_job(tx, job)
            step.has_ended = True
    # Only after the commit; without entries, those before the place are looked for once more.
    step.after = (applied[-1].first_line, applied[-1].part, applied[-1].position) if applied else None
    step.done_count += len(applied)
    step.related = related


def _get_revision(tx: Write, import_id: int) -> NoteRevision:
    return tx.get_one(NoteRevision, import_id, options=[WITHOUT_TEXT])


def _finish_import(tx: Write, me: CurrentUser, revision: NoteRevision) -> None:
    """Mark the import as committed and run the follow-up tasks, whose errors do not undo it."""
    import_id = revision.id or 0
    revision.state = "committed"
    _run_follow_up(tx, "tables", lambda: import_tables(tx, me, import_id, revision.defaults.get("topics", ())))
    _notify_of_review(tx, revision)
    _run_follow_up(tx, "titles", lambda: enqueue_remaining_searches(tx))
    _run_follow_up(tx, "duplicates", lambda: enqueue_duplicate_search(tx))


def _run_follow_up(tx: Write, task: str, callback: Callable[[], object]) -> None:
    try:
        with savepoint(tx):
            callback()
    except (StorageUnavailable, KeyboardInterrupt):
        raise
    except BaseException:
        log.exception("import follow-up failed", what=task)


def _return_to_preview(tx: Write, job: LeasedJob, revision: NoteRevision) -> None:
    """Return the import to its preview, because the person who committed it may no longer import.

    The page recognises such an import by its state: a preview that has had a job.
    """
    revision.state, revision.committed_by, revision.committed_at = "preview", None, None
    _notify_person(tx, revision, revision.created_by, {"happened": "handed-back"})
    queue.finish_job(tx, job)


def _notify_of_review(tx: Write, revision: NoteRevision) -> None:
    """Notify the person who committed the import of undecided entries, or else of those applied despite a conflict."""
    query = sa.select(sa.func.count()).select_from(Entry)
    query = query.where(col(Entry.revision_id) == revision.id, col(Entry.decision) == "review", queries.IS_ACTIVE)
    undecided_count = tx.scalar(query.where(queries.IS_UNDECIDED)) or 0
    count = undecided_count or tx.scalar(query)
    if count:
        change = "waits" if undecided_count else "flagged"
        _notify_person(tx, revision, revision.committed_by, {"happened": change, "count": count})


def _notify_person(tx: Write, revision: NoteRevision, person_id: int | None, data: Mapping[str, Any]) -> None:
    import_id = revision.id or 0
    notify(
        tx,
        None,
        "job",
        [person_id or 0],
        subject_ids={"import_id": import_id},
        group_key=f"import:{import_id}",
        data=data,
    )


def _next_entries(tx: Read, import_id: int, step: ImportStep) -> Sequence[Entry]:
    parameters: dict[str, int] = {"import_id": import_id, "size": step.batch.size}
    if step.after is None:
        return tx.scalars(_REMAINING, parameters).all()
    return tx.scalars(_NEXT, parameters | dict(zip(_PLACE, step.after, strict=True))).all()


def _apply_in_batch(tx: Write, me: CurrentUser, entries: Sequence[Entry], context: ImportContext) -> Sequence[Entry]:
    """Apply entries in bulk and return those processed, which may be only the first ones."""
    with search.defer_indexing(tx), scheduler.batch_requests(tx):
        applied = apply_entries(tx, me, entries, context)
        _mark_done(tx, applied)
    return applied


def _apply_one_by_one(tx: Write, me: CurrentUser, entries: Sequence[Entry], context: ImportContext) -> Sequence[Entry]:
    """Apply the first entries one by one.

    One that fails waits for review and does not stop the others.
    """
    first = entries[:MAX_SINGLE_ENTRIES]
    for entry in first:
        if not _try_apply_entry(tx, me, entry, context):
            entry.decision, entry.reason = "review", BROKEN
            tx.flush()
    return first


def _try_apply_entry(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> bool:
    """Apply one entry with its follow-up changes. Return False if it failed and was rolled back."""
    for may_retry in (True, False):
        try:
            with savepoint(tx), search.defer_indexing(tx), scheduler.batch_requests(tx):
                apply_or_flag_entry(tx, me, entry, context)
                _mark_done(tx, [entry])
        except (LeaseLostError, StorageUnavailable, KeyboardInterrupt):
            raise
        except BaseException as problem:
            if may_retry and isinstance(problem, IntegrityError):
                continue  # another transaction may have added the same at this moment: retry with the current data
            log.exception("failed to add entry", revision=entry.revision_id, position=entry.position)
            return False
        else:
            return True
    return False


def _mark_done(tx: Write, entries: Sequence[Entry]) -> None:
    """Mark entries as done, except those that could not be applied: they wait for review."""
    tx.flush()
    ids = [entry.id for entry in entries if is_applied(entry)]
    tx.connection().execute(_DONE, {"ids": ids, "now": now()})
    search.update_papers(tx, [entry.paper_id for entry in entries if entry.paper_id])


def _add_relations(tx: Write, me: CurrentUser, import_id: int, after: int) -> int:
    """Add the relations of the next papers from an export, and return the position of the last one; 0 at the end.

    One whose relations cannot be added does not stop the others.
    """
    query = sa.select(Entry).where(
        *queries.effective_entries(import_id),
        col(Entry.details).is_not(None),
        col(Entry.paper_id).is_not(None),
        col(Entry.position) > after,
    )
    entries = tx.scalars(query.order_by(col(Entry.position)).limit(MAX_SINGLE_ENTRIES)).all()
    for entry in entries:
        isolated = queue.isolate_errors(
            "failed to add relations", StorageUnavailable, revision=import_id, position=entry.position
        )
        with isolated, savepoint(tx):
            relate_paper(tx, me, entry)
    return entries[-1].position if entries else 0


def _mark_rest_done(tx: Write, import_id: int) -> int:
    """Mark some of the entries that change nothing as done and return their number.

    Later revisions then recognise their words, also those of entries merged into others. Undecided entries, and those
    merged into one, stay open.
    """
    head = _ENTRIES.alias("head")
    has_open_head = sa.exists().where(
        head.c.revision_id == import_id, head.c.position == _ENTRIES.c.joined_to, head.c.done_at.is_(None)
    )
    waits = sa.case((_ENTRIES.c.joined_to.is_(None), _ENTRIES.c.decision == "review"), else_=has_open_head)
    is_open = (_ENTRIES.c.revision_id == import_id, _ENTRIES.c.done_at.is_(None))
    rest = sa.select(_ENTRIES.c.id).where(*is_open, sa.not_(waits))
    statement = sa.update(_ENTRIES).where(_ENTRIES.c.id.in_(rest.limit(MARKED_BATCH_SIZE))).values(done_at=now())
    return tx.bulk_execute(statement).rowcount


def _count_done(tx: Read, import_id: int) -> int:
    query = sa.select(sa.func.count()).select_from(Entry)
    return tx.scalar(query.where(*queries.effective_entries(import_id), col(Entry.done_at).is_not(None))) or 0
