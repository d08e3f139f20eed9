"""A library that commands find by their settings, and a way to run them."""

import os
import shutil

import pytest
import sqlalchemy as sa

from readtrack import cli
from readtrack.infra.db import Database
from tests import make


@pytest.fixture
def data(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("READTRACK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("READTRACK_OFFLINE", "1")
    return tmp_path / "data"


@pytest.fixture
def run(data, capsys, monkeypatch):
    """Runs `readtrack …`; (exit code, standard output, standard error)."""

    def run(*words, stdin=b""):
        monkeypatch.setattr("sys.argv", ["readtrack", *map(str, words)])
        reading, writing = os.pipe()
        os.write(writing, stdin)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as piped:
            monkeypatch.setattr("sys.stdin", piped)
            try:
                cli.main()
            except SystemExit as ended:
                code = ended.code or 0
            else:
                code = 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def library(data, sqlite_files):
    """A migrated library with Ada in it."""
    data.mkdir(mode=0o700)
    shutil.move(str(sa.make_url(sqlite_files.copy()).database), data / "readtrack.sqlite3")
    (data / "readtrack.sqlite3").chmod(0o600)
    database = Database(f"sqlite:///{data / 'readtrack.sqlite3'}")
    with database.write() as tx:
        make.person(tx, "Ada", role="admin")
    yield database
    database.dispose()
