"""`readtrack import FOLDER`: every note in a folder, once or again whenever it changes."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.cli import watch_notes
from readtrack.cli.context import get_acting_person
from readtrack.cli.note_files import list_note_files
from readtrack.cli.watch_notes import NoteWatch
from readtrack.infra import config
from readtrack.infra.clock import now
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, Note, NoteRevision, Paper
from readtrack.ingest.imports import commands
from tests import make
from tests.raising import raise_when
from tests.sample_library import count_of

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "notes"
    (folder / "week").mkdir(parents=True)
    (folder / "reading.md").write_text("# Checkpointing\n\n- 2305.15778\n", encoding="utf-8")
    (folder / "week" / "reading.md").write_text("- 2401.00001\n", encoding="utf-8")
    return folder


@pytest.fixture
def open_watch(library, folder):
    """Opens a watch of the folder: each call looks at it once, as the command does again and again."""

    def opened():
        watching = NoteWatch(library, config.load(), [str(folder)], "", "wait")

        def look():
            for file, version in watching.iter_settled_files():
                watching.import_version(file, version)

        return look

    return opened


@pytest.fixture
def watch(open_watch):
    return open_watch()


def fail(error):
    raise error


def counts(database):
    return count_of(database, Note), count_of(database, NoteRevision), count_of(database, Paper)


def test_notes_in_a_folder_are_titled_by_their_path_in_it(run, library, folder):
    code, _, err = run("import", folder)
    assert (code, counts(library)) == (0, (2, 2, 2)), err
    assert [file.title for file in list_note_files([str(folder)], on_error=fail)] == [
        "reading.md",
        "week/reading.md",
    ]
    assert run("import", folder, "--title", "Mine")[0] == 1


@pytest.mark.parametrize(
    "name",
    [
        ".git/notes.md", ".hidden.md", "notes.md~", "~$notes.csv", ".#notes.md", "#notes.md#", ".notes.md.swp",
        ".syncthing.notes.md.tmp", "~syncthing~notes.md.tmp", "notes.md.part", "photo.jpg", "build.py", "Makefile",
    ],
)  # fmt: skip
def test_hidden_and_temporary_files_and_other_things_are_no_notes(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("- 2305.15778\n", encoding="utf-8")
    assert list(list_note_files([str(tmp_path)], on_error=fail)) == []


def test_a_file_of_an_imported_folder_is_its_note_when_it_is_named_alone(run, library, folder, monkeypatch):
    assert run("import", folder)[0] == 0
    file = folder / "week" / "reading.md"
    file.write_text("- 2401.00001\n- 2106.09685\n", encoding="utf-8")
    monkeypatch.chdir(file.parent)
    assert run("import", "reading.md")[0] == 0
    with library.read() as tx:
        titles = tx.scalars(sa.select(col(Note.title)).join(NoteRevision).where(col(NoteRevision.number) == 2)).all()
    assert (titles, counts(library)) == (["week/reading.md"], (2, 3, 3))
    elsewhere = folder.parent / "reading.md"
    elsewhere.write_text("- 2203.15556\n", encoding="utf-8")
    assert run("import", elsewhere)[0] == 0  # a version of the note with its name, as any file outside of folders
    assert counts(library) == (2, 4, 4)


def test_links_are_not_followed_out_of_the_folder(tmp_path, folder):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "linked").symlink_to(outside)
    files = list_note_files([str(folder)], on_error=fail)
    assert [Path(file.path).name for file in files] == ["reading.md", "reading.md"]


def test_one_bad_file_does_not_stop_the_others(run, library, folder):
    (folder / "a.md").write_bytes(b"%PDF-1.7 ...")
    code, _, err = run("import", folder)
    assert (code, "is a PDF" in err, counts(library)) == (1, True, (2, 2, 2))


def is_about_a(*given):
    return "/a.md" in str(given)


def test_a_file_on_which_the_import_breaks_does_not_stop_the_others(run, library, folder, monkeypatch):
    (folder / "a.md").write_text("- 2106.09685\n", encoding="utf-8")
    raise_when(monkeypatch, "cli.imports.import_file", is_about_a, KeyError("title"))
    code, _, err = run("import", folder)
    assert (code, "a.md: Internal error." in err, counts(library)) == (1, True, (2, 2, 2))


def test_a_bad_file_does_not_stop_the_preview_of_the_others(run, library, folder):
    (folder / "a.md").write_bytes(b"%PDF-1.7 ...")
    code, printed, err = run("import", "--preview", folder)
    assert (code, "is a PDF" in err, printed.count("reading.md: ")) == (1, True, 2)


def test_a_file_on_which_the_preview_breaks_does_not_stop_the_others(run, library, folder, monkeypatch):
    (folder / "a.md").write_text("- 2106.09685\n", encoding="utf-8")
    raise_when(monkeypatch, "cli.imports.parser.preview_json", is_about_a, KeyError("title"))
    code, printed, err = run("import", "--preview", folder)
    assert (code, "a.md: Internal error." in err, printed.count("reading.md: ")) == (1, True, 2)


def test_a_file_on_which_the_import_breaks_does_not_end_the_watch(watch, library, folder, monkeypatch):
    (folder / "a.md").write_text("- 2106.09685\n", encoding="utf-8")
    raise_when(monkeypatch, "cli.watch_notes.import_file", is_about_a, KeyError("title"))
    for _ in range(2):
        watch()
    assert counts(library) == (2, 2, 2)


def test_a_file_is_imported_when_it_no_longer_changes(watch, library, folder):
    watch()
    assert counts(library) == (0, 0, 0)
    (folder / "reading.md").write_text("- 2305.15778\n- 2106.09685\n", encoding="utf-8")
    watch()
    assert counts(library) == (1, 1, 1)
    watch()
    assert counts(library) == (2, 2, 3)


def test_a_changed_file_is_a_revision_of_its_note(watch, library, folder, capsys):
    for _ in range(3):
        watch()
    assert counts(library) == (2, 2, 2)
    (folder / "reading.md").write_text("# Checkpointing\n\n- 2305.15778\n- 2106.09685\n", encoding="utf-8")
    capsys.readouterr()
    for _ in range(3):
        watch()
    assert counts(library) == (2, 3, 3)
    assert capsys.readouterr().err.count("reading.md: ") == 1


def test_two_watches_add_nothing_twice(open_watch, library, capsys):
    first, second = open_watch(), open_watch()
    first()
    first()
    capsys.readouterr()
    second()
    second()
    assert counts(library) == (2, 2, 2)
    assert capsys.readouterr().err == ""


def test_a_bad_file_is_reported_once_and_imported_when_it_is_mended(watch, library, folder, capsys):
    (folder / "a.md").write_bytes(b"%PDF-1.7 ...")
    for _ in range(3):
        watch()
    assert counts(library) == (2, 2, 2)
    assert capsys.readouterr().err.count("is a PDF") == 1
    (folder / "a.md").write_text("- 2106.09685\n", encoding="utf-8")
    watch()
    watch()
    assert counts(library) == (3, 3, 3)


def titles(database):
    with database.read() as tx:
        return sorted(tx.scalars(sa.select(col(Note.title))))


def test_folders_with_the_same_paths_in_them_have_notes_of_their_own(run, library, tmp_path):
    files = [tmp_path / name / "notes.md" for name in ("a", "b", "old/b", "b/b")]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True)
        file.write_text(f"- 2305.0000{number}\n", encoding="utf-8")
        assert run("import", file.parent)[0] == 0
    named = ["b/b/notes.md", "b/notes.md", "notes.md", "old/b/notes.md"]
    assert (titles(library), count_of(library, NoteRevision)) == (named, 4)
    for number, file in enumerate(files):
        file.write_text(f"- 2305.0000{number}\n- 2401.0000{number}\n", encoding="utf-8")
    assert run("import", *(file.parent for file in files))[0] == 0
    assert (titles(library), count_of(library, NoteRevision), count_of(library, Paper)) == (named, 8, 8)


def test_a_note_from_before_files_were_recorded_or_from_a_browser_goes_on(run, library, folder):
    with library.write() as tx:
        older = make.added(tx, Note(title="week/reading.md", title_key="week/reading.md"))
        make.added(tx, NoteRevision(note_id=older.id, text="- 1", sha256="1", line_count=1, state="committed"))
    assert run("import", folder)[0] == 0
    assert (titles(library), count_of(library, NoteRevision)) == (["reading.md", "week/reading.md"], 3)


@pytest.mark.parametrize("state", ["cancelled", "discarded"])
def test_a_restarted_watch_does_not_import_what_a_person_has_canceled(
    run, open_watch, library, folder, monkeypatch, capsys, state
):
    file = folder / "reading.md"
    (folder / "week" / "reading.md").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(queue, "run_due_job", lambda *_args, **_options: False)  # Another worker would run it.
        with suppress(ReadtrackError):
            run("import", file)
    with library.write() as tx:
        me, [revision] = get_acting_person(tx, ""), tx.scalars(sa.select(NoteRevision)).all()
        revision.state = "committing"
        if state == "cancelled":
            tx.scalars(sa.select(Entry)).first().done_at = now()
        tx.flush()
        assert commands.cancel_import(tx, me, revision.id) == state
    watch = open_watch()
    for _ in range(3):
        watch()
    assert count_of(library, Paper) == 0
    assert capsys.readouterr().err.count("canceled") == 1
    file.write_text("- 2401.00001\n", encoding="utf-8")
    watch()
    watch()
    assert count_of(library, Paper) == 1
    file.write_text("# Checkpointing\n\n- 2305.15778\n", encoding="utf-8")
    watch()
    watch()
    assert count_of(library, Paper) == 1
    assert run("import", file)[0] == 0
    assert count_of(library, Paper) == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("-", "--watch"), "not with standard input"),
        (("nowhere", "--watch"), "nowhere: No such file or directory."),
        ((".", "--watch", "--undecided", "later"), "--undecided is one of"),
    ],
)
def test_what_cannot_be_watched_is_refused(run, library, words, complaint):
    code, _, err = run("import", *words)
    assert (code, complaint in err) == (1, True), err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_watch_after_the_current_file(run, library, folder, monkeypatch, number):
    handlers = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    turns = iter(range(3))

    def nap(_):
        if next(turns) == 2:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(watch_notes, "sleep", nap)
    try:
        code, out, err = run("import", folder, "--watch")
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)
    assert (code, out, counts(library)) == (0, "", (2, 2, 2)), err


def test_the_person_is_checked_before_every_file(watch, library, folder, capsys):
    with library.write() as tx:
        make.person(tx, "Zed")
    watch()
    watch()
    assert counts(library) == (0, 0, 0)
    assert "Ada" in capsys.readouterr().err
