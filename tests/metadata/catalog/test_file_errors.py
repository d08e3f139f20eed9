"""What may happen to the catalogue's file: a full disk, two loads at once, removed or replaced while it is in use."""

import os
import resource
import signal
import subprocess
import sys
from functools import partial

import pytest

from readtrack.infra.db.sqlite import sqlite3
from readtrack.infra.errors import StorageUnavailable
from readtrack.metadata.catalog import Catalog, CatalogClient
from readtrack.metadata.types import Ref
from tests.depth import DEEP
from tests.metadata.catalog.samples import PAPER, Library, lines, papers

pytestmark = pytest.mark.slow  # `make check` is to be quick

NAMES = [Ref("arxiv", f"2302.{number:05}") for number in range(1, 3001)]


def command(library, *words, **more):
    """Starts `readtrack catalogue …` in a process of its own."""
    (library.folder / "readtrack.sqlite3").touch()  # else the folder is taken for mistyped
    return subprocess.Popen(
        [sys.executable, "-m", "readtrack", "catalogue", *words],
        env={**os.environ, "READTRACK_DATA": str(library.folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **more,
    )


def no_larger_than(size):
    """The nearest to a full disk that a test can make: every file of this process ends there."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.deep
@pytest.mark.slow
def test_a_full_disk_is_reported_and_loses_nothing_already_loaded(library):
    dump = str(library.write("x.json", lines(papers(3000))))
    loading = command(library, "load", dump, preexec_fn=partial(no_larger_than, 400_000))
    told, _ = loading.communicate(timeout=60)
    assert loading.returncode == 1
    assert "Traceback" not in told
    assert "disk" in told
    again = command(library, "load", dump)
    told, _ = again.communicate(timeout=60)
    assert (again.returncode, "3,000 new works, 0 already known" in told) == (0, True), told
    assert set(library.known.look_up(NAMES)) == set(NAMES)
    assert sqlite3.connect(library.path).execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.deep  # a cache that can be loaded again, and processes
@pytest.mark.parametrize("other", ["x.json", "y.json"])
def test_two_concurrent_loads_lose_and_duplicate_nothing(library, other):
    """Of one file, or of two that tell of the same works."""
    many = 3_000 if DEEP else 1_000
    library.write("x.json", lines(papers(many)))
    library.write("y.json", lines(reversed(papers(many))))
    loads = [command(library, "load", str(library.folder / name)) for name in ("x.json", other)]
    told = [load.communicate(timeout=120)[0] for load in loads]
    assert [load.returncode for load in loads] == [0, 0], told
    assert library.known.counts() == (many, True)
    assert set(library.known.look_up(NAMES)) == set(NAMES[:many])


def test_a_catalog_deleted_while_in_use_is_empty_and_a_new_one_is_found(library):
    named = [Ref("arxiv", PAPER["id"])]
    library.load("x.json", lines([PAPER]))
    assert library.known.look_up(named)
    for suffix in ("", "-wal", "-shm"):
        library.path.with_name(library.path.name + suffix).unlink(missing_ok=True)
    assert library.known.look_up(named) == {}
    library.load("x.json", lines([PAPER]))
    assert library.known.look_up(named)


def test_a_catalog_replaced_while_in_use_is_the_new_one(library, tmp_path):
    (tmp_path / "other").mkdir()
    other = Library(tmp_path / "other")
    other.load("y.json", lines(papers(1)))
    library.load("x.json", lines([PAPER]))
    assert library.known.look_up([Ref("arxiv", PAPER["id"])])
    other.path.replace(library.path)
    assert list(library.known.look_up([Ref("arxiv", PAPER["id"]), NAMES[0]])) == [NAMES[0]]


DAMAGED = [b"no database at all" * 500, bytes(8192), b"SQLite format 3\x00" + b"\xff" * 8000]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_is_reported_with_advice(library, content):
    library.path.write_bytes(content)
    assert f"{library.path} is damaged or unreadable." in library.known.problem()
    assert "load the files again" in library.known.problem()
    with pytest.raises(StorageUnavailable, match="is damaged or unreadable"):
        library.load("x.json", lines([PAPER]))
    assert library.path.read_bytes() == content


@pytest.mark.parametrize("content", DAMAGED)
def test_for_jobs_a_damaged_file_is_an_empty_catalog(library, content):
    library.path.write_bytes(content)
    asked = CatalogClient(library.known)
    assert (asked.look_up(NAMES[:3]), asked.find_title("Herons at Rest")) == ({}, [])


def test_a_folder_at_its_path_is_not_a_catalog(library):
    library.path.mkdir()
    assert (library.known.look_up(NAMES[:1]), library.known.problem()) == ({}, "")


def test_a_catalog_without_read_permission_is_reported(library, monkeypatch):
    library.load("x.json", lines([PAPER]))
    known = Catalog.open(library.path)
    monkeypatch.setattr("readtrack.metadata.catalog.lookup.open_database", _closed)
    assert "can't be opened" in known.problem()
    assert CatalogClient(known).look_up(NAMES[:1]) == {}


def _closed(_path):
    message = "The database can't be opened. Check its folder and disk."
    raise StorageUnavailable(message)
