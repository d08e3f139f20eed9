"""Storage of a batch's results in small transactions, against the current state of the papers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import Conflict, SourceRateLimited, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import RETRYING_LATER
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import MetadataRecord, MetadataRequest
from readtrack.library.enrichment.records import store_record
from readtrack.library.enrichment.scheduler import enqueue_requests, lock_unmerged_papers
from readtrack.metadata import sources
from readtrack.metadata.types import FetchResult, Service

GIVEN_UP = "{} Gave up after {} attempts. Refresh the metadata to try again."
UNREADABLE = "The response from {} can't be read because of an internal error. See the log for details."
MAX_ATTEMPTS = 3  # attempts to store a result if the database is busy
BATCH_SIZE = 20  # results in one transaction


@dataclass(frozen=True)
class DueRequest:
    """A pending request that is due."""

    id: int
    paper_id: int
    validators: Mapping[str, Any]
    was_sent: bool  # asked before: then the network is used instead of the cache


@dataclass(frozen=True)
class BatchResult:
    """The result of a batch.

    `unchanged`: keys whose metadata is not modified according to the service.
    """

    fetch_result: FetchResult
    unchanged: frozenset[str] = frozenset()
    validators: Mapping[str, Any] | None = None  # of the only key
    error: SourceUnavailable | None = None  # the error, if nothing came and the batch is to be retried
    keys: frozenset[str] | None = None  # the keys this result covers, if not the whole batch


def build_unreadable_error(service: Service) -> SourceUnavailable:
    """Return the error for an answer that raised an unexpected exception.

    It is retried, as the bug may get fixed.
    """
    return SourceUnavailable(UNREADABLE.format(service.label))


def find_due_requests(
    tx: Read, *conditions: sa.ColumnElement[bool], limit: int | None = None
) -> dict[str, list[DueRequest]]:
    """Return the matching requests grouped by key, those that are due first, then the oldest first."""
    query = (
        sa.select(
            col(MetadataRequest.key),
            col(MetadataRequest.id),
            col(MetadataRequest.paper_id),
            col(MetadataRequest.validators),
            col(MetadataRequest.asked_at),
        )
        .where(*conditions)
        .order_by(col(MetadataRequest.not_before), col(MetadataRequest.id))  # as in the index of waiting requests
        .limit(limit)
    )
    requests: dict[str, list[DueRequest]] = {}
    for row in tx.execute(query):
        requests.setdefault(row.key, []).append(
            DueRequest(row.id, row.paper_id, row.validators, row.asked_at is not None)
        )
    return requests


def store_answers(
    database: Database,
    job: LeasedJob,
    requests: Mapping[str, Sequence[DueRequest]],
    result: BatchResult,
    *,
    done: int | None,
    requeue: bool,
) -> None:
    """Store results in portions, so that other writers do not wait for all.

    `done`: progress, None to keep it.
    """
    for start in range(0, len(requests), BATCH_SIZE):
        _store_some(database, job, dict(list(requests.items())[start : start + BATCH_SIZE]), result)
    with database.write() as tx:
        queue.extend_lease(tx, job, done=done)
        if requeue:
            queue.requeue_job(tx, job)


def _store_some(
    database: Database, job: LeasedJob, requests: Mapping[str, Sequence[DueRequest]], result: BatchResult
) -> None:
    """Store a portion in one transaction.

    If that fails, store each key alone, so that one cannot block the others.
    """
    service = sources.service(job.payload["service"])
    with queue.isolate_errors("failed to store responses together", service=service.name) as batch_outcome:
        _store_in_transaction(database, job, requests, result)
    if batch_outcome.problem is None:
        return
    for key, due_requests in requests.items():
        single = {key: due_requests}
        with queue.isolate_errors("failed to store response", service=service.name, key=key) as outcome:
            _store_in_transaction(database, job, single, result)
        if outcome.problem is not None:
            _postpone_requests(database, job, single, outcome.problem)


def _postpone_requests(
    database: Database, job: LeasedJob, requests: Mapping[str, Sequence[DueRequest]], problem: BaseException
) -> None:
    """Postpone requests whose answers cannot be stored, and ask other services about their papers.

    If even this cannot be written, the database itself is at fault and the job is retried.
    """
    service = sources.service(job.payload["service"])
    reason = (
        problem.message
        if isinstance(problem, StorageUnavailable | Conflict)
        else build_unreadable_error(service).message
    )
    with database.write() as tx:
        queue.extend_lease(tx, job)
        _reschedule_requests(tx, _filter_pending_requests(tx, requests), SourceUnavailable(reason))
    papers = {request.paper_id for due_requests in requests.values() for request in due_requests}
    with (
        queue.isolate_errors("failed to queue requests to other services", papers=sorted(papers)),
        database.write() as tx,
    ):
        queue.extend_lease(tx, job)
        enqueue_requests(tx, papers, unavailable={service.name})


def _store_in_transaction(
    database: Database, job: LeasedJob, requests: Mapping[str, Sequence[DueRequest]], result: BatchResult
) -> None:
    """Store results, retrying on write conflicts so that the answers need not be fetched again."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            with database.write() as tx, search.defer_indexing(tx):
                queue.extend_lease(tx, job)
                _apply_result(tx, sources.service(job.payload["service"]), requests, result)
        except (Conflict, StorageUnavailable):
            if attempt == MAX_ATTEMPTS:
                raise
        else:
            return


