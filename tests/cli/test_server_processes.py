"""`serve --workers 2`: two processes that answer and one that runs jobs; started again when they end, ended with it."""

import json
import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.ports import free_port
from tests.processes import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


def children(number):
    tasks = Path(f"/proc/{number}/task").glob("*/children")
    return {int(child) for path in tasks for child in path.read_text(encoding="ascii").split()}


def status(port, path="/healthz"):
    asking = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        asking.request("GET", path)
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
    environment |= {"READTRACK_DATA": str(tmp_path / "data"), "READTRACK_OFFLINE": "1", "READTRACK_LOG_FORMAT": "json"}
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


def test_any_process_tells_the_requests_of_all_also_of_those_that_died(served):
    process, port = served

    def requests():
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            text = answer.read().decode()
        return {
            sample.labels["route"]: sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == "readtrack_requests_total"
        }

    before = requests().get("/healthz", 0)
    assert [status(port) for _ in range(20)] == [200] * 20
    assert requests()["/healthz"] == before + 20
    for number in sorted(first := children(process.pid)):
        os.kill(number, signal.SIGKILL)
    until(lambda: len(children(process.pid) - first) == 3, "others stand in their place")
    until(lambda: status(port) == 200, "it answers again")
    assert requests()["/healthz"] >= before + 21
    until(lambda: status(port, "/readyz") == 200, "the worker gives a sign of life")


def test_each_request_is_a_line_of_json_with_the_id_that_its_answer_has(served, tmp_path):
    _, port = served
    with pytest.raises(HTTPError) as refusal:
        urlopen(f"http://127.0.0.1:{port}/api/v1/me")
    with refusal.value as answer:
        request_id = answer.headers["X-Request-Id"]
        assert json.load(answer)["request_id"] == request_id
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines() if line.startswith("{")]
    (line,) = (line for line in lines if line.get("request_id") == request_id)
    told = {name: line[name] for name in ("event", "level", "method", "path", "status")}
    assert told == {"event": "request", "level": "info", "method": "GET", "path": "/api/v1/me", "status": 401}


def test_the_worker_leaves_the_processor_to_those_that_answer(served):
    process, _ = served
    niceness = os.getpriority(os.PRIO_PROCESS, process.pid)
    until(lambda: len(children(process.pid)) == 3, "all processes were started")
    expected = [niceness, niceness, niceness + 5]
    until(
        lambda: sorted(os.getpriority(os.PRIO_PROCESS, number) for number in children(process.pid)) == expected,
        "one of them is nicer",
    )
