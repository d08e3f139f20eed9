"""The worker for jobs and periodic tasks."""

import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

import structlog

import readtrack.bootstrap
import readtrack.ingest.imports.commit_job
import readtrack.library.citations.citation_lists
import readtrack.library.enrichment.refresh_many
import readtrack.library.enrichment.source_jobs
import readtrack.team.accounts.emails
import readtrack.workspace.bulk_actions.batch_jobs
import readtrack.workspace.webhooks.delivery_job  # noqa: F401 - registers job handlers
from readtrack.bootstrap import open_egress
from readtrack.cli.periodic_tasks import periodic_tasks
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue, scheduler
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.jobs.scheduler import Schedule, ScheduledTask

POLL_SECONDS = 0.5  # Seconds between two checks of an empty queue.
RETRY_SECONDS = 5.0  # Seconds to wait if the queue cannot be read.
NICENESS = 5  # So that on a busy machine the processes that answer requests come first.
STOP_TIMEOUT_SECONDS = 8.0  # Seconds a stopping worker has for its current steps.
# Long jobs that compute instead of waiting for a remote site. They take turns in one thread: two at once would take the
# interpreter from each other, and each would hold SQLite's write lock twice as long.
LOCAL_JOBS = frozenset(
    {
        "backup.create",
        "graph.map",
        "imports.commit",
        "imports.discard",
        "imports.parse",
        "papers.duplicates",
        "papers.encode",
    }
)
LOCAL_THREADS = 1
# Every other job is short, or may wait for a site. There is one job per metadata service, so these are enough for all
# to hang.
REMOTE_THREADS = 32

log = structlog.get_logger()


def run_worker(settings: Settings) -> None:
    """Run jobs and periodic tasks in this process until SIGTERM or SIGINT."""
    os.nice(NICENESS)
    database = Database(settings.url, background=True)
    worker = JobWorker(database, open_egress(settings, database), tasks=periodic_tasks(settings))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, worker.request_stop)
    worker.run()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # Without waiting for threads whose requests hang; their steps will be repeated.


class JobWorker:
    """Runs each job in a thread of its own, because most of the time a job waits for a remote site.

    Periodic tasks have their own thread, so that no job waits for a purge.
    """

    def __init__(self, database: Database, http: Http, *, tasks: Sequence[ScheduledTask] | None = None) -> None:
        self._database, self._http = database, http
        self._over = threading.Event()
        self._is_stop_requested = False
        self._schedule = Schedule(database, http, periodic_tasks() if tasks is None else tasks)
        self._running: set[threading.Thread] = set()
        self._loops = [
            self._thread(self._dispatch, LOCAL_JOBS, threading.Semaphore(LOCAL_THREADS)),
            self._thread(self._dispatch, queue.job_kinds() - LOCAL_JOBS, threading.Semaphore(REMOTE_THREADS)),
            self._thread(self._keep_time),
            self._thread(self._send_heartbeats),
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._loops:
            thread.start()

    def request_stop(self, *_: Any) -> None:  # noqa: ANN401 - also a signal handler
        """Have `run` stop soon. Sets no event, whose lock the interrupted thread may hold."""
        self._is_stop_requested = True

    def stop(self) -> None:
        """Stop all threads after their current steps, with a limited wait."""
        self.request_stop()
        self._over.set()
        end = time.monotonic() + STOP_TIMEOUT_SECONDS
        for thread in [*self._loops, *self._running]:
            if thread.is_alive():
                thread.join(timeout=max(end - time.monotonic(), 0.0))

    def run(self) -> None:
        """Run in the current thread until `request_stop` is called."""
        self.start()
        while not self._is_stop_requested:
            time.sleep(POLL_SECONDS)
        self.stop()

    def _thread(self, target: Any, *arguments: Any) -> threading.Thread:  # noqa: ANN401 - as Thread takes them
        return threading.Thread(target=target, args=arguments, name="readtrack-worker", daemon=True)

    def _dispatch(self, kinds: Collection[str], free_threads: threading.Semaphore) -> None:
        while not self._over.is_set():
            delay = RETRY_SECONDS
            with suppress(BaseException):  # Nothing may end this thread, not even a failing log.
                delay = self._start_job(kinds, free_threads)
            self._over.wait(delay)

    def _start_job(self, kinds: Collection[str], free_threads: threading.Semaphore) -> float:
        """Start the next due job if a thread is free, and return the seconds to wait before the next one."""
        if not free_threads.acquire(timeout=POLL_SECONDS):
            return 0.0
        job = None
        try:
            job = queue.lease_due_job(self._database, kinds)
        except BaseException:
            log.exception("cannot read the job queue")
            return RETRY_SECONDS
        finally:
            if job is None:
                free_threads.release()
        if job is None:
            return POLL_SECONDS
        thread = self._thread(self._run_job, job, free_threads)
        self._running.add(thread)
        try:
            thread.start()
        except RuntimeError:  # Too many threads; the job is run again when its lease ends.
            log.exception("cannot start a thread", job=job.id, kind=job.kind)
            self._running.discard(thread)
            free_threads.release()
            return RETRY_SECONDS
        return 0.0

    def _run_job(self, job: LeasedJob, free_threads: threading.Semaphore) -> None:
        try:
            queue.run_leased_job(self._database, self._http, job)
        except BaseException:
            log.exception("cannot finish job", job=job.id, kind=job.kind)
        finally:
            self._running.discard(threading.current_thread())
            free_threads.release()

    def _keep_time(self) -> None:
        while not self._over.is_set():
            delay = RETRY_SECONDS
            with suppress(BaseException):  # As above.
                delay = self._run_tasks()
            self._over.wait(delay)

    def _send_heartbeats(self) -> None:
        """Record that this worker runs, also while its tasks and jobs take long."""
        while not self._over.is_set():
            delay = RETRY_SECONDS
            with suppress(BaseException):  # As above.
                delay = self._send_heartbeat()
            self._over.wait(delay)

    def _send_heartbeat(self) -> float:
        """Record a sign of life and return the seconds to wait before the next one."""
        try:
            scheduler.record_heartbeat(self._database)
        except BaseException:
            log.exception("cannot record heartbeat")
            return RETRY_SECONDS
        return scheduler.HEARTBEAT_SECONDS

    def _run_tasks(self) -> float:
        """Run due tasks and return the seconds to wait before the next check."""
        try:
            return max(self._schedule.run_due(self._over.is_set), POLL_SECONDS)
        except BaseException:
            log.exception("cannot start periodic tasks")
            return RETRY_SECONDS
