"""Lists of what papers cite: stored for each paper, service and identifier, and fetched by a job.

The job makes one request per paper, outside of transactions.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import DBAPIError
from sqlmodel import col

from readtrack.infra.db import Database, Read, Write
from readtrack.infra.db.conditions import is_one_of_pairs
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Citation, CitedWork, Identifier, MetadataRecord, Paper
from readtrack.infra.permissions import is_present
from readtrack.infra.text import normalize
from readtrack.library.enrichment.pending import build_paused_error, find_paused_services
from readtrack.metadata import sources
from readtrack.metadata.types import BibliographyItem, PaperDescription, Ref, Service

BATCH_SIZE = 200  # identifiers in one statement

log = structlog.get_logger()
JOB = "citations.ask"
OFFLINE = "offline"
NO_ANSWER = (SourceUnavailable, SourceRefused)  # the service does not answer for any paper at the moment


def store_citation_list(tx: Write, paper_id: int, works: Sequence[BibliographyItem], *, service: str, key: str) -> None:
    """Replace the stored list of a paper for this service and identifier."""
    works_by_position = {
        position: work for position, work in enumerate(works, 1) if any(map(sources.is_lasting, work.names))
    }
    ids = _find_or_add_works(tx, works_by_position.values())
    new_entries = {
        (position, ids[ref]) for position, work in works_by_position.items() for ref in work.names if ref in ids
    }
    list_filter = _citation_list_filter(paper_id, service, key)
    old_entries = {
        (row.position, row.work_id)
        for row in tx.execute(sa.select(col(Citation.position), col(Citation.work_id)).where(*list_filter))
    }
    if new_entries == old_entries:
        return
    tx.bulk_execute(sa.delete(Citation).where(*list_filter))
    rows = [
        {"paper_id": paper_id, "service": service, "key": key, "position": position, "work_id": work_id}
        for position, work_id in sorted(new_entries)
    ]
    if rows:
        tx.connection().execute(sa.insert(Citation.__table__), rows)  # type: ignore[attr-defined]
    recount(tx, {work_id for _, work_id in new_entries ^ old_entries})


def store_record_citations(tx: Write, record: MetadataRecord) -> None:
    """Store the citations contained in a record, if its service provides them."""
    record_service = {service.name: service for service in sources.all_services()}.get(record.service)
    if record_service is None or record_service.cited is None or not record.raw:
        return
    try:
        works = record_service.cited(record.raw)
    except SourceUnavailable:  # the stored record cannot be parsed any more
        return
    except Exception:  # a broken list must not prevent the record from being stored
        log.exception("failed to read list of references", service=record.service, key=record.key)
        return
    store_citation_list(tx, record.paper_id, works, service=record.service, key=record.key)


def delete_record_citations(tx: Write, record: MetadataRecord) -> None:
    """Delete the list of a record that turned out to describe another work."""
    _delete_citations(tx, _citation_list_filter(record.paper_id, record.service, record.key))


def delete_paper_citations(tx: Write, paper_ids: Collection[int]) -> None:
    """Delete all citation lists of these papers."""
    _delete_citations(tx, (col(Citation.paper_id).in_(paper_ids),))


def move_citation_lists(tx: Write, from_id: int, into_id: int) -> None:
    """Move the citation lists to the paper that now owns the records they came from."""
    has_record = sa.exists().where(
        col(MetadataRecord.paper_id) == into_id,
        col(MetadataRecord.service) == col(Citation.service),
        col(MetadataRecord.key) == col(Citation.key),
    )
    statement = sa.update(Citation).where(col(Citation.paper_id) == from_id, has_record).values(paper_id=into_id)
    recount(tx, set(tx.bulk_execute(statement.returning(col(Citation.work_id))).scalars()))


def recount_papers(tx: Write, paper_ids: Collection[int]) -> None:
    """Recount the works cited by these papers after their lists were moved between papers."""
    work_ids = sa.select(col(Citation.work_id)).where(col(Citation.paper_id).in_(paper_ids))
    recount(tx, set(tx.scalars(work_ids)))


def recount(tx: Write, work_ids: Collection[int]) -> None:
    """Update the number of citing papers, and delete works without any unless a person dismissed them.

    Rows are locked in the order of their ids to avoid deadlocks.
    """
    for batch in _portions(sorted(work_ids)):
        in_batch = col(CitedWork.id).in_(batch)
        tx.execute(sa.select(col(CitedWork.id)).where(in_batch).order_by(col(CitedWork.id)).with_for_update())
        paper_count = sa.select(sa.func.count(sa.distinct(col(Citation.paper_id)))).where(
            col(Citation.work_id) == col(CitedWork.id)
        )
        statement = sa.update(CitedWork).where(in_batch).values(papers=paper_count.scalar_subquery())
        tx.bulk_execute(statement)
        deletion = sa.delete(CitedWork).where(
            in_batch, col(CitedWork.papers) == 0, col(CitedWork.dismissed_at).is_(None)
        )
        tx.bulk_execute(deletion)


def _delete_citations(tx: Write, conditions: tuple[sa.ColumnElement[bool], ...]) -> None:
    statement = sa.delete(Citation).where(*conditions).returning(col(Citation.work_id))
    recount(tx, set(tx.bulk_execute(statement).scalars()))


def _citation_list_filter(paper_id: int, service: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Citation.paper_id) == paper_id, col(Citation.service) == service, col(Citation.key) == key


def _find_or_add_works(tx: Write, works: Iterable[BibliographyItem]) -> dict[Ref, int]:
    """Return the ids of all identifiers of the works, inserting new ones.

    Insert in sorted order to avoid deadlocks between concurrent transactions.
    """
    works_by_ref = {ref: work for work in works for ref in work.names if sources.is_lasting(ref)}
    ids_by_ref = _find_work_ids(tx, list(works_by_ref))
    new_rows = [
        {"scheme": ref.scheme, "value": ref.key, "title": normalize.clean(work.title), "year": work.year, "papers": 0}
        for ref, work in sorted(works_by_ref.items(), key=lambda pair: pair[0])
        if ref not in ids_by_ref
    ]
    if not new_rows:
        return ids_by_ref
    tx.connection().execute(sa.insert(CitedWork.__table__), new_rows)  # type: ignore[attr-defined]
    return _find_work_ids(tx, list(works_by_ref))


def _find_work_ids(tx: Read, refs: Sequence[Ref]) -> dict[Ref, int]:
    query = sa.select(col(CitedWork.id), col(CitedWork.scheme), col(CitedWork.value))
    ids: dict[Ref, int] = {}
    for batch in _portions(refs):
        is_in_batch = is_one_of_pairs(
            col(CitedWork.scheme), col(CitedWork.value), [(ref.scheme, ref.key) for ref in batch]
        )
        ids |= {Ref(row.scheme, row.value): row.id for row in tx.execute(query.where(is_in_batch))}
    return ids


def _portions(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + BATCH_SIZE] for start in range(0, len(items), BATCH_SIZE))


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

    Each list is committed before the next request, so a retried job continues where it stopped. Papers whose service is
    paused or unavailable are moved to the end, so that those of other services do not wait for it.
    """
    failed_ids, done = queue.failed_items(job), job.progress_done
    errors: dict[str, SourceUnavailable] = {}  # by service
    while done < len(job.payload["papers"]):
        paper_id = job.payload["papers"][done]
        request = None
        with database.read() as tx:
            paused = dict.fromkeys(find_paused_services(tx), build_paused_error())
            with queue.isolate_errors("failed to choose service", DBAPIError, paper=paper_id) as outcome:
                request = find_citation_request(tx, paper_id)
        if request and request.service.name in (unavailable := {**paused, **errors}):
            job = _move_to_end(database, job, done, unavailable)
            continue
        try:
            if outcome.problem is None:
                with queue.isolate_errors("failed to fetch references", *NO_ANSWER, paper=paper_id) as outcome:
                    _fetch_paper_citations(database, http, job, paper_id, request, done=done + 1)
        except SourceUnavailable as error:
            if request is None:
                raise
            errors[request.service.name] = error
            continue
        done += 1
        if outcome.problem is not None:
            failed_ids.append(paper_id)
            with database.write() as tx:
                queue.extend_lease(tx, job, done=done)
                queue.record_failed_items(tx, job, failed_ids)
    queue.finish_items(database, job, "papers", failed_ids)


