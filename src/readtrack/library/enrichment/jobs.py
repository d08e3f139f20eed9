"""The job that sends all pending requests of one service.

Requests are made outside of transactions.
"""

import time
from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import Conflict, SourceRateLimited, SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import MetadataRequest, Paper
from readtrack.infra.permissions import is_present
from readtrack.library.duplicates.jobs import enqueue_duplicate_search
from readtrack.library.enrichment import versions
from readtrack.library.enrichment.cached import find_cached_metadata
from readtrack.library.enrichment.conditional_requests import ConditionalHttp, UnchangedError
from readtrack.library.enrichment.scheduler import JOB, enqueue_requests, enqueue_service_job
from readtrack.library.enrichment.store import (
    BatchResult,
    DueRequest,
    build_unreadable_error,
    find_due_requests,
    store_answers,
)
from readtrack.library.matching.title_search import enqueue_remaining_searches
from readtrack.metadata import registry
from readtrack.metadata.types import FetchResult, Service

OFFLINE = "offline"
TURN = 10.0  # seconds that one service may occupy a worker
PORTION = 200  # papers per transaction when other services are asked instead
NO_ANSWER = (SourceUnavailable, SourceRefused, StorageUnavailable, Conflict)  # these say nothing of one key alone


@queue.handler(JOB)
def refresh_papers(database: Database, http: Http, claimed: LeasedJob) -> None:
    """Process batches until nothing is pending or the time slice is over.

    Each batch is committed before the next. If a key gets no usable answer, batches shrink until it is isolated; it is
    then postponed so that it does not block the others.
    """
    service = registry.service(claimed.payload["service"])
    done, until, batches = claimed.progress_done, time.monotonic() + TURN, _Batches(service.batch, claimed.attempts)
    while True:
        with database.read() as tx:
            waiting = _list_due_requests(tx, service, batches)
        if not waiting and batches.problem:
            _ask_other_services(database, claimed, service)
            raise batches.problem
        if not waiting and _is_over(database, claimed, service, batches):
            return
        answered = _fetch_batch(database, http, claimed, waiting, batches=batches)
        if answered is None:
            continue
        if batches.problem:  # another key was answered, so the failure belongs to this one
            store_answers(
                database,
                claimed,
                batches.suspect,
                BatchResult(FetchResult(), away=batches.problem),
                done=None,
                over=False,
            )
            batches.clear()
        over, done = time.monotonic() > until, done + len(waiting)
        store_answers(database, claimed, waiting, answered, done=done, over=over)
        if over:
            return


