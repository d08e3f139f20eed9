"""F6 and F2 to a serving readtrack: a disk that fails to read, write or sync. What is acknowledged is there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from readtrack.infra import db
from tests.faults.serving import Served

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


@pytest.fixture
def served(tmp_path, faulty_disk):
    with Served.created_in(tmp_path, faulty_disk) as served:
        yield served


@pytest.mark.parametrize("call", ["write", "fsync", "read"])
def test_f6_a_disk_that_fails_acknowledges_nothing_and_recovers(served, call, tmp_path):
    fault, acknowledged, refused = tmp_path / "fault", set(), []
    with served.running("--no-worker"):
        for number in range(40):
            if number == 10:
                fault.write_text(call)
            if number == 30:
                fault.unlink()
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
    strace = ("strace", "-f", "-y", "-qq", "-e", calls, "-o", str(trace))
    with served.running("--no-worker", within=strace):
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
