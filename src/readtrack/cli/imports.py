"""`readtrack import`: preview or import of notes in the current process."""

import json
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any

import typer
from rich.console import Console
from rich.progress import Progress

import readtrack.ingest.imports.commit_job  # noqa: F401 - registers the job handlers
from readtrack.bootstrap import open_egress
from readtrack.cli import format_error
from readtrack.cli.context import get_acting_person, open_existing_library
from readtrack.cli.note_files import STDIN, NoteFile, list_note_files
from readtrack.infra import config
from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import Conflict, Invalid, ReadtrackError
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest import parser
from readtrack.ingest.imports import commands, queries
from readtrack.ingest.imports.columns import ColumnChoice, ColumnError, get_columns
from readtrack.ingest.imports.commands import ImportCommit
from readtrack.ingest.imports.edit_entries import decide_all
from readtrack.ingest.imports.preview import Previewer, open_previewer, preview_file
from readtrack.ingest.imports.propose import from_row
from readtrack.ingest.imports.queries import EntryFilter, ImportState
from readtrack.ingest.imports.report import get_report
from readtrack.ingest.imports.store import store_notes
from readtrack.ingest.imports.stored_text import inspect_file
from readtrack.ingest.imports.uploads import SAMPLE_BYTES, refusal_reason

UNDECIDED = ("ask", "wait", "add", "skip")
WORDS = {"add": "new", "kept": "notes only", "known": "in library", "review": "to review", "skip": "skipped"}
PAGE_SIZE = 1_000  # Entries read at a time.
INTERNAL_ERROR = "Internal error. Details are above."
MAX_PRINTED_DOUBTS = 20  # Maximum warnings printed.


def preview_notes(paths: Sequence[str], title: str, columns: Sequence[str], *, as_json: bool) -> None:
    """Run `readtrack import --preview`. A file that can't be read does not stop the others; the exit code is 1."""
    _require_one_file(paths, "--title" if title else "--column" if columns else "")
    chosen = _parse_columns(columns)
    files = list(list_note_files(paths, title, on_error=_raise))
    counters = {file.path: (Counter[str](), Counter[str]()) for file in files}
    outcome = _Outcome()
    records = _iter_previews(config.load(), files, counters, chosen, outcome)
    if as_json:
        _print_json(records)
    else:
        deque(records, maxlen=0)
        for path, (lines, decisions) in counters.items():
            if lines:
                typer.echo(f"{path}: {_format_line_counts(lines)}; entries: {_format_outcomes(decisions)}")
    if outcome.has_failures:
        raise typer.Exit(1)


def _iter_previews(
    settings: Settings,
    files: Sequence[NoteFile],
    counters: Mapping[str, tuple[Counter[str], Counter[str]]],
    chosen: Mapping[str, str],
    outcome: "_Outcome",
) -> Iterator[dict[str, Any]]:
    """Yield the records of all files, and count their lines by kind and their entries by decision."""
    with open_previewer(settings) as previewer:
        for file in files:
            with _column_errors(), outcome.report_errors(file.path):
                yield from _iter_preview(previewer, file, *counters[file.path], chosen)


