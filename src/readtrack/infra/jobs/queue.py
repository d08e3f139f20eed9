"""The queue: rows in the same database, so that a job commits or vanishes with the change that wants it.

Each effect happens once: a worker claims a job with a lease and a fencing word, and every step writes its result, the
progress and the lease in one transaction that fails when the word is no longer the job's.
"""

import random
import secrets
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import defer
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write, savepoint
from readtrack.infra.errors import (
    Conflict,
    Invalid,
    NotFound,
    ReadtrackError,
    SourceRateLimited,
    SourceUnavailable,
    StorageUnavailable,
)
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Job
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize

LEASE = timedelta(seconds=10)
BEAT = 3.0  # seconds between two renewals of a lease
PERSONAL = ("people.", "notices.")  # kinds of jobs that are about accounts and mail
MAX_ATTEMPTS = 6  # without any progress between them
LONGEST_WAIT = timedelta(hours=4)
FIRST_WAIT = 15.0  # seconds after the first failure
GROWTH = 5  # how much longer each further wait is: the last of the attempts comes three hours after the first
STOPPED = (
    "This was tried {} times and got no further; the last time, readtrack was stopped in the middle of it. "
    "What was done before is kept; look into the log, then try it again."
)

BROKEN = "Something broke here; the log has the details."
SOME_FAILED = "{} of {} could not be handled, all others were; the log has the details."
FAILED = "failed"  # in a payload: items that failed so far
UNREADABLE = "What this job is to do is stored in a form that cannot be read. Nothing was done."

log = structlog.get_logger()


@dataclass(frozen=True)
class LeasedJob:
    """A job in the hands of a worker."""

    id: int
    kind: str
    payload: Mapping[str, Any]
    fencing_token: str
    attempts: int
    created_by: int | None = None
    progress_done: int = 0  # of it before
    readable: bool = True  # False: what it is to do cannot be read


class LeaseLostError(Exception):
    """Another worker has the job now: this one must stop, and its step is rolled back."""


