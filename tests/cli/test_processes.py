"""readtrack as processes of its own: commands from a shell, and what `serve` starts, restarts and ends."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from tests.processes import PATIENCE_SECONDS, until
from tests.sample_library import NOTES

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick


SUPERVISE = """
import os, signal, sys, time
from readtrack.cli import supervisor

supervisor.POLL_SECONDS, supervisor.FIRST_RESTART_SECONDS, supervisor.STOP_TIMEOUT_SECONDS = 0.02, 0.02, 1.0

def live(name):
    with open(sys.argv[1], "a") as log:
        log.write(f"{name} {os.getpid()}\\n")
    if name == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if name != "brief":
        time.sleep(600)

children = supervisor.Supervisor()
for name in sys.argv[2:]:
    children.add(name, lambda name=name: live(name))
children.run()
"""


@pytest.fixture
def supervised(tmp_path):
    """Starts a supervisor with children of these names; its process, and the ids of the children so far by name."""
    with ExitStack() as running:

        def start(*names):
            log = tmp_path / "log"
            command = [sys.executable, "-c", SUPERVISE, str(log), *names]
            parent = running.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            running.callback(parent.kill)

            def started(name):
                lines = log.read_text(encoding="ascii").splitlines() if log.exists() else []
                return [int(line.split()[1]) for line in lines if line.startswith(f"{name} ")]

            return parent, started

        yield start


def is_running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


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


@pytest.mark.deep
def test_notes_are_imported_with_a_shell_command(readtrack, tmp_path):
    """Each word starts a process; what they say is asked within this one elsewhere."""
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    readtrack("person", "add", "Ada")
    _, err = readtrack("import", str(tmp_path / "notes.md"))
    assert "notes.md: 4 new" in err


def test_a_process_that_dies_is_started_again_and_its_siblings_go_on(supervised):
    parent, started = supervised("brief", "steady")
    until(lambda: len(started("brief")) >= 3, "it was started three times")
    (steady,) = started("steady")
    os.kill(steady, signal.SIGKILL)
    until(lambda: len(started("steady")) == 2, "another one stands in its place")
    parent.terminate()
    assert parent.wait(PATIENCE_SECONDS) == 0


def test_restarts_come_ever_later(supervised):
    _, started = supervised("brief")
    began = time.monotonic()
    until(lambda: len(started("brief")) >= 5, "it was started five times")
    assert time.monotonic() - began >= 0.02 + 0.04 + 0.08 + 0.16 - 0.02  # the wait before each doubles


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_all_processes_end_with_the_supervisor_even_one_that_refuses(supervised, number):
    parent, started = supervised("steady", "stubborn")
    until(lambda: started("steady") and started("stubborn"), "both run")
    parent.send_signal(number)
    assert parent.wait(PATIENCE_SECONDS) == 0
    assert not any(map(is_running, started("steady") + started("stubborn")))


def test_no_process_survives_a_killed_supervisor(supervised):
    parent, started = supervised("steady", "stubborn", "steady")
    until(lambda: len(started("steady")) == 2 and started("stubborn"), "all run")
    parent.kill()
    until(lambda: not any(map(is_running, started("steady") + started("stubborn"))), "all are gone")
