"""`serve --workers 2`: two processes that answer and one that runs jobs; started again when they end, ended with it."""

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
    """A readtrack with two processes that answer, and its port."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    environment |= {"READTRACK_DATA": str(tmp_path / "data"), "READTRACK_OFFLINE": "1"}
    command = [sys.executable, "-m", "readtrack", "serve", "--port", str(port), "--workers", "2"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        until(lambda: status(port) == 200, "it answers", seconds=120)
        yield process, port
    finally:
        process.terminate()
        process.wait(60)


def test_dead_processes_are_restarted_and_all_stop_with_the_server(served):
    process, port = served
    until(lambda: len(children(process.pid)) == 3, "all processes were started")
    for number in sorted(first := children(process.pid)):
        os.kill(number, signal.SIGKILL)
    until(lambda: len(children(process.pid) - first) == 3, "others stand in their place")
    until(lambda: status(port) == 200, "it answers again")
    last = children(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert [number for number in last if Path(f"/proc/{number}").exists()] == []


def test_the_worker_leaves_the_processor_to_those_that_answer(served):
    process, _ = served
    niceness = os.getpriority(os.PRIO_PROCESS, process.pid)
    until(lambda: len(children(process.pid)) == 3, "all processes were started")
    expected = [niceness, niceness, niceness + 5]
    until(
        lambda: sorted(os.getpriority(os.PRIO_PROCESS, number) for number in children(process.pid)) == expected,
        "one of them is nicer",
    )
