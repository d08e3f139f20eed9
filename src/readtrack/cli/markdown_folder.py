"""`readtrack folder`: export and import of papers and topics as a zip of Markdown files.

Unlike in the web interface, neither size limits nor quotas apply.
"""

from pathlib import Path

import typer

from readtrack.cli.context import get_acting_person, open_existing_library
from readtrack.ingest.markdown_folder.commands import import_folder
from readtrack.ingest.markdown_folder.file_names import build_folder_names
from readtrack.ingest.markdown_folder.zip_file import pack_folder, unpack_folder


def export_folder(file: Path, query: str, as_person: str) -> None:
    """Run `readtrack folder out`."""
    with open_existing_library() as (_, database):
        with database.read() as tx:
            me = get_acting_person(tx, as_person)
            names = build_folder_names(tx, me, query)
        with file.open("wb") as output:
            output.writelines(pack_folder(database, me, names))
    typer.echo(f"{file}: {len(names.papers):,} papers, {len(names.topics):,} topics.")


def import_folder_from_file(file: Path, as_person: str) -> None:
    """Run `readtrack folder in`."""
    with open_existing_library() as (_, database), file.open("rb") as packet:
        with database.read() as tx:
            me = get_acting_person(tx, as_person)
        result = import_folder(database, me, unpack_folder(packet), limited=False)
    typer.echo(
        f"Added: {result.papers_added:,} papers, {result.topics_added:,} topics, {result.relations:,} relations, "
        f"{result.tables:,} tables, {result.summaries:,} summaries. Already in library: {result.papers_known:,} papers."
    )
    for message in result.left_out:
        typer.echo(message)
