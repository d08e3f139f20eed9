"""F6 and F2 to a serving readtrack: a disk that fails to read, write or sync. What is acknowledged is there."""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from readtrack.bootstrap import open_library
from readtrack.infra import config, db
from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.nowhere import surroundings
from tests.ports import free_port
from tests.processes import until

SOURCE = Path(__file__).with_name("disk_errors.c")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler"),
]


@pytest.fixture
def faulty_disk(tmp_path):
    """The environment in which a disk fails as the file `fault` says."""
    library = tmp_path / "disk_errors.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE], check=True)
    return {"LD_PRELOAD": str(library), "DISK_FAULT": str(tmp_path / "fault")}


class Served:
    """A library that a readtrack serves on a disk that fails."""

    def __init__(self, folder, disk):
        self.fault, self.folder, self.port = folder / "fault", folder, free_port()
        self.database = open_library(config.load({}, data=folder / "data").ready())
        with self.database.write() as tx:
            me = make.visitor(tx, "Ada", role="admin")
            _, self._secret = create_token(tx, me, TokenCreate(name="test", scopes=["read", "write"]))
        self.environment = surroundings(folder / "data") | disk

    @contextmanager
    def running(self, *before):
        """Serve until the end of the block, then kill it."""
        command = [*before, sys.executable, "-m", "readtrack", "serve", "--port", str(self.port), "--no-worker"]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        try:
            until(lambda: self.ask("GET", "/healthz")[0] == 200, "it serves", seconds=120)
            yield
        finally:
            os.killpg(process.pid, 9)
            process.wait()

    def ask(self, method, path, body=None):
        """Return status and text of the answer; status 0 if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def add(self, title):
        return self.ask("POST", "/api/v1/papers", {"title": title})[0]

    def titles(self):
        with self.database.read() as tx:
            return set(tx.scalars(db.sa.text("SELECT title FROM paper")))


@pytest.fixture
def served(tmp_path, faulty_disk):
    (tmp_path / "data").mkdir()
    served = Served(tmp_path, faulty_disk)
    yield served
    served.database.dispose()


@pytest.mark.parametrize("call", ["write", "fsync", "read"])
def test_f6_a_disk_that_fails_acknowledges_nothing_and_recovers(served, call):
    acknowledged, refused = set(), []
    with served.running():
        for number in range(40):
            if number == 10:
                served.fault.write_text(call)
            if number == 30:
                served.fault.unlink()
            title = f"{number} {call} " * 20
            status = served.add(title)
            if status == 201:
                acknowledged.add(title.strip())
            else:
                refused.append(status)
        assert served.add("After it recovered") == 201
    assert set(refused) <= {500, 503}
    assert call == "read" or len(refused) == 20
    assert served.titles() >= {*acknowledged, "After it recovered"}
    assert db.integrity_problems(served.database, full=True) == ([], [])


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_f2_each_commit_is_synced_before_it_is_acknowledged(served, tmp_path):
    trace = tmp_path / "trace"
    calls = "trace=pwrite64,fdatasync,fsync,sendto,write,writev,sendmsg"
    with served.running("strace", "-f", "-y", "-qq", "-e", calls, "-o", str(trace)):
        for number in range(5):
            assert served.add(f"Paper {number}") == 201
    unsynced, acknowledged = False, 0
    for line in trace.read_text(errors="replace").splitlines():
        if re.search(r"pwrite64\(\d+<[^>]*\.sqlite3-wal>", line):
            unsynced = True
        elif re.search(r"f(data)?sync\(\d+<[^>]*\.sqlite3-wal>", line):
            unsynced = False
        elif "HTTP/1.1 201" in line:
            assert not unsynced, line
            acknowledged += 1
    assert acknowledged == 5
