"""Runs jobs: as a thread of the serving process, or as a process of its own."""

import threading
import time

import structlog

import readtrack.imports.carrying_out  # noqa: F401 - registers what it runs
from readtrack import jobs
from readtrack.db import Database
from readtrack.papers.refresh import resume
from readtrack.sources import Http

IDLE = 0.5  # seconds between two looks at an empty queue
TROUBLED = 5.0  # seconds to wait when even the queue cannot be read
RESUME = 6 * 60 * 60.0  # seconds until whatever still waits is asked for again, though its job gave up

log = structlog.get_logger()


class Worker:
    """Takes one job after another until told to stop."""

    def __init__(self, database: Database, http: Http) -> None:
        self._database, self._http = database, http
        self._over = threading.Event()
        self._resume_at = time.monotonic()
        self._thread = threading.Thread(target=self.run, name="readtrack-worker", daemon=True)

    def start(self) -> None:
        """Runs in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the thread to end after its present step and waits a little for it."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=8)

    def run(self) -> None:
        """Runs in this thread, until `stop`."""
        while not self._over.is_set():
            self._over.wait(self._step())

    def _step(self) -> float:
        try:
            self._resume()
            return 0.0 if jobs.run_due(self._database, self._http) else IDLE
        except Exception:
            log.exception("the queue cannot be read")
            return TROUBLED

    def _resume(self) -> None:
        if time.monotonic() < self._resume_at:
            return
        with self._database.write() as tx:
            resume(tx)
        self._resume_at = time.monotonic() + RESUME