def _move_to_end(
    database: Database, job: LeasedJob, done: int, unavailable: Mapping[str, SourceUnavailable]
) -> LeasedJob:
    """Reorder the papers that are left: those of unavailable services last. Return the job with the new order.

    Raise the error of a service if all wait for one, so that the job is retried later.
    """
    papers: list[int] = job.payload["papers"]
    with database.read() as tx:
        services = {
            paper_id: request.service.name for paper_id, request in _find_citation_requests(tx, papers[done:]).items()
        }
    is_waiting = [services.get(paper_id) in unavailable for paper_id in papers[done:]]
    if all(is_waiting):
        raise [error for service, error in unavailable.items() if service in services.values()][-1]
    pairs = list(zip(papers[done:], is_waiting, strict=True))
    available_ids, waiting_ids = ([paper_id for paper_id, waits in pairs if waits == late] for late in (False, True))
    with database.write() as tx:
        queue.extend_lease(tx, job)
        return queue.update_payload(tx, job, papers=[*papers[:done], *available_ids, *waiting_ids])


def _fetch_paper_citations(
    database: Database, http: Http, job: LeasedJob, paper_id: int, request: CitationRequest | None, *, done: int
) -> None:
    works = _fetch_cited_works(http, request) if request else None
    with database.write() as tx:
        queue.extend_lease(tx, job, done=done)
        if request and works is not None:
            _store_citations(tx, paper_id, request, works)


def find_citation_request(tx: Read, paper_id: int) -> CitationRequest | None:
    """Return the first service and identifier to ask with; None if there is none or the paper is gone."""
    return _find_citation_requests(tx, [paper_id]).get(paper_id)


def _find_citation_requests(tx: Read, paper_ids: Sequence[int]) -> dict[int, CitationRequest]:
    """Return the first service and identifier to ask with, of each paper for which there is one."""
    query = (
        sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
        .join(Paper, col(Paper.id) == col(Identifier.paper_id))
        .where(is_present(Paper))
        .order_by(col(Identifier.id))
    )
    refs: dict[int, list[Ref]] = {}
    for batch in _portions(paper_ids):
        for row in tx.execute(query.where(col(Paper.id).in_(batch))):
            refs.setdefault(row.paper_id, []).append(Ref(row.scheme, row.value))
    requests: dict[int, CitationRequest] = {}
    for paper_id, paper_refs in refs.items():
        description = PaperDescription(tuple(paper_refs))
        for service in citation_services():
            for key in service.select_keys(description):
                requests.setdefault(paper_id, CitationRequest(service, key))
    return requests


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
        log.warning("service refused list of references", key=request.key, problem=error.message)
        return None
    return None if works is None else list(works)


def _store_citations(tx: Write, paper_id: int, request: CitationRequest, works: list[BibliographyItem]) -> None:
    """Store the citations unless the paper was deleted or merged during the request."""
    paper_query = sa.select(col(Paper.id)).where(col(Paper.id) == paper_id, is_present(Paper)).with_for_update()
    if tx.scalar(paper_query) is not None:
        store_citation_list(tx, paper_id, works, service=request.service.name, key=request.key)