def _iter_preview(
    previewer: Previewer, file: NoteFile, lines: Counter[str], decisions: Counter[str], chosen: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    with _open_note(file) as (content, size):
        preview = preview_file(previewer, content, size, chosen)
        if preview.columns is not None:
            typer.echo(f"{file.path}: {_format_columns(preview.columns)}", err=True)
        for entries in preview.entries:
            proposed = previewer.propose(entries)
            records = parser.preview_json(proposed, file.path)
            lines.update(parser.tally(proposed))
            decisions.update(record["decision"] for record in records)
            yield from records


def import_notes(
    paths: Sequence[str], title: str, columns: Sequence[str], as_person: str, *, undecided: str, as_json: bool
) -> None:
    """Run `readtrack import`. A file that can't be imported does not stop the others; the exit code is 1.

    Raise Conflict if lines of a file wait for a decision that `undecided` does not give.
    """
    _require_one_file(paths, "--title" if title else "--column" if columns else "")
    chosen = _parse_columns(columns)
    refuse_unknown_choice(undecided)
    outcome = _Outcome()
    with open_existing_library() as (settings, database):
        with database.read() as tx:
            me = get_acting_person(tx, as_person)
        files = list_note_files(paths, title, on_error=lambda error: outcome.report_failure(error.filename, error))

        def iter_records() -> Iterator[dict[str, Any]]:
            for file in files:
                with _column_errors(), outcome.report_errors(file.path):
                    state = outcome.import_file(database, settings, me, file, undecided, chosen)
                    for rows in _iter_pages(database, state.id) if as_json else ():
                        yield from _build_records(rows, file.path)

        if as_json:
            _print_json(iter_records())
        else:
            deque(iter_records(), maxlen=0)
    if undecided == "ask":
        _refuse_waiting(outcome.waiting)
    if outcome.has_failures:
        raise typer.Exit(1)


@dataclass
class _Outcome:
    """What remains to be said when all files are imported. `waiting`: imports with undecided lines, by path."""

    waiting: dict[str, ImportState] = field(default_factory=dict)
    has_failures: bool = False

    def import_file(
        self,
        database: Database,
        settings: Settings,
        me: CurrentUser,
        file: NoteFile,
        undecided: str,
        columns: Mapping[str, str],
    ) -> ImportState:
        """Import a file and print the report."""
        state, is_new = import_file(database, settings, me, file, undecided=undecided, columns=columns)
        print_report(database, file, state, is_new=is_new)
        if state.undecided:
            self.waiting[file.path] = state
        return state

    @contextmanager
    def report_errors(self, path: str) -> Iterator[None]:
        """Print an error of the block, which concerns this file, instead of raising it. Raise ColumnError."""
        raised = (ReadtrackError, OSError, GeneratorExit)
        try:
            with queue.isolate_errors("failed to read file", *raised, path=path) as outcome:
                yield
        except ColumnError:
            raise
        except (ReadtrackError, OSError) as error:
            self.report_failure(path, error)
        else:
            if outcome.problem is not None:
                self.report_failure(path, Invalid(INTERNAL_ERROR))

    def report_failure(self, path: str, error: Exception) -> None:
        """Print a failure."""
        self.has_failures = True
        typer.echo(describe_failure(path, error), err=True)


def _refuse_waiting(waiting: Mapping[str, ImportState]) -> None:
    """Raise Conflict if lines wait for a decision."""
    if waiting:
        files = ", ".join(
            f"{path} {state.undecided} (/imports/{state.id}?show=open)" for path, state in waiting.items()
        )
        message = f"Lines that need a decision were not imported: {files}. Decide there, or run the command again with "
        raise Conflict(f"{message}--undecided add, skip or wait.")


def refuse_unknown_choice(undecided: str) -> None:
    """Raise Invalid if --undecided has no such value."""
    if undecided not in UNDECIDED:
        message = f"--undecided is one of {', '.join(UNDECIDED)}, not {undecided}."
        raise Invalid(message)


def describe_failure(path: str, error: Exception) -> str:
    """Return the error as a sentence that begins with the file, unless it names it itself."""
    message = format_error(error)
    return message if path in message or Path(path).name in message else f"{path}: {message}"


def _require_one_file(paths: Sequence[str], option: str) -> None:
    """Raise Invalid if an option that is about one file is given with several."""
    if option and (len(paths) > 1 or any(Path(path).is_dir() for path in paths)):
        message = f"{option} works with one file only. Import the files one by one, or leave it out."
        raise Invalid(message)


def _parse_columns(options: Sequence[str]) -> dict[str, str]:
    """Return the fields by column of `--column NAME=FIELD`. The name may contain equals signs."""
    columns: dict[str, str] = {}
    for option in options:
        name, equals, field = option.rpartition("=")
        if not equals or not name.strip():
            message = f"--column is NAME=FIELD, like “My title=title”, not “{option}”."
            raise typer.BadParameter(message)
        columns[name.strip()] = field.strip()
    return columns


@contextmanager
def _column_errors() -> Iterator[None]:
    """Report a wrong `--column` as a wrong option: with exit code 2."""
    try:
        yield
    except ColumnError as error:
        raise typer.BadParameter(error.message) from error


def _format_columns(choice: ColumnChoice) -> str:
    """Format what the columns of a table are read as."""
    columns = (f"{name} = {field or 'not used'}" for name, field in choice.fields.items())
    return f"columns: {', '.join(columns)}"


def _format_line_counts(lines: Mapping[str, int]) -> str:
    """Format the number of lines by kind with their total."""
    parts = " + ".join(f"{kind} {count}" for kind, count in sorted(lines.items()))
    return f"{sum(lines.values())} lines = {parts}"


def _format_outcomes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[outcome]} {label}" for outcome, label in WORDS.items() if counts.get(outcome)) or "none"


