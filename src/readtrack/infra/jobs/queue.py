"""The job queue.

Jobs are stored in the same database, so that a job commits or rolls back with the change that enqueues it. Effects are
exactly-once: a worker leases a job with a fencing token, and each step writes its result, the progress and the lease in
one transaction, which fails if the token has changed.
"""

import random
import secrets
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from readtrack.infra.http.types import OFFLINE, Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Job
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize

LEASE_DURATION = timedelta(seconds=10)
HEARTBEAT_SECONDS = 3.0  # Seconds between two renewals of a lease (heartbeat).
# Job kinds that concern accounts, mail, webhooks and the operator's folders.
PERSONAL = ("people.", "notices.", "webhooks.", "backup.")
UNFINISHED = ("queued", "paused", "running", "failed")
STUCK_AFTER = timedelta(minutes=10)  # The next worker takes a job as soon as its lease has ended.
FURTHEST_START = timedelta(days=7)  # No job is planned further ahead.
MAX_ATTEMPTS = 8  # Attempts without progress in between.
FIRST_WAIT = 2.0  # Seconds after the first failure, which often is a single bad answer.
BACKOFF_FACTOR = 4  # The last attempt comes about three hours after the first.
STOPPED = (
    "This was tried {} times and got no further; the last time, readtrack was stopped in the middle of it. "
    "What was done before is kept; look into the log, then try it again."
)

# While readtrack is offline, a job that needs the network is not restarted by each of the steps that add work to it.
OFFLINE_DELAY = timedelta(minutes=1)
BROKEN = "Internal error. See the server log."
SOME_FAILED = "{} of {} could not be handled, all others were; the log has the details."
_JOBS: sa.Table = Job.__table__  # type: ignore[attr-defined]
FAILED = "failed"  # Payload key for the items that have failed so far.
UNREADABLE = "What this job is to do is stored in a form that cannot be read. Nothing was done."

log = structlog.get_logger()


@dataclass(frozen=True)
class LeasedJob:
    """A job leased by a worker."""

    id: int
    kind: str
    payload: Mapping[str, Any]
    fencing_token: str
    attempts: int
    created_by: int | None = None
    progress_done: int = 0  # Items done in earlier runs.
    readable: bool = True  # False if the payload cannot be decoded.


class LeaseLostError(Exception):
    """Another worker has leased the job. The current one must stop, and its step is rolled back."""


class ItemsFailedError(Exception):
    """Some items of a job failed and all others succeeded.

    The job is retried for the failed items only.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass
class ItemOutcome:
    """The outcome of an `isolate_errors` block: the exception it raised, if any."""

    problem: BaseException | None = None


@contextmanager
def isolate_errors(message: str, *passed_errors: type[BaseException], **log_fields: object) -> Iterator[ItemOutcome]:
    """Log and record an exception of the block instead of raising it.

    Thus one failing item does not stop the others. LeaseLostError and the exceptions in `passed_errors`, which are not
    caused by the item, are raised.
    """
    outcome = ItemOutcome()
    reraised_errors: tuple[type[BaseException], ...] = (LeaseLostError, KeyboardInterrupt, *passed_errors)
    try:
        yield outcome
    except reraised_errors:
        raise
    # Including SystemExit and panics of native libraries, which also concern one item only.
    except BaseException as problem:
        log.exception(message, **log_fields)
        outcome.problem = problem


def problem_message(problem: BaseException) -> str:
    """Return the message for users: the error's own, or a reference to the log."""
    return normalize.clean(problem.message) if isinstance(problem, ReadtrackError | ItemsFailedError) else BROKEN


Item = TypeVar("Item")
Handler = Callable[[Database, Http, LeasedJob], None]
_handlers: dict[str, Handler] = {}


def handler(kind: str) -> Callable[[Handler], Handler]:
    """Register the decorated function as the handler for jobs of that kind."""

    def register(function: Handler) -> Handler:
        _handlers[kind] = function
        return function

    return register


def enqueue(
    tx: Write,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    *,
    dedup_key: str | None = None,
    priority: int = 0,
    created_by: int | None = None,
    run_at: datetime | None = None,
) -> int:
    """Enqueue a job that becomes visible when the transaction commits, and return its ID.

    If a job with the same `dedup_key` key is unfinished, return that job's ID; if it has failed, restart it; if it is
    paused, it stays paused. A new job does not run before `run_at`.
    """
    values: dict[str, Any] = {
        "kind": kind,
        "payload": dict(payload or {}),
        "priority": priority,
        "created_by": created_by,
        "run_at": run_at or now(),
    }
    while True:
        if dedup_key and (existing_id := _join_existing_job(tx, dedup_key)):
            return existing_id
        job = Job(dedup_key=dedup_key, **values)
        try:
            with tx.begin_nested():
                tx.add(job)
        except IntegrityError:  # Another transaction inserted the same key concurrently.
            if not dedup_key:
                raise
        else:
            return job.id or 0


