"""A worker beside the pages of one process: what only jobs need is imported when the first visitors were answered."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from readtrack.cli.worker import JobWorker

DELAY = 1.0  # seconds for the first answers
TROUBLED = 5.0  # seconds until the next try, when the worker could not be made

log = structlog.get_logger()


class DeferredWorker:
    """Makes the worker in a thread, a moment after it was started."""

    def __init__(self, make: Callable[[], "JobWorker"]) -> None:
        self._make = make
        self._worker: JobWorker | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._begin, name="readtrack-worker-start", daemon=True)

    def start(self) -> None:
        """Returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the worker to end after its present steps and waits a little for it, if it was made."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._worker is not None:
            self._worker.stop()

    def _begin(self) -> None:
        wait = DELAY
        while not self._over.wait(wait):
            try:
                self._worker = self._make()
            except Exception:
                log.exception("the worker cannot be started; it is tried again")
                wait = TROUBLED
            else:
                self._worker.start()
                return
