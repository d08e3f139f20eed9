"""`readtrack import --watch`: notes are imported again whenever their files change.

The folders are polled, which works on every file system, network drives included. What was imported is known by its
text, so a restart, or another watch of the same folder, adds nothing twice. What a person canceled is left alone.
"""

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import sleep
from typing import Any

import typer

from readtrack.cli.context import get_acting_person, open_existing_library
from readtrack.cli.imports import (
    INTERNAL_ERROR,
    describe_failure,
    import_file,
    print_report,
    refuse_unknown_choice,
    was_canceled,
)
from readtrack.cli.note_files import STDIN, NoteFile, list_note_files
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.errors import Invalid, ReadtrackError, StorageUnavailable
from readtrack.infra.jobs import queue

POLL_SECONDS = 2.0
CANCELED = "The import of {path} was canceled. Change the file, or run readtrack import with it."

FileVersion = tuple[int, int]  # time of the last change in nanoseconds, size


def watch_notes(paths: Sequence[str], as_person: str, *, undecided: str) -> None:
    """Run `readtrack import --watch` until SIGTERM or SIGINT."""
    refuse_unknown_choice(undecided)
    if STDIN in paths:
        message = "--watch works with files and folders, not with standard input."
        raise Invalid(message)
    for path in paths:
        Path(path).stat()  # a misspelled path is an error; one that disappears later is waited for
    stop = _StopRequest()
    with open_existing_library() as (settings, database):
        with database.read() as tx:
            get_acting_person(tx, as_person)
        watch = NoteWatch(database, settings, paths, as_person, undecided)
        typer.echo("Watching for changes. Press Ctrl+C to stop after the current file.", err=True)
        while not stop.is_requested():
            for file, version in watch.iter_settled_files():
                if stop.is_requested():
                    return
                watch.import_version(file, version)
            sleep(POLL_SECONDS)


class _StopRequest:
    """Is requested by the first SIGTERM or SIGINT. A second one ends the process at once."""

    def __init__(self) -> None:
        self._is_requested = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request)

    def is_requested(self) -> bool:
        return self._is_requested

    def _request(self, number: int, _frame: Any) -> None:  # noqa: ANN401 - as signal handlers take it
        self._is_requested = True
        signal.signal(number, signal.SIG_DFL)


class NoteWatch:
    """Remembers the versions of files, and imports each version once."""

    def __init__(
        self, database: Database, settings: Settings, paths: Sequence[str], as_person: str, undecided: str
    ) -> None:
        self._database, self._settings = database, settings
        self._paths, self._as_person, self._undecided = paths, as_person, undecided
        self._last_seen: dict[str, FileVersion] = {}
        self._imported: dict[str, FileVersion] = {}
        self._failures: dict[str, str] = {}

    def iter_settled_files(self) -> Iterator[tuple[NoteFile, FileVersion]]:
        """Yield the new and changed files that are the same as at the last call: nobody is writing them."""
        versions: dict[str, FileVersion] = {}
        settled_files: list[NoteFile] = []
        for file in list_note_files(self._paths, on_error=self._report_unreadable_folder):
            version = _get_version(file)
            if version is None:
                continue
            versions[file.path] = version
            if self._last_seen.get(file.path) == version != self._imported.get(file.path):
                settled_files.append(file)
        self._last_seen = versions
        return ((file, versions[file.path]) for file in settled_files)

    def import_version(self, file: NoteFile, version: FileVersion) -> None:
        """Import a file, unless a person canceled that. A failure is reported, and tried again when the file changes.

        If the file or the database can't be read at the moment, the next call of iter_settled_files yields it again.
        """
        try:
            with queue.isolate_errors("failed to import file", ReadtrackError, OSError, path=file.path) as outcome:
                self._import(file)
            if outcome.problem is not None:
                raise Invalid(INTERNAL_ERROR)
        except (OSError, StorageUnavailable) as error:
            self._report_failure(file.path, error)
            return
        except ReadtrackError as error:
            self._report_failure(file.path, error)
        else:
            self._failures.pop(file.path, None)
        self._imported[file.path] = version

    def _import(self, file: NoteFile) -> None:
        with self._database.read() as tx:
            me = get_acting_person(tx, self._as_person)
        if was_canceled(self._database, file):
            raise Invalid(CANCELED.format(path=file.path))
        state, is_new = import_file(self._database, self._settings, me, file, undecided=self._undecided)
        if is_new:
            print_report(self._database, file, state, is_new=True)

    def _report_unreadable_folder(self, error: OSError) -> None:
        self._report_failure(str(error.filename), error)

    def _report_failure(self, path: str, error: Exception) -> None:
        """Print a failure unless it is the same as the last one of that path."""
        message = describe_failure(path, error)
        if self._failures.get(path) != message:
            self._failures[path] = message
            typer.echo(message, err=True)


def _get_version(file: NoteFile) -> FileVersion | None:
    """Return the version of a file, None if it is empty or gone."""
    try:
        status = Path(file.path).stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if status.st_size else None