def _join_existing_job(tx: Write, dedup_key: str) -> int | None:
    existing = next(iter(tx.rows(_JOIN, {"key": dedup_key})), None)
    if existing is None:
        return None
    if existing.state == "failed":
        is_offline = existing.error == OFFLINE
        _reset_job(tx, existing.id, run_at=now() + OFFLINE_DELAY if is_offline else None)
    return int(existing.id)


# Locks the row with FOR KEY SHARE, so that a worker that finds nothing left to do cannot finish the job concurrently
# (see `extend_lease`). The lock blocks neither other callers of `enqueue` nor the worker's progress updates.
_JOIN = (
    sa.select(_JOBS.c.id, _JOBS.c.state, _JOBS.c.error)
    .where(_JOBS.c.dedup_key == sa.bindparam("key"))
    .with_for_update(read=True, key_share=True)
)


def replace_job(tx: Write, kind: str, payload: Mapping[str, Any], *, dedup_key: str, priority: int) -> int:
    """End the job with that deduplication key, if any, and enqueue a new one, which begins at the start."""
    if existing := find_by_dedup_key(tx, dedup_key):
        end_job(tx, existing.id or 0)
    return enqueue(tx, kind, payload, dedup_key=dedup_key, priority=priority)


def job_kinds() -> frozenset[str]:
    """Return the kinds of job that have a handler in this process."""
    return frozenset(_handlers)


def run_due_job(database: Database, http: Http, *, kinds: Collection[str] = ()) -> bool:
    """Run one due job, of the given kinds if any; return False if there was none."""
    job = lease_due_job(database, kinds)
    if job is None:
        return False
    run_leased_job(database, http, job)
    return True


def lease_due_job(database: Database, kinds: Collection[str] = ()) -> LeasedJob | None:
    """Lease the next due job, of the given kinds if any, for this worker. Return None if there is none."""
    # Check with a read transaction first, so that an idle worker never takes the write lock.
    with database.read() as tx:
        if tx.scalar(_due_job_query(kinds)) is None:
            return None
    with database.write() as tx:
        job_id = tx.scalar(_due_job_query(kinds).with_for_update(skip_locked=True, key_share=True))
        if job_id is None:
            return None
        statement = sa.update(Job).where(col(Job.id) == job_id)
        job = tx.execute(sa.select(*_CLAIMED).where(col(Job.id) == job_id)).one()
        if job.attempts >= MAX_ATTEMPTS:  # The worker died in the last attempt, before it could mark the job as failed.
            problem = STOPPED.format(job.attempts)
            tx.execute(statement.values(state="failed", ended_at=now(), error=problem))
            _notify_of_failure(tx, job_id, _payload_of(tx, job_id) or {}, created_by=job.created_by, problem=problem)
            return None
        fence, attempts = secrets.token_hex(8), job.attempts + 1
        tx.execute(
            statement.values(
                fencing_token=fence, state="running", lease_until=now() + LEASE_DURATION, attempts=attempts
            )
        )
        payload = _payload_of(tx, job_id)
    return LeasedJob(
        job_id, job.kind, payload or {}, fence, attempts, job.created_by, job.progress_done, payload is not None
    )


def run_leased_job(database: Database, http: Http, job: LeasedJob) -> None:
    """Run the job, and plan its next attempt if it fails."""
    with _lease_heartbeat(database, job):
        problem = _run(database, http, job)
    if problem is not None:
        _retry_or_fail(database, job, problem)


def extend_lease(
    tx: Write, job: LeasedJob, *, done: int | None = None, total: int | None = None, ending: bool = False
) -> None:
    """Renew the lease and store the progress; must be the first statement of each step.

    Raise LeaseLostError if another worker has taken the job. With `ending`, the step may find nothing left and finish
    the job: it first waits for transactions that are joining the job, so that their work is seen.
    """
    if ending:
        tx.execute(sa.select(col(Job.id)).where(col(Job.id) == job.id).with_for_update())
    values: dict[str, Any] = {"lease_until": now() + LEASE_DURATION}
    if done is not None:
        values |= {"progress_done": done, "attempts": 0, "error": ""}
    if total is not None:
        values["total"] = total
    _update_leased(tx, job, values)


