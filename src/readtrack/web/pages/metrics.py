"""Metrics for Prometheus, for allowed networks only; to all others the address does not exist."""

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.clock import now
from readtrack.infra.config import Settings, is_loopback
from readtrack.infra.db import Database
from readtrack.infra.errors import NotFound, ReadtrackError
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import OPERATOR
from readtrack.web.middleware.proxy_headers import parse_address
from readtrack.web.routing import page_router
from readtrack.workspace.system_status import SystemStatus, get_system_status

if TYPE_CHECKING:
    from prometheus_client import Metric

router = page_router()
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
GAUGES: Mapping[str, tuple[str, Callable[[SystemStatus], float | None]]] = {  # by name; None is left out
    "readtrack_papers": ("Papers in the library.", lambda status: status.papers),
    "readtrack_database_bytes": ("Size of the database.", lambda status: status.database.total_bytes),
    "readtrack_wal_bytes": ("Size of SQLite's write-ahead log.", lambda status: status.database.wal_bytes),
    "readtrack_disk_free_bytes": ("Space left on the disk of the data folder.", lambda status: status.free_bytes),
    "readtrack_worker_heartbeat_age_seconds": (
        "Time since a worker last gave a sign of life.",
        lambda status: _age(status.worker_seen_at),
    ),
    "readtrack_oldest_due_job_age_seconds": (
        "Time since the job that waits longest is due; 0 if none is.",
        lambda status: _age(status.oldest_due_at) if status.oldest_due_at else 0.0,
    ),
}


@router.get("/metrics")
def show_metrics(request: Request) -> Response:
    """Show the metrics. Raise NotFound unless the client's address is in METRICS_NETWORKS."""
    if not _is_allowed(request):
        raise NotFound(_("This doesn't exist, or you don't have access to it."))
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(request.app.state.request_metrics)
    registry.register(StatusCollector(request.app.state.database, request.app.state.settings))
    return Response(generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


class StatusCollector:
    """The state of this readtrack as metrics, read from the database when they are asked for."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database, self._settings = database, settings

    def collect(self) -> Iterator["Metric"]:
        """Yield all metrics; without an answer of the database, only that there is none."""
        from prometheus_client.core import GaugeMetricFamily

        try:
            with self._database.read() as tx:
                status = get_system_status(tx, OPERATOR, self._settings)
        except ReadtrackError:
            status = None
        yield GaugeMetricFamily("readtrack_up", "1 if the database answers.", value=float(status is not None))
        if status is None:
            return
        build = GaugeMetricFamily("readtrack_build_info", "Version and database.", labels=("version", "database"))
        build.add_metric((status.version, status.database.kind), 1)
        yield build
        for name, (description, read) in GAUGES.items():
            value = read(status)
            if value is not None:
                yield GaugeMetricFamily(name, description, value=value)
        yield from _job_metrics(status)
        yield from _source_metrics(status)


def _job_metrics(status: SystemStatus) -> Iterator["Metric"]:
    from prometheus_client.core import GaugeMetricFamily

    jobs = GaugeMetricFamily("readtrack_jobs", "Unfinished and failed jobs.", labels=("kind", "state"))
    for job in status.jobs:
        jobs.add_metric((job.kind, job.state), job.count)
    yield jobs


def _source_metrics(status: SystemStatus) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    results = CounterMetricFamily(
        "readtrack_source_requests", "Requests to a source of metadata, by result.", labels=("source", "result")
    )
    waiting = GaugeMetricFamily(
        "readtrack_source_requests_waiting", "Requests that wait for a source, counted up to 1,000.", labels=("source",)
    )
    for source in status.sources:
        results.add_metric((source.name, "answer"), source.answers)
        results.add_metric((source.name, "error"), source.errors)
        waiting.add_metric((source.name,), source.waiting)
    yield results
    yield waiting


def _age(moment: datetime | None) -> float | None:
    return max((now() - moment).total_seconds(), 0.0) if moment else None


def _is_allowed(request: Request) -> bool:
    """Return True if the client itself is in an allowed network.

    What comes through a proxy that is not in TRUSTED_PROXIES has the proxy's address, which often is loopback: it is
    recognized by the headers that proxies add, and by the name under which strangers know the service.
    """
    address = parse_address(request.client.host) if request.client else None
    networks = [ipaddress.ip_network(text, strict=False) for text in request.app.state.settings.metrics_sources]
    if address is None or not any(address in network for network in networks):
        return False
    if getattr(request.state, "fronted", False):
        return True
    is_forwarded = any(name in request.headers for name in FORWARDED)
    is_by_public_name = address.is_loopback and not is_loopback(urlsplit(str(request.url)).hostname or "")
    return not is_forwarded and not is_by_public_name
