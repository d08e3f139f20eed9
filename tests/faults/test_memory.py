"""F30: a readtrack that may use 256 MB imports a long file, searches and exports; with 320 MB no process is killed."""

import os
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from bench.import_forms import repeated
from tests.faults.serving import Served
from tests.processes import until

GROUPS = Path("/sys/fs/cgroup")
RECORDS = 5_000
pytestmark = pytest.mark.deep


@contextmanager
def limited_memory(megabytes):
    """A control group, and the command that runs another one in it."""
    is_second = (GROUPS / "cgroup.controllers").exists()
    group = (GROUPS if is_second else GROUPS / "memory") / f"readtrack-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / ("memory.max" if is_second else "memory.limit_in_bytes")).write_text(str(megabytes * 2**20))
    except OSError:
        pytest.skip("control groups can't be made here")
    try:
        yield group, ("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh")
    finally:
        until(lambda: not (group / "cgroup.procs").read_text(), "its processes have ended")
        group.rmdir()


def count_killed(group):
    path = next(path for name in ("memory.events", "memory.oom_control") if (path := group / name).exists())
    return int(dict(line.split() for line in path.read_text().splitlines())["oom_kill"])


@pytest.mark.parametrize("megabytes", [256, 320])
def test_f30_an_import_searches_and_an_export_end_in_little_memory(tmp_path, megabytes):
    limited = limited_memory(megabytes)
    with limited as (group, within), Served.created_in(tmp_path, {}) as served, served.running(within=within):
        body = {"text": repeated("bibtex", RECORDS), "title": "papers.bib"}
        assert served.ask("POST", "/api/v1/imports", body)[0] < 300
        until(partial(is_import, served, "preview"), "the file is read", seconds=600)
        assert served.ask("POST", "/api/v1/imports/1/commit", {})[0] < 300
        until(partial(is_import, served, "committed"), "the papers are added", seconds=600)
        for word in ("training", "memory", "parallel", "systems") * 5:
            assert served.ask("GET", f"/api/v1/papers?limit=100&q={word}")[0] == 200
        status, exported = served.ask("GET", "/api/v1/export?format=bibtex")
        assert (status, exported.count("\n@") > RECORDS / 2) == (200, True)
        assert count_killed(group) == 0 or megabytes < 320  # below, the worker may be killed, and goes on afterwards


def is_import(served, state):
    return f'"state":"{state}"' in served.ask("GET", "/api/v1/imports/1")[1]