class ItemsFailedError(Exception):
    """Some of the items of a job could not be handled, all others were. The job is tried again, for those alone."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass
class ItemOutcome:
    """How the block of `isolated` ended: what it raised, if anything."""

    problem: BaseException | None = None


@contextmanager
def isolate_errors(what: str, *passing: type[BaseException], **about: object) -> Iterator[ItemOutcome]:
    """Keep one item of a job from stopping the others: whatever the block raises is logged and told, not raised.

    A lost lease passes through, as do the errors named in `passing`: those that are not the item's fault.
    """
    outcome = ItemOutcome()
    through: tuple[type[BaseException], ...] = (LeaseLostError, KeyboardInterrupt, *passing)
    try:
        yield outcome
    except through:
        raise
    except BaseException as problem:  # SystemExit and panics of native libraries, too, are one item's alone
        log.exception(what, **about)
        outcome.problem = problem


def problem_message(problem: BaseException) -> str:
    """A sentence for people: what went wrong, or that the log has it."""
    return normalize.clean(problem.message) if isinstance(problem, ReadtrackError | ItemsFailedError) else BROKEN


Item = TypeVar("Item")
Handler = Callable[[Database, Http, LeasedJob], None]
_handlers: dict[str, Handler] = {}


def handler(kind: str) -> Callable[[Handler], Handler]:
    """Registers what runs jobs of that kind."""

    def register(function: Handler) -> Handler:
        _handlers[kind] = function
        return function

    return register


def enqueue(
    tx: Write,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    *,
    dedup: str | None = None,
    priority: int = 0,
    created_by: int | None = None,
    run_at: datetime | None = None,
) -> int:
    """Puts work off until after the commit. With `dedup`, the job of that name is joined, not doubled.

    A job that gave up keeps its name too: whoever wants it again sets it going again. `run_at`: a new one is not run
    before that.
    """
    wanted: dict[str, Any] = {
        "kind": kind,
        "payload": dict(payload or {}),
        "priority": priority,
        "created_by": created_by,
        "run_at": run_at or now(),
    }
    while True:
        if dedup and (known := _join_existing_job(tx, dedup)):
            return known
        job = Job(dedup_key=dedup, **wanted)
        try:
            with tx.begin_nested():
                tx.add(job)
        except IntegrityError:  # somebody wanted the same at this moment
            if not dedup:
                raise
        else:
            return job.id or 0


def _join_existing_job(tx: Write, dedup: str) -> int | None:
    # Its name is held: a worker that is just finding nothing left to do must not end it past our back (see `hold`).
    # Whoever wants the same job, and the worker's progress on it, need not wait for one another.
    query = sa.select(col(Job.id), col(Job.state)).where(col(Job.dedup_key) == dedup)
    known = tx.execute(query.with_for_update(read=True, key_share=True)).one_or_none()
    if known is None:
        return None
    if known.state == "failed":
        _reset_job(tx, known.id)
    return int(known.id)


def run_due_job(database: Database, http: Http, *, kinds: Collection[str] = ()) -> bool:
    """Runs one job that is due (of those kinds, if any are named), if there is one; True when there was."""
    claimed = _lease_next_job(database, kinds)
    if claimed is None:
        return False
    with _lease_heartbeat(database, claimed):
        problem = _run(database, http, claimed)
    if problem is not None:
        _retry_or_fail(database, claimed, problem)
    return True


def extend_lease(
    tx: Write, claimed: LeasedJob, *, done: int | None = None, total: int | None = None, ending: bool = False
) -> None:
    """First statement of each step: renews the lease, tells the progress. LeaseLostError: it is another's now.

    `ending`: this step may find nothing left and end the job. It waits for whoever is just joining the job, so that
    what they want is seen.
    """
    if ending:
        tx.execute(sa.select(col(Job.id)).where(col(Job.id) == claimed.id).with_for_update())
    values: dict[str, Any] = {"lease_until": now() + LEASE}
    if done is not None:
        values |= {"progress_done": done, "attempts": 0, "error": ""}
    if total is not None:
        values["total"] = total
    _update_leased(tx, claimed, values)


def requeue_job(tx: Write, claimed: LeasedJob, *, until: datetime | None = None) -> None:
    """Puts a job that is not done behind the others that are due, so that none of them waits for all of it."""
    values = {"state": "queued", "run_at": until or now(), "lease_until": None, "attempts": 0, "error": ""}
    _update_leased(tx, claimed, values)


def set_total(tx: Write, job_id: int, total: int) -> None:
    """How much there is to do, told when the job is wanted, so that its progress can be shown at once."""
    tx.execute(sa.update(Job).where(col(Job.id) == job_id).values(total=total))


def write_items(
    database: Database,
    claimed: LeasedJob,
    items: Sequence[Item],
    write: Callable[[Write, Sequence[Item]], object],
    *,
    done: int | None = None,
) -> list[Item]:
    """Write what `write` does for these items, in one transaction; when it raises, each item in one of its own.

    Return the items for which it raised even then. When the database itself does not work, its error is raised.
    """

    def write_some(some: Sequence[Item], done: int | None = None) -> None:
        with database.write() as tx:
            extend_lease(tx, claimed, done=done)
            write(tx, some)

    with isolate_errors("items of a job cannot be handled together", job=claimed.id, kind=claimed.kind) as together:
        write_some(items, done)
    if together.problem is None:
        return []
    failed = []
    for item in items:
        with isolate_errors(
            "an item of a job cannot be handled", job=claimed.id, kind=claimed.kind, item=item
        ) as alone:
            write_some([item])
        if alone.problem is not None:
            failed.append(item)
            with database.write() as tx:
                extend_lease(tx, claimed)
    with database.write() as tx:
        extend_lease(tx, claimed, done=done)
    return failed


def record_failed_items(tx: Write, claimed: LeasedJob, failed: Sequence[Any]) -> None:
    """Items of the job's list that failed so far: `finish_list` has them tried again, whoever runs the rest."""
    _update_leased(tx, claimed, {"payload": {**claimed.payload, FAILED: list(failed)}})


def failed_items(claimed: LeasedJob) -> list[Any]:
    """What `record_failed` recorded."""
    return list(claimed.payload.get(FAILED, ()))


def finish_items(database: Database, claimed: LeasedJob, name: str, failed: Sequence[Any]) -> None:
    """All items of the list `name` of the payload were handled, but for those that failed: these are tried again later.

    Raises ItemsFailedError for these; the attempts go on counting, so that they are given up in the end.
    """
    with database.write() as tx:
        extend_lease(tx, claimed, ending=True)
        if not failed:
            finish_job(tx, claimed)
            return
        payload = {**claimed.payload, name: list(failed), FAILED: []}
        left = {"payload": payload, "progress_done": 0, "total": len(failed), "attempts": claimed.attempts}
        _update_leased(tx, claimed, left)
    raise ItemsFailedError(SOME_FAILED.format(len(failed), len(claimed.payload[name])))


def finish_job(tx: Write, claimed: LeasedJob) -> None:
    """The job is done; in the same transaction as its last effect."""
    _update_leased(
        tx, claimed, {"state": "done", "ended_at": now(), "dedup_key": None, "error": "", "lease_until": None}
    )


