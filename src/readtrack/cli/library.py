"""`readtrack add`, `export`, `refresh`, `jobs`."""

from pathlib import Path
from typing import Annotated

import typer

from readtrack import exports, jobs
from readtrack.cli.opened import As, checked, library, person
from readtrack.errors import Invalid
from readtrack.papers.answers.again import refresh_found
from readtrack.papers.answers.rereading import read_again
from readtrack.papers.commands import PaperAdd, add_by_text
from readtrack.papers.exporting import find_ids, streamed

Query = Annotated[str, typer.Option(help="Which papers, in the words of the search box; all when not said.")]


def register(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command(epilog="Example: readtrack add 2305.15778 https://www.usenix.org/conference/nsdi24/presentation/hu")(
        add
    )
    app.command(epilog="Example: readtrack export bibtex --query 'topic:checkpointing' -o refs.bib")(export)
    app.command(epilog="Example: readtrack refresh --query 'year:2024'")(refresh)
    app.command("jobs", epilog="Example: readtrack jobs --failed")(show_jobs)


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
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="bibtex, ris, csl-json, csv, json or markdown.")],
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
    with library() as (_, database):
        with database.read() as tx:
            me = person(tx, as_person)
            ids = find_ids(tx, me, query)
        pieces = streamed(database, me, form, ids)
        if output is None:
            for piece in pieces:
                typer.echo(piece, nl=False)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)


def refresh(
    query: Query = "",
    *,
    stored: Annotated[
        bool, typer.Option("--stored", help="Only read the stored answers again; nobody is asked.")
    ] = False,
    as_person: As = "",
) -> None:
    """Ask the sources again; a worker does it, slowly."""
    if stored:
        _read_again(query, as_person)
        return
    with library() as (_, database), database.write() as tx:
        count = refresh_found(tx, person(tx, as_person), query)
    typer.echo(f"{count} papers wait for their sources; a running readtrack asks them.", err=True)


def _read_again(query: str, as_person: str) -> None:
    changed, last = 0, -1
    with library() as (_, database):
        while last:
            with database.write() as tx:
                last, more = read_again(tx, person(tx, as_person), query, after=max(last, 0))
            changed += more
    typer.echo(f"{changed} stored answers are read otherwise than before; nobody was asked.", err=True)


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