def import_file(
    database: Database,
    settings: Settings,
    me: CurrentUser,
    file: NoteFile,
    *,
    undecided: str,
    columns: Mapping[str, str] | None = None,
) -> tuple[ImportState, bool]:
    """Store, commit and run an import in this process; metadata is left to a running worker.

    Return its state, and False if the same text was imported before.
    """
    import_id, is_new = _store(database, me, file, columns)
    egress = open_egress(settings.model_copy(update={"offline": True}), database)
    with Console(stderr=True) as console, Progress(console=console, disable=not sys.stderr.isatty()) as progress:
        state = _run_import(database, egress, import_id, commands.PARSE, progress)
        _refuse_unread(file.path, state)
        with database.write() as tx:
            if undecided in {"add", "skip"}:
                _decide_undecided(tx, me, import_id, undecided)
            commands.commit_import(tx, me, import_id, ImportCommit())
        state = _run_import(database, egress, import_id, "imports.commit", progress)
    _refuse_unfinished(file.path, state)
    return state, is_new


def _decide_undecided(tx: Write, me: CurrentUser, import_id: int, undecided: str) -> None:
    """Decide on the entries that need review, unless the import is being committed."""
    state = queries.get_import(tx, import_id)
    if state.undecided and state.state in {"preview", "committed"}:
        decide_all(tx, me, import_id, EntryFilter("review"), decision="add" if undecided == "add" else "skip")


def _store(database: Database, me: CurrentUser, file: NoteFile, columns: Mapping[str, str] | None) -> tuple[int, bool]:
    """Store the notes: short ones with their preview, long ones to be read by a job."""
    with _open_note(file) as (content, size):
        is_long = size > commands.SMALL_BYTES
        text = inspect_file(content, size) if is_long else parser.decode(content.read())
        try:
            return store_notes(database, me, text, file.title, columns, path=_get_note_path(database, file))
        except Conflict as error:
            if error.code != "imported":
                raise
            message = "This file is already imported. Leave out --column."
            raise Conflict(message, code=error.code) from error


def _get_note_path(database: Database, file: NoteFile) -> str:
    """Return the path by which the note of a file is known, "" for a file that is not from an imported folder."""
    if not file.source or file.is_in_folder:
        return file.source
    with database.read() as tx:
        return file.source if queries.has_note(tx, file.source) else ""


def was_canceled(database: Database, file: NoteFile) -> bool:
    """Return True if a person canceled the import of this text."""
    with _open_note(file) as (content, size):
        sha256 = inspect_file(content, size).sha256
    with database.read() as tx:
        return commands.was_canceled(tx, sha256)


def _iter_pages(database: Database, import_id: int) -> Iterator[Sequence[Any]]:
    last, has_more = 0, True
    while has_more:
        with database.read() as tx:
            rows, has_more = queries.list_entry_page(tx, import_id, after=last, limit=PAGE_SIZE)
        last = rows[-1].position if rows else 0
        yield rows


def _refuse_unread(path: str, state: queries.ImportState) -> None:
    """Raise Conflict if the notes could not be read."""
    if not state.is_read:
        problem = state.job.error if state.job else ""
        message = f"{path} was not fully read. {problem} Run the command again to continue."
        raise Conflict(" ".join(message.split()))


