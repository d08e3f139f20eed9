"""`readtrack backup` and `restore` killed at any moment: a library or a backup is old or new, never half."""

import random
import time

import pytest
import sqlalchemy as sa

from readtrack.infra.db.replacement import DRAFT
from readtrack.workspace.backup.archive import open_archive
from readtrack.workspace.backup.create import create_backup
from tests import make
from tests.depth import DEEP
from tests.nowhere import surroundings
from tests.processes import processes, until
from tests.workspace.backup.test_faults import file_of, people
from tests.workspace.backup.test_round_trip import opened

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*expression-based index")]
KILLS = 12 if DEEP else 1
SEED = 20


@pytest.fixture
def run(tmp_path):
    """Starts `readtrack …` on a library, and kills it after some seconds if it is still running."""

    def start(url, *words, after=None):
        environment = surroundings(tmp_path / "data", database_url=url, secret_key="only for tests " * 4)
        number = processes().start(*map(str, words), environment=environment, log=tmp_path / "log")
        if after is None:
            return processes().wait(number)
        time.sleep(after)
        processes().kill(number)
        return None

    return start


@pytest.mark.one_database
def test_f1_f27_f28_killed_backups_and_restores_leave_nothing_half_done(server, dialect, run, tmp_path):
    url, path, chance = server.copy(), tmp_path / "library.zip", random.Random(SEED)
    with opened(url) as database:
        with database.write() as tx:
            for number in range(50):
                make.paper(tx, f"Paper {number}")
            make.person(tx, "Ada")
        create_backup(database, path)
        with database.write() as tx:
            make.person(tx, "Grace")
    complete = path.read_bytes()
    began = time.monotonic()
    assert run(url, "backup", tmp_path / "other.zip") == 0, (tmp_path / "log").read_text()
    backup_seconds = time.monotonic() - began
    for _ in range(KILLS):
        run(url, "backup", path, after=chance.uniform(0, backup_seconds))
        if path.read_bytes() != complete:
            with open_archive(path) as archive:
                archive.verify()
                assert archive.manifest.tables["person"].count == 2
            path.write_bytes(complete)
    restore = ("restore", path, "--replace", "--yes", "REPLACE")
    for _ in range(KILLS):
        run(url, *restore, after=chance.uniform(0, 2 * backup_seconds))
        if dialect == "postgresql":
            until(lambda: count_sessions(server, url) == 0, "the killed process's connection is gone")
        assert people(url) in (["Ada", "Grace"], ["Ada"])
    assert run(url, *restore) == 0, (tmp_path / "log").read_text()
    assert people(url) == ["Ada"]
    if dialect == "sqlite":
        file = file_of(url)
        assert not [*file.parent.glob(f"{file.name}{DRAFT}*")]
    server.drop(url)


def count_sessions(server, url):
    name = sa.make_url(url).database
    with server._admin.connect() as connection:  # noqa: SLF001 - of the tests
        return connection.scalar(sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = :name"), {"name": name})
