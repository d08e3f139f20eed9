"""F9, F10 and F16: processes that start and migrate at the same time, or are killed while they do."""

import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from alembic import command

from readtrack.infra import db
from readtrack.infra.db import migrations
from readtrack.workspace.backup.create import create_backup
from tests.depth import DEEP
from tests.infra.db.test_migrations import move
from tests.nowhere import surroundings
from tests.ports import free_port
from tests.processes import Client, processes, until
from tests.sample_library import furnished
from tests.workspace.backup.test_round_trip import opened

ROUNDS = 20 if DEEP else 1
KILLS = 12
SEED = 20
MIGRATE = """
import os, signal, sys
import sqlalchemy as sa
from readtrack.infra.db import Database, migrate

number, last = 0, int(sys.argv[2])

@sa.event.listens_for(sa.Engine, "before_cursor_execute")
def count(*_):
    global number
    number += 1
    if number == last:
        os.kill(os.getpid(), signal.SIGKILL)

migrate(Database(sys.argv[1]))
print(number)
"""
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*expression-based index")]


def has_database_open(process_id):
    """Return True if the process has a file of SQLite open."""
    links = [link for link in Path(f"/proc/{process_id}/fd").iterdir() if link.is_symlink()]
    return any(link.readlink().name.endswith((".sqlite3", "-wal", "-shm")) for link in links)


def is_serving(port):
    return Client(port, "").send("GET", "/healthz") is not None


def make_older_library(server, revision, fill=None):
    url = server.copy(fill)
    with opened(url) as database:
        move(database, command.downgrade, revision)
    return url


@pytest.mark.one_database
def test_f9_f16_of_several_that_start_at_once_one_migrates_and_each_process_connects_for_itself(server, tmp_path):
    for number in range(ROUNDS):
        data = tmp_path / str(number)
        data.mkdir()
        url = make_older_library(server, migrations.known_revisions()[-2])
        environment = surroundings(data, database_url=url, secret_key="only for tests " * 4)
        ports = [free_port(), free_port()]
        log = data / "log"
        serve = ("serve", "--no-worker", "--port")
        servers = [processes().start(*serve, str(port), environment=environment, log=log) for port in ports]
        other = processes().start("migrate", environment=environment, log=log)
        for port in ports:
            until(partial(is_serving, port), f"it serves; see {log}")
        assert processes().wait(other) == 0, log.read_text()
        assert not any(map(has_database_open, servers)), "their children would inherit it"
        assert [processes().stop(process_id) for process_id in servers] == [0, 0], log.read_text()
        assert len([*data.glob("backups/*-before-*.zip")]) == 1
        with opened(url) as database:
            assert db.revision_of(database) == migrations.wanted_revision()
            assert db.integrity_problems(database) == ([], [])
        server.drop(url)


def run_migration(url, *, kill_at=0):
    program = [sys.executable, "-c", MIGRATE, url, str(kill_at)]
    return subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)


def read_state(url, path):
    """Return the revision and the content of each table."""
    with opened(url) as database:
        _path, manifest = create_backup(database, path)
    return manifest.revision, manifest.tables


@pytest.mark.deep
@pytest.mark.both_databases
def test_f10_a_migration_killed_at_any_statement_leaves_the_old_schema_and_can_be_done_again(server, tmp_path):
    revision = migrations.known_revisions()[1]
    url, undisturbed = (make_older_library(server, revision, furnished) for _ in range(2))
    ended = run_migration(undisturbed)
    assert ended.returncode == 0, ended.stderr
    before = read_state(url, tmp_path / "library.zip")
    assert before[0] == revision
    for statement in sorted(random.Random(SEED).sample(range(2, int(ended.stdout)), KILLS)):
        assert run_migration(url, kill_at=statement).returncode == -9
        assert read_state(url, tmp_path / "library.zip") == before, statement
    assert run_migration(url).returncode == 0
    with opened(url) as database:
        assert db.revision_of(database) == migrations.wanted_revision()
    for address in (url, undisturbed):
        server.drop(address)
