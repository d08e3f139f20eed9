"""`readtrack import`: shows what notes become, or imports them here and now."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from readtrack import jobs, notes, settings
from readtrack.cli.opened import As, library, person
from readtrack.db import Database
from readtrack.errors import Invalid
from readtrack.imports import commands, queries
from readtrack.imports.commands import ImportCommit, Parsed
from readtrack.imports.preview import marked_known
from readtrack.opening import open_egress
from readtrack.policy import Visitor
from readtrack.settings import Settings

STDIN = "-"
WORDS = {"add": "new", "known": "already here", "review": "to look at", "skip": "left out"}
PLAIN = ("identifiers", "links", "title", "topics", "venue", "year", "status", "text", "decision", "reason")


def register(app: typer.Typer) -> None:
    """Adds this command."""
    app.command("import", epilog="Example: readtrack import notes/*.txt --preview")(import_notes)


def import_notes(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files of any form; - is standard input.")],
    title: Annotated[str, typer.Option(help="Name of the notes; the file's own when not said.")] = "",
    as_person: As = "",
    *,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show what the lines become; writes nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list with one object per entry.")] = False,
) -> None:
    """Import notes: every line is accounted for, and importing again changes nothing."""
    if title and len(paths) > 1:
        message = (
            "One title cannot name several notes. Nothing was imported; import them one by one, or without --title."
        )
        raise Invalid(message)
    if preview:
        _preview(paths, as_json=as_json)
        return
    with library() as (ready, database):
        with database.read() as tx:
            me = person(tx, as_person)
        entries: list[dict[str, Any]] = []
        for path in paths:
            entries += _import_one(database, ready, me, path, title=title)
    if as_json:
        _print_json(entries)


def _preview(paths: Iterable[str], *, as_json: bool) -> None:
    found: list[dict[str, Any]] = []
    for path in paths:
        parsed = _read(path)
        found += notes.preview_json(parsed.entries, path)
        if not as_json:
            _print_tally(path, parsed)
    marked_known(settings.load(), found)
    if as_json:
        _print_json(found)


def _print_tally(path: str, parsed: Parsed) -> None:
    tally = notes.tally(parsed.entries)
    parts = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.items()))
    typer.echo(f"{path}: {sum(tally.values())} lines = {parts}")


def _import_one(database: Database, ready: Settings, me: Visitor, path: str, *, title: str) -> list[dict[str, Any]]:
    """Stores, commits and carries out here and now; metadata is left to a running worker."""
    parsed = _read(path, title)
    with database.write() as tx:
        import_id, created = commands.preview_notes(tx, me, parsed)
        commands.commit_import(tx, me, import_id, ImportCommit())
    with Console(stderr=True) as console, Progress(console=console, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(Path(path).name, total=None)
        for done, total in _carried_out(database, ready, import_id):
            bar.update(task, completed=done, total=total)
    with database.read() as tx:
        counted = queries.tally(tx, import_id)["decisions"]
        entries = [_shown(row, path) for row in queries.list_entries(tx, import_id)]
    said = ", ".join(f"{counted[word]} {words}" for word, words in WORDS.items() if counted.get(word))
    typer.echo(f"{path}: {said}{'' if created else ' (imported before; nothing changed)'}", err=True)
    return entries


def _carried_out(database: Database, ready: Settings, import_id: int) -> Iterator[tuple[int, int | None]]:
    """Runs what is due until this import is done, or another worker has it in hand and does it."""
    egress = open_egress(ready.model_copy(update={"offline": True}), database)
    while True:
        with database.read() as tx:
            state = queries.get_import(tx, import_id)
        if state.job:
            yield state.job.done, state.job.total
        if state.state == "committed" or not jobs.run_due(database, egress, kinds=("imports.commit",)):
            return


def _shown(row: Any, path: str) -> dict[str, Any]:  # noqa: ANN401 - a row of list_entries
    """One entry in the form of a preview, and the paper that it became."""
    return {
        "file": path,
        "lines": [row.first_line, row.last_line],
        "part": row.part,
        "kind": row.paper_kind or "paper" if row.kind == "paper" else row.kind,
        **{name: getattr(row, name) for name in PLAIN},
        "paper": row.paper_id,
    }


def _read(path: str, title: str = "") -> Parsed:
    """Standard input has no name of its own."""
    if path == STDIN:
        return commands.read_notes(notes.decode(sys.stdin.buffer.read()), title)
    return commands.read_notes(notes.decode(Path(path).read_bytes()), title or Path(path).name)


def _print_json(entries: Iterable[dict[str, Any]]) -> None:
    typer.echo(json.dumps(list(entries), ensure_ascii=False, indent=1))
