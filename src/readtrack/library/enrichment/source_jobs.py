"""Jobs that change all requests of a source, or ask other sources about their papers, in short transactions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.db.batch_size import BatchSize
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Job, MetadataRequest
from readtrack.library.enrichment.pending import CANCELED, is_waiting
from readtrack.library.enrichment.scheduler import enqueue_requests, enqueue_service_job

BYPASS_JOB = "papers.bypass"
CANCEL_JOB = "papers.cancel"
RESTORE_JOB = "papers.restore"
RETRY_JOB = "papers.retry"
PRIORITY = 2  # before the jobs that send the requests
MAX_PAPERS = 200  # in one transaction
MAX_REQUESTS = 2_000  # in one transaction


def is_canceled() -> sa.ColumnElement[bool]:
    """Return the condition for requests that an admin canceled."""
    # The first part is in the form of the partial index.
    is_refused = col(MetadataRequest.state) == sa.literal_column("'refused'")
    return sa.and_(is_refused, col(MetadataRequest.problem) == CANCELED)


def enqueue_change(tx: Write, kind: str, service: str) -> None:
    """Enqueue a job that changes the present requests of a service, instead of one that would do the opposite."""
    last_id = tx.scalar(sa.select(sa.func.max(col(MetadataRequest.id)))) or 0
    payload = {"service": service, "last_id": last_id}
    queue.replace_job(tx, kind, payload, dedup_key=change_key(kind, service), priority=PRIORITY)


def change_key(kind: str, service: str) -> str:
    """Return the deduplication key of a job that changes requests. Canceling and restoring share one."""
    return f"papers.{'retry' if kind == RETRY_JOB else 'cancel'}:{service}"


def enqueue_bypass(tx: Write, service: str, *, state: str) -> None:
    """Enqueue the job that asks other sources about the papers with requests in that state, from the first one on."""
    payload = {"service": service, "state": state}
    queue.replace_job(tx, BYPASS_JOB, payload, dedup_key=f"{BYPASS_JOB}:{service}:{state}", priority=0)


@queue.handler(CANCEL_JOB)
@queue.handler(RESTORE_JOB)
@queue.handler(RETRY_JOB)
def change_requests(database: Database, _http: Http, job: LeasedJob) -> None:
    """Change the requests that were there when the job was enqueued. Repeating a step changes nothing."""
    service, last_id = job.payload["service"], job.payload["last_id"]
    condition, values = _find_change(job.kind)
    is_affected = sa.and_(col(MetadataRequest.service) == service, col(MetadataRequest.id) <= last_id, condition)
    with database.read() as tx:
        rows = tx.scalars(sa.select(col(MetadataRequest.id)).where(is_affected))
        ids = sorted(request_id for request_id in rows if request_id)
    done, batch = 0, BatchSize(database, MAX_REQUESTS)
    while done < len(ids):
        step = ids[done : done + batch.size]
        done += len(step)
        with database.write() as tx:
            queue.extend_lease(tx, job, done=done, total=len(ids))
            with batch.measured():
                is_in_step = col(MetadataRequest.id).in_(step)
                tx.bulk_execute(sa.update(MetadataRequest).where(is_in_step, is_affected).values(**values))
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        if job.kind == CANCEL_JOB:
            enqueue_bypass(tx, service, state="refused")
        else:
            queue.run_waiting_now(tx, col(Job.id) == enqueue_service_job(tx, service))
        queue.finish_job(tx, job)


def _find_change(kind: str) -> tuple[sa.ColumnElement[bool], Mapping[str, Any]]:
    """Return which requests a job changes, and their new values."""
    if kind == CANCEL_JOB:
        values = {"state": "refused", "problem": CANCELED, "asked_at": now(), "not_before": None, "tries": 0}
        return is_waiting(), values
    if kind == RESTORE_JOB:
        return is_canceled(), {"state": "waiting", "problem": "", "asked_at": None}
    return sa.and_(is_waiting(), col(MetadataRequest.not_before) > now()), {"not_before": None}


@queue.handler(BYPASS_JOB)
def bypass_source(database: Database, _http: Http, job: LeasedJob) -> None:
    """Enqueue the next requests for the papers whose source was paused or whose requests to it were canceled.

    Before it ends, the job looks for requests that came while it ran.
    """
    is_bypassed = sa.and_(
        col(MetadataRequest.service) == job.payload["service"],
        is_canceled() if job.payload["state"] == "refused" else is_waiting(),
    )
    seen_id = 0
    while True:
        with database.read() as tx:
            last_id = tx.scalar(sa.select(sa.func.max(col(MetadataRequest.id)))) or 0
        ask_other_sources(database, job, is_bypassed, col(MetadataRequest.id) > seen_id)
        with database.write() as tx:
            queue.extend_lease(tx, job, ending=True)
            if not _has_later_requests(tx, is_bypassed, last_id):
                queue.finish_job(tx, job)
                return
        seen_id = last_id


def ask_other_sources(
    database: Database, job: LeasedJob, *conditions: sa.ColumnElement[bool], unavailable: Collection[str] = ()
) -> None:
    """Enqueue the next requests for all papers with requests that match, in the order of the papers.

    `unavailable`: services that nothing is to wait for, besides those that are paused or have failed.
    """
    batch, last_id = BatchSize(database, MAX_PAPERS), 0

    def ask_others(tx: Write, paper_ids: Sequence[int]) -> None:
        with batch.measured():
            enqueue_requests(tx, paper_ids, unavailable=unavailable)

    while True:
        with database.read() as tx:
            paper_ids = _list_papers(tx, *conditions, after_id=last_id, limit=batch.size)
        if not paper_ids:
            return
        queue.write_items(database, job, paper_ids, ask_others)
        last_id = paper_ids[-1]


def _list_papers(tx: Read, *conditions: sa.ColumnElement[bool], after_id: int, limit: int) -> Sequence[int]:
    """Return the next papers with requests that match, in the order of their ids."""
    paper_id = col(MetadataRequest.paper_id)
    query = sa.select(paper_id).where(*conditions, paper_id > after_id).distinct()
    return tx.scalars(query.order_by(paper_id).limit(limit)).all()


def _has_later_requests(tx: Read, condition: sa.ColumnElement[bool], last_id: int) -> bool:
    query = sa.select(col(MetadataRequest.id)).where(condition, col(MetadataRequest.id) > last_id)
    return tx.scalar(query.limit(1)) is not None
