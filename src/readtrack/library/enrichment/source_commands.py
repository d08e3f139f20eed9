"""Commands for admins on a source: pause, resume, try now, and cancel its requests."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import HostRateLimit, Job, MetadataRequest
from readtrack.infra.permissions import OPERATOR, CurrentUser
from readtrack.library.citations.citation_lists import JOB as CITATION_JOB
from readtrack.library.enrichment.pending import CANCELED, PAUSED, find_paused_services, is_waiting, service_job_key
from readtrack.library.enrichment.scheduler import enqueue_requests, enqueue_service_job
from readtrack.library.enrichment.source_status import host_condition
from readtrack.library.matching.title_search import JOB as TITLE_SEARCH_JOB
from readtrack.metadata import sources
from readtrack.metadata.types import Service

JOB = "papers.bypass"
BATCH_SIZE = 200  # papers in one transaction
SHARED_JOBS = (TITLE_SEARCH_JOB, CITATION_JOB)  # jobs that ask several sources


def pause_source(tx: Write, me: CurrentUser, name: str) -> str:
    """Ask a source nothing until it is resumed; other sources are asked instead. Return its label.

    Requests are still collected. Raise NotFound.
    """
    service = _require_source(me, name)
    if name not in find_paused_services(tx):
        queue.pause_job(tx, enqueue_service_job(tx, name), PAUSED)
        _enqueue_bypass(tx, name, state="waiting")
        _record_event(tx, me, "source.paused", service)
    return service.label


def resume_source(tx: Write, me: CurrentUser, name: str) -> str:
    """Ask a paused source again, at once. Return its label. Raise NotFound."""
    service = _require_source(me, name)
    if name in find_paused_services(tx):
        queue.resume_job(tx, enqueue_service_job(tx, name))
        queue.run_waiting_now(tx, col(Job.kind).in_(SHARED_JOBS))
        _record_event(tx, me, "source.resumed", service)
    return service.label


def try_source_now(tx: Write, me: CurrentUser, name: str, bases: Mapping[str, str]) -> str:
    """Send a source's requests now, whatever they wait for. Return its label.

    `bases` are the base URLs of services. Raise NotFound, or Conflict if the source is paused.
    """
    service = _require_source(me, name)
    if name in find_paused_services(tx):
        raise Conflict(_("{source} is paused. Resume it first.").format(source=service.label))
    tx.bulk_execute(_waiting_requests(name).values(not_before=None))
    tx.bulk_execute(
        sa.update(HostRateLimit)
        .where(host_condition(service, bases), col(HostRateLimit.not_before) > now())
        .values(not_before=now())
    )
    queue.run_waiting_now(tx, sa.or_(col(Job.id) == enqueue_service_job(tx, name), col(Job.kind).in_(SHARED_JOBS)))
    return service.label


def cancel_requests(tx: Write, me: CurrentUser, name: str) -> int:
    """Cancel all waiting requests of a source and return their number, so that nothing waits for them.

    Other sources are asked instead. Raise NotFound.
    """
    service = _require_source(me, name)
    if job := queue.find_by_dedup_key(tx, service_job_key(name)):
        queue.end_job(tx, job.id or 0)  # First: it waits for transactions that are joining it with their requests.
    values = {"state": "refused", "problem": CANCELED, "asked_at": now(), "not_before": None, "tries": 0}
    count = tx.bulk_execute(_waiting_requests(name).values(**values)).rowcount
    if count:
        _enqueue_bypass(tx, name, state="refused")
        _record_event(tx, me, "source.canceled", service)
    return count


def restore_requests(tx: Write, me: CurrentUser, name: str) -> int:
    """Undo `cancel_requests`: send the canceled requests after all. Return their number. Raise NotFound."""
    service = _require_source(me, name)
    is_canceled = sa.and_(
        col(MetadataRequest.service) == name,
        col(MetadataRequest.state) == sa.literal_column("'refused'"),  # in the form of the partial index
        col(MetadataRequest.problem) == CANCELED,
    )
    values = {"state": "waiting", "problem": "", "asked_at": None}
    count = tx.bulk_execute(sa.update(MetadataRequest).where(is_canceled).values(**values)).rowcount
    if count:
        enqueue_service_job(tx, name)
        _record_event(tx, me, "source.restored", service)
    return count


@queue.handler(JOB)
def ask_other_sources(database: Database, _http: Http, job: LeasedJob) -> None:
    """Enqueue the next requests for the papers whose source was paused or whose requests to it were canceled."""
    name, state, last_id = job.payload["service"], job.payload["state"], 0
    conditions = [col(MetadataRequest.service) == name, col(MetadataRequest.state) == state]
    if state == "refused":
        conditions.append(col(MetadataRequest.problem) == CANCELED)
    query = sa.select(col(MetadataRequest.paper_id)).where(*conditions).distinct()
    while True:
        with database.read() as tx:
            batch_query = query.where(col(MetadataRequest.paper_id) > last_id).order_by(col(MetadataRequest.paper_id))
            paper_ids = tx.scalars(batch_query.limit(BATCH_SIZE)).all()
        queue.write_items(database, job, paper_ids, _enqueue_next_requests)
        if len(paper_ids) < BATCH_SIZE:
            break
        last_id = paper_ids[-1]
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        queue.finish_job(tx, job)


def _enqueue_next_requests(tx: Write, paper_ids: Sequence[int]) -> None:
    enqueue_requests(tx, paper_ids)


def _enqueue_bypass(tx: Write, service: str, *, state: str) -> None:
    queue.enqueue(tx, JOB, {"service": service, "state": state}, dedup_key=f"{JOB}:{service}:{state}")


def _waiting_requests(service: str) -> sa.Update:
    return sa.update(MetadataRequest).where(is_waiting(), col(MetadataRequest.service) == service)


def _require_source(me: CurrentUser, name: str) -> Service:
    permissions.require(me, "manage-jobs")
    service = next((service for service in sources.all_services() if service.name == name), None)
    if service is None:
        raise NotFound(_("Source {source} not found.").format(source=name))
    return service


def _record_event(tx: Write, me: CurrentUser, verb: str, service: Service) -> None:
    events.record_event(tx, None if me == OPERATOR else me, verb, data={"source": service.label})