class _Batches:
    """The batch size, and the decision whether a failure belongs to a key or to the service.

    After a failed attempt, one key is requested alone, and if that fails, another one. The service counts as
    unavailable only if both fail. Batches grow again while the service answers.
    """

    def __init__(self, most: int, attempts: int) -> None:
        self._most, self._doubting = most, attempts > 1
        self.size = 1 if self._doubting else most
        self.suspect: Mapping[str, Sequence[DueRequest]] = {}
        self.problem: SourceUnavailable | None = None  # the error of the suspect

    def grow(self) -> None:
        self.size = min(self.size * 2, self._most)

    def shrink(self, keys: int) -> None:
        self.size = max(keys // 2, 1)

    def clear(self) -> None:
        self.suspect, self.problem = {}, None

    def suspects(self, waiting: Mapping[str, Sequence[DueRequest]], problem: SourceUnavailable) -> bool:
        """Return True if these keys may be the cause, so that others or fewer are tried.

        False means that the service is unavailable.
        """
        if self.problem or not self._doubting:
            return False
        self.size = 1
        if len(waiting) == 1:
            self.suspect, self.problem = waiting, problem
        return True


def resume_pending_requests(tx: Write) -> None:
    """Enqueue jobs for everything pending: after a start, after going online, or when a job has given up."""
    waiting = sa.select(col(MetadataRequest.service)).where(col(MetadataRequest.state) == "waiting").distinct()
    known = {service.name for service in registry.all_services()}
    for service in tx.scalars(waiting).all():
        if service in known:
            enqueue_service_job(tx, service)
    enqueue_remaining_searches(tx)
    if versions.is_version_check_due(tx):
        versions.enqueue_version_check(tx)


def _fetch_batch(
    database: Database,
    http: Http,
    claimed: LeasedJob,
    waiting: Mapping[str, Sequence[DueRequest]],
    *,
    batches: _Batches,
) -> BatchResult | None:
    """Fetch a batch; None if other or fewer keys are to be tried.

    While the service is unavailable, other services are asked about the same papers.
    """
    service = registry.service(claimed.payload["service"])
    try:
        with queue.isolate_errors(
            "an answer cannot be read", *NO_ANSWER, service=service.name, keys=list(waiting)
        ) as outcome:
            answered = _fetch(http, service, waiting)
    except SourceUnavailable as problem:
        if service.scattered:
            return BatchResult(FetchResult(), away=problem)
        if not isinstance(problem, SourceRateLimited) and batches.suspects(waiting, problem):
            return None
        _ask_other_services(database, claimed, service)
        raise
    except SourceRefused as problem:
        if problem.code != OFFLINE:
            _ask_other_services(database, claimed, service)
        raise
    if outcome.problem is None:
        batches.grow()
        return answered
    batches.shrink(len(waiting))
    return BatchResult(FetchResult(), away=build_unreadable_error(service)) if len(waiting) == 1 else None


def _fetch(http: Http, service: Service, waiting: Mapping[str, Sequence[DueRequest]]) -> BatchResult:
    if not waiting:
        return BatchResult(FetchResult())
    if found := find_cached_metadata(http, service, [key for key, asking in waiting.items() if not asking[0].asked]):
        return BatchResult(FetchResult(found), only=frozenset(found))
    if service.batch > 1:
        return BatchResult(service.fetch(http, list(waiting)))
    ((key, inquiries),) = waiting.items()
    remembering = ConditionalHttp(http, inquiries[0].validators if len(inquiries) == 1 else {})
    try:
        return BatchResult(service.fetch(remembering, [key]), validators=remembering.seen)
    except UnchangedError:
        return BatchResult(FetchResult(), frozenset({key}))
    except SourceRefused as refused:
        if refused.code == OFFLINE:
            raise
        return BatchResult(FetchResult(refused={key: refused.message}))


def _list_due_requests(tx: Read, service: Service, batches: _Batches) -> dict[str, list[DueRequest]]:
    """Return the next keys that are due, each with its requests."""
    others = col(MetadataRequest.key).not_in(batches.suspect)
    due = sa.or_(col(MetadataRequest.not_before).is_(None), col(MetadataRequest.not_before) <= now())
    return find_due_requests(tx, *_pending_request_filter(service), due, others, limit=batches.size)


def _is_over(database: Database, claimed: LeasedJob, service: Service, batches: _Batches) -> bool:
    """Finish or reschedule the job if nothing is due, and return True.

    This runs in a transaction of its own: it waits for row locks and must not hold any meanwhile.
    """
    with database.write() as tx:
        queue.extend_lease(tx, claimed, ending=True)
        if _list_due_requests(tx, service, batches):
            return False
        later = tx.scalar(
            sa.select(sa.func.min(col(MetadataRequest.not_before))).where(*_pending_request_filter(service))
        )
        if later is None:
            enqueue_duplicate_search(tx)
            queue.finish_job(tx, claimed)
        else:
            queue.requeue_job(tx, claimed, until=later)
        return True


def _pending_request_filter(service: Service) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for pending requests of a service about present papers."""
    here = sa.exists().where(col(Paper.id) == col(MetadataRequest.paper_id), is_present(Paper))
    return col(MetadataRequest.state) == "waiting", col(MetadataRequest.service) == service.name, here


def _ask_other_services(database: Database, claimed: LeasedJob, service: Service) -> None:
    """While a service is unavailable, enqueue requests to the others for all papers waiting for it."""

    def ask_others(tx: Write, papers: Sequence[int]) -> None:
        enqueue_requests(tx, papers, resting={service.name})

    after = 0
    while True:
        with database.read() as tx:
            query = (
                sa.select(col(MetadataRequest.paper_id))
                .where(*_pending_request_filter(service), col(MetadataRequest.paper_id) > after)
                .distinct()
            )
            papers = tx.scalars(query.order_by(col(MetadataRequest.paper_id)).limit(PORTION)).all()
        queue.write_items(database, claimed, papers, ask_others)
        if len(papers) < PORTION:
            return
        after = papers[-1]
