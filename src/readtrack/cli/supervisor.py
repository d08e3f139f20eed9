"""How jobs run next to what serves: a worker in the serving process, or a process of their own.

The imports of the worker are deferred until the first requests have been answered. The process of its own is
restarted if it exits early.
"""

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

import structlog

if TYPE_CHECKING:
    from readtrack.cli.worker import JobWorker

POLL_SECONDS = 0.5  # Seconds between two checks of the process.
RESTART_DELAY_SECONDS = 5.0  # Seconds before a restart, so that a crash loop does not consume the machine.
STOP_TIMEOUT_SECONDS = 10.0  # Seconds the process has to finish its current step.

MAX_WAIT_SECONDS = 60.0  # Seconds to wait for the server's first response before starting anyway.
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - for requests to a server on all interfaces

log = structlog.get_logger()
START_DELAY_SECONDS = 1.0  # Seconds reserved for the first responses.
RETRY_SECONDS = 5.0  # Seconds until a retry if the worker could not be created.


class ProcessSupervisor:
    """Runs a command while the block lasts, starting when `wait` has returned, and terminates it at the end."""

    def __init__(
        self, command: Sequence[str], *, wait: Callable[[threading.Event], object] = threading.Event.is_set
    ) -> None:
        self._command, self._wait = command, wait
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._keep_running, name="readtrack-beside", daemon=True)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._watch.join()

    def _keep_running(self) -> None:
        self._wait(self._over)
        while not self._over.is_set():
            process = subprocess.Popen(self._command)  # noqa: S603 - our own command
            while process.poll() is None and not self._over.wait(POLL_SECONDS):
                pass
            if process.poll() is None:
                _stop_process(process)
            elif not self._over.is_set():
                log.error("worker process exited; restarting", code=process.returncode)
                self._over.wait(RESTART_DELAY_SECONDS)


def wait_for_answer(host: str, port: int, stop_event: threading.Event) -> None:
    """Wait until the server responds, so that its startup does not compete for CPU time."""
    deadline = time.monotonic() + MAX_WAIT_SECONDS

    def should_continue() -> bool:
        return not stop_event.is_set() and time.monotonic() < deadline

    while should_continue() and not _has_answered((_ANY.get(host, host), port), should_continue):
        stop_event.wait(POLL_SECONDS / 5)


def _has_answered(address: tuple[str, int], should_continue: Callable[[], bool]) -> bool:
    with suppress(OSError), socket.create_connection(address, timeout=POLL_SECONDS) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while should_continue():
            with suppress(TimeoutError):
                return bool(connection.recv(1))
    return False


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        log.warning("worker process did not stop in time; killed, its step will be repeated")
        process.kill()
        process.wait()


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
                log.exception("cannot start the worker; retrying")
                delay = RETRY_SECONDS
            else:
                self._worker.start()
                return