def requeue_job(tx: Write, job: LeasedJob, *, until: datetime | None = None) -> None:
    """Put an unfinished job behind the other due jobs, so that a long job does not block them."""
    values = {"state": "queued", "run_at": until or now(), "lease_until": None, "attempts": 0, "error": ""}
    _update_leased(tx, job, values)


def set_total(tx: Write, job_id: int, total: int) -> None:
    """Store the total number of steps when the job is enqueued, so that its progress can be shown at once."""
    tx.execute(sa.update(Job).where(col(Job.id) == job_id).values(total=total))


def write_items(
    database: Database,
    job: LeasedJob,
    items: Sequence[Item],
    write_batch: Callable[[Write, Sequence[Item]], object],
    *,
    done: int | None = None,
) -> list[Item]:
    """Write all items in one transaction; if that fails, each item in its own transaction.

    Return the items that fail even alone. Errors of the database itself are raised.
    """

    def write_some(batch: Sequence[Item], done: int | None = None) -> None:
        with database.write() as tx:
            extend_lease(tx, job, done=done)
            write_batch(tx, batch)

    with isolate_errors("failed to process job items together", job=job.id, kind=job.kind) as batch_outcome:
        write_some(items, done)
    if batch_outcome.problem is None:
        return []
    failed_items = []
    for item in items:
        with isolate_errors("failed to process job item", job=job.id, kind=job.kind, item=item) as item_outcome:
            write_some([item])
        if item_outcome.problem is not None:
            failed_items.append(item)
            with database.write() as tx:
                extend_lease(tx, job)
    with database.write() as tx:
        extend_lease(tx, job, done=done)
    return failed_items


def update_payload(tx: Write, job: LeasedJob, **values: Any) -> LeasedJob:  # noqa: ANN401 - any JSON
    """Store changed values of the payload, and return the job with them."""
    payload = {**job.payload, **values}
    _update_leased(tx, job, {"payload": payload})
    return replace(job, payload=payload)


def record_failed_items(tx: Write, job: LeasedJob, failed_items: Sequence[Any]) -> None:
    """Store the items that have failed so far in the payload.

    `finish_items` has them retried, even if another worker runs the rest.
    """
    update_payload(tx, job, **{FAILED: list(failed_items)})


def failed_items(job: LeasedJob) -> list[Any]:
    """Return the items stored by `record_failed_items`."""
    return list(job.payload.get(FAILED, ()))


def finish_items(database: Database, job: LeasedJob, name: str, failed_items: Sequence[Any]) -> None:
    """Finish the job after all items of the payload list `name` were tried.

    If items failed, store them as the new list and raise ItemsFailedError, so that the job is retried for them. The
    attempts keep counting, so that the job fails eventually.
    """
    with database.write() as tx:
        extend_lease(tx, job, ending=True)
        if not failed_items:
            finish_job(tx, job)
            return
        payload = {**job.payload, name: list(failed_items), FAILED: []}
        values = {"payload": payload, "progress_done": 0, "total": len(failed_items), "attempts": job.attempts}
        _update_leased(tx, job, values)
    raise ItemsFailedError(SOME_FAILED.format(len(failed_items), len(job.payload[name])))


def finish_job(tx: Write, job: LeasedJob) -> None:
    """Mark the job as done, in the same transaction as its last effect."""
    _update_leased(tx, job, {"state": "done", "ended_at": now(), "dedup_key": None, "error": "", "lease_until": None})


def next_attempt_at(attempts: int, retry_after: float | None) -> datetime:
    """Return the time of the next attempt: the source's Retry-After, or exponential backoff with jitter."""
    backoff_seconds = FIRST_WAIT * BACKOFF_FACTOR ** (attempts - 1) * random.uniform(0.8, 1.2)  # noqa: S311 - jitter, not security
    return now() + timedelta(seconds=backoff_seconds if retry_after is None else retry_after)


def pause_job(tx: Write, job_id: int, reason: str) -> None:
    """Pause an unfinished or failed job until it is resumed. A worker that runs it stops before its next step."""
    values = {"state": "paused", "error": reason, "lease_until": None, "attempts": 0, "ended_at": None}
    tx.execute(sa.update(Job).where(col(Job.id) == job_id, col(Job.state) != "done").values(values))


