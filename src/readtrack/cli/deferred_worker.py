"""A worker in the serving process whose imports are deferred until the first requests have been answered."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from readtrack.cli.worker import JobWorker

START_DELAY_SECONDS = 1.0  # Seconds reserved for the first responses.
RETRY_SECONDS = 5.0  # Seconds until a retry if the worker could not be created.

log = structlog.get_logger()


class DeferredWorker:
    """Creates the worker in a thread, shortly after its start."""

    def __init__(self, create_worker: Callable[[], "JobWorker"]) -> None:
        self._make = create_worker
        self._worker: JobWorker | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._begin, name="readtrack-worker-start", daemon=True)

    def start(self) -> None:
        """Start the thread and return at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the worker after its current steps, with a limited wait, if it was created."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._worker is not None:
            self._worker.stop()

    def _begin(self) -> None:
        delay = START_DELAY_SECONDS
        while not self._over.wait(delay):
            try:
                self._worker = self._make()
            except Exception:
                log.exception("the worker cannot be started; it is tried again")
                delay = RETRY_SECONDS
            else:
                self._worker.start()
                return
