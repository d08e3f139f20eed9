"""F2: what was committed survives a power loss, wherever in the write-ahead log the disk stopped writing."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa

from readtrack.infra import db
from readtrack.infra.db import Database
from tests import make
from tests.depth import examples

SEED = 20
COMMITS = 20
TITLES = sa.text("SELECT title FROM paper ORDER BY id")


def find_files(url):
    path = Path(sa.make_url(url).database or "")
    return path, path.with_name(f"{path.name}-wal")


def read_after_power_loss(path, log, log_content):
    """Return the titles in a copy of the library whose log has this content."""
    shutil.rmtree(folder := path.parent / "after", ignore_errors=True)
    folder.mkdir()
    copy = folder / path.name
    subprocess.run(
        ["cp", path, copy], check=True
    )  # In another process: closing the file here would end SQLite's locks.
    copy.with_name(log.name).write_bytes(log_content)
    database = Database(f"sqlite:///{copy}")
    try:
        with database.read() as tx:
            titles = [*tx.scalars(TITLES)]
        assert db.integrity_problems(database, full=True) == ([], [])
        assert db.foreign_key_problems(database) == []
        with database.write() as tx:
            make.paper(tx, "After the power loss")
        return titles
    finally:
        database.dispose()


@pytest.fixture
def database(sqlite_files):
    database = Database(url := sqlite_files.copy())
    yield database
    database.dispose()
    sqlite_files.drop(url)


@pytest.mark.parametrize("end", ["cut", "zeros", "other bytes"])
def test_f2_every_commit_whose_log_was_written_is_there_and_no_other_half(database, end):
    path, log = find_files(database.url)
    written = []  # The size of the log after each commit.
    for number in range(COMMITS):
        with database.write() as tx:
            for part in range(3):
                make.paper(tx, f"{number}.{part}")
        written.append(log.stat().st_size)
    content = subprocess.run(["cat", log], check=True, capture_output=True).stdout
    chance = random.Random(SEED)
    tails = {"cut": lambda left: b"", "zeros": bytes, "other bytes": chance.randbytes}
    for place in [0, *chance.sample(range(len(content)), examples(8)), len(content)]:
        titles = read_after_power_loss(path, log, content[:place] + tails[end](len(content) - place))
        complete = sum(size <= place for size in written)
        assert titles == [f"{number}.{part}" for number in range(complete) for part in range(3)], place
