"""Count requests and measure how long they take, over all web processes of one server.

The processes are forked from one parent, so an anonymous shared mapping is enough: each process writes to a part of its
own, and any of them adds up all. prometheus-client's way to count over processes, a mapped file for each, does not fit:
a process that writes to such a file while the disk is full is killed (SIGBUS).
"""

import mmap
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from readtrack.web.middleware.status_recorder import StatusRecorder

if TYPE_CHECKING:
    from prometheus_client import Metric

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds, the upper ends; a last one has no end
STATUSES = tuple(int(status) for status in HTTPStatus)
UNMATCHED = ("", "unmatched")  # method and route of requests for which there is no route
_STATUS_CELLS = {status: cell for cell, status in enumerate(STATUSES)}
_FIRST_BUCKET = len(STATUSES)
_SUM = _FIRST_BUCKET + len(BUCKETS) + 1  # microseconds
ROW_CELLS = _SUM + 1


class RequestMetrics:
    """A row of counts for each method and route, in a part of shared memory for each process.

    Only one thread of a process, that of the event loop, writes to its part.
    """

    def __init__(self, routes: Iterable[BaseRoute], *, processes: int = 1) -> None:
        """`processes`: how many will answer requests. Each sets `process` to its number, from 0, after the fork."""
        keys = {(method, _path_of(route)) for route in routes for method in getattr(route, "methods", None) or ()}
        self._keys = [*sorted(keys), UNMATCHED]
        self._rows = {key: row for row, key in enumerate(self._keys)}
        self._process_cells = len(self._keys) * ROW_CELLS
        self._processes = processes
        self._cells = memoryview(mmap.mmap(-1, processes * self._process_cells * 8)).cast("Q")
        self.process = 0

    def record(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one request. `path`: the template of its route."""
        row = self._rows.get((method, path), len(self._keys) - 1)
        start = self.process * self._process_cells + row * ROW_CELLS
        self._cells[start + _STATUS_CELLS.get(status, _STATUS_CELLS[500])] += 1
        self._cells[start + _FIRST_BUCKET + bisect_left(BUCKETS, seconds)] += 1
        self._cells[start + _SUM] += round(seconds * 1_000_000)

    def collect(self) -> Iterator["Metric"]:
        """Yield the counts of all processes, as a collector of prometheus-client does."""
        from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

        requests = CounterMetricFamily(
            "readtrack_requests", "Requests answered, by route and status.", labels=("method", "route", "status")
        )
        durations = HistogramMetricFamily(
            "readtrack_request_duration_seconds", "Time to answer a request.", labels=("method", "route")
        )
        ends = [*map(str, BUCKETS), "+Inf"]
        for row in self._read_rows():
            for status, count in row.statuses.items():
                requests.add_metric((row.method, row.path, str(status)), count)
            durations.add_metric(
                (row.method, row.path), [*zip(ends, accumulate(row.buckets), strict=True)], sum_value=row.seconds
            )
        yield requests
        yield durations

    def _read_rows(self) -> Iterator["_Row"]:
        for number, (method, path) in enumerate(self._keys):
            cells = self._add_up(number)
            if any(cells[_FIRST_BUCKET:_SUM]):
                statuses = {status: cells[cell] for status, cell in _STATUS_CELLS.items() if cells[cell]}
                yield _Row(method, path, statuses, cells[_FIRST_BUCKET:_SUM], cells[_SUM] / 1_000_000)

    def _add_up(self, row: int) -> list[int]:
        starts = [process * self._process_cells + row * ROW_CELLS for process in range(self._processes)]
        return [sum(cells) for cells in zip(*(self._cells[start : start + ROW_CELLS] for start in starts), strict=True)]


class RequestMetricsMiddleware:
    """Records each request with the template of its route, so that an address adds no new label."""

    def __init__(self, app: ASGIApp, *, metrics: RequestMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        recorder = StatusRecorder(send)
        started = time.perf_counter()
        try:
            await self._app(scope, receive, recorder.send)
        finally:
            if recorder.status:  # else the client has left
                path = _path_of(scope.get("route"))
                self._metrics.record(scope["method"], path, recorder.status, time.perf_counter() - started)


class _Row(NamedTuple):
    method: str
    path: str
    statuses: dict[int, int]
    buckets: list[int]
    seconds: float


def _path_of(route: object) -> str:
    return str(getattr(route, "path", ""))
