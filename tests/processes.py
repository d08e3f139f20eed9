"""readtracks as processes of their own, on one library, with an arXiv that stands in; and a client that insists."""

import atexit
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 180.0  # until something is taken as never coming, also on a machine that is busy with other things
# A killed process is missed for as long as its leases last: all waits are scaled, their order is kept. And on a busy
# machine a job may be killed many times before it gets anywhere, which must not look as if it were the job's fault.
TIMES = {
    "readtrack.infra.jobs.queue.LEASE_DURATION": 1.0,
    "readtrack.infra.jobs.queue.HEARTBEAT_SECONDS": 0.25,
    "readtrack.infra.jobs.queue.FIRST_WAIT": 0.1,
    "readtrack.infra.jobs.queue.MAX_ATTEMPTS": 1000,
    "readtrack.infra.http.rate_limiter.LEASE_DURATION": 1.0,
    "readtrack.infra.http.rate_limiter.LOOK_AGAIN": 0.05,
    "readtrack.cli.worker.POLL_SECONDS": 0.05,
    "readtrack.ingest.imports.commit_job.APPLY_BATCH_SIZE": 20,
}


class Processes:
    """Starts `readtrack …` as processes of their own in milliseconds, and ends them."""

    def __init__(self, *options: str) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self, *arguments: str, environment: dict[str, str], log: Path, times: Mapping[str, float] | None = None
    ) -> int:
        """The id of the process. What it prints is appended to `log`; `times` replace constants by full name."""
        return self._order({"run": arguments, "environment": environment, "log": str(log), "times": dict(times or {})})

    def kill(self, process_id: int) -> None:
        self._order({"signal": signal.SIGKILL, "to": process_id})

    def stop(self, process_id: int) -> int:
        """Its exit code after SIGTERM."""
        return self._order({"signal": signal.SIGTERM, "to": process_id})

    def wait(self, process_id: int) -> int:
        """Its exit code."""
        return self._order({"wait": process_id})

    def close(self) -> None:
        self._server.communicate()

    def _order(self, order: dict[str, Any]) -> int:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())


@cache
def processes() -> Processes:
    """One for all tests of this process; in those of the browser it has compiled all templates."""
    started = Processes(*(["--templates"] if "READTRACK_TEST_PAGES" in os.environ else []))
    atexit.register(started.close)
    return started


class Client:
    """Speaks to one address with one token; None is the answer of a server that is not there."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token

    def send(self, method: str, path: str, body: object = None, *, key: str = "") -> dict[str, Any] | None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECONDS)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        assert answer.status < 400, (method, path, answer.status, text)
        return dict(json.loads(text)) if text.startswith(b"{") else {}


def until(condition: Callable[[], Any], what: str, *, seconds: float = PATIENCE_SECONDS) -> Any:
    """The condition's value as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    message = f"waited {seconds:g} s in vain until {what}"
    raise AssertionError(message)
