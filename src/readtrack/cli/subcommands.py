"""Subcommands. Each one imports its implementation when called, which keeps the others fast."""

from pathlib import Path
from typing import Annotated

import typer

from readtrack.cli.options import As, Name, Zip

folder = typer.Typer(help="Papers and topics as a folder of Markdown, packed as a zip.", no_args_is_help=True)
catalogue = typer.Typer(help="Facts of papers in a local file, from public dumps.", no_args_is_help=True)
person = typer.Typer(help="Who is on the team.", no_args_is_help=True)
token = typer.Typer(help="Tokens for programs.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.add_typer(folder, name="folder")
    app.add_typer(catalogue, name="catalogue")
    app.add_typer(person, name="person")
    app.add_typer(token, name="token")


@folder.command("out", epilog="Example: readtrack folder out library.zip --query topic:checkpointing")
def write_folder(
    file: Zip,
    query: Annotated[str, typer.Option("--query", "-q", help="Which papers, as the library is searched.")] = "",
    as_person: As = "",
) -> None:
    """Export papers, their topics and what the team wrote, with links that work in Obsidian and Logseq."""
    from readtrack.cli import markdown_folder

    markdown_folder.export_folder(file, query, as_person)


@folder.command("in", epilog="Example: readtrack folder in library.zip")
def bring_folder(file: Zip, as_person: As = "") -> None:
    """Import such a folder.

    Importing it again changes nothing, and existing content is never overwritten.
    """
    from readtrack.cli import markdown_folder

    markdown_folder.import_folder_from_file(file, as_person)


@catalogue.command("load", epilog="Example: readtrack catalogue load arxiv-metadata-oai-snapshot.json dblp.xml.gz")
def load_catalogue(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="arXiv's snapshot (JSON lines), dblp.xml, works of Crossref (JSON); also .gz."
        ),
    ],
    *,
    without_abstracts: Annotated[
        bool, typer.Option("--without-abstracts", help="Leave the abstracts out: two fifths of the size.")
    ] = False,
) -> None:
    """Load dumps into the catalogue. If stopped, it continues where it was when started again."""
    from readtrack.cli import catalog

    catalog.load_files(paths, without_abstracts=without_abstracts)


@catalogue.command("status", epilog="Example: readtrack catalogue status")
def show_catalogue() -> None:
    """Show what is in the catalogue: how many works, from which files, since when."""
    from readtrack.cli import catalog

    catalog.show_status()


@person.command("add", epilog="Example: readtrack person add Aki --role editor")
def add_person(
    name: Annotated[str, typer.Argument(help="How others will see them.")],
    email: Annotated[str, typer.Option(help="They may sign in with it too.")] = "",
    role: Annotated[
        str, typer.Option(help="viewer, member, editor or admin; member when not said, admin for the first person.")
    ] = "",
    *,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
) -> None:
    """Add a person. Without a password, print a link with which they set one."""
    from readtrack.cli import people

    people.add(name, email, role, password_stdin=password_stdin)


@person.command("link", epilog="Example: readtrack person link Aki")
def link_person(name: Name) -> None:
    """Print a link, valid once and for a short time, with which a person sets a new password."""
    from readtrack.cli import people

    people.link(name)


@person.command("list", epilog="Example: readtrack person list")
def list_people() -> None:
    """List everybody."""
    from readtrack.cli import people

    people.list_people()


@person.command("reset-second-factor", epilog="Example: readtrack person reset-second-factor Aki")
def reset_second_factor(name: Name) -> None:
    """Remove the second factor of a person who lost app and codes.

    First make sure that the request is theirs.
    """
    from readtrack.cli import people

    people.reset_second_factor(name)


@person.command("known-as", epilog="Example: readtrack person known-as Aki aki@example.org")
def name_identity(
    name: Name, value: Annotated[str, typer.Argument(help="What the proxy writes into AUTH_HEADER for them.")]
) -> None:
    """Link a person to a name in the proxy's header, so that the proxy can sign them in."""
    from readtrack.cli import people

    people.link_identity(name, value)


@person.command("disable", epilog="Example: readtrack person disable Zed")
def disable_person(name: Name) -> None:
    """Disable a person at once. What they wrote stays."""
    from readtrack.cli import people

    people.disable(name)


@person.command("enable", epilog="Example: readtrack person enable Zed")
def enable_person(name: Name) -> None:
    """Enable a person again, with their old password. Their tokens stay revoked."""
    from readtrack.cli import people

    people.enable(name)


@person.command("role", epilog="Example: readtrack person role Aki editor")
def set_role(
    name: Name, wanted: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, member, editor or admin.")]
) -> None:
    """Change a person's role."""
    from readtrack.cli import people

    people.role(name, wanted)


@person.command("erase", epilog="Example: readtrack person erase Zed --yes")
def erase_person(
    name: Name, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask; it cannot be undone.")] = False
) -> None:
    """Erase a disabled person: name, sign-in methods and private data are deleted.

    What they wrote for the team stays.
    """
    from readtrack.cli import people

    if not yes:
        typer.confirm(f"Erase {name} for ever?", abort=True, err=True)
    people.erase(name)


@token.command("create", epilog="Example: readtrack token create Aki --name ci --scope import --days 90")
def create_token(
    name: Annotated[str, typer.Argument(metavar="PERSON", help="Whose token it is, by name or e-mail.")],
    label: Annotated[str, typer.Option("--name", help="What it is for.")] = "command line",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, write, import, admin, feed; all the person may have when none is named."),
    ] = None,
    days: Annotated[int | None, typer.Option(help="How long it is good; without end when not said.")] = None,
) -> None:
    """Create a token and print it, and nothing else, to standard output. It is shown only once."""
    from readtrack.cli import tokens

    tokens.create(name, label, scope or [], days)


@token.command("list", epilog="Example: readtrack token list")
def list_tokens() -> None:
    """List everybody's tokens, without their secrets."""
    from readtrack.cli import tokens

    tokens.list_tokens()


@token.command("revoke", epilog="Example: readtrack token revoke 3")
def revoke_token(token_id: Annotated[int, typer.Argument(metavar="ID", help="As `token list` shows it.")]) -> None:
    """Revoke a token at once."""
    from readtrack.cli import tokens

    tokens.revoke(token_id)
