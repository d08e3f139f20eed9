"""Runs jobs: as threads of the serving process, or as a process of its own."""

import threading
import time
from collections.abc import Collection

import structlog

import readtrack.citations.asking
import readtrack.imports.carrying_out
import readtrack.people.letters  # noqa: F401 - they register what they run
from readtrack import jobs
from readtrack.db import Database
from readtrack.graph.mapping import wish_map
from readtrack.notices import digest
from readtrack.notices.sweeping import sweep
from readtrack.papers.answers.refresh import resume
from readtrack.papers.near import encode_later
from readtrack.sources import Http
from readtrack.trash.sweeping import sweep as sweep_trash

IDLE = 0.5  # seconds between two looks at an empty queue
TROUBLED = 5.0  # seconds to wait when even the queue cannot be read
RESUME = 6 * 60 * 60.0  # seconds until whatever still waits is asked for again, though its job gave up; and sweeping
LOOK = 5 * 60.0  # seconds until the next look whose morning has come, and what is to be encoded
ENDING = 8.0  # seconds that a worker which is told to stop has for its present steps
THREADS = 3
NEVER_FETCH = frozenset({"imports.commit"})  # one thread does nothing else: no slow site ever holds up an import

log = structlog.get_logger()


class Worker:
    """Takes one job after another until told to stop, several at a time: most of the time, one waits for a site."""

    def __init__(self, database: Database, http: Http, *, threads: int = THREADS) -> None:
        self._database, self._http = database, http
        self._over = threading.Event()
        self._resume_at = self._look_at = time.monotonic()
        self._resuming = threading.Lock()
        kinds = [*(frozenset[str]() for _ in range(max(threads - 1, 1))), *([NEVER_FETCH] if threads > 1 else [])]
        self._threads = [
            threading.Thread(target=self._work, args=(only,), name=f"readtrack-worker-{number}", daemon=True)
            for number, only in enumerate(kinds)
        ]

    def start(self) -> None:
        """Runs in threads of its own."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Asks all threads to end after their present steps and waits a little for them."""
        self._over.set()
        end = time.monotonic() + ENDING
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=max(end - time.monotonic(), 0.0))

    def run(self) -> None:
        """The same for a process that does nothing else: comes back when `stop` was called, by a signal for example."""
        self.start()
        while not self._over.is_set():
            time.sleep(IDLE)  # waiting for the event would hold its lock, which the signal's `stop` needs

    def _work(self, only: Collection[str]) -> None:
        while not self._over.is_set():
            self._over.wait(self._step(only))

    def _step(self, only: Collection[str]) -> float:
        try:
            self._resume()
            return 0.0 if jobs.run_due(self._database, self._http, kinds=only) else IDLE
        except Exception:
            log.exception("the queue cannot be read")
            return TROUBLED

    def _resume(self) -> None:
        with self._resuming:
            if time.monotonic() >= self._resume_at:
                with self._database.write() as tx:
                    resume(tx)
                with self._database.write() as tx:
                    sweep(tx)
                sweep_trash(self._database)
                wish_map(self._database)
                self._resume_at = time.monotonic() + RESUME
            if time.monotonic() >= self._look_at:
                with self._database.write() as tx:
                    digest.wish(tx, self._http)
                    encode_later(tx)
                self._look_at = time.monotonic() + LOOK