def resume_job(tx: Write, job_id: int) -> None:
    """Let a paused job run now. Does nothing in any other state."""
    values = {"state": "queued", "run_at": now(), "error": ""}
    tx.execute(sa.update(Job).where(col(Job.id) == job_id, col(Job.state) == "paused").values(values))


def run_waiting_now(tx: Write, condition: sa.ColumnElement[bool]) -> None:
    """Clear the wait of the queued jobs that match the condition."""
    tx.bulk_execute(sa.update(Job).where(condition, col(Job.state) == "queued").values(run_at=now(), attempts=0))


def restart_offline_jobs(tx: Write) -> None:
    """Restart the jobs that stopped because readtrack was offline, except those that would send old mail."""
    is_stopped = sa.and_(col(Job.error) == OFFLINE, col(Job.state).in_(("failed", "queued")), sa.not_(_is_personal()))
    values = {"state": "queued", "run_at": now(), "attempts": 0, "ended_at": None}
    tx.bulk_execute(sa.update(Job).where(is_stopped).values(values))


def end_job(tx: Write, job_id: int) -> None:
    """End a job whose work was given up, unless it is paused. A worker that runs it stops before its next step."""
    values = {"state": "done", "ended_at": now(), "dedup_key": None, "error": "", "lease_until": None}
    tx.execute(sa.update(Job).where(col(Job.id) == job_id, col(Job.state) != "paused").values(values))


def end_outgoing_jobs(tx: Write) -> None:
    """End the personal jobs of a restored library, and let no job look as if a worker ran it.

    Their rows stay, so that no later job gets the ID of one of them.
    """
    is_unfinished = col(Job.state) != "done"
    ended: dict[str, Any] = {"state": "done", "ended_at": now(), "dedup_key": None, "error": "", "payload": {}}
    tx.bulk_execute(sa.update(Job).where(_is_personal(), is_unfinished).values(ended))
    tx.bulk_execute(sa.update(Job).where(col(Job.state) == "running").values(state="queued", run_at=now(), attempts=0))
    tx.bulk_execute(sa.update(Job).values(lease_until=None, fencing_token=""))


def retry_job(tx: Write, job_id: int) -> None:
    """Restart a failed job now. Raise NotFound, or Conflict if it is paused, running or done."""
    job = tx.get(Job, job_id, options=[_WITHOUT_PAYLOAD])
    if job is None:
        message = _("Job {job_id} not found.").format(job_id=job_id)
        raise NotFound(message)
    if job.state not in {"failed", "queued"}:
        message = _("Job {job_id} is {state}. Only failed or waiting jobs can be retried.").format(
            job_id=job_id, state=job.state
        )
        raise Conflict(message)
    _reset_job(tx, job_id)


def visible_jobs(me: CurrentUser) -> sa.ColumnElement[bool]:
    """Return the condition for the jobs the user may see.

    Admins see all jobs, others those of the team and their own. Jobs about accounts and mail reveal who has an account
    and what a mail relay answered about an address; those about webhooks, who has one; those about backups, where they
    are.
    """
    if permissions.has_permission(me, "manage-jobs"):
        return sa.true()
    return sa.or_(sa.not_(_is_personal()), col(Job.created_by) == me.id)


def _is_personal() -> sa.ColumnElement[bool]:
    return sa.or_(*(col(Job.kind).startswith(prefix, autoescape=True) for prefix in PERSONAL))


def list_unfinished_jobs(
    tx: Read, condition: sa.ColumnElement[bool], *, except_kinds: Collection[str] = (), limit: int = 50
) -> list[Job]:
    """Return the waiting, running and failed jobs that match, newest first."""
    is_unfinished = col(Job.state).in_(UNFINISHED)
    query = sa.select(Job).options(_WITHOUT_PAYLOAD).where(is_unfinished, condition)
    return list(tx.scalars(query.where(col(Job.kind).not_in(except_kinds)).order_by(col(Job.id).desc()).limit(limit)))


def list_jobs(
    tx: Read, *, failed: bool = False, limit: int = 100, condition: sa.ColumnElement[bool] | None = None
) -> list[Job]:
    """Return the newest jobs first, filtered by `condition` if given."""
    query = sa.select(Job).options(_WITHOUT_PAYLOAD).order_by(col(Job.id).desc()).limit(limit)
    if condition is not None:
        query = query.where(condition)
    if failed:
        query = query.where(col(Job.state) == "failed")
    return list(tx.scalars(query))


