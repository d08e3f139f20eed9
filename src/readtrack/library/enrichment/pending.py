"""Descriptions of pending metadata requests: which services, why, and until when."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now, to_local
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import SourceRateLimited
from readtrack.infra.http.types import OFFLINE, RETRYING_LATER
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.models import Job, MetadataRequest
from readtrack.metadata import sources

MAX_PROBLEMS = 2  # different problems that are told one by one
PAUSED = N_("Paused by an admin.")
PAUSE_CHECK_SECONDS = 600.0  # between two attempts of a job that asks several services, while one of them is paused
# The problem of requests that an admin canceled. They are "refused", so that nothing waits for them.
CANCELED = N_("An admin canceled this request. Use “Refresh metadata” to send it again.")
_RETRY_TIME = re.compile(r" ?\bRetrying after [0-9-]{10} [0-9:]{5} UTC\.")  # as in infra/http
OTHERS = {"catalogue": "Local catalogue"}  # sources of metadata that are not services


class PendingReason(NamedTuple):
    """Why metadata of a service is not here yet.

    `problem`: what went wrong last, a sentence; `retry_at`: when it is tried again, None if that is not known;
    `is_running`: it is being fetched or about to be.
    """

    service: str
    problem: str = ""
    retry_at: datetime | None = None
    is_running: bool = False

    def describe_briefly(self, zone: str = "") -> str:
        """Return the reason in a few words, for lists, with times in a time zone (blank: UTC)."""
        if self.problem == PAUSED:
            return _("{service} paused").format(service=_(service_label(self.service)))
        if self.retry_at and self.problem != OFFLINE:
            return _("retrying {service} at {at}").format(
                service=_(service_label(self.service)), at=format_time(self.retry_at, zone)
            )
        return _("metadata pending") if self.is_running else _("metadata not fetched")


_WAITING = sa.select(
    col(MetadataRequest.paper_id),
    col(MetadataRequest.service),
    col(MetadataRequest.problem),
    col(MetadataRequest.not_before),
).where(col(MetadataRequest.state) == "waiting", in_id_list(col(MetadataRequest.paper_id), "ids"))


def is_waiting() -> sa.ColumnElement[bool]:
    """Return the condition for waiting requests, in the form of the partial indexes that list them all.

    For the requests of a few papers, compare the state with a bound value, or SQLite may read such an index.
    """
    return col(MetadataRequest.state) == sa.literal_column("'waiting'")


def service_job_key(service: str) -> str:
    """Return the deduplication key of a service's job."""
    return f"papers.refresh:{service}"


def find_paused_services(tx: Read) -> frozenset[str]:
    """Return the services that an admin has paused: nothing may ask them."""
    names = {service_job_key(service.name): service.name for service in sources.all_services()}
    query = sa.select(col(Job.dedup_key)).where(col(Job.state) == "paused", col(Job.dedup_key).in_(names))
    return frozenset(names[key] for key in tx.scalars(query) if key)


def build_paused_error() -> SourceRateLimited:
    """Return the error for a request to a paused service, for jobs that ask several services."""
    return SourceRateLimited(PAUSED, retry_after=PAUSE_CHECK_SECONDS)


def find_pending_labels(tx: Read, paper_ids: Sequence[int], zone: str = "") -> Mapping[int, str]:
    """Return a short label for each paper that still has pending requests, with times in a time zone (blank: UTC)."""
    if not paper_ids:
        return {}
    pending = {row.paper_id: row for row in tx.rows(_WAITING, {"ids": paper_ids})}
    services = {service: get_pending_reason(tx, service) for service in {row.service for row in pending.values()}}
    retry_reasons = {
        row.paper_id: _retry_reason(row.service, row.problem, row.not_before)
        for row in pending.values()
        if services[row.service].problem != PAUSED
    }
    reasons = {paper_id: retry_reasons.get(paper_id) or services[row.service] for paper_id, row in pending.items()}
    return {paper_id: reason.describe_briefly(zone) for paper_id, reason in reasons.items()}


def get_pending_reason(
    tx: Read, service: str, *, problem: str = "", not_before: datetime | None = None
) -> PendingReason:
    """Return why a service has not answered yet and when it is tried again.

    `problem`, `not_before`: of the single request, if it was postponed.
    """
    job = queue.find_by_dedup_key(tx, service_job_key(service))
    if job is not None and job.state == "paused":
        return PendingReason(service, PAUSED)
    if reason := _retry_reason(service, problem, not_before):
        return reason
    if job is None:
        return PendingReason(service)
    if job.error and (job.state != "queued" or job.run_at <= now()):  # gave up, and possibly restarts just now
        return PendingReason(service, strip_retry(job.error))
    return _retry_reason(service, job.error, job.run_at) or PendingReason(service, is_running=True)


def describe_pending(reasons: Iterable[PendingReason], zone: str = "") -> list[str]:
    """Return the reasons as sentences, each said once for all services that share it.

    Times are in a time zone (blank: UTC).
    """
    unique = list(dict.fromkeys(reasons))
    sentences = [
        message.format(name=_join_labels(same))
        for message, same in (
            (_("Fetching metadata from {name}."), [reason for reason in unique if reason.is_running]),
            (
                _("Metadata from {name} hasn't been fetched. Use “Refresh metadata” to fetch it."),
                [reason for reason in unique if not reason.is_running and not reason.problem],
            ),
            (_("Waiting for {name}, paused by an admin."), [reason for reason in unique if reason.problem == PAUSED]),
        )
        if same
    ]
    by_problem: dict[str, list[PendingReason]] = {}
    for reason in unique:
        if reason.problem not in {"", PAUSED}:
            by_problem.setdefault(reason.problem, []).append(reason)
    if len(by_problem) > MAX_PROBLEMS:
        by_problem = {"": [reason for same in by_problem.values() for reason in same]}
    return sentences + [_describe_problem(problem, same, zone) for problem, same in by_problem.items()]


def _describe_problem(problem: str, reasons: Sequence[PendingReason], zone: str) -> str:
    if problem == OFFLINE:
        return _(OFFLINE)
    retry_at = min((reason.retry_at for reason in reasons if reason.retry_at), default=None)
    sentence = _("Waiting for {name}, next try {at}.") if retry_at else _("Waiting for {name}, retrying later.")
    sentence = sentence.format(name=_join_labels(reasons), at=format_time(retry_at, zone) if retry_at else "")
    return f"{sentence} {problem}".rstrip()


def _join_labels(reasons: Iterable[PendingReason]) -> str:
    return ", ".join(dict.fromkeys(_(service_label(reason.service)) for reason in reasons))


def _retry_reason(service: str, problem: str, until: datetime | None) -> PendingReason | None:
    if not problem or until is None or until <= now():
        return None
    return PendingReason(service, strip_retry(problem), until)


def strip_retry(problem: str) -> str:
    """Return the problem without when it is retried, which is said in the reader's time zone."""
    return _RETRY_TIME.sub("", problem).removesuffix(RETRYING_LATER).rstrip()


def format_time(moment: datetime, zone: str = "") -> str:
    """Return the time of the next attempt in a person's time zone, with its date if that is not within a day.

    A blank zone means UTC, which is said.
    """
    pattern = "%H:%M" if moment - now() < timedelta(days=1) else "%Y-%m-%d %H:%M"
    return to_local(moment, zone).strftime(pattern if zone else f"{pattern} UTC")


def service_label(service: str) -> str:
    """Return the display name of a service, or its key if it is not registered."""
    return next(
        (candidate.label for candidate in sources.all_services() if candidate.name == service),
        OTHERS.get(service, service),
    )
