"""`serve --workers 2`: two processes that answer and one that runs jobs; started again when they end, ended with it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Served:
    """A readtrack with two processes that answer."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path


@contextmanager
def served_in(folder):
    port, log_path = free_port(), folder / "log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    environment |= {"READTRACK_DATA": str(folder / "data"), "READTRACK_OFFLINE": "1", "READTRACK_LOG_FORMAT": "json"}
    command = [sys.executable, "-m", "readtrack", "serve", "--port", str(port), "--workers", "2"]
    with log_path.open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        until(lambda: status(port) == 200, "it answers")
        yield Served(process, port, log_path)
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def own_served(tmp_path):
    with served_in(tmp_path) as served:
        yield served


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with served_in(tmp_path_factory.mktemp("served")) as served:
        yield served


def test_dead_processes_are_restarted_and_all_stop_with_the_server(own_served):
    process, port = own_served.process, own_served.port
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
    process, port = served.process, served.port

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


def test_each_request_is_a_line_of_json_with_the_id_that_its_answer_has(served):
    with pytest.raises(HTTPError) as refusal:
        urlopen(f"http://127.0.0.1:{served.port}/api/v1/me")
    with refusal.value as answer:
        request_id = answer.headers["X-Request-Id"]
        assert json.load(answer)["request_id"] == request_id

    def lines_of_the_request():
        lines = [
            json.loads(line)
            for line in served.log.read_text().splitlines(keepends=True)
            if line.startswith("{") and line.endswith("}\n")
        ]
        return [line for line in lines if line.get("request_id") == request_id]

    until(lines_of_the_request, "the line is written, maybe after the answer")
    (line,) = lines_of_the_request()
    told = {name: line[name] for name in ("event", "level", "method", "path", "status")}
    assert told == {"event": "request", "level": "info", "method": "GET", "path": "/api/v1/me", "status": 401}


def test_the_worker_leaves_the_processor_to_those_that_answer(served):
    process = served.process
    niceness = os.getpriority(os.PRIO_PROCESS, process.pid)
    until(lambda: len(children(process.pid)) == 3, "all processes were started")
    expected = [niceness, niceness, niceness + 5]
    until(
        lambda: sorted(os.getpriority(os.PRIO_PROCESS, number) for number in children(process.pid)) == expected,
        "one of them is nicer",
    )
