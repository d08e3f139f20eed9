"""`readtrack catalogue …`: load public metadata dumps into the local catalog."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress

from readtrack.cli.context import refuse_without_library
from readtrack.infra import config
from readtrack.infra.errors import Invalid
from readtrack.metadata.catalog import FILE, Catalog
from readtrack.metadata.catalog.loader import DumpLoad, load_dump
from readtrack.metadata.catalog.store import Store

MAX_PRINTED_LINES = 5  # Maximum invalid lines printed.
NONE = "No catalog at {}. Create it with `readtrack catalogue load FILE…`."


def load_files(paths: Sequence[Path], *, without_abstracts: bool) -> None:
    """Run `readtrack catalogue load`.

    Raise NotFound without a library: a catalog would be of no use there, so the folder is probably mistyped.
    """
    settings = config.load()
    refuse_without_library(settings)
    store = Store(settings.ready().data / FILE)
    refused_count = 0
    try:
        for path in paths:
            refused_count += not _load_one(store, path, abstracts=not without_abstracts)
    finally:
        store.settle()
        store.close()
    raise typer.Exit(1 if refused_count else 0)


def show_status() -> None:
    """Run `readtrack catalogue status`."""
    path = config.load().data / FILE
    if not path.is_file():
        typer.echo(NONE.format(path))
        return
    catalog = Catalog.open(path)
    if problem := catalog.problem():
        raise Invalid(problem)
    works, is_complete = catalog.counts()
    typer.echo(f"{path}: {works:,} works, {path.stat().st_size / 1_000_000:,.0f} MB")
    for row in catalog.files():
        typer.echo(f"{row.name}: {_format_counts(row)}; {_format_date(row)}")
    if not is_complete:
        typer.echo("A load was interrupted; some works can't be found yet. Run it again to finish.")
    catalog.close()


def _load_one(store: Store, path: Path, *, abstracts: bool) -> bool:
    """Load one file.

    Return False and print a sentence if it is unknown or unreadable; the other files are still loaded.
    """
    try:
        load = load_dump(store, path, abstracts=abstracts)
    except (Invalid, OSError) as error:
        typer.echo(error.message if isinstance(error, Invalid) else f"{path}: {error.strerror}.", err=True)
        return False
    if load.is_done:
        typer.echo(f"{path.name}: already {_format_date(load.row)}.", err=True)
        return True
    with Console(stderr=True) as console, Progress(console=console, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(path.name, total=load.dump.size)
        for bytes_read in load.steps():
            progress.update(task, completed=bytes_read)
    for line in _report(load):
        typer.echo(line, err=True)
    return True


def _report(load: DumpLoad) -> Iterator[str]:
    yield f"{load.row.name}: {load.dump.form.label}; {_format_counts(load.row)}."
    for line, reason in load.errors[:MAX_PRINTED_LINES]:
        yield f"  line {line:,} {reason}"
    if load.row.bad > MAX_PRINTED_LINES and load.errors:
        yield f"  and {load.row.bad - min(MAX_PRINTED_LINES, len(load.errors)):,} more unreadable lines"
    if load.is_truncated:
        yield "  The file is truncated or damaged there. Download it again, then load it again."


def _format_counts(row: Any) -> str:  # noqa: ANN401 - a row
    bad_text = f", {row.bad:,} unreadable" if row.bad else ""
    return f"{row.new:,} new works, {row.again:,} already known{bad_text}"


def _format_date(row: Any) -> str:  # noqa: ANN401
    if row.loaded_at is None:
        return f"incomplete (started on {row.begun_at[:10]}); load it again to continue"
    return f"loaded on {row.loaded_at[:10]}"
