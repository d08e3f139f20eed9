"""`serve --workers 2`: two processes that answer and one that runs jobs; started again when they end, ended with it."""

import json
import os
import shutil
import signal
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from readtrack.infra import config
from tests.nowhere import surroundings
from tests.ports import free_port
from tests.processes import processes, until
from tests.workspace.backup.test_faults import file_of

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

    process_id: int
    port: int
    log: Path


@contextmanager
def served_in(folder, url):
    """Serves the library at `url` from a folder of its own; ends without an error after the block."""
    port, log = free_port(), folder / "log"
    config.load({}, data=folder / "data").ready()
    shutil.move(file_of(url), folder / "data/readtrack.sqlite3")
    environment = surroundings(folder / "data", offline=1, log_format="json")
    process_id = processes().start("serve", "--port", str(port), "--workers", "2", environment=environment, log=log)
    try:
        until(lambda: status(port) == 200, "it answers")
        yield Served(process_id, port, log)
    finally:
        exit_code = processes().stop(process_id)
    assert exit_code == 0, log.read_text()


@pytest.fixture(scope="module")
def served(tmp_path_factory, sqlite_files):
    with served_in(tmp_path_factory.mktemp("served"), sqlite_files.copy()) as served:
        yield served


def kill_children(served):
    """Kills all processes of a server, and waits for those that are started in their place."""
    until(lambda: len(children(served.process_id)) == 3, "all processes were started")
    for number in sorted(first := children(served.process_id)):
        os.kill(number, signal.SIGKILL)
    until(lambda: len(children(served.process_id) - first) == 3, "others stand in their place")
    until(lambda: status(served.port) == 200, "it answers again")


def test_dead_processes_are_restarted_and_all_stop_with_the_server(tmp_path, sqlite_files):
    with served_in(tmp_path, sqlite_files.copy()) as served:
        kill_children(served)
        last = children(served.process_id)
    assert [number for number in last if Path(f"/proc/{number}").exists()] == []


def test_any_process_tells_the_requests_of_all_also_of_those_that_died(served):
    port = served.port

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
    # A request is counted once its answer has been sent.
    until(lambda: requests()["/healthz"] == before + 20, "the last request is counted")
    kill_children(served)
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
    number = served.process_id
    niceness = os.getpriority(os.PRIO_PROCESS, number)
    until(lambda: len(children(number)) == 3, "all processes were started")
    expected = [niceness, niceness, niceness + 5]
    until(
        lambda: sorted(os.getpriority(os.PRIO_PROCESS, child) for child in children(number)) == expected,
        "one of them is nicer",
    )
