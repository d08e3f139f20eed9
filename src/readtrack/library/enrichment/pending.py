"""Descriptions of pending metadata requests: which service, why, and until when."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.models import MetadataRequest
from readtrack.metadata import sources

OTHERS = {"catalogue": "Local catalogue"}  # sources of metadata that are not services


class PendingReason(NamedTuple):
    """The reason for waiting: short for lists, and as a full sentence."""

    brief: str
    sentence: str


_WAITING = sa.select(
    col(MetadataRequest.paper_id),
    col(MetadataRequest.service),
    col(MetadataRequest.problem),
    col(MetadataRequest.not_before),
).where(col(MetadataRequest.state) == "waiting", in_id_list(col(MetadataRequest.paper_id), "ids"))


def service_job_key(service: str) -> str:
    """Return the deduplication key of a service's job."""
    return f"papers.refresh:{service}"


def find_pending_labels(tx: Read, paper_ids: Sequence[int]) -> Mapping[int, str]:
    """Return a short label for each paper that still has pending requests."""
    if not paper_ids:
        return {}
    pending = {row.paper_id: row for row in tx.rows(_WAITING, {"ids": paper_ids})}
    services = {service: get_pending_reason(tx, service) for service in {row.service for row in pending.values()}}
    retry_reasons = {row.paper_id: _retry_reason(row.service, row.problem, row.not_before) for row in pending.values()}
    return {paper_id: (retry_reasons[paper_id] or services[row.service]).brief for paper_id, row in pending.items()}


def get_pending_reason(
    tx: Read, service: str, *, problem: str = "", not_before: datetime | None = None
) -> PendingReason:
    """Return why a service has not answered yet and when it is tried again.

    `problem`, `not_before`: of the single request, if it was postponed.
    """
    if reason := _retry_reason(service, problem, not_before):
        return reason
    job, name = queue.find_by_dedup_key(tx, service_job_key(service)), service_label(service)
    if job is None:
        return PendingReason(
            _("metadata not fetched"),
            _("Metadata from {name} hasn't been fetched. Use “Refresh metadata” to fetch it.").format(name=name),
        )
    if job.error and (job.state != "queued" or job.run_at <= now()):  # gave up, and possibly restarts just now
        return PendingReason(_("metadata not fetched"), _("{problem} Retrying later.").format(problem=job.error))
    return _retry_reason(service, job.error, job.run_at) or PendingReason(
        _("metadata pending"), _("Fetching metadata from {name}.").format(name=name)
    )


def _retry_reason(service: str, problem: str, until: datetime | None) -> PendingReason | None:
    if not problem or until is None or until <= now():
        return None
    retry_time = f"{until:%H:%M} UTC" if until - now() < timedelta(days=1) else f"{until:%Y-%m-%d %H:%M} UTC"
    return PendingReason(
        _("retrying {service} at {at}").format(service=service_label(service), at=retry_time),
        _("{problem} Next attempt at {at}.").format(problem=problem, at=retry_time),
    )


def service_label(service: str) -> str:
    """Return the display name of a service, or its key if it is not registered."""
    return next(
        (candidate.label for candidate in sources.all_services() if candidate.name == service),
        OTHERS.get(service, service),
    )