def _apply_result(
    tx: Write, service: Service, requests: Mapping[str, Sequence[DueRequest]], result: BatchResult
) -> None:
    """Store the answers, then schedule the next requests. Keys without an answer stay pending."""
    pending = _filter_pending_requests(tx, requests)
    if result.error:
        _reschedule_requests(tx, pending, result.error)
        if not service.has_many_hosts:
            papers = {request.paper_id for due_requests in pending.values() for request in due_requests}
            enqueue_requests(tx, papers, unavailable={service.name})
        return
    if result.keys is not None:
        pending = {key: due_requests for key, due_requests in pending.items() if key in result.keys}
    for key, due_requests in pending.items():
        for request in due_requests:
            _apply_answer(tx, service, request, result, key=key)
    enqueue_requests(tx, {request.paper_id for due_requests in pending.values() for request in due_requests})


def _filter_pending_requests(
    tx: Write, requests: Mapping[str, Sequence[DueRequest]]
) -> Mapping[str, Sequence[DueRequest]]:
    """Return the requests still pending: papers may have been merged, split or deleted meanwhile.

    Lock the papers.
    """
    is_requested = col(MetadataRequest.id).in_(
        [request.id for due_requests in requests.values() for request in due_requests]
    )
    conditions = (is_requested, col(MetadataRequest.state) == "waiting")
    locked_ids = lock_unmerged_papers(tx, tx.scalars(sa.select(col(MetadataRequest.paper_id)).where(*conditions)).all())
    return find_due_requests(tx, *conditions, col(MetadataRequest.paper_id).in_(locked_ids))


def _apply_answer(tx: Write, service: Service, request: DueRequest, result: BatchResult, *, key: str) -> None:
    state, problem = _outcome(service, key, result)
    values: dict[str, Any] = {"state": state, "problem": problem, "asked_at": now(), "not_before": None}
    if key in result.fetch_result.records:
        store_record(tx, request.paper_id, result.fetch_result.records[key], key=key)
    elif key in result.unchanged and not _confirm_unchanged(tx, service, request.paper_id):
        values |= {"state": "waiting", "validators": {}}  # the record was moved to another paper, so fetch it again
    if result.validators is not None:
        values["validators"] = dict(result.validators)
    tx.execute(sa.update(MetadataRequest).where(col(MetadataRequest.id) == request.id).values(values))


def _reschedule_requests(tx: Write, requests: Mapping[str, Sequence[DueRequest]], error: SourceUnavailable) -> None:
    """Postpone requests with backoff, and give up after the maximum number of attempts."""
    is_requested = col(MetadataRequest.id).in_(
        [request.id for due_requests in requests.values() for request in due_requests]
    )
    is_rate_limited = isinstance(error, SourceRateLimited)  # the rate limit applied before anything was sent
    for request in tx.scalars(sa.select(MetadataRequest).where(is_requested)).all():
        request.tries += not is_rate_limited
        request.not_before, request.problem = queue.next_attempt_at(request.tries, error.retry_after), error.message
        if request.tries >= queue.MAX_ATTEMPTS:
            request.state, request.asked_at = "refused", now()
            reason = error.message.removesuffix(RETRYING_LATER).rstrip()
            request.problem = GIVEN_UP.format(reason, request.tries)
    tx.flush()


def _outcome(service: Service, key: str, result: BatchResult) -> tuple[str, str]:
    if key in result.fetch_result.records or key in result.unchanged:
        return "answered", ""
    if key in result.fetch_result.missing:
        return "unknown", _describe_unknown(service, key)
    sentence = result.fetch_result.errors.get(key, f"{service.label} sent nothing for this paper.")
    return "refused", sentence


def _describe_unknown(service: Service, key: str) -> str:
    """Return a message if an authority does not know the identifier; "" for other services."""
    own_source = next((source for source in sources.all_sources() if source.name in service.own_schemes), None)
    if own_source is None:
        return ""
    return f"{own_source.label(key)} not found. Check the identifier."


def _confirm_unchanged(tx: Write, service: Service, paper_id: int) -> bool:
    """Update the check time of the service's records; return False if there is none."""
    statement = sa.update(MetadataRecord).where(
        col(MetadataRecord.paper_id) == paper_id,
        col(MetadataRecord.service) == service.name,
        col(MetadataRecord.state) != "superseded",
    )
    result: Any = tx.execute(statement.values(checked_at=now()))
    return bool(result.rowcount)
