"""`readtrack import`, `add`, `export`, `refresh`, `check`, `jobs`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from readtrack import exports, jobs, notes, settings
from readtrack.cli.checking import problems_of
from readtrack.cli.opened import checked, library, person
from readtrack.db import Database
from readtrack.errors import Invalid
from readtrack.imports import commands as imports
from readtrack.imports import queries as imported
from readtrack.imports.commands import ImportCommit
from readtrack.imports.preview import marked_known
from readtrack.opening import open_egress
from readtrack.papers.commands import PaperAdd, add_by_text, refresh_found
from readtrack.papers.exporting import exported
from readtrack.policy import Visitor
from readtrack.settings import Settings

As = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does it; the only active person when not said.")]
Query = Annotated[str, typer.Option(help="Which papers, in the words of the search box; all when not said.")]
STDIN = "-"


def register(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("import", epilog="Example: readtrack import notes/*.txt --preview")(import_notes)
    app.command(epilog="Example: readtrack add 2305.15778 https://www.usenix.org/conference/nsdi24/presentation/hu")(
        add
    )
    app.command(epilog="Example: readtrack export bibtex --query 'topic:checkpointing' -o refs.bib")(export)
    app.command(epilog="Example: readtrack refresh --query 'year:2024'")(refresh)
    app.command(epilog="Example: readtrack check")(check)
    app.command("jobs", epilog="Example: readtrack jobs --failed")(show_jobs)


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
            typer.echo(json.dumps(entries, ensure_ascii=False, indent=1, default=str))


def add(
    identifiers: Annotated[list[str], typer.Argument(metavar="IDENTIFIER…", help="arXiv ids, DOIs, links.")],
    as_person: As = "",
) -> None:
    """Add papers; their titles arrive when a worker runs."""
    with library() as (_, database), database.read() as tx:
        me = person(tx, as_person)
        for identifier in identifiers:
            with database.write() as change:
                paper_id, created = add_by_text(change, me, checked(PaperAdd, identifier=identifier))
            typer.echo(f"{paper_id}\t{'added' if created else 'here already'}\t{identifier}")


def export(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="bibtex or json.")],
    query: Query = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; standard output when not said.")
    ] = None,
    as_person: As = "",
) -> None:
    """Write papers to a file."""
    if form not in exports.all_exports():
        message = f"There is no format {form}. Known: {', '.join(exports.all_exports())}."
        raise Invalid(message)
    with library() as (_, database), database.read() as tx:
        text = exported(tx, person(tx, as_person), form, q=query)
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def refresh(query: Query = "", as_person: As = "") -> None:
    """Ask the sources again; a worker does it, slowly."""
    with library() as (_, database), database.write() as tx:
        count = refresh_found(tx, person(tx, as_person), query)
    typer.echo(f"{count} identifiers wait for their sources; a running readtrack asks them.", err=True)


def check() -> None:
    """Examine the library and the settings, say what to do; exit code 1 when something is wrong."""
    console = Console(highlight=False, soft_wrap=True)
    for name, field in Settings.model_fields.items():
        console.print(f"READTRACK_{name.upper()}: {field.description}", markup=False)
    with library() as (_, database):
        problems = problems_of(database)
    for problem in problems:
        typer.echo(problem, err=True)
    typer.echo("All is well." if not problems else f"{len(problems)} to look at.")
    raise typer.Exit(1 if problems else 0)


def show_jobs(
    *,
    failed: Annotated[bool, typer.Option("--failed", help="Only those that failed.")] = False,
    retry: Annotated[int | None, typer.Option(metavar="ID", help="Try this one again, now.")] = None,
) -> None:
    """Show what the worker does, did, will do."""
    with library() as (_, database):
        if retry is not None:
            with database.write() as tx:
                jobs.retry(tx, retry)
        with database.read() as tx:
            for job in jobs.list_jobs(tx, failed=failed):
                progress = f"{job.done}/{job.total}" if job.total else str(job.done)
                typer.echo(f"{job.id}\t{job.kind}\t{job.state}\t{progress}\t{job.run_at:%Y-%m-%d %H:%M}\t{job.problem}")


def _preview(paths: list[str], *, as_json: bool) -> None:
    found: list[dict[str, Any]] = []
    for path in paths:
        parsed = imports.read_notes(_text(path), path)
        shown = notes.preview_json(parsed.entries, path)
        found += shown
        if not as_json:
            _print_tally(path, parsed.entries)
    marked_known(settings.load(), found)
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=1))


def _print_tally(path: str, entries: Any) -> None:  # noqa: ANN401
    tally = notes.tally(entries)
    parts = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.items()))
    typer.echo(f"{path}: {sum(tally.values())} lines = {parts}")


def _import_one(database: Database, ready: Settings, me: Visitor, path: str, *, title: str) -> list[dict[str, Any]]:
    """Stores, commits and carries out here and now; metadata is left to a running worker."""
    parsed = imports.read_notes(_text(path), title or Path(path).name)
    with database.write() as tx:
        import_id, created = imports.preview_notes(tx, me, parsed)
        imports.commit_import(tx, me, import_id, ImportCommit())
    with Console(stderr=True) as console, Progress(console=console, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(Path(path).name, total=None)
        for done, total in _carried_out(database, ready, import_id):
            bar.update(task, completed=done, total=total)
    with database.read() as tx:
        counted = imported.tally(tx, import_id)["decisions"]
        said = ", ".join(f"{counted[word]} {words}" for word, words in WORDS.items() if counted.get(word))
        typer.echo(f"{path}: {said}{'' if created else ' (imported before; nothing changed)'}", err=True)
        return [dict(row._mapping) for row in imported.list_entries(tx, import_id)]  # noqa: SLF001 - SQLAlchemy's public name


WORDS = {"add": "new", "known": "already here", "review": "to look at", "skip": "left out"}


def _carried_out(database: Database, ready: Settings, import_id: int) -> Iterator[tuple[int, int | None]]:
    """Runs what is due until this import is done, or another worker has it in hand and does it."""
    egress = open_egress(ready.model_copy(update={"offline": True}), database)
    while True:
        with database.read() as tx:
            state = imported.get_import(tx, import_id)
            progress = (state.job.done, state.job.total) if state.job else None
        if progress:
            yield progress
        if state.state == "committed" or not jobs.run_due(database, egress, kinds=("imports.commit",)):
            return


def _text(path: str) -> str:
    data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    return notes.decode(data)
