"""`readtrack backup`, `restore` and `export archive`."""

import shutil

import pytest

from readtrack.bootstrap import open_library
from readtrack.infra import config as operator
from readtrack.workspace.backup.archive import open_archive
from tests import make
from tests.workspace.backup.test_faults import file_of, people

pytestmark = pytest.mark.slow


@pytest.fixture
def library(data, sqlite_files):
    """The folder of a library with Ada and Grace."""
    settings = operator.load({}, data=data).ready()
    shutil.move(file_of(sqlite_files.copy()), data / "readtrack.sqlite3")
    database = open_library(settings)
    with database.write() as tx:
        for name in ("Ada", "Grace"):
            make.person(tx, name, role="admin")
    database.dispose()
    return data


def test_a_library_is_backed_up_and_restored_by_commands(library, run, tmp_path, monkeypatch):
    code, out, _ = run("backup", tmp_path, "--with-secret-key", "--keep", "1")
    assert (code, "verified, with the secret key" in out) == (0, True)
    (path,) = tmp_path.glob("readtrack-*.zip")
    assert path.stat().st_mode & 0o777 == 0o600
    code, _, problem = run("restore", path)
    assert (code, "Add --replace" in problem) == (1, True)
    code, _, problem = run("restore", path, "--replace", stdin=b"yes\n")
    assert (code, "Nothing was restored. Type REPLACE" in problem) == (1, True)
    code, out, _ = run("restore", path, "--replace", stdin=b"REPLACE\n")
    assert (code, "The old library is " in out) == (0, True)
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path / "other"))
    code, out, _ = run("restore", path)
    assert (code, "The secret key was restored" in out) == (0, True)
    assert (tmp_path / "other/secret_key").read_text() == (library / "secret_key").read_text()
    assert people(f"sqlite:///{tmp_path / 'other/readtrack.sqlite3'}") == ["Ada", "Grace"]


def test_another_secret_key_is_noticed(library, run, tmp_path, monkeypatch):
    run("export", "archive", tmp_path / "library.zip")
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path / "other"))
    monkeypatch.setenv("READTRACK_SECRET_KEY", "another key " * 4)
    code, out, _ = run("restore", tmp_path / "library.zip")
    assert (code, "The secret key differs" in out) == (0, True)


def test_an_archive_of_one_person_is_written_but_not_restored(library, run, tmp_path):
    code, out, _ = run("export", "archive", tmp_path / "ada.zip", "--person", "Ada")
    assert (code, out.rstrip().endswith("rows of Ada")) == (0, True)
    with open_archive(tmp_path / "ada.zip") as archive:
        assert [row["name"] for row in archive.rows("person")] == ["Ada"]
    code, _, problem = run("restore", tmp_path / "ada.zip", "--replace", "--yes", "REPLACE")
    assert (code, "has the data of one person" in problem) == (1, True)


REFUSED = (
    (("backup", "/nowhere/library.zip"), "/nowhere/library.zip.partial: No such file"),
    (("backup", "library.zip", "--keep", "2"), "isn't a folder"),
    (("restore", "/nowhere/library.zip"), "/nowhere/library.zip: No such file"),
    (("restore", __file__), "isn't a readtrack archive"),
    (("export", "archive"), "An archive needs a file"),
    (("export", "archive", "/nowhere/x.zip", "--person", "Nobody"), "Nobody"),
)


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_what_cannot_be_done_is_refused_with_a_sentence(library, run, words, message):
    code, _, problem = run(*words)
    assert code != 0
    assert message in problem


def test_a_dry_run_lists_what_an_upgrade_would_do(library, run, tmp_path, monkeypatch):
    assert "up to date" in run("migrate", "--dry-run")[1]
    monkeypatch.setenv("READTRACK_DATA", str(tmp_path / "new"))
    code, out, _ = run("migrate", "--dry-run")
    assert (code, out.splitlines()[0].split("\t")[0], (tmp_path / "new").exists()) == (0, "0001", False)
