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
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import MetadataRecord, MetadataRequest
from readtrack.library.enrichment.records import store_record
from readtrack.library.enrichment.scheduler import enqueue_requests, lock_unmerged_papers
from readtrack.metadata import registry
from readtrack.metadata.types import FetchResult, Service

GIVEN_UP = "{} It was tried {} times and is left alone now; the paper is kept, ask for it again on its page."
UNREADABLE = "Something broke here while the answer of {} was read; the log has the details."
AT_MOST = 3  # attempts to store a result if the database is busy
KEPT = 20  # results in one transaction


@dataclass(frozen=True)
class DueRequest:
    """A pending request that is due."""

    id: int
    paper_id: int
    validators: Mapping[str, Any]
    asked: bool  # asked before: then the network is used instead of the cache


@dataclass(frozen=True)
class BatchResult:
    """The result of a batch.

    `unchanged`: keys whose metadata is not modified according to the service.
    """

    fetched: FetchResult
    unchanged: frozenset[str] = frozenset()
    validators: Mapping[str, Any] | None = None  # of the only key
    away: SourceUnavailable | None = None  # the error, if nothing came and the batch is to be retried
    only: frozenset[str] | None = None  # the keys this result covers, if not the whole batch


def build_unreadable_error(service: Service) -> SourceUnavailable:
    """Return the error for an answer that raised an unexpected exception.

    It is retried, as the bug may get fixed.
    """
    return SourceUnavailable(UNREADABLE.format(service.label))


def find_due_requests(
    tx: Read, *which: sa.ColumnElement[bool], limit: int | None = None
) -> dict[str, list[DueRequest]]:
    """Return the matching requests grouped by key, oldest first."""
    query = (
        sa.select(
            col(MetadataRequest.key),
            col(MetadataRequest.id),
            col(MetadataRequest.paper_id),
            col(MetadataRequest.validators),
            col(MetadataRequest.asked_at),
        )
        .where(*which)
        .order_by(col(MetadataRequest.id))
        .limit(limit)
    )
    found: dict[str, list[DueRequest]] = {}
    for row in tx.execute(query):
        found.setdefault(row.key, []).append(DueRequest(row.id, row.paper_id, row.validators, row.asked_at is not None))
    return found


def store_answers(
    database: Database,
    claimed: LeasedJob,
    waiting: Mapping[str, Sequence[DueRequest]],
    answered: BatchResult,
    *,
    done: int | None,
    over: bool,
) -> None:
    """Store results in portions, so that other writers do not wait for all.

    `done`: progress, None to keep it.
    """
    for start in range(0, len(waiting), KEPT):
        _store_some(database, claimed, dict(list(waiting.items())[start : start + KEPT]), answered)
    with database.write() as tx:
        queue.extend_lease(tx, claimed, done=done)
        if over:
            queue.requeue_job(tx, claimed)


def _store_some(
    database: Database, claimed: LeasedJob, waiting: Mapping[str, Sequence[DueRequest]], answered: BatchResult
) -> None:
    """Store a portion in one transaction.

    If that fails, store each key alone, so that one cannot block the others.
    """
    service = registry.service(claimed.payload["service"])
    with queue.isolate_errors("answers cannot be kept together", service=service.name) as together:
        _store_in_transaction(database, claimed, waiting, answered)
    if together.problem is None:
        return
    for key, inquiries in waiting.items():
        alone = {key: inquiries}
        with queue.isolate_errors("an answer cannot be kept", service=service.name, key=key) as outcome:
            _store_in_transaction(database, claimed, alone, answered)
        if outcome.problem is not None:
            _postpone_requests(database, claimed, alone, outcome.problem)


def _postpone_requests(
    database: Database, claimed: LeasedJob, waiting: Mapping[str, Sequence[DueRequest]], problem: BaseException
) -> None:
    """Postpone requests whose answers cannot be stored, and ask other services about their papers.

    If even this cannot be written, the database itself is at fault and the job is retried.
    """
    service = registry.service(claimed.payload["service"])
    why = (
        problem.message
        if isinstance(problem, StorageUnavailable | Conflict)
        else build_unreadable_error(service).message
    )
    with database.write() as tx:
        queue.extend_lease(tx, claimed)
        _reschedule_requests(tx, _filter_pending_requests(tx, waiting), SourceUnavailable(why))
    papers = {inquiry.paper_id for inquiries in waiting.values() for inquiry in inquiries}
    with (
        queue.isolate_errors("the other services cannot be asked", papers=sorted(papers)),
        database.write() as tx,
    ):
        queue.extend_lease(tx, claimed)
        enqueue_requests(tx, papers, resting={service.name})


