"""Top-level commands.

Each one imports its implementation when called, which keeps the others fast.
"""

from pathlib import Path
from typing import Annotated

import typer

from readtrack.cli.options import As, Host, Port, Query


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command(epilog="Example: readtrack serve --port 8080")(serve)
    app.command("demo", epilog="Example: readtrack demo")(show_demo)
    app.command(epilog="Example: readtrack worker")(worker)
    app.command(epilog="Example: readtrack migrate")(migrate)
    app.command("import", epilog="Example: readtrack import notes/*.txt --preview")(import_notes)
    app.command(epilog="Example: readtrack add 2305.15778 https://www.usenix.org/conference/nsdi24/presentation/hu")(
        add
    )
    app.command(epilog="Example: readtrack export bibtex --query 'topic:checkpointing' -o refs.bib")(export)
    app.command(epilog="Example: readtrack refresh --query 'year:2024'")(refresh)
    app.command("jobs", epilog="Example: readtrack jobs --failed")(show_jobs)
    app.command(epilog="Example: readtrack check")(check)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[int, typer.Option(help="Processes that answer; with more than one, jobs run in one more.")] = 1,
    *,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Run no jobs here; `readtrack worker` does.")] = False,
) -> None:
    """Migrate, serve pages and API, and run jobs.

    Prints the address, and a set-up link until the first person joins.
    """
    from readtrack.cli import serve

    serve.serve(host, port, workers=workers, no_worker=no_worker)


def show_demo(port: Port = 8000) -> None:
    """Open a temporary library full of papers, people and summaries.

    Needs no network and is deleted at the end.
    """
    from readtrack.cli import serve

    serve.show_demo(port)


def worker() -> None:
    """Run jobs only, alongside any number of `readtrack serve --no-worker`."""
    from readtrack.cli import worker_commands

    worker_commands.run_worker()


def migrate() -> None:
    """Upgrade the database schema; safe while other processes start."""
    from readtrack.cli import worker_commands

    worker_commands.migrate()


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
    """Import notes. Every line is accounted for, and importing again changes nothing."""
    from readtrack.cli import imports

    if preview:
        imports.preview_notes(paths, title, as_json=as_json)
    else:
        imports.import_notes(paths, title, as_person, as_json=as_json)


def add(
    identifiers: Annotated[list[str], typer.Argument(metavar="IDENTIFIER…", help="arXiv ids, DOIs, links.")],
    as_person: As = "",
) -> None:
    """Add papers. Their metadata is fetched when a worker runs."""
    from readtrack.cli import papers

    papers.add(identifiers, as_person)


def export(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="bibtex, ris, csl-json, csv, json or markdown.")],
    query: Query = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; standard output when not said.")
    ] = None,
    as_person: As = "",
) -> None:
    """Export papers to a file."""
    from readtrack.cli import papers

    papers.export(form, query, output, as_person)


def refresh(
    query: Query = "",
    *,
    stored: Annotated[
        bool, typer.Option("--stored", help="Only read the stored answers again; nobody is asked.")
    ] = False,
    as_person: As = "",
) -> None:
    """Refresh metadata from the sources. A worker does it, slowly."""
    from readtrack.cli import papers

    papers.refresh(query, as_person, stored=stored)


def show_jobs(
    *,
    failed: Annotated[bool, typer.Option("--failed", help="Only those that failed.")] = False,
    retry: Annotated[int | None, typer.Option(metavar="ID", help="Try this one again, now.")] = None,
) -> None:
    """Show the jobs of the worker: running, finished and waiting."""
    from readtrack.cli import jobs

    jobs.show_jobs(failed=failed, retry=retry)


def check() -> None:
    """Check the library and the settings and say what to do.

    Exit code 1 if there are problems. Changes nothing.
    """
    from readtrack.cli import check

    raise typer.Exit(check.check())
