"""`readtrack folder`: papers and topics as a folder of Markdown, out as a zip and in again, however large."""

from pathlib import Path
from typing import Annotated

import typer

from readtrack.cli.opened import As, library, person
from readtrack.vault.called import call
from readtrack.vault.commands import bring_in
from readtrack.vault.packing import packed, unpacked

folder = typer.Typer(help="Papers and topics as a folder of Markdown, packed as a zip.", no_args_is_help=True)
File = Annotated[Path, typer.Argument(metavar="FILE", help="The zip.")]


def register(app: typer.Typer) -> None:
    """Adds these commands."""
    app.add_typer(folder, name="folder")


@folder.command("out", epilog="Example: readtrack folder out library.zip --query topic:checkpointing")
def out(
    file: File,
    query: Annotated[str, typer.Option("--query", "-q", help="Which papers, as the library is searched.")] = "",
    as_person: As = "",
) -> None:
    """Write papers, their topics and what the team wrote, with links that work in Obsidian and Logseq."""
    with library() as (_, database):
        with database.read() as tx:
            me = person(tx, as_person)
            called = call(tx, me, query)
        with file.open("wb") as written:
            written.writelines(packed(database, me, called))
    typer.echo(f"{file}: {len(called.papers):,} papers, {len(called.topics):,} topics.")


@folder.command("in", epilog="Example: readtrack folder in library.zip")
def bring(file: File, as_person: As = "") -> None:
    """Bring such a folder in; again changes nothing, and what is here is never overwritten."""
    with library() as (_, database), file.open("rb") as packet:
        with database.read() as tx:
            me = person(tx, as_person)
        brought = bring_in(database, me, unpacked(packet))
    typer.echo(
        f"{brought.papers_added:,} papers are new, {brought.papers_known:,} were here; {brought.topics_added:,} topics "
        f"are new; {brought.relations:,} relations, {brought.tables:,} tables and {brought.summaries:,} "
        "summaries came with them."
    )
    for sentence in brought.left_out:
        typer.echo(sentence)