def _store_in_transaction(
    database: Database, claimed: LeasedJob, waiting: Mapping[str, Sequence[DueRequest]], answered: BatchResult
) -> None:
    """Store results, retrying on write conflicts so that the answers need not be fetched again."""
    for attempt in range(1, AT_MOST + 1):
        try:
            with database.write() as tx, search.defer_indexing(tx):
                queue.extend_lease(tx, claimed)
                _apply_result(tx, registry.service(claimed.payload["service"]), waiting, answered)
        except (Conflict, StorageUnavailable):
            if attempt == AT_MOST:
                raise
        else:
            return


def _apply_result(
    tx: Write, service: Service, asked: Mapping[str, Sequence[DueRequest]], answered: BatchResult
) -> None:
    """Store the answers, then schedule the next requests. Keys without an answer stay pending."""
    waiting = _filter_pending_requests(tx, asked)
    if answered.away:
        _reschedule_requests(tx, waiting, answered.away)
        if not service.scattered:
            papers = {inquiry.paper_id for inquiries in waiting.values() for inquiry in inquiries}
            enqueue_requests(tx, papers, resting={service.name})
        return
    if answered.only is not None:
        waiting = {key: inquiries for key, inquiries in waiting.items() if key in answered.only}
    for key, inquiries in waiting.items():
        for inquiry in inquiries:
            _apply_answer(tx, service, inquiry, answered, key=key)
    enqueue_requests(tx, {inquiry.paper_id for inquiries in waiting.values() for inquiry in inquiries})


def _filter_pending_requests(
    tx: Write, asked: Mapping[str, Sequence[DueRequest]]
) -> Mapping[str, Sequence[DueRequest]]:
    """Return the requests still pending: papers may have been merged, split or deleted meanwhile.

    Lock the papers.
    """
    these = col(MetadataRequest.id).in_([inquiry.id for inquiries in asked.values() for inquiry in inquiries])
    waits = (these, col(MetadataRequest.state) == "waiting")
    held = lock_unmerged_papers(tx, tx.scalars(sa.select(col(MetadataRequest.paper_id)).where(*waits)).all())
    return find_due_requests(tx, *waits, col(MetadataRequest.paper_id).in_(held))


def _apply_answer(tx: Write, service: Service, inquiry: DueRequest, answered: BatchResult, *, key: str) -> None:
    state, problem = _outcome(service, key, answered)
    values: dict[str, Any] = {"state": state, "problem": problem, "asked_at": now(), "not_before": None}
    if key in answered.fetched.found:
        store_record(tx, inquiry.paper_id, answered.fetched.found[key], key=key)
    elif key in answered.unchanged and not _confirm_unchanged(tx, service, inquiry.paper_id):
        values |= {"state": "waiting", "validators": {}}  # the record was moved to another paper, so fetch it again
    if answered.validators is not None:
        values["validators"] = dict(answered.validators)
    tx.execute(sa.update(MetadataRequest).where(col(MetadataRequest.id) == inquiry.id).values(values))


def _reschedule_requests(tx: Write, waiting: Mapping[str, Sequence[DueRequest]], away: SourceUnavailable) -> None:
    """Postpone requests with backoff, and give up after the maximum number of attempts."""
    these = col(MetadataRequest.id).in_([inquiry.id for inquiries in waiting.values() for inquiry in inquiries])
    rested = isinstance(away, SourceRateLimited)  # the rate limit applied before anything was sent
    for inquiry in tx.scalars(sa.select(MetadataRequest).where(these)).all():
        inquiry.tries += not rested
        inquiry.not_before, inquiry.problem = queue.next_attempt_at(inquiry.tries, away.retry_after), away.message
        if inquiry.tries >= queue.MAX_ATTEMPTS:
            inquiry.state, inquiry.asked_at = "refused", now()
            inquiry.problem = GIVEN_UP.format(away.message, inquiry.tries)
    tx.flush()


def _outcome(service: Service, key: str, answered: BatchResult) -> tuple[str, str]:
    if key in answered.fetched.found or key in answered.unchanged:
        return "answered", ""
    if key in answered.fetched.missing:
        return "unknown", _describe_unknown(service, key)
    sentence = answered.fetched.refused.get(key, f"{service.label} said nothing of it. The paper is kept.")
    return "refused", sentence


def _describe_unknown(service: Service, key: str) -> str:
    """Return a message if an authority does not know the identifier; "" for other services."""
    own = next((source for source in registry.all_sources() if source.name in service.own), None)
    if own is None:
        return ""
    return f"{own.label(key)} is not known there. Check the number; the paper is kept."


def _confirm_unchanged(tx: Write, service: Service, paper_id: int) -> bool:
    """Update the check time of the service's records; return False if there is none."""
    mine = sa.update(MetadataRecord).where(
        col(MetadataRecord.paper_id) == paper_id,
        col(MetadataRecord.service) == service.name,
        col(MetadataRecord.state) != "superseded",
    )
    result: Any = tx.execute(mine.values(checked_at=now()))
    return bool(result.rowcount)