def print_report(database: Database, file: NoteFile, state: ImportState, *, is_new: bool) -> None:
    """Print totals and warnings to stderr, as stdout may carry JSON."""
    with database.read() as tx:
        report, columns = get_report(tx, state.id), get_columns(tx, state.id)
    suffix = "" if is_new else " (already imported)"
    typer.echo(f"{file.path}: {_format_outcomes(report.decisions)}{suffix}", err=True)
    typer.echo(f"  {_format_line_counts(report.lines)}", err=True)
    if columns is not None:
        typer.echo(f"  {_format_columns(columns)}", err=True)
    typer.echo(f"  papers: {report.papers['new']} new, {report.papers['known']} in library", err=True)
    if report.undecided:
        lines = "1 line needs" if report.undecided == 1 else f"{report.undecided} lines need"
        typer.echo(f"  {lines} a decision: /imports/{report.import_id}?show=open", err=True)
    for rule, entries in report.rules:
        typer.echo(f"  rule “{rule}”: {entries}", err=True)
    for warning in report.warnings[:MAX_PRINTED_DOUBTS]:
        typer.echo(f"  line {warning.line}: {warning.reason} ({warning.title[:80]})", err=True)
    if report.warning_count > MAX_PRINTED_DOUBTS:
        typer.echo(f"  and {report.warning_count - MAX_PRINTED_DOUBTS} more to review", err=True)
    _print_unreadable(state)


def _print_unreadable(state: ImportState) -> None:
    """Print how many characters could not be decoded."""
    if count := state.unreadable_count:
        characters = "1 character" if count == 1 else f"{count:,} characters"
        typer.echo(f"  {characters} can't be read. Save the file as UTF-8 and import it again.", err=True)


def _refuse_unfinished(path: str, state: queries.ImportState) -> None:
    """Raise Conflict if the import failed or waits for a retry."""
    problem = state.job.error if state.job else ""
    if state.state == "failed" or problem:
        message = f"{path} was not fully imported. {problem} Run the command again to continue."
        raise Conflict(" ".join(message.split()))


def _run_import(database: Database, egress: Http, import_id: int, kind: str, progress: Progress) -> ImportState:
    """Run due jobs of that kind until their work is done or another worker does it, and return the import."""
    task = progress.add_task("", total=None)
    while True:
        with database.read() as tx:
            state = queries.get_import(tx, import_id)
        if state.job:
            done_count, total = state.job.progress_done, state.job.total
            progress.update(task, description=state.title, completed=done_count, total=total)
        if state.is_read if kind == commands.PARSE else state.state == "committed":
            return state
        if not queue.run_due_job(database, egress, kinds=(kind,)):
            return state


def _build_records(rows: Sequence[Any], path: str) -> list[dict[str, Any]]:
    """Return the entries in the format of a preview, with the resulting paper IDs."""
    records = parser.preview_json([from_row(row._mapping) for row in rows], path)  # noqa: SLF001 - public API of SQLAlchemy
    return [record | {"paper": row.paper_id} for record, row in zip(records, rows, strict=True)]


@contextmanager
def _open_note(file: NoteFile) -> Iterator[tuple[IO[bytes], int]]:
    """Open a file, with its size; standard input is copied to disk. Raise Invalid if it is not text."""
    is_stdin = file.path == STDIN
    with TemporaryFile() if is_stdin else Path(file.path).open("rb") as content:
        if is_stdin:
            copyfileobj(sys.stdin.buffer, content)
        size = content.seek(0, 2)
        content.seek(0)
        if refusal := refusal_reason("" if is_stdin else file.path, content.read(SAMPLE_BYTES), size):
            raise Invalid(refusal)
        content.seek(0)
        yield content, size


def _raise(error: OSError) -> None:
    raise error


def _print_json(entries: Iterable[dict[str, Any]]) -> None:
    """Print a JSON list item by item."""
    separator = "["
    for entry in entries:
        typer.echo(separator + json.dumps(entry, ensure_ascii=False, indent=1), nl=False)
        separator = ",\n"
    typer.echo("]" if separator != "[" else "[]")
