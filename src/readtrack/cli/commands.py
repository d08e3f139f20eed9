"""All commands with their arguments and options.

Each one imports its implementation when called, which keeps the others and `--help` fast. Only typer is
imported here.
"""

from pathlib import Path
from typing import Annotated

import typer

As = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does it; the only active person when not said.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")]
Host = Annotated[str, typer.Option(help="Address to listen on. Other machines need BASE_URL to be set.")]
Query = Annotated[str, typer.Option(help="Which papers, in the words of the search box; all when not said.")]
Zip = Annotated[Path, typer.Argument(metavar="FILE", help="The zip.")]
Name = Annotated[str, typer.Argument(help="Name or e-mail.")]


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
    from readtrack.cli import worker_commands

    worker_commands.show_jobs(failed=failed, retry=retry)


def check() -> None:
    """Check the library and the settings and say what to do.

    Exit code 1 if there are problems. Changes nothing.
    """
    from readtrack.cli import check

    raise typer.Exit(check.check())


folder = typer.Typer(help="Papers and topics as a folder of Markdown, packed as a zip.", no_args_is_help=True)
catalogue = typer.Typer(help="Facts of papers in a local file, from public dumps.", no_args_is_help=True)
person = typer.Typer(help="Who is on the team.", no_args_is_help=True)
token = typer.Typer(help="Tokens for programs.", no_args_is_help=True)


def register_groups(app: typer.Typer) -> None:
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
    from readtrack.cli import accounts

    accounts.add(name, email, role, password_stdin=password_stdin)


@person.command("link", epilog="Example: readtrack person link Aki")
def link_person(name: Name) -> None:
    """Print a link, valid once and for a short time, with which a person sets a new password."""
    from readtrack.cli import accounts

    accounts.link(name)


@person.command("list", epilog="Example: readtrack person list")
def list_people() -> None:
    """List everybody."""
    from readtrack.cli import accounts

    accounts.list_people()


@person.command("reset-second-factor", epilog="Example: readtrack person reset-second-factor Aki")
def reset_second_factor(name: Name) -> None:
    """Remove the second factor of a person who lost app and codes.

    First make sure that the request is theirs.
    """
    from readtrack.cli import accounts

    accounts.reset_second_factor(name)


@person.command("known-as", epilog="Example: readtrack person known-as Aki aki@example.org")
def name_identity(
    name: Name, value: Annotated[str, typer.Argument(help="What the proxy writes into AUTH_HEADER for them.")]
) -> None:
    """Link a person to a name in the proxy's header, so that the proxy can sign them in."""
    from readtrack.cli import accounts

    accounts.link_identity(name, value)


@person.command("disable", epilog="Example: readtrack person disable Zed")
def disable_person(name: Name) -> None:
    """Disable a person at once. What they wrote stays."""
    from readtrack.cli import accounts

    accounts.disable(name)


@person.command("enable", epilog="Example: readtrack person enable Zed")
def enable_person(name: Name) -> None:
    """Enable a person again, with their old password. Their tokens stay revoked."""
    from readtrack.cli import accounts

    accounts.enable(name)


@person.command("role", epilog="Example: readtrack person role Aki editor")
def set_role(
    name: Name, wanted: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, member, editor or admin.")]
) -> None:
    """Change a person's role."""
    from readtrack.cli import accounts

    accounts.role(name, wanted)


@person.command("erase", epilog="Example: readtrack person erase Zed --yes")
def erase_person(
    name: Name, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask; it cannot be undone.")] = False
) -> None:
    """Erase a disabled person: name, sign-in methods and private data are deleted.

    What they wrote for the team stays.
    """
    from readtrack.cli import accounts

    if not yes:
        typer.confirm(f"Erase {name} for ever?", abort=True, err=True)
    accounts.erase(name)


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
    from readtrack.cli import accounts

    accounts.create_token(name, label, scope or [], days)


@token.command("list", epilog="Example: readtrack token list")
def list_tokens() -> None:
    """List everybody's tokens, without their secrets."""
    from readtrack.cli import accounts

    accounts.list_tokens()


@token.command("revoke", epilog="Example: readtrack token revoke 3")
def revoke_token(token_id: Annotated[int, typer.Argument(metavar="ID", help="As `token list` shows it.")]) -> None:
    """Revoke a token at once."""
    from readtrack.cli import accounts

    accounts.revoke_token(token_id)
