"""What a batch of questions brought is kept: some papers in one transaction, as they stand by then."""

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
AT_MOST = 3  # times that an answer is brought to a database that is busy
KEPT = 20  # answers in one transaction


@dataclass(frozen=True)
class DueRequest:
    """An inquiry whose turn it is."""

    id: int
    paper_id: int
    validators: Mapping[str, Any]
    asked: bool  # before; then the network is wanted


@dataclass(frozen=True)
class BatchResult:
    """What a batch brought. `unchanged`: keys of which the service says that nothing is new."""

    fetched: FetchResult
    unchanged: frozenset[str] = frozenset()
    validators: Mapping[str, Any] | None = None  # of the one key that was asked
    away: SourceUnavailable | None = None  # nothing came, and it is to be tried again
    only: frozenset[str] | None = None  # the keys that this is about, when not about all of the batch


def build_unreadable_error(service: Service) -> SourceUnavailable:
    """Why an answer is not kept that raised something unexpected. It is asked for again: the fault may be mended."""
    return SourceUnavailable(UNREADABLE.format(service.label))


def find_due_requests(
    tx: Read, *which: sa.ColumnElement[bool], limit: int | None = None
) -> dict[str, list[DueRequest]]:
    """By key, with the papers that ask for it; the oldest first."""
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
    """Some papers in one transaction, so that no other writer waits for all of them. `done`: None without progress."""
    for start in range(0, len(waiting), KEPT):
        _store_some(database, claimed, dict(list(waiting.items())[start : start + KEPT]), answered)
    with database.write() as tx:
        queue.extend_lease(tx, claimed, done=done)
        if over:
            queue.requeue_job(tx, claimed)


def _store_some(
    database: Database, claimed: LeasedJob, waiting: Mapping[str, Sequence[DueRequest]], answered: BatchResult
) -> None:
    """Some answers in one transaction; when that fails, each in one of its own, so that one stops no other."""
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
    """An answer that cannot be kept is asked for again later; meanwhile the others are asked about its papers.

    That even this cannot be written shows that the database itself does not work: then the job is put back.
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
    """What came is not asked for again because somebody wrote the same, or held the same rows, at that moment."""
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
    """Keeps what was said, then sees whom else to ask. A key that no answer speaks of goes on waiting."""
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
    """Papers may have been merged, split or deleted while the answer was on its way; now they are locked."""
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
        values |= {"state": "waiting", "validators": {}}  # what it said before went with another paper
    if answered.validators is not None:
        values["validators"] = dict(answered.validators)
    tx.execute(sa.update(MetadataRequest).where(col(MetadataRequest.id) == inquiry.id).values(values))


def _reschedule_requests(tx: Write, waiting: Mapping[str, Sequence[DueRequest]], away: SourceUnavailable) -> None:
    """One address is tried again later, ever later, and at last given up; nothing else waits for it."""
    these = col(MetadataRequest.id).in_([inquiry.id for inquiries in waiting.values() for inquiry in inquiries])
    rested = isinstance(away, SourceRateLimited)  # nothing was asked
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
    """Only who speaks for a name can say that it is wrong; of others nobody expects to know everything."""
    own = next((source for source in registry.all_sources() if source.name in service.own), None)
    if own is None:
        return ""
    return f"{own.label(key)} is not known there. Check the number; the paper is kept."


def _confirm_unchanged(tx: Write, service: Service, paper_id: int) -> bool:
    """Whether there is a record of what has not changed."""
    mine = sa.update(MetadataRecord).where(
        col(MetadataRecord.paper_id) == paper_id,
        col(MetadataRecord.service) == service.name,
        col(MetadataRecord.state) != "superseded",
    )
    result: Any = tx.execute(mine.values(checked_at=now()))
    return bool(result.rowcount)
