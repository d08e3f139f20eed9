"""`readtrack add`, `export`, `refresh`, `find-duplicates`."""

from collections.abc import Sequence
from pathlib import Path

import typer

from readtrack import search
from readtrack.cli.context import get_acting_person, open_existing_library, validate_input
from readtrack.infra.errors import Invalid
from readtrack.infra.permissions import OPERATOR
from readtrack.library.duplicates.jobs import compare_all_papers
from readtrack.library.enrichment.refresh_many import refresh_matching_papers, reparse_records
from readtrack.library.papers.commands import PaperCreate, add_by_text
from readtrack.workspace.export import formats
from readtrack.workspace.export.stream import find_ids, stream_export


def add(identifiers: Sequence[str], as_person: str) -> None:
    """Run `readtrack add`."""
    with open_existing_library() as (_, database), database.read() as tx:
        me = get_acting_person(tx, as_person)
        for identifier in identifiers:
            with database.write() as change:
                paper_id, created = add_by_text(change, me, validate_input(PaperCreate, identifier=identifier))
            typer.echo(f"{paper_id}\t{'added' if created else 'already in library'}\t{identifier}")


def export(form: str, query: str, output: Path | None, as_person: str) -> None:
    """Run `readtrack export`.

    Without a person, the export has what the whole team can see. A query that depends on who searches needs one.
    """
    if form not in formats.all_exports():
        message = f"Unknown format: {form}. Use {', '.join(formats.all_exports())}."
        raise Invalid(message)
    with open_existing_library() as (_, database):
        with database.read() as tx:
            is_personal = bool(as_person) or search.is_personal(search.parse(query).condition)
            me = get_acting_person(tx, as_person) if is_personal else OPERATOR
            ids = find_ids(tx, me, query)
        chunks = stream_export(database, me, form, ids)
        if output is None:
            for chunk in chunks:
                typer.echo(chunk, nl=False)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                file.writelines(chunks)


def refresh(query: str, as_person: str, *, stored: bool) -> None:
    """Run `readtrack refresh`."""
    if stored:
        _reparse_records(query, as_person)
        return
    with open_existing_library() as (_, database), database.write() as tx:
        count = refresh_matching_papers(tx, get_acting_person(tx, as_person), query)
    typer.echo(
        f"Papers queued for refresh: {count}. A running `readtrack serve` or `readtrack worker` fetches them.", err=True
    )


def find_duplicates() -> None:
    """Run `readtrack find-duplicates`."""
    with open_existing_library() as (_, database):
        count = compare_all_papers(database)
    typer.echo(
        f"Papers to compare: {count}. A running `readtrack serve` or `readtrack worker` compares them.", err=True
    )


def _reparse_records(query: str, as_person: str) -> None:
    changed_count, last_id = 0, -1
    with open_existing_library() as (_, database):
        while last_id:
            with database.write() as tx:
                last_id, batch_count = reparse_records(
                    tx, get_acting_person(tx, as_person), query, after_id=max(last_id, 0)
                )
            changed_count += batch_count
    typer.echo(f"Stored records changed: {changed_count}.", err=True)
