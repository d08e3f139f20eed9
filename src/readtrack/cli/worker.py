"""The worker for jobs and periodic tasks, as threads of the serving process or as its own process."""

import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress

import structlog

import readtrack.bootstrap
import readtrack.ingest.imports.commit_job
import readtrack.library.citations.citation_lists
import readtrack.library.enrichment.refresh_many
import readtrack.team.accounts.emails
import readtrack.workspace.bulk_actions.batch_jobs  # noqa: F401 - registers job handlers
from readtrack.cli.periodic_tasks import periodic_tasks
from readtrack.infra.db import Database
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.scheduler import Schedule, ScheduledTask

POLL_SECONDS = 0.5  # Seconds between two checks of an empty queue.
RETRY_SECONDS = 5.0  # Seconds to wait if the queue cannot be read.
STOP_TIMEOUT_SECONDS = 8.0  # Seconds a stopping worker has for its current steps.
THREADS = 3
# Kinds reserved for one thread, so that a slow site never delays an import or a bulk edit.
NEVER_FETCH = frozenset({"imports.commit", "bulk.act", "bulk.undo"})

log = structlog.get_logger()


class JobWorker:
    """Runs jobs in several threads, because most of the time a job waits for a remote site.

    Periodic tasks have their own thread, so that no job waits for a purge.
    """

    def __init__(
        self, database: Database, http: Http, *, threads: int = THREADS, tasks: Sequence[ScheduledTask] | None = None
    ) -> None:
        self._database, self._http = database, http
        self._over = threading.Event()
        self._schedule = Schedule(database, http, periodic_tasks() if tasks is None else tasks)
        kinds = [*(frozenset[str]() for _ in range(max(threads - 1, 1))), *([NEVER_FETCH] if threads > 1 else [])]
        self._threads = [
            threading.Thread(target=self._work, args=(job_kinds,), name=f"readtrack-worker-{number}", daemon=True)
            for number, job_kinds in enumerate(kinds)
        ]
        self._threads.append(threading.Thread(target=self._keep_time, name="readtrack-worker-periodic", daemon=True))

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop all threads after their current steps, with a limited wait."""
        self._over.set()
        end = time.monotonic() + STOP_TIMEOUT_SECONDS
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=max(end - time.monotonic(), 0.0))

    def run(self) -> None:
        """Run in the current process until `stop` is called, e.g. by a signal handler."""
        self.start()
        while not self._over.is_set():
            time.sleep(POLL_SECONDS)  # Not `wait`: it would hold the lock that `stop` needs in the signal handler.

    def _work(self, job_kinds: Collection[str]) -> None:
        while not self._over.is_set():
            delay = RETRY_SECONDS
            with suppress(BaseException):  # Nothing may end this thread, not even a failing log.
                delay = self._run_job(job_kinds)
            self._over.wait(delay)

    def _run_job(self, job_kinds: Collection[str]) -> float:
        """Run one job and return the seconds to wait before the next one."""
        try:
            return 0.0 if queue.run_due_job(self._database, self._http, kinds=job_kinds) else POLL_SECONDS
        except BaseException:
            log.exception("cannot read the job queue")
            return RETRY_SECONDS

    def _keep_time(self) -> None:
        while not self._over.is_set():
            delay = RETRY_SECONDS
            with suppress(BaseException):  # As above.
                delay = self._run_tasks()
            self._over.wait(delay)

    def _run_tasks(self) -> float:
        """Run due tasks and return the seconds to wait before the next check."""
        try:
            return max(self._schedule.run_due(self._over.is_set), POLL_SECONDS)
        except BaseException:
            log.exception("cannot start periodic tasks")
            return RETRY_SECONDS
