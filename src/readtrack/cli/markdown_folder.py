"""`readtrack folder`: papers and topics as a folder of Markdown, out as a zip and in again, however large."""

from pathlib import Path

import typer

from readtrack.cli.context import library, person
from readtrack.ingest.markdown_folder.commands import bring_in
from readtrack.ingest.markdown_folder.file_names import call
from readtrack.ingest.markdown_folder.zip_file import packed, unpacked


def out(file: Path, query: str, as_person: str) -> None:
    """`readtrack folder out`."""
    with library() as (_, database):
        with database.read() as tx:
            me = person(tx, as_person)
            called = call(tx, me, query)
        with file.open("wb") as written:
            written.writelines(packed(database, me, called))
    typer.echo(f"{file}: {len(called.papers):,} papers, {len(called.topics):,} topics.")


def bring(file: Path, as_person: str) -> None:
    """`readtrack folder in`."""
    with library() as (_, database), file.open("rb") as packet:
        with database.read() as tx:
            me = person(tx, as_person)
        brought = bring_in(database, me, unpacked(packet), limited=False)
    typer.echo(
        f"{brought.papers_added:,} papers are new, {brought.papers_known:,} were here; {brought.topics_added:,} topics "
        f"are new; {brought.relations:,} relations, {brought.tables:,} tables and {brought.summaries:,} "
        "summaries came with them."
    )
    for sentence in brought.left_out:
        typer.echo(sentence)
