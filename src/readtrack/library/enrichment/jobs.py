"""The job that sends all pending requests of one service.

Requests are made outside of transactions. The local catalogue is asked first, and single requests carry the validators
(ETag, Last-Modified) of earlier responses.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import Conflict, SourceRateLimited, SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import CatalogHttp, CatalogLookup, Http, HttpResponse
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import MetadataRequest, Paper
from readtrack.infra.permissions import is_present
from readtrack.infra.text.titles import compare
from readtrack.library.duplicates.jobs import enqueue_duplicate_search
from readtrack.library.enrichment import versions
from readtrack.library.enrichment.pending import is_waiting
from readtrack.library.enrichment.scheduler import JOB, enqueue_service_job
from readtrack.library.enrichment.source_jobs import ask_other_sources
from readtrack.library.enrichment.store import (
    BatchResult,
    DueRequest,
    build_unreadable_error,
    find_due_requests,
    store_answers,
)
from readtrack.library.matching.title_search import enqueue_remaining_searches
from readtrack.metadata import sources
from readtrack.metadata.types import FetchResult, Metadata, Ref, Service

_TELLS = {"etag": "if-none-match", "last-modified": "if-modified-since"}
_MAX_VALIDATOR_CHARS = 500  # characters of a validator
OFFLINE = "offline"
MAX_SAME_KEY = 20  # requests of a host among which those with the same key are looked for
HOSTS_AT_ONCE = 16  # hosts asked at the same time by a service that has many
TURN_SECONDS = 10.0  # seconds that one service may occupy a worker
# These errors say nothing about a single key
NO_ANSWER = (SourceUnavailable, SourceRefused, StorageUnavailable, Conflict)


def find_cached_metadata(http: Http, service: Service, keys: Sequence[str]) -> dict[str, Metadata]:
    """Return the cached metadata by key: by identifier for an authority, by title for a search index.

    A record counts only under its own identifier; identifiers it merely claims are left to their own service.
    """
    if not (keys and isinstance(http, CatalogHttp)):
        return {}
    if not service.own_schemes:
        return {key: metadata for key in keys if service.by_title and (metadata := _find_published(http.known, key))}
    refs = {Ref(scheme, key): key for scheme in service.own_schemes for key in keys}
    return {refs[ref]: metadata for ref, metadata in http.known.look_up(list(refs)).items() if metadata.ref == ref}


def _find_published(catalog: CatalogLookup, title: str) -> Metadata | None:
    """Return the published work with exactly this title; a preprint would add nothing."""
    works = (
        metadata
        for metadata in catalog.find_title(title)
        if metadata.stage == "published" and compare.is_same_title(metadata.title, title)
    )
    return next(works, None)


class UnchangedError(Exception):
    """The response is unchanged since the last request (304)."""


class ConditionalHttp(Http):
    """An Http that sends the known validators of an address.

    Raise UnchangedError if the response is unchanged.
    """

    def __init__(self, http: Http, validators: Mapping[str, Any]) -> None:
        self._http, self._known = http, validators
        self.validators: dict[str, Any] = {}

    def base(self, name: str) -> str:
        return self._http.base(name)

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        return self._http.post(url, body, headers)

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        response = self._http.get(url, {**(headers or {}), **self._known.get(url, {})})
        if response.status == 304:
            raise UnchangedError
        validators = {_TELLS[name]: value for name, value in response.headers.items() if name in _TELLS}
        if (
            response.status == 200
            and validators
            and all(len(value) <= _MAX_VALIDATOR_CHARS for value in validators.values())
        ):
            self.validators[url] = validators
        return response


@queue.handler(JOB)
def refresh_papers(database: Database, http: Http, job: LeasedJob) -> None:
    """Process batches until nothing is pending or the time slice is over.

    Each batch is committed before the next. If a key gets no usable answer, batches shrink until it is isolated; it is
    then postponed so that it does not block the others.
    """
    service = sources.service(job.payload["service"])
    if service.has_many_hosts:
        _refresh_from_many_hosts(database, http, job, service)
        return
    done, deadline, batches = job.progress_done, time.monotonic() + TURN_SECONDS, _Batches(service.batch, job.attempts)
    while True:
        with database.read() as tx:
            due_requests = _list_due_requests(tx, service, batches)
        if not due_requests and batches.problem:
            _ask_other_sources(database, job, service)
            raise batches.problem
        if not due_requests and _is_over(database, job, service, batches):
            return
        answers = _fetch_batch(database, http, job, due_requests, batches=batches)
        if answers is None:
            continue
        if batches.problem:  # another key was answered, so the failure belongs to this one
            store_answers(
                database,
                job,
                batches.suspect,
                BatchResult(FetchResult(), error=batches.problem),
                done=None,
                requeue=False,
            )
            batches.clear()
        is_over, done = time.monotonic() > deadline, done + len(due_requests)
        store_answers(database, job, due_requests, answers, done=done, requeue=is_over)
        if is_over:
            return


def _refresh_from_many_hosts(database: Database, http: Http, job: LeasedJob, service: Service) -> None:
    """Ask many hosts at once, each for one key at a time, and store every answer when it comes.

    A host that hangs delays only the keys of its own. After an error that stops the job, nothing more is asked, and the
    answers that are still to come are stored before it is raised.
    """
    done, deadline = job.progress_done, time.monotonic() + TURN_SECONDS
    running: dict[Future[BatchResult | None], tuple[str, Mapping[str, Sequence[DueRequest]]]] = {}
    last_host, error = "", None
    with ThreadPoolExecutor(HOSTS_AT_ONCE, thread_name_prefix="readtrack-page") as executor:
        while True:
            is_over = error is not None or time.monotonic() > deadline
            if not is_over:
                busy_hosts = {host for host, _ in running.values()}
                with database.read() as tx:
                    due_hosts = _list_other_hosts(tx, service, busy_hosts, after=last_host)
                for host, requests in due_hosts:
                    future = executor.submit(_fetch_batch, database, http, job, requests, batches=_Batches(1, 1))
                    running[future], last_host = (host, requests), host
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                _, requests = running.pop(future)
                done += len(requests)
                problem = _store_fetched(database, job, requests, future, done=done)
                error = error or problem
    if error is not None:
        raise error
    if is_over or not _is_over(database, job, service, _Batches(1, 1)):
        with database.write() as tx:
            queue.requeue_job(tx, job)


def _store_fetched(
    database: Database,
    job: LeasedJob,
    requests: Mapping[str, Sequence[DueRequest]],
    future: Future[BatchResult | None],
    *,
    done: int,
) -> BaseException | None:
    """Store an answer, and return the error if fetching or storing it failed."""
    try:
        with queue.isolate_errors("failed to store response", *NO_ANSWER, keys=list(requests)) as outcome:
            if (answers := future.result()) is not None:
                store_answers(database, job, requests, answers, done=done, requeue=False)
    except NO_ANSWER as problem:
        return problem
    return outcome.problem


def _list_other_hosts(
    tx: Read, service: Service, busy_hosts: Collection[str], *, after: str
) -> list[tuple[str, Mapping[str, Sequence[DueRequest]]]]:
    """Return the next hosts that are not busy, up to HOSTS_AT_ONCE in all, each with its next due key.

    Hosts take turns in the order of their names, beginning `after` one. An index leads from host to host, however many
    requests each has.
    """
    found: dict[str, Mapping[str, Sequence[DueRequest]]] = {}
    is_due = sa.or_(col(MetadataRequest.not_before).is_(None), col(MetadataRequest.not_before) <= now())
    conditions, host = (*_pending_request_filter(service), is_due), col(MetadataRequest.host)
    query = sa.select(host).where(*conditions).order_by(host).limit(1)
    for part in (host > after, host <= after):
        name = tx.scalar(query.where(part))
        while name is not None and len(busy_hosts) + len(found) < HOSTS_AT_ONCE:
            if name not in busy_hosts:
                due_requests = find_due_requests(tx, *conditions, host == name, limit=MAX_SAME_KEY)
                found[name] = dict(list(due_requests.items())[:1])
            name = tx.scalar(query.where(part, host > name))
    return list(found.items())


class _Batches:
    """The batch size, and the decision whether a failure belongs to a key or to the service.

    After two failed attempts, one key is requested alone, and if that fails, another one. The service counts as
    unavailable only if both fail. Batches grow again while the service answers.
    """

    def __init__(self, max_size: int, attempts: int) -> None:
        self._most, self._doubting = max_size, attempts > 2
        self.size = 1 if self._doubting else max_size
        self.suspect: Mapping[str, Sequence[DueRequest]] = {}
        self.problem: SourceUnavailable | None = None  # the error of the suspect

    def grow(self) -> None:
        self.size = min(self.size * 2, self._most)

    def shrink(self, keys: int) -> None:
        self.size = max(keys // 2, 1)

    def clear(self) -> None:
        self.suspect, self.problem = {}, None

    def suspects(self, due_requests: Mapping[str, Sequence[DueRequest]], problem: SourceUnavailable) -> bool:
        """Return True if these keys may be the cause, so that others or fewer are tried.

        False means that the service is unavailable.
        """
        if self.problem or not self._doubting:
            return False
        self.size = 1
        if len(due_requests) == 1:
            self.suspect, self.problem = due_requests, problem
        return True


def resume_pending_requests(tx: Write) -> None:
    """Enqueue jobs for everything pending: after a start, after going online, or when a job has given up."""
    for service in sorted(service.name for service in sources.all_services()):
        query = sa.select(col(MetadataRequest.id)).where(is_waiting(), col(MetadataRequest.service) == service)
        if tx.scalar(query.limit(1)) is not None:
            enqueue_service_job(tx, service)
    queue.restart_offline_jobs(tx)
    enqueue_remaining_searches(tx)
    if versions.is_version_check_due(tx):
        versions.enqueue_version_check(tx)


def _fetch_batch(
    database: Database,
    http: Http,
    job: LeasedJob,
    due_requests: Mapping[str, Sequence[DueRequest]],
    *,
    batches: _Batches,
) -> BatchResult | None:
    """Fetch a batch; None if other or fewer keys are to be tried.

    While the service is unavailable, other services are asked about the same papers.
    """
    service = sources.service(job.payload["service"])
    try:
        with queue.isolate_errors(
            "failed to read response", *NO_ANSWER, service=service.name, keys=list(due_requests)
        ) as outcome:
            answers = _fetch(http, service, due_requests)
    except SourceUnavailable as problem:
        if service.has_many_hosts:
            return BatchResult(FetchResult(), error=problem)
        if not isinstance(problem, SourceRateLimited) and batches.suspects(due_requests, problem):
            return None
        _ask_other_sources(database, job, service)
        raise
    except SourceRefused as problem:
        if problem.code != OFFLINE:
            _ask_other_sources(database, job, service)
        raise
    if outcome.problem is None:
        batches.grow()
        return answers
    batches.shrink(len(due_requests))
    return BatchResult(FetchResult(), error=build_unreadable_error(service)) if len(due_requests) == 1 else None


def _fetch(http: Http, service: Service, due_requests: Mapping[str, Sequence[DueRequest]]) -> BatchResult:
    if not due_requests:
        return BatchResult(FetchResult())
    if cached := find_cached_metadata(
        http, service, [key for key, key_requests in due_requests.items() if not key_requests[0].was_sent]
    ):
        return BatchResult(FetchResult(cached), keys=frozenset(cached))
    if service.batch > 1:
        return BatchResult(service.fetch(http, list(due_requests)))
    ((key, rows),) = due_requests.items()
    conditional_http = ConditionalHttp(http, rows[0].validators if len(rows) == 1 else {})
    try:
        return BatchResult(service.fetch(conditional_http, [key]), validators=conditional_http.validators)
    except UnchangedError:
        return BatchResult(FetchResult(), frozenset({key}))
    except SourceRefused as error:
        if error.code == OFFLINE:
            raise
        return BatchResult(FetchResult(errors={key: error.message}))


def _list_due_requests(tx: Read, service: Service, batches: _Batches) -> dict[str, list[DueRequest]]:
    """Return the next keys that are due, each with its requests: postponed ones first.

    Both queries stop at the limit, however many requests wait, and do not read those that are not due yet.
    """
    is_unsuspected, not_before = col(MetadataRequest.key).not_in(batches.suspect), col(MetadataRequest.not_before)
    conditions, requests = (*_pending_request_filter(service), is_unsuspected), dict[str, list[DueRequest]]()
    for is_due in (not_before <= now(), not_before.is_(None)):
        if (limit := batches.size - sum(map(len, requests.values()))) > 0:
            for key, due_requests in find_due_requests(tx, *conditions, is_due, limit=limit).items():
                requests.setdefault(key, []).extend(due_requests)
    return requests


def _next_due_at(tx: Read, service: Service) -> datetime | None:
    """Return when the first postponed request is due, or None if there is none."""
    not_before = col(MetadataRequest.not_before)
    query = sa.select(not_before).where(*_pending_request_filter(service), not_before.is_not(None))
    return tx.scalar(query.order_by(not_before, col(MetadataRequest.id)).limit(1))


def _is_over(database: Database, job: LeasedJob, service: Service, batches: _Batches) -> bool:
    """Finish or reschedule the job if nothing is due, and return True.

    This runs in a transaction of its own: it waits for row locks and must not hold any meanwhile.
    """
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        if _list_due_requests(tx, service, batches):
            return False
        next_at = _next_due_at(tx, service)
        if next_at is None:
            enqueue_duplicate_search(tx)
            queue.finish_job(tx, job)
        else:
            queue.requeue_job(tx, job, until=next_at)
        return True


def _pending_request_filter(service: Service) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for pending requests of a service about present papers."""
    is_paper_present = sa.exists().where(col(Paper.id) == col(MetadataRequest.paper_id), is_present(Paper))
    return is_waiting(), col(MetadataRequest.service) == service.name, is_paper_present


def _ask_other_sources(database: Database, job: LeasedJob, service: Service) -> None:
    """While a service is unavailable, enqueue requests to the others for all papers waiting for it."""
    ask_other_sources(database, job, *_pending_request_filter(service), unavailable={service.name})
