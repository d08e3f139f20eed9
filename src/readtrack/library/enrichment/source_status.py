"""What each source is doing: how many requests wait for it, when it last answered, and until when they wait."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.http import rate_limiter
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import HostRateLimit, Job, MetadataRequest, Paper
from readtrack.infra.permissions import is_present
from readtrack.library.enrichment.pending import PAUSED, is_waiting, service_job_key, strip_retry
from readtrack.metadata import sources
from readtrack.metadata.types import Service

# In the order in which a page lists them.
MAX_WAITING = 1_000  # requests of a source that are counted; there may be more
SOURCE_STATES = ("offline", "paused", "resting", "throttled", "failed", "running", "queued", "waiting", "idle")


@dataclass(frozen=True)
class SourceStatus:
    """What a source is doing.

    `state` is one of SOURCE_STATES: it "rests" after failures, is "throttled" at the site's own request, has "failed"
    if its job has given up, and is "waiting" if all its requests wait for a later time. `waiting` is counted up to
    MAX_WAITING. `reason` is a sentence.
    `failures`: in a row. `resting_hosts`: of a source with many hosts. `answers`, `errors`: of all requests so far.
    """

    name: str
    label: str
    state: str
    waiting: int = 0
    last_answer_at: datetime | None = None
    next_try_at: datetime | None = None
    reason: str = ""
    failures: int = 0
    resting_hosts: int = 0
    job_id: int | None = None
    answers: int = 0
    errors: int = 0

    @property
    def has_more_waiting(self) -> bool:
        """Return True if more requests may wait than were counted."""
        return self.waiting == MAX_WAITING

    @property
    def is_active(self) -> bool:
        """Return True if requests wait for the source, or it is not asked."""
        return bool(self.waiting or self.resting_hosts) or self.state not in {"idle", "offline"}


class _HostStatus(NamedTuple):
    """The rate limit of a source's host, or of all hosts of a source with many."""

    not_before: datetime | None = None
    failures: int = 0
    problem: str = ""
    answered_at: datetime | None = None
    resting_hosts: int = 0
    answers: int = 0
    errors: int = 0


def list_sources(tx: Read, bases: Mapping[str, str], *, offline: bool) -> list[SourceStatus]:
    """Return the status of every source, in the order in which they are asked.

    `bases`: the base URLs of services, which tell their hosts; `offline`: readtrack asks nobody.
    """
    waiting_counts, jobs = _count_waiting(tx), _find_jobs(tx)
    hosts = _find_host_status(tx, bases)
    return [
        _build_status(
            service, waiting_counts.get(service.name, 0), jobs.get(service.name), hosts[service.name], offline=offline
        )
        for service in sources.all_services()
    ]


def find_shared_reasons(sources_shown: Sequence[SourceStatus]) -> dict[str, str]:
    """Return one sentence for each reason that several sources have, by the name of each of them.

    Reasons that differ only in the host at their beginning are the same.
    """
    by_problem: dict[str, list[SourceStatus]] = {}
    for source in sources_shown:
        if source.reason and source.state not in {"paused", "idle"}:
            by_problem.setdefault(_strip_host(source.reason), []).append(source)
    sentences = dict[str, str]()
    for problem, same in by_problem.items():
        labels = ", ".join(_(source.label) for source in same)
        has_subject = problem in {source.reason for source in same}
        sentence = f"{labels}: {problem}" if has_subject else f"{labels} {problem}"
        if len(same) > 1:
            sentences |= {source.name: sentence for source in same}
    return sentences


def _strip_host(reason: str) -> str:
    """Return the reason without the name of a host at its beginning."""
    host, _space, rest = reason.partition(" ")
    return rest if "." in host.rstrip(".") else reason


def host_condition(service: Service, bases: Mapping[str, str]) -> sa.ColumnElement[bool]:
    """Return the condition for the rate limits of a source's hosts."""
    if not service.has_many_hosts:
        return _is_host(_hosts(service, bases))
    known_hosts = {
        host for other in sources.all_services() if not other.has_many_hosts for host in _hosts(other, bases)
    }
    return sa.not_(_is_host(known_hosts))


def _hosts(service: Service, bases: Mapping[str, str]) -> Collection[str]:
    """Return the hosts that are asked: that of the base URL, or else those of the site."""
    if base := urlsplit(bases.get(service.name, "")).hostname:
        return {base.rstrip(".")}
    return {host for source in sources.all_sources() if source.name in service.own_schemes for host in source.hosts}


def _is_host(hosts: Collection[str]) -> sa.ColumnElement[bool]:
    host = col(HostRateLimit.host)
    return sa.or_(
        sa.false(), host.in_(sorted(hosts)), *(host.endswith(f".{name}", autoescape=True) for name in sorted(hosts))
    )


def _is_under(host: str, names: Collection[str]) -> bool:
    return any(f".{host}".endswith(f".{name}") for name in names)


