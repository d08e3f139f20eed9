"""Runs the processes of `readtrack serve`: those that answer requests, and the one that runs jobs.

The parent only watches. It has imported the application before it forks, so that further processes start at once and
share memory. A process that dies is restarted; all end with the parent, whatever they do.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from typing import Any

import structlog

POLL_SECONDS = 0.2  # Seconds between two checks whether a signal has arrived.
STOP_TIMEOUT_SECONDS = 9.0  # Seconds all processes have to finish what they are doing.
FIRST_RESTART_SECONDS = (
    0.5  # Seconds before a restart; doubled each time, so that a crash loop leaves the machine usable.
)
MAX_RESTART_SECONDS = 30.0
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
STABLE_SECONDS = 60.0  # Seconds after which a process counts as running well.

log = structlog.get_logger()


class Supervisor:
    """Runs functions in child processes until SIGTERM or SIGINT."""

    def __init__(self) -> None:
        self._children: list[_Child] = []
        self._is_stopping = False

    def add(self, name: str, run: Callable[[], object]) -> None:
        """Add a process that calls `run`, which returns or exits soon after SIGTERM."""
        self._children.append(_Child(name, run))

    def run(self) -> None:
        """Keep all processes running until a signal arrives, then stop them. Call it in the main thread."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._request_stop)
        try:
            while not self._is_stopping:
                for child in self._children:
                    child.keep_running()
                wait([child.process.sentinel for child in self._children if child.process], timeout=POLL_SECONDS)
        finally:
            self._stop()

    def _request_stop(self, *_: Any) -> None:  # noqa: ANN401 - arguments of a signal handler
        self._is_stopping = True

    def _stop(self) -> None:
        processes = [child.process for child in self._children if child.process]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        for process in processes:
            process.join(max(deadline - time.monotonic(), 0.0))
            if process.is_alive():
                process.kill()
                process.join()
                with suppress(OSError):  # Where the log goes may be gone.
                    log.warning("process did not stop in time; killed, its step will be repeated", process=process.name)


@dataclass
class _Child:
    """One process and its restarts. Times are monotonic."""

    name: str
    run: Callable[[], object]
    process: ForkProcess | None = None
    start_at: float = field(default_factory=time.monotonic)
    quick_deaths: int = 0

    def keep_running(self) -> None:
        """Start the process if it is due, and plan its restart if it has died."""
        if self.process is not None and not self.process.is_alive():
            self._plan_restart(self.process.exitcode)
        if self.process is None and time.monotonic() >= self.start_at:
            self.start_at = time.monotonic()
            process = multiprocessing.get_context("fork").Process(target=_run_child, args=(self.run,), name=self.name)
            signal.pthread_sigmask(
                signal.SIG_BLOCK, STOP_SIGNALS
            )  # The child would take them by the parent's handlers.
            try:
                process.start()
            except OSError:  # No memory or too many processes, for now.
                self._plan_restart(None)
            else:
                self.process = process
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def _plan_restart(self, exit_code: int | None) -> None:
        is_stable = time.monotonic() - self.start_at >= STABLE_SECONDS
        self.quick_deaths = 0 if is_stable else self.quick_deaths + 1
        delay = 0.0 if is_stable else min(FIRST_RESTART_SECONDS * 2.0 ** (self.quick_deaths - 1), MAX_RESTART_SECONDS)
        self.process, self.start_at = None, time.monotonic() + delay
        with suppress(OSError):  # As above.
            log.error("process died; restarting", process=self.name, code=exit_code, seconds=delay)


def _run_child(run: Callable[[], object]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # instead of the parent's handlers
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    threading.Thread(target=_exit_with_parent, name="readtrack-parent", daemon=True).start()
    run()


def _exit_with_parent() -> None:
    """Exit at once when the parent was killed: another `serve` may already be starting in its place."""
    if parent := multiprocessing.parent_process():
        parent.join()
    os._exit(1)
