"""Backups in a folder: named by date, listed, and only ours deleted."""

import fcntl
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from readtrack.infra.errors import Conflict
from readtrack.infra.files import partial_path, write_beside
from readtrack.workspace.backup.archive import ArchiveWriter
from readtrack.workspace.backup.files import dated_name, delete_old_backups, delete_partial_files, list_backups

START = datetime(2026, 3, 31, 23, 59, tzinfo=UTC)


def write_backup(folder, days=0, before=""):
    with time_machine.travel(START + timedelta(days=days), tick=False):
        path = folder / dated_name(before=before)
        with path.open("wb") as file, ArchiveWriter.open(file) as writer:
            writer.finish(kind="library", revision="0001", database="sqlite")
    return path.name


def test_only_old_backups_of_ours_are_deleted(tmp_path):
    names = [write_backup(tmp_path, days) for days in range(4)]
    upgrade = write_backup(tmp_path, before="0002")
    damaged = "readtrack-20200101T000000Z.zip"
    others = {"notes.zip", "readtrack-20200101T000000Z.zip.old", "xreadtrack-20200101T000000Z.zip", damaged}
    for name in others:
        (tmp_path / name).write_bytes(b"PK")
    (tmp_path / "readtrack-20190101T000000Z.zip").mkdir()
    assert [backup.name for backup in delete_old_backups(tmp_path, 2)] == [names[1], names[0]]
    remaining = {names[2], names[3], upgrade}
    assert {path.name for path in tmp_path.iterdir()} == {*others, *remaining, "readtrack-20190101T000000Z.zip"}
    listed = list_backups(tmp_path)
    assert [backup.name for backup in listed] == [names[3], names[2], upgrade, damaged]
    assert [(backup.before, bool(backup.manifest)) for backup in listed[2:]] == [("0002", True), ("", False)]


def test_many_backups_of_one_day_delete_none_of_the_days_before(tmp_path):
    days = [write_backup(tmp_path, day) for day in range(3)]
    same_day = [write_backup(tmp_path, 3 - hours / 24) for hours in (3, 2, 1)]
    assert [backup.name for backup in delete_old_backups(tmp_path, 3)] == [days[0]]
    assert {backup.name for backup in list_backups(tmp_path)} == {*days[1:], *same_day}


def test_a_folder_that_is_missing_has_no_backups(tmp_path):
    assert list_backups(tmp_path / "missing") == []


def test_what_an_interrupted_backup_left_is_deleted_but_not_what_is_being_written(tmp_path):
    left, busy = (tmp_path / f"readtrack-2020010{day}T000000Z.zip.partial" for day in (1, 2))
    foreign = tmp_path / "readtrack-notes.partial"
    for path in (left, busy, foreign):
        path.write_bytes(b"half")
    with busy.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        delete_partial_files(tmp_path)
    assert {*tmp_path.iterdir()} == {busy, foreign}


def test_a_file_is_replaced_complete_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    partial_path(path).write_bytes(b"left by a process that was killed, and longer")
    with pytest.raises(ZeroDivisionError), write_beside(path) as file:
        file.write(bytes([1 // 0]))
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("file", b"old")]
    with write_beside(path) as file:
        file.write(b"new")
        with pytest.raises(Conflict, match="Another process is writing file"), write_beside(path):
            pass
        assert path.read_bytes() == b"old"
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("file", b"new")]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "changes",
    [{8: b"\x00\x08", 46: b"\xff\xfe"}, {6: b"\xe7\x03"}],
    ids=["a name said to be UTF-8 that is not", "a form of zip that is not there yet"],
)
def test_a_damaged_backup_is_listed_as_one_whatever_is_wrong_in_its_directory(tmp_path, changes):
    good = write_backup(tmp_path, 1)
    content = bytearray((tmp_path / good).read_bytes())
    directory = content.index(b"PK\x01\x02")
    for offset, value in changes.items():
        content[directory + offset : directory + offset + len(value)] = value
    (tmp_path / "readtrack-20200101T000000Z.zip").write_bytes(content)
    assert [bool(backup.manifest) for backup in list_backups(tmp_path)] == [True, False]