def count_failed_jobs(tx: Read, *, except_error: str = "") -> int:
    """Count the jobs that were given up, without those with that error."""
    query = sa.select(sa.func.count()).select_from(Job).where(col(Job.state) == "failed")
    return tx.scalar(query.where(col(Job.error) != except_error) if except_error else query) or 0


@dataclass(frozen=True)
class JobCount:
    """How many jobs of a kind are in a state."""

    kind: str
    state: str
    count: int


def count_unfinished_jobs(tx: Read) -> list[JobCount]:
    """Count the waiting, running, paused and failed jobs by kind and state."""
    kind, state = col(Job.kind), col(Job.state)
    query = sa.select(kind, state, sa.func.count().label("count")).where(state.in_(UNFINISHED))
    return [
        JobCount(row.kind, row.state, row[2]) for row in tx.execute(query.group_by(kind, state).order_by(kind, state))
    ]


def oldest_due_at(tx: Read) -> datetime | None:
    """Return since when the job that waits longest is due, or None if none is."""
    return tx.scalar(sa.select(col(Job.run_at)).where(_is_due()).order_by(col(Job.run_at)).limit(1))


def count_stuck_jobs(tx: Read) -> int:
    """Count jobs that no worker takes."""
    return tx.scalar(sa.select(sa.func.count()).select_from(Job).where(_is_stuck())) or 0


def release_stuck_jobs(tx: Write) -> int:
    """Make jobs that no worker takes due now, and return their number. A worker that still runs one stops."""
    values = {"state": "queued", "run_at": now(), "lease_until": None, "fencing_token": ""}
    return tx.bulk_execute(sa.update(Job).where(_is_stuck()).values(values)).rowcount


def get_job(tx: Read, job_id: int, *, condition: sa.ColumnElement[bool] | None = None) -> Job:
    """Return a job. Raise NotFound if it does not exist or does not match `condition`."""
    query = sa.select(Job).options(_WITHOUT_PAYLOAD).where(col(Job.id) == job_id)
    job = tx.scalar(query if condition is None else query.where(condition))
    if job is None:
        message = _("Job {job_id} not found.").format(job_id=job_id)
        raise NotFound(message)
    return job


def find_by_dedup_key(tx: Read, dedup_key: str) -> Job | None:
    """Return the unfinished or failed job with that deduplication key, or None."""
    return tx.scalar(sa.select(Job).options(_WITHOUT_PAYLOAD).where(col(Job.dedup_key) == dedup_key))


def _reset_job(tx: Write, job_id: int, *, run_at: datetime | None = None) -> None:
    values = {"state": "queued", "run_at": run_at or now(), "attempts": 0, "ended_at": None}
    tx.execute(sa.update(Job).where(col(Job.id) == job_id).values(values))


_CLAIMED: Sequence[Any] = (Job.kind, Job.attempts, Job.created_by, Job.progress_done)
_WITHOUT_PAYLOAD = defer(Job.payload)  # type: ignore[arg-type]  # an unreadable payload must not break lists


def _payload_of(tx: Read, job_id: int) -> dict[str, Any] | None:
    """Return the payload, or None if it is not a JSON object."""
    try:
        payload = tx.scalar(sa.select(col(Job.payload)).where(col(Job.id) == job_id))
    except (ValueError, RecursionError):  # Not JSON, or nested too deeply.
        return None
    return payload if isinstance(payload, dict) else None


def _due_job_query(kinds: Collection[str]) -> sa.Select[Any]:
    """Return the query for the ID of the next job to run: queued and due, or running with an expired lease."""
    query = sa.select(col(Job.id)).where(_is_due(), col(Job.kind).in_(kinds or _handlers))
    return query.order_by(col(Job.priority).desc(), col(Job.run_at), col(Job.id)).limit(1)


def _is_due() -> sa.ColumnElement[bool]:
    is_queued = sa.and_(col(Job.state) == "queued", col(Job.run_at) <= now())
    is_orphaned = sa.and_(col(Job.state) == "running", col(Job.lease_until) < now())
    return sa.or_(is_queued, is_orphaned)


def _is_stuck() -> sa.ColumnElement[bool]:
    """Return the condition for jobs whose worker is gone, and for those planned by a clock that was far ahead."""
    lease_until = col(Job.lease_until)
    is_abandoned = sa.or_(
        lease_until.is_(None), lease_until < now() - STUCK_AFTER, lease_until > now() + LEASE_DURATION + STUCK_AFTER
    )
    is_far_ahead = sa.and_(col(Job.state) == "queued", col(Job.run_at) > now() + FURTHEST_START)
    return sa.or_(sa.and_(col(Job.state) == "running", is_abandoned), is_far_ahead)


