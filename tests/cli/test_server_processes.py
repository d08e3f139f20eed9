"""`serve --workers 2`: processes that answer, started again when they end, ended with it."""

import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.processes import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


def children(number):
    tasks = Path(f"/proc/{number}/task").glob("*/children")
    return {int(child) for path in tasks for child in path.read_text(encoding="ascii").split()}


def command_of(number):
    return Path(f"/proc/{number}/cmdline").read_bytes()


def answering(number):
    """The processes that answer."""
    return {child for child in children(number) if b"spawn_main" in command_of(child)}


def status(port):
    asking = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        asking.request("GET", "/healthz")
        return asking.getresponse().status
    except OSError:
        return 0
    finally:
        asking.close()


@pytest.fixture
def served(tmp_path):
    """Number and port of a readtrack with two processes that answer."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    environment |= {"READTRACK_DATA": str(tmp_path / "data"), "READTRACK_OFFLINE": "1"}
    command = [sys.executable, "-m", "readtrack", "serve", "--port", str(port), "--workers", "2", "--no-worker"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        until(lambda: status(port) == 200, "it answers", seconds=120)
        yield process, port
    finally:
        process.terminate()
        process.wait(60)


def test_a_dead_server_process_is_restarted_and_all_stop_with_the_server(served):
    process, port = served
    until(lambda: len(answering(process.pid)) == 2, "both processes were started")
    first = answering(process.pid)
    os.kill(min(first), signal.SIGKILL)
    until(lambda: len(answering(process.pid) - first) == 1, "another one stands in its place", seconds=120)
    assert status(port) == 200
    last = answering(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert [number for number in last if Path(f"/proc/{number}").exists()] == []
