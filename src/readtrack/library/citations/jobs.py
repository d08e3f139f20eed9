"""The job that fetches what papers cite: one request per paper, made outside of transactions."""

from typing import NamedTuple

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.permissions import is_present
from readtrack.library.citations.store import store_citation_list
from readtrack.metadata import sources
from readtrack.metadata.types import BibliographyItem, PaperDescription, Ref, Service

JOB = "citations.ask"
OFFLINE = "offline"
NO_ANSWER = (SourceUnavailable, SourceRefused)  # the service does not answer for any paper at the moment

log = structlog.get_logger()


class CitationRequest(NamedTuple):
    """The service to ask about a paper, and the identifier to ask with."""

    service: Service
    key: str


def enqueue_citation_job(tx: Write, paper_ids: list[int], *, dedup_key: str, created_by: int) -> int:
    """Enqueue one job that fetches the citations of these papers in turn, and return its id."""
    job_id = queue.enqueue(tx, JOB, {"papers": paper_ids}, dedup_key=dedup_key, created_by=created_by, priority=-1)
    queue.set_total(tx, job_id, len(paper_ids))
    return job_id


@queue.handler(JOB)
def fetch_citations(database: Database, http: Http, job: LeasedJob) -> None:
    """Fetch and store the citations of each paper of the job.

    Each list is committed before the next request, so a retried job continues where it stopped.
    """
    papers: list[int] = job.payload["papers"]
    failed_ids = queue.failed_items(job)
    for done, paper_id in enumerate(papers[job.progress_done :], job.progress_done + 1):
        with queue.isolate_errors("a paper cannot be asked about", *NO_ANSWER, paper=paper_id) as outcome:
            _fetch_paper_citations(database, http, job, paper_id, done=done)
        if outcome.problem is not None:
            failed_ids.append(paper_id)
            with database.write() as tx:
                queue.extend_lease(tx, job, done=done)
                queue.record_failed_items(tx, job, failed_ids)
    queue.finish_items(database, job, "papers", failed_ids)


def _fetch_paper_citations(database: Database, http: Http, job: LeasedJob, paper_id: int, *, done: int) -> None:
    with database.read() as tx:
        request = find_citation_request(tx, paper_id)
    works = _fetch_cited_works(http, request) if request else None
    with database.write() as tx:
        queue.extend_lease(tx, job, done=done)
        if request and works is not None:
            _store_citations(tx, paper_id, request, works)


def find_citation_request(tx: Read, paper_id: int) -> CitationRequest | None:
    """Return the first service and identifier to ask with; None if there is none or the paper is gone."""
    query = (
        sa.select(col(Identifier.scheme), col(Identifier.value))
        .join(Paper, col(Paper.id) == col(Identifier.paper_id))
        .where(col(Paper.id) == paper_id, is_present(Paper))
    )
    description = PaperDescription(
        tuple(Ref(row.scheme, row.value) for row in tx.execute(query.order_by(col(Identifier.id))))
    )
    return next(
        (CitationRequest(service, key) for service in citation_services() for key in service.select_keys(description)),
        None,
    )


def citation_services() -> list[Service]:
    """Return the services that can be asked what a paper cites."""
    return [service for service in sources.all_services() if service.fetch_cited]


def _fetch_cited_works(http: Http, request: CitationRequest) -> list[BibliographyItem] | None:
    """Return the cited works; None if the service does not know the paper or refuses this request."""
    try:
        works = request.service.fetch_cited(http, request.key) if request.service.fetch_cited else None
    except SourceRefused as error:
        if error.code == OFFLINE:
            raise
        log.warning("a service does not tell what a paper cites", key=request.key, problem=error.message)
        return None
    return None if works is None else list(works)


def _store_citations(tx: Write, paper_id: int, request: CitationRequest, works: list[BibliographyItem]) -> None:
    """Store the citations unless the paper was deleted or merged during the request."""
    paper_query = sa.select(col(Paper.id)).where(col(Paper.id) == paper_id, is_present(Paper)).with_for_update()
    if tx.scalar(paper_query) is not None:
        store_citation_list(tx, paper_id, works, service=request.service.name, key=request.key)