def _run(database: Database, http: Http, job: LeasedJob) -> BaseException | None:
    """Run the handler; return the exception it raised, or None."""
    try:
        _handler_of(job)(database, http, job)
    except LeaseLostError:
        log.warning("job taken over by another worker", job=job.id, kind=job.kind)
    except (ReadtrackError, ItemsFailedError) as problem:
        if problem.message != OFFLINE:
            log.info("job postponed", job=job.id, kind=job.kind, problem=problem.message)
        return problem
    except KeyboardInterrupt:
        raise
    # Including SystemExit and panics of native libraries, which must not end the worker's thread.
    except BaseException as problem:
        log.exception("job failed", job=job.id, kind=job.kind)
        return problem
    return None


def _handler_of(job: LeasedJob) -> Handler:
    if not job.readable:
        raise Invalid(UNREADABLE)
    return _handlers[job.kind]


def _retry_or_fail(database: Database, job: LeasedJob, problem: BaseException) -> None:
    """Reschedule the job after a transient error, or mark it as failed.

    The error is stored on the job in both cases.
    """
    is_transient = not isinstance(problem, ReadtrackError) or isinstance(
        problem, SourceUnavailable | StorageUnavailable | Conflict
    )
    message = problem_message(problem)
    values: dict[str, Any] = {"error": message, "lease_until": None}
    # The source was not contacted, so this does not count as an attempt.
    is_rate_limited = isinstance(problem, SourceRateLimited)
    if is_rate_limited or (is_transient and job.attempts < MAX_ATTEMPTS):
        values |= {
            "state": "queued",
            "run_at": next_attempt_at(job.attempts, getattr(problem, "retry_after", None)),
        }
        values |= {"attempts": job.attempts - 1} if is_rate_limited else {}
    else:
        values |= {"state": "failed", "ended_at": now()}
        # Free the key: a few items that always fail must not block new jobs with the same key.
        values |= {"dedup_key": None} if isinstance(problem, ItemsFailedError) else {}
    try:
        with database.write() as tx:
            _update_leased(tx, job, values)
            if values["state"] == "failed":
                _notify_of_failure(tx, job.id, job.payload, created_by=job.created_by, problem=message)
    except LeaseLostError:
        log.warning("job taken over by another worker", job=job.id, kind=job.kind)


def _notify_of_failure(
    tx: Write, job_id: int, payload: Mapping[str, Any], *, created_by: int | None, problem: str
) -> None:
    """Notify the job's creator that it has failed."""
    subject_ids = {"job_id": job_id} | ({"import_id": payload["import"]} if "import" in payload else {})
    data = {"happened": "given-up", "problem": problem}
    with isolate_errors("failed to report abandoned job", job=job_id), savepoint(tx):
        notify(
            tx,
            None,
            "job",
            [created_by] if created_by else [],
            subject_ids=subject_ids,
            group_key=f"job:{job_id}",
            data=data,
        )


def _update_leased(tx: Write, job: LeasedJob, values: Mapping[str, Any]) -> None:
    statement = sa.update(_JOBS).where(
        _JOBS.c.id == job.id, _JOBS.c.fencing_token == job.fencing_token, _JOBS.c.state == "running"
    )
    if tx.connection().execute(statement.values(**values)).rowcount == 0:
        raise LeaseLostError


@contextmanager
def _lease_heartbeat(database: Database, job: LeasedJob) -> Iterator[None]:
    """Renew the lease in a background thread while the handler runs.

    If the process is killed, the lease expires and another worker takes the job.
    """
    finished = threading.Event()
    thread = threading.Thread(target=_renew_lease, args=(database, job, finished), name="readtrack-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _renew_lease(database: Database, job: LeasedJob, finished: threading.Event) -> None:
    wait_seconds = HEARTBEAT_SECONDS
    while not finished.wait(wait_seconds):
        try:
            with database.write() as tx:
                extend_lease(tx, job)
            wait_seconds = HEARTBEAT_SECONDS
        except LeaseLostError:
            return  # The handler's next step raises LeaseLostError.
        except Exception:  # Whatever failed, the next renewal may still be in time.
            log.exception("failed to renew job lease", job=job.id, kind=job.kind)
            wait_seconds = HEARTBEAT_SECONDS / 3
