"""Commands for admins on a source: pause, resume, try now, and cancel its requests."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.models import HostRateLimit, Job, MetadataRequest
from readtrack.infra.permissions import OPERATOR, CurrentUser
from readtrack.library.citations.citation_lists import JOB as CITATION_JOB
from readtrack.library.enrichment.pending import PAUSED, find_paused_services, is_waiting, service_job_key
from readtrack.library.enrichment.scheduler import enqueue_service_job
from readtrack.library.enrichment.source_jobs import (
    CANCEL_JOB,
    RESTORE_JOB,
    RETRY_JOB,
    change_key,
    enqueue_bypass,
    enqueue_change,
    is_canceled,
)
from readtrack.library.enrichment.source_status import host_condition
from readtrack.library.matching.title_search import JOB as TITLE_SEARCH_JOB
from readtrack.metadata import sources
from readtrack.metadata.types import Service

SHARED_JOBS = (TITLE_SEARCH_JOB, CITATION_JOB)  # jobs that ask several sources


def pause_source(tx: Write, me: CurrentUser, name: str) -> str:
    """Ask a source nothing until it is resumed; other sources are asked instead. Return its label.

    Requests are still collected. Raise NotFound.
    """
    service = _require_source(me, name)
    if name not in find_paused_services(tx):
        queue.pause_job(tx, enqueue_service_job(tx, name), PAUSED)
        enqueue_bypass(tx, name, state="waiting")
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
    enqueue_change(tx, RETRY_JOB, name)
    tx.bulk_execute(
        sa.update(HostRateLimit)
        .where(host_condition(service, bases), col(HostRateLimit.not_before) > now())
        .values(not_before=now())
    )
    queue.run_waiting_now(tx, sa.or_(col(Job.id) == enqueue_service_job(tx, name), col(Job.kind).in_(SHARED_JOBS)))
    return service.label


def cancel_requests(tx: Write, me: CurrentUser, name: str) -> int:
    """Have all waiting requests of a source canceled by a job, and return their number. Raise NotFound.

    Nothing waits for them then. Other sources are asked instead.
    """
    service = _require_source(me, name)
    if job := queue.find_by_dedup_key(tx, service_job_key(name)):
        queue.end_job(tx, job.id or 0)  # First: it waits for transactions that are joining it with their requests.
    is_affected = sa.and_(is_waiting(), col(MetadataRequest.service) == name)
    count = tx.scalar(sa.select(sa.func.count()).select_from(MetadataRequest).where(is_affected)) or 0
    if count:
        enqueue_change(tx, CANCEL_JOB, name)
        _record_event(tx, me, "source.canceled", service)
    return count


def restore_requests(tx: Write, me: CurrentUser, name: str) -> str:
    """Undo `cancel_requests`: have the canceled requests sent after all. Return the source's label. Raise NotFound."""
    service = _require_source(me, name)
    is_affected = sa.and_(is_canceled(), col(MetadataRequest.service) == name)
    is_being_canceled = queue.find_by_dedup_key(tx, change_key(CANCEL_JOB, name)) is not None
    if is_being_canceled or tx.scalar(sa.select(col(MetadataRequest.id)).where(is_affected).limit(1)) is not None:
        enqueue_change(tx, RESTORE_JOB, name)
        _record_event(tx, me, "source.restored", service)
    return service.label


def _require_source(me: CurrentUser, name: str) -> Service:
    permissions.require(me, "manage-jobs")
    service = next((service for service in sources.all_services() if service.name == name), None)
    if service is None:
        raise NotFound(_("Source {source} not found.").format(source=name))
    return service


def _record_event(tx: Write, me: CurrentUser, verb: str, service: Service) -> None:
    events.record_event(tx, None if me == OPERATOR else me, verb, data={"source": service.label})