def _count_waiting(tx: Read) -> dict[str, int]:
    """Return the number of waiting requests by service, counted up to MAX_WAITING: the page is loaded all the time."""
    names = tuple(service.name for service in sources.all_services())
    return {row.service: row.waiting for row in tx.rows(_waiting_query(names, MAX_WAITING))}


@cache
def _waiting_query(services: tuple[str, ...], limit: int) -> sa.Select[Any]:
    """Build the query once: with a part for each service, that takes longer than to run it."""
    is_paper_present = sa.exists().where(col(Paper.id) == col(MetadataRequest.paper_id), is_present(Paper))
    waiting = sa.select(col(MetadataRequest.id)).where(is_waiting(), is_paper_present).limit(limit)
    counts = []
    for service in services:
        rows = waiting.where(col(MetadataRequest.service) == service).subquery()
        count = sa.select(sa.func.count()).select_from(rows).scalar_subquery()
        counts.append(sa.select(sa.literal(service).label("service"), count.label("waiting")))
    return sa.select(sa.union_all(*counts).subquery())


def _find_jobs(tx: Read) -> dict[str, sa.Row[Any]]:
    names = {service_job_key(service.name): service.name for service in sources.all_services()}
    query = sa.select(col(Job.id), col(Job.dedup_key), col(Job.state), col(Job.run_at), col(Job.error))
    return {names[row.dedup_key]: row for row in tx.execute(query.where(col(Job.dedup_key).in_(names)))}


def _find_host_status(tx: Read, bases: Mapping[str, str]) -> dict[str, _HostStatus]:
    """Return the status of each source's hosts: of the one that rests longest, with the last answer of any."""
    services = sources.all_services()
    hosts = {service.name: _hosts(service, bases) for service in services if not service.has_many_hosts}
    rows = tx.scalars(sa.select(HostRateLimit).where(_is_host({name for names in hosts.values() for name in names})))
    by_service: dict[str, list[HostRateLimit]] = {name: [] for name in hosts}
    for row in rows:
        for name, names in hosts.items():
            if _is_under(row.host, names):
                by_service[name].append(row)
    found = {name: _summarize_hosts(service_rows) for name, service_rows in by_service.items()}
    for service in services:
        if service.has_many_hosts:
            found[service.name] = _find_many_hosts(tx, service, bases)
    return found


def _summarize_hosts(rows: Sequence[HostRateLimit]) -> _HostStatus:
    if not rows:
        return _HostStatus()
    worst = max(rows, key=lambda row: (row.failures, row.not_before))
    answers = [row.answered_at for row in rows if row.answered_at]
    return _HostStatus(
        worst.not_before,
        worst.failures,
        worst.problem,
        max(answers, default=None),
        answers=sum(row.answers for row in rows),
        errors=sum(row.errors for row in rows),
    )


def _find_many_hosts(tx: Read, service: Service, bases: Mapping[str, str]) -> _HostStatus:
    is_resting = sa.and_(
        col(HostRateLimit.failures) > rate_limiter.MAX_FAILURES_IN_A_ROW, col(HostRateLimit.not_before) > now()
    )
    query = sa.select(
        sa.func.max(col(HostRateLimit.answered_at)).label("answered_at"),
        sa.func.count().filter(is_resting).label("resting_hosts"),
        sa.func.coalesce(sa.func.sum(col(HostRateLimit.answers)), 0).label("answers"),
        sa.func.coalesce(sa.func.sum(col(HostRateLimit.errors)), 0).label("errors"),
    ).where(host_condition(service, bases))
    row = tx.execute(query).one()
    return _HostStatus(
        answered_at=row.answered_at, resting_hosts=row.resting_hosts, answers=row.answers, errors=row.errors
    )


def _build_status(
    service: Service, waiting: int, job: sa.Row[Any] | None, host: _HostStatus, *, offline: bool
) -> SourceStatus:
    host_rest = host.not_before if host.problem and host.not_before and host.not_before > now() else None
    job_wait = job.run_at if job and job.state == "queued" and job.run_at > now() else None
    problem = host.problem if host_rest or host.failures else strip_retry(job.error) if job else ""
    state, reason = "idle", _(problem) if problem else ""
    if job and job.state == "paused":
        state, reason = "paused", _(PAUSED)
    elif offline:
        state, reason = "offline", _(OFFLINE)
    elif host_rest and host.failures > rate_limiter.MAX_FAILURES_IN_A_ROW:
        state = "resting"
    elif host_rest and not host.failures:
        state = "throttled"
    elif job and job.state == "failed":
        state = "failed"
    elif job and job.state == "running":
        state = "running"
    elif waiting:
        state = "waiting" if job_wait or host_rest else "queued"
    next_try_at = max((wait for wait in (job_wait, host_rest) if wait), default=None)
    return SourceStatus(
        name=service.name,
        label=service.label,
        state=state,
        waiting=waiting,
        last_answer_at=host.answered_at,
        next_try_at=next_try_at if waiting and state not in {"offline", "paused", "failed"} else None,
        reason=reason,
        failures=host.failures,
        resting_hosts=host.resting_hosts,
        job_id=job.id if job else None,
        answers=host.answers,
        errors=host.errors,
    )