def next_attempt_at(attempts: int, asked: float | None) -> datetime:
    """When to try again: as long as the source asked, else ever later, with jitter so that nobody marches in step."""
    own = FIRST_WAIT * GROWTH ** (attempts - 1) * random.uniform(0.8, 1.2)  # noqa: S311 - spreads load, guards nothing
    return now() + (timedelta(seconds=asked) if asked is not None else min(timedelta(seconds=own), LONGEST_WAIT))


def retry_job(tx: Write, job_id: int) -> None:
    """A failed job is due again, now. Raises NotFound, or Conflict when it has not failed."""
    job = tx.get(Job, job_id, options=[_WITHOUT_PAYLOAD])
    if job is None:
        message = _("There is no job {job_id}.").format(job_id=job_id)
        raise NotFound(message)
    if job.state not in {"failed", "queued"}:
        message = _("Job {job_id} is {state}; only a failed or waiting one can be tried again.").format(
            job_id=job_id, state=job.state
        )
        raise Conflict(message)
    _reset_job(tx, job_id)


def visible_jobs(me: CurrentUser) -> sa.ColumnElement[bool]:
    """Select every job for admins; for others those of the team, and what they started themselves.

    Jobs of accounts and mail tell who has an account, and what a relay said of an address.
    """
    if permissions.has_permission(me, "manage-jobs"):
        return sa.true()
    personal = sa.or_(*(col(Job.kind).startswith(prefix, autoescape=True) for prefix in PERSONAL))
    return sa.or_(sa.not_(personal), col(Job.created_by) == me.id)


def list_jobs(
    tx: Read, *, failed: bool = False, limit: int = 100, which: sa.ColumnElement[bool] | None = None
) -> list[Job]:
    """The newest jobs first; with `which`, only those."""
    query = sa.select(Job).options(_WITHOUT_PAYLOAD).order_by(col(Job.id).desc()).limit(limit)
    if which is not None:
        query = query.where(which)
    if failed:
        query = query.where(col(Job.state) == "failed")
    return list(tx.scalars(query))


def get_job(tx: Read, job_id: int, *, which: sa.ColumnElement[bool] | None = None) -> Job:
    """One job; raises NotFound, also for one that is none of `which`."""
    query = sa.select(Job).options(_WITHOUT_PAYLOAD).where(col(Job.id) == job_id)
    job = tx.scalar(query if which is None else query.where(which))
    if job is None:
        message = _("There is no job {job_id}.").format(job_id=job_id)
        raise NotFound(message)
    return job


def find_by_dedup_key(tx: Read, dedup: str) -> Job | None:
    """The job of that name that is not done, or gave up: what is waited for, and why."""
    return tx.scalar(sa.select(Job).options(_WITHOUT_PAYLOAD).where(col(Job.dedup_key) == dedup))


def _reset_job(tx: Write, job_id: int) -> None:
    values = {"state": "queued", "run_at": now(), "attempts": 0, "ended_at": None}
    tx.execute(sa.update(Job).where(col(Job.id) == job_id).values(values))


def _lease_next_job(database: Database, kinds: Collection[str]) -> LeasedJob | None:
    with database.read() as tx:  # so that an idle worker never takes the writer's turn
        if tx.scalar(_due_job_query(kinds)) is None:
            return None
    with database.write() as tx:
        job_id = tx.scalar(_due_job_query(kinds).with_for_update(skip_locked=True, key_share=True))
        if job_id is None:
            return None
        mine = sa.update(Job).where(col(Job.id) == job_id)
        job = tx.execute(sa.select(*_CLAIMED).where(col(Job.id) == job_id)).one()
        if job.attempts >= MAX_ATTEMPTS:  # nobody was left to say so
            problem = STOPPED.format(job.attempts)
            tx.execute(mine.values(state="failed", ended_at=now(), error=problem))
            _notify_of_failure(tx, job_id, _payload_of(tx, job_id) or {}, created_by=job.created_by, problem=problem)
            return None
        fence, attempts = secrets.token_hex(8), job.attempts + 1
        tx.execute(mine.values(fencing_token=fence, state="running", lease_until=now() + LEASE, attempts=attempts))
        payload = _payload_of(tx, job_id)
    return LeasedJob(
        job_id, job.kind, payload or {}, fence, attempts, job.created_by, job.progress_done, payload is not None
    )


_CLAIMED: Sequence[Any] = (Job.kind, Job.attempts, Job.created_by, Job.progress_done)
_WITHOUT_PAYLOAD = defer(Job.payload)  # type: ignore[arg-type]  # one that cannot be read keeps nobody from seeing the others


