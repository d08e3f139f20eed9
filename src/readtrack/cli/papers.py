"""`readtrack add`, `export`, `refresh`."""

from collections.abc import Sequence
from pathlib import Path

import typer

from readtrack.cli.context import checked, library, person
from readtrack.infra.errors import Invalid
from readtrack.library.enrichment.reparse import read_again
from readtrack.library.enrichment.retry import refresh_found
from readtrack.library.papers.commands import PaperAdd, add_by_text
from readtrack.workspace.export import formats
from readtrack.workspace.export.stream import find_ids, streamed


def add(identifiers: Sequence[str], as_person: str) -> None:
    """`readtrack add`."""
    with library() as (_, database), database.read() as tx:
        me = person(tx, as_person)
        for identifier in identifiers:
            with database.write() as change:
                paper_id, created = add_by_text(change, me, checked(PaperAdd, identifier=identifier))
            typer.echo(f"{paper_id}\t{'added' if created else 'here already'}\t{identifier}")


def export(form: str, query: str, output: Path | None, as_person: str) -> None:
    """`readtrack export`."""
    if form not in formats.all_exports():
        message = f"There is no format {form}. Known: {', '.join(formats.all_exports())}."
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


def refresh(query: str, as_person: str, *, stored: bool) -> None:
    """`readtrack refresh`."""
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
