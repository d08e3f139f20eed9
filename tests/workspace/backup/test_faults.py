"""A full disk, a damaged library or a wrong place leave the old library as it was, and no half files."""

import random
import resource
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from readtrack.infra.db.library_lock import hold_library
from readtrack.infra.db.replacement import DRAFT, KEPT
from readtrack.infra.errors import Conflict, ReadtrackError, StorageUnavailable
from readtrack.infra.models import Image
from readtrack.workspace.backup.create import create_backup
from readtrack.workspace.backup.restore import restore_archive
from tests import make
from tests.workspace.backup.test_round_trip import opened

NAMES = sa.text("SELECT name FROM person ORDER BY id")


@contextmanager
def limited_file_size(size):
    """Let no file become larger, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def library(sqlite_files, tmp_path):
    """A library with Ada in a folder of its own, and a backup from before Grace came."""
    url, path = f"sqlite:///{tmp_path / 'data' / 'readtrack.sqlite3'}", tmp_path / "library.zip"
    (tmp_path / "data").mkdir()
    shutil.move(file_of(sqlite_files.copy()), tmp_path / "data" / "readtrack.sqlite3")
    with opened(url) as database:
        with database.write() as tx:
            ada = make.person(tx, "Ada")
            picture: Any = {"media_type": "image/png", "width": 1, "height": 1, "content": random.randbytes(300_000)}
            tx.add(Image(name="picture", person_id=ada.id, sha256="", **picture))
        create_backup(database, path)
        with database.write() as tx:
            make.person(tx, "Grace")
    return url, path


def file_of(url):
    return Path(sa.make_url(url).database or "")


def people(url):
    with opened(url) as database, database.read() as tx:
        return tx.scalars(NAMES).all()


def files_beside(url):
    path = file_of(url)
    return sorted(entry.name.removeprefix(path.name) for entry in path.parent.iterdir())


@pytest.mark.parametrize("size", [0, 100_000])
def test_f3_a_backup_on_a_full_disk_leaves_the_old_one_and_no_part(library, size):
    url, path = library
    before = path.read_bytes()
    with opened(url) as database, database.read(), limited_file_size(size), pytest.raises((OSError, ReadtrackError)):
        create_backup(database, path)
    assert path.read_bytes() == before
    assert not [*path.parent.glob("*.partial")]


@pytest.mark.parametrize("size", [4_096, 600_000])
def test_f4_a_restore_on_a_full_disk_leaves_the_old_library_and_no_part(library, size):
    url, path = library
    with limited_file_size(size), pytest.raises((OSError, ReadtrackError)):
        restore_archive(path, url, replace=True)
    assert people(url) == ["Ada", "Grace"]
    assert files_beside(url) == ["", ".lock"]


def test_f14_a_damaged_library_is_replaced_and_kept_with_its_log(library):
    url, path = library
    old = file_of(url)
    old.write_bytes(b"no database at all" * 500)
    old.with_name(f"{old.name}-wal").write_bytes(b"of another library")
    with pytest.raises(Conflict, match="Add --replace"):
        restore_archive(path, url)
    kept = restore_archive(path, url, replace=True)
    assert kept is not None
    assert people(url) == ["Ada"]
    assert kept.read_bytes() == b"no database at all" * 500
    assert files_beside(url) == sorted(["", ".lock", kept.name.removeprefix(old.name)])


def test_the_old_library_is_kept_with_its_latest_changes(library):
    url, path = library
    kept = restore_archive(path, url, replace=True)
    assert (people(url), people(f"sqlite:///{kept}")) == (["Ada"], ["Ada", "Grace"])


def test_what_an_interrupted_restore_left_is_deleted_by_the_next(library):
    url, path = library
    old = file_of(url)
    for suffix in (DRAFT, f"{DRAFT}-wal"):
        old.with_name(old.name + suffix).write_bytes(b"half")
    old.with_name(f"{old.name}{KEPT}20200101T000000Z").hardlink_to(old)
    kept = restore_archive(path, url, replace=True)
    assert kept is not None
    assert files_beside(url) == sorted(["", ".lock", kept.name.removeprefix(old.name)])


def test_a_library_in_use_is_neither_restored_nor_opened_while_it_is(library):
    url, path = library
    with hold_library(url), pytest.raises(StorageUnavailable, match="Stop all readtrack processes"):
        restore_archive(path, url, replace=True)
    assert people(url) == ["Ada", "Grace"]