def _payload_of(tx: Read, job_id: int) -> dict[str, Any] | None:
    """None when it is no JSON object, whoever wrote it."""
    try:
        payload = tx.scalar(sa.select(col(Job.payload)).where(col(Job.id) == job_id))
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        return None
    return payload if isinstance(payload, dict) else None


def _due_job_query(kinds: Collection[str]) -> sa.Select[Any]:
    """The number of the job that is to be run next."""
    queued = sa.and_(col(Job.state) == "queued", col(Job.run_at) <= now())
    orphaned = sa.and_(col(Job.state) == "running", col(Job.lease_until) < now())
    due = sa.select(col(Job.id)).where(sa.or_(queued, orphaned), col(Job.kind).in_(kinds or _handlers))
    return due.order_by(col(Job.priority).desc(), col(Job.run_at), col(Job.id)).limit(1)


def _run(database: Database, http: Http, claimed: LeasedJob) -> BaseException | None:
    """Runs the handler; what went wrong, or None."""
    try:
        _handler_of(claimed)(database, http, claimed)
    except LeaseLostError:
        log.warning("job taken over by another worker", job=claimed.id, kind=claimed.kind)
    except (ReadtrackError, ItemsFailedError) as problem:
        log.info("job put back", job=claimed.id, kind=claimed.kind, problem=problem.message)
        return problem
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # SystemExit and panics of native libraries must not end the worker's thread
        log.exception("job failed", job=claimed.id, kind=claimed.kind)
        return problem
    return None


def _handler_of(claimed: LeasedJob) -> Handler:
    if not claimed.readable:
        raise Invalid(UNREADABLE)
    return _handlers[claimed.kind]


def _retry_or_fail(database: Database, claimed: LeasedJob, problem: BaseException) -> None:
    """Tries again later what may pass, gives up what will not; either way the reason stands on the job."""
    passing = not isinstance(problem, ReadtrackError) or isinstance(
        problem, SourceUnavailable | StorageUnavailable | Conflict
    )
    message = problem_message(problem)
    values: dict[str, Any] = {"error": message, "lease_until": None}
    resting = isinstance(problem, SourceRateLimited)  # nothing was asked, so this was no attempt
    if resting or (passing and claimed.attempts < MAX_ATTEMPTS):
        values |= {
            "state": "queued",
            "run_at": next_attempt_at(claimed.attempts, getattr(problem, "retry_after", None)),
        }
        values |= {"attempts": claimed.attempts - 1} if resting else {}
    else:
        values |= {"state": "failed", "ended_at": now()}
        # A few items that always fail must not keep others from being wanted by the same name.
        values |= {"dedup_key": None} if isinstance(problem, ItemsFailedError) else {}
    try:
        with database.write() as tx:
            _update_leased(tx, claimed, values)
            if values["state"] == "failed":
                _notify_of_failure(tx, claimed.id, claimed.payload, created_by=claimed.created_by, problem=message)
    except LeaseLostError:
        log.warning("job taken over by another worker", job=claimed.id, kind=claimed.kind)


def _notify_of_failure(
    tx: Write, job_id: int, payload: Mapping[str, Any], *, created_by: int | None, problem: str
) -> None:
    """Whoever wanted a job that was given up hears of it."""
    about = {"job_id": job_id} | ({"import_id": payload["import"]} if "import" in payload else {})
    data = {"happened": "given-up", "problem": problem}
    with isolate_errors("nobody can be told of a job that was given up", job=job_id), savepoint(tx):
        notify(tx, None, "job", [created_by] if created_by else [], about=about, once=f"job:{job_id}", data=data)


def _update_leased(tx: Write, claimed: LeasedJob, values: Mapping[str, Any]) -> None:
    mine = sa.update(Job).where(
        col(Job.id) == claimed.id, col(Job.fencing_token) == claimed.fencing_token, col(Job.state) == "running"
    )
    result = tx.execute(mine.values(**values))
    if result.rowcount == 0:  # type: ignore[attr-defined]
        raise LeaseLostError


@contextmanager
def _lease_heartbeat(database: Database, claimed: LeasedJob) -> Iterator[None]:
    """Renews the lease while the handler waits; a killed process stops beating, and the job is taken over."""
    over = threading.Event()
    thread = threading.Thread(target=_renew_lease, args=(database, claimed, over), name="readtrack-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _renew_lease(database: Database, claimed: LeasedJob, over: threading.Event) -> None:
    wait = BEAT
    while not over.wait(wait):
        try:
            with database.write() as tx:
                extend_lease(tx, claimed)
            wait = BEAT
        except LeaseLostError:
            return  # the handler's own next step will notice
        except Exception:  # whatever it was, the next beat may still come in time
            log.exception("a lease cannot be renewed", job=claimed.id, kind=claimed.kind)
            wait = BEAT / 3
