"""The process that runs the jobs beside those that answer: started again whenever it ends before it should."""

import subprocess
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import structlog

DELAY = 2.0  # seconds before it is started, for the first answers
LOOK = 0.5  # seconds between two looks at it
PAUSE = 5.0  # seconds before it is started again, so that a broken one does not take the machine
PATIENCE = 10.0  # seconds that it has for ending its present step

log = structlog.get_logger()


class Beside:
    """Runs a command for as long as the block lasts."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
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
        self._over.wait(DELAY)
        while not self._over.is_set():
            process = subprocess.Popen(self._command)  # noqa: S603 - our own command
            while process.poll() is None and not self._over.wait(LOOK):
                pass
            if process.poll() is None:
                _end(process)
            elif not self._over.is_set():
                log.error("the process that runs the jobs ended; it is started again", code=process.returncode)
                self._over.wait(PAUSE)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        log.warning("the process that runs the jobs does not end; it is killed, its step will be done again")
        process.kill()
        process.wait()
