"""What an archive says is checked against what it has, and everything else is refused with a sentence."""

import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from readtrack.infra.db.tables import Kind
from readtrack.infra.errors import Invalid
from readtrack.workspace.backup import archive as archive_form
from readtrack.workspace.backup.archive import ArchiveWriter, open_archive
from tests.tables import cases

COLUMNS: Mapping[str, Kind] = {
    "id": "integer",
    "name": "text",
    "at": "datetime",
    "on": "date",
    "data": "json",
    "content": "bytes",
    "is_shared": "boolean",
    "position": "number",
}
ROWS: list[dict[str, Any]] = [
    {
        "id": 1,
        "name": "訓練\n\0\u2028",
        "at": datetime(2026, 3, 31, 4, 5, 6, 7, tzinfo=UTC),
        "on": date(1, 1, 1),
        "data": {"b": None, "a": [1.5, "ü"]},
        "content": bytes(range(256)),
        "is_shared": False,
        "position": -0.1,
    },
    {"id": 2, "data": None},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "library.zip"
    with path.open("wb") as file, ArchiveWriter.open(file) as writer:
        writer.add_table("thing", COLUMNS, ROWS, last_id=7)
        writer.add_file("secret_key", b"only for tests")
        writer.finish(kind="library", revision="0001", database="sqlite")
    return path


def rewrite(path, change):
    """Write the archive anew with the contents that `change` gives."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    change(contents)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def edit_manifest(contents, **fields):
    manifest = json.loads(contents["manifest.json"]) | fields
    contents["manifest.json"] = json.dumps(manifest).encode()


def read(path):
    with open_archive(path) as archive:
        archive.verify()
        return list(archive.rows("thing"))


def test_values_of_every_kind_come_back_and_null_differs_from_null_in_json(path):
    assert read(path) == ROWS
    with open_archive(path) as archive:
        assert archive.read_file("secret_key") == b"only for tests"
        assert (archive.manifest.row_count, archive.manifest.tables["thing"].last_id) == (2, 7)


@pytest.mark.parametrize("size", [1, 7, 200])
def test_rows_that_are_longer_than_what_is_read_at_once_come_back(path, monkeypatch, size):
    monkeypatch.setattr(archive_form, "CHUNK_BYTES", size)
    assert read(path) == ROWS


def test_a_row_that_would_fill_the_memory_is_refused(path, monkeypatch):
    monkeypatch.setattr(archive_form, "CHUNK_BYTES", 8)
    monkeypatch.setattr(archive_form, "MAX_LINE_BYTES", 50)
    with pytest.raises(Invalid, match="a row isn't as described"):
        read(path)


def test_the_form_is_the_documented_one(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["tables/thing.jsonl", "files/secret_key", "manifest.json"]
        lines = archive.read("tables/thing.jsonl").decode().rstrip("\n").split("\n")
        manifest = json.loads(archive.read("manifest.json"))
    assert json.loads(lines[1]) == {"id": 2, "data": None}
    assert json.loads(lines[0])["at"] == "2026-03-31T04:05:06.000007Z"
    assert (manifest["format"], manifest["version"], manifest["kind"]) == ("readtrack archive", 1, "library")


@pytest.mark.parametrize("share", [0.2, 0.6, 0.99])
def test_a_torn_archive_is_refused(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(Invalid, match=r"library.zip is damaged or incomplete \(its end is missing\)"):
        read(path)


def test_no_changed_byte_goes_unnoticed(path):
    content = path.read_bytes()
    with open_archive(path) as archive:
        expected = (archive.manifest, ROWS)
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x41]) + content[place + 1 :])
        try:
            rows = read(path)
        except Invalid:
            continue
        with open_archive(path) as archive:  # A byte that says nothing, such as a date in the zip.
            assert (archive.manifest, rows) == expected, place


FOREIGN = {
    "text": b"Notes",
    "nothing": b"",
}


@cases("content", FOREIGN.values(), ids=FOREIGN)
def test_another_kind_of_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(Invalid, match=r"library\.zip isn't a readtrack archive"):
        read(path)


REFUSED = {
    "another program's zip": (lambda held: held.pop("manifest.json"), "isn't a readtrack archive"),
    "another manifest": (lambda held: edit_manifest(held, format="notes"), "isn't a readtrack archive"),
    "a list": (lambda held: held.update({"manifest.json": b"[]"}), "isn't a readtrack archive"),
    "a newer form": (
        lambda held: edit_manifest(held, version=2, readtrack="9.0"),
        r"newer version of readtrack \(9.0\)",
    ),
    "fields missing": (lambda held: edit_manifest(held, tables=None), r"damaged or incomplete \(manifest\)"),
    "a table missing": (lambda held: held.pop("tables/thing.jsonl"), "tables/thing.jsonl is missing"),
    "a file missing": (lambda held: held.pop("files/secret_key"), "files/secret_key is missing"),
    "a row less": (lambda held: held.update({"tables/thing.jsonl": b'{"id":1}\n'}), r"\(table thing\)"),
    "another file": (lambda held: held.update({"files/secret_key": b"other"}), r"\(file secret_key\)"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_an_archive_that_is_not_as_described_is_refused(path, change, message):
    rewrite(path, change)
    with pytest.raises(Invalid, match=message):
        read(path)


ODD_LINES = {
    "no row": b"3\n",
    "no JSON": b"{\n",
    "an unknown column": b'{"x":1}\n',
    "no number": b'{"id":"1"}\n',
    "a number as bool": b'{"id":true}\n',
    "a fraction": b'{"id":1.0}\n',
    "a bool as number": b'{"is_shared":1}\n',
    "null": b'{"name":null}\n',
    "half a character": b'{"name":"\\ud800"}\n',
    "a time without zone": b'{"at":"2026-03-31T04:05:06"}\n',
    "a time as number": b'{"at":5}\n',
    "a time as date": b'{"on":"2026-03-31T00:00:00Z"}\n',
    "bytes that are none": '{"content":"ü"}\n'.encode(),
}


@cases("line", ODD_LINES.values(), ids=ODD_LINES)
def test_a_row_that_is_not_as_described_is_refused(path, line):
    rewrite(path, lambda held: held.update({"tables/thing.jsonl": line}))
    with open_archive(path) as archive, pytest.raises(Invalid, match="a row isn't as described"):
        list(archive.rows("thing"))
