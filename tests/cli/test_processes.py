"""readtrack as a process of its own: commands from a shell, and the process beside the server that runs the jobs."""

import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from readtrack.cli import supervisor
from readtrack.cli.supervisor import ProcessSupervisor, wait_for_answer
from tests.processes import until
from tests.sample_library import NOTES

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

SAY = "import sys; open(sys.argv[1], 'a').write('here\\n')"
STAY = f"{SAY}; import time; time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {STAY}"


@pytest.fixture
def readtrack(tmp_path):
    """Runs `readtrack …` as a shell would; what it says on standard output and error."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    own = {"READTRACK_DATA": str(tmp_path / "data"), "READTRACK_OFFLINE": "1"}

    def run(*words):
        command = [sys.executable, "-m", "readtrack", *words]
        ended = subprocess.run(command, env=others | own, capture_output=True, text=True, timeout=120, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout, ended.stderr

    return run


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(supervisor, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(supervisor, "RESTART_DELAY_SECONDS", 0.02)


def starts(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("here") if path.exists() else 0


@pytest.mark.deep
def test_notes_are_imported_with_a_shell_command(readtrack, tmp_path):
    """Each word starts a process; what they say is asked within this one elsewhere."""
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    readtrack("person", "add", "Ada")
    _, err = readtrack("import", str(tmp_path / "notes.md"))
    assert "notes.md: 4 new" in err


def test_the_supervisor_restarts_a_child_process_that_exits(quick, tmp_path):
    with ProcessSupervisor([sys.executable, "-c", SAY, str(tmp_path / "log")]):
        until(lambda: starts(tmp_path / "log") >= 3, "it was started three times")


def test_the_supervisor_starts_the_child_after_the_servers_first_response(quick, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wait = partial(wait_for_answer, *listening.getsockname())
        with ProcessSupervisor([sys.executable, "-c", STAY, str(tmp_path / "log")], wait=wait):
            connection, _ = listening.accept()
            assert connection.recv(1000).startswith(b"GET /healthz HTTP/1.1\r\n")
            assert starts(tmp_path / "log") == 0
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            until(lambda: starts(tmp_path / "log"), "it runs")


def test_a_server_that_exits_before_its_first_response_starts_no_child(quick, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wait = partial(wait_for_answer, *listening.getsockname())
        with ProcessSupervisor([sys.executable, "-c", SAY, str(tmp_path / "log")], wait=wait) as running:
            connection, _ = listening.accept()
            assert connection.recv(1000)
    connection.close()
    assert not running._watch.is_alive()  # noqa: SLF001
    assert starts(tmp_path / "log") == 0


@pytest.mark.deep
def test_the_child_process_stops_with_the_server(quick, tmp_path):
    with ProcessSupervisor([sys.executable, "-c", STAY, str(tmp_path / "log")]) as running:
        until(lambda: starts(tmp_path / "log"), "it runs")
    assert not running._watch.is_alive()  # noqa: SLF001
    assert starts(tmp_path / "log") == 1


def test_a_process_that_does_not_stop_is_killed(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STOP_TIMEOUT_SECONDS", 0.1)
    with ProcessSupervisor([sys.executable, "-c", STUBBORN, str(tmp_path / "log")]) as running:
        until(lambda: starts(tmp_path / "log"), "it runs")
    assert not running._watch.is_alive()  # noqa: SLF001
