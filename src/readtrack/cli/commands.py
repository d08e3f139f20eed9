"""All commands with their arguments and options.

Each one imports its implementation when called, which keeps the others and `--help` fast. Only typer is
imported here.
"""

from pathlib import Path
from typing import Annotated

import typer

from readtrack.cli.loading import load_modules

As = Annotated[
    str, typer.Option("--as", metavar="PERSON", help="Member to act as. Required with several active members.")
]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 for any free port.")]
Host = Annotated[str, typer.Option(help="Address to listen on. Requires READTRACK_BASE_URL unless loopback.")]
Query = Annotated[str, typer.Option(help="Search query that selects the papers. Default: all.")]
Zip = Annotated[Path, typer.Argument(metavar="FILE", help="Zip file.")]
Name = Annotated[str, typer.Argument(help="Name or email.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command(epilog="Example: readtrack serve --port 8080")(serve)
    app.command("demo", epilog="Example: readtrack demo")(show_demo)
    app.command(epilog="Example: readtrack worker")(worker)
    app.command(epilog="Example: readtrack migrate")(migrate)
    app.command("backup", epilog="Example: readtrack backup /backups --keep 7")(back_up)
    app.command(epilog="Example: readtrack restore /backups/readtrack-20260331T040000Z.zip")(restore)
    app.command("import", epilog="Example: readtrack import notes/*.txt --preview")(import_notes)
    app.command(epilog="Example: readtrack add 2305.15778 https://www.usenix.org/conference/nsdi24/presentation/hu")(
        add
    )
    app.command(epilog="Example: readtrack export bibtex --query 'topic:checkpointing' -o refs.bib")(export)
    app.command(epilog="Example: readtrack refresh --query 'year:2024'")(refresh)
    app.command(epilog="Example: readtrack find-duplicates")(find_duplicates)
    app.command("mcp", epilog="Example: readtrack mcp --as Ada")(serve_agent)
    app.command("jobs", epilog="Example: readtrack jobs --failed")(show_jobs)
    app.command(epilog="Example: readtrack check")(check)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[
        int, typer.Option(help="Server processes. With more than one, jobs run in another process.")
    ] = 1,
    *,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Don't run jobs; run `readtrack worker` as well.")
    ] = False,
) -> None:
    """Migrate the database, serve pages and API, and run jobs.

    Prints the address, and a setup link until the first member joins.
    """
    with load_modules():
        from readtrack.cli import serve

    serve.serve(host, port, workers=workers, no_worker=no_worker)


def show_demo(port: Port = 8000) -> None:
    """Serve a temporary sample library. Needs no network."""
    with load_modules():
        from readtrack.cli import serve

    serve.show_demo(port)


def worker() -> None:
    """Run jobs only, next to `readtrack serve --no-worker`."""
    from readtrack.cli import worker_commands

    worker_commands.run_worker()


def migrate(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be done; change nothing.")] = False,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Make no backup first.")] = False,
) -> None:
    """Create or upgrade the database. Before an upgrade, a backup is made."""
    from readtrack.cli import worker_commands

    if dry_run:
        worker_commands.show_migrations(back_up=not no_backup)
    else:
        worker_commands.migrate(back_up=not no_backup)


def back_up(
    path: Annotated[Path, typer.Argument(metavar="FILE|FOLDER", help="File, or folder for a file named by date.")],
    keep: Annotated[int, typer.Option(min=0, help="Keep so many backups in the folder; 0: all.")] = 0,
    *,
    with_secret_key: Annotated[
        bool, typer.Option("--with-secret-key", help="Include the secret key. Keep such a file safe.")
    ] = False,
) -> None:
    """Back up the library while it is in use, on either database."""
    from readtrack.cli import backup

    backup.back_up(path, keep=keep, with_secret_key=with_secret_key)


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Backup or archive.")],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the library; asks you to type a word.")] = False,
    yes: Annotated[str, typer.Option(metavar="REPLACE", help="The word, for scripts.")] = "",
) -> None:
    """Restore a library from a backup, into either database. Stop readtrack first."""
    from readtrack.cli import backup

    backup.restore(file, replace=replace, word=yes)


def import_notes(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH…", help="Notes in any format, or folders of them; - reads standard input."),
    ],
    title: Annotated[str, typer.Option(help="Name of the notes. Default: the file name.")] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FIELD",
            help="What a column of a CSV file is, like “My title=title”; repeatable, and remembered for its header.",
        ),
    ] = None,
    as_person: As = "",
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, and import files again when they change.")
    ] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Show the result without importing.")] = False,
    undecided: Annotated[
        str,
        typer.Option(
            metavar="ask|wait|add|skip",
            help="Lines that need a decision: add or skip them, or let them wait. ask: wait, and exit with code 1.",
        ),
    ] = "ask",
    as_json: Annotated[bool, typer.Option("--json", help="Print entries as JSON.")] = False,
) -> None:
    """Import notes. Importing the same notes again changes nothing."""
    if watch:
        from readtrack.cli import watch_notes

        if preview or as_json or title or column:
            raise typer.BadParameter("--watch can't be combined with --preview, --json, --title or --column.")
        watch_notes.watch_notes(paths, as_person, undecided=undecided)
        return
    from readtrack.cli import imports

    if preview:
        imports.preview_notes(paths, title, column or (), as_json=as_json)
    else:
        imports.import_notes(paths, title, column or (), as_person, undecided=undecided, as_json=as_json)


def add(
    identifiers: Annotated[list[str], typer.Argument(metavar="IDENTIFIER…", help="arXiv IDs, DOIs or links.")],
    as_person: As = "",
) -> None:
    """Add papers. A running server or worker fetches their metadata."""
    from readtrack.cli import papers

    papers.add(identifiers, as_person)


def export(
    form: Annotated[
        str, typer.Argument(metavar="FORMAT", help="bibtex, ris, csl-json, csv, json, markdown or archive.")
    ],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Output file, as with -o.")] = None,
    query: Query = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Output file. Default: standard output.")
    ] = None,
    as_person: Annotated[
        str,
        typer.Option("--as", metavar="PERSON", help="Member whose own readings are included."),
    ] = "",
    person: Annotated[
        str, typer.Option(metavar="PERSON", help="Of an archive: only the data of this member, private data included.")
    ] = "",
) -> None:
    """Export papers to a file, or everything to an archive.

    Without --as, only what the whole team can see is exported. Searches such as `status:read` need --as with several
    active members. An archive has everything, private data included, and can be restored.
    """
    target = output or file
    if form == "archive":
        from readtrack.cli import backup

        if target is None:
            raise typer.BadParameter("An archive needs a file: readtrack export archive FILE")
        backup.export_archive(target, person)
        return
    from readtrack.cli import papers

    papers.export(form, query, target, as_person)


def refresh(
    query: Query = "",
    *,
    stored: Annotated[bool, typer.Option("--stored", help="Use stored answers only; no requests.")] = False,
    as_person: As = "",
) -> None:
    """Refresh metadata. A running server or worker fetches it."""
    from readtrack.cli import papers

    papers.refresh(query, as_person, stored=stored)


def find_duplicates() -> None:
    """Compare all papers again to find duplicates. A running server or worker does it.

    New and changed papers are compared anyway.
    """
    from readtrack.cli import papers

    papers.find_duplicates()


def serve_agent(as_person: As = "") -> None:
    """Serve the library to an agent (Model Context Protocol) over standard input and output."""
    from readtrack.cli import mcp

    mcp.serve_agent(as_person)


def show_jobs(
    *,
    failed: Annotated[bool, typer.Option("--failed", help="Show failed jobs only.")] = False,
    retry: Annotated[int | None, typer.Option(metavar="ID", help="Retry a failed or waiting job.")] = None,
    pause: Annotated[str | None, typer.Option(metavar="SOURCE", help="Pause a source, such as arxiv.")] = None,
    resume: Annotated[str | None, typer.Option(metavar="SOURCE", help="Resume a paused source.")] = None,
    try_now: Annotated[str | None, typer.Option(metavar="SOURCE", help="Send a source's requests now.")] = None,
    cancel: Annotated[str | None, typer.Option(metavar="SOURCE", help="Cancel a source's waiting requests.")] = None,
    restore: Annotated[str | None, typer.Option(metavar="SOURCE", help="Undo --cancel.")] = None,
) -> None:
    """List what is waiting: sources, imports, and all jobs."""
    from readtrack.cli import worker_commands

    actions = {"pause": pause, "resume": resume, "try-now": try_now, "cancel": cancel, "restore": restore}
    worker_commands.show_jobs(failed=failed, retry=retry, source_actions=actions)


def check(
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what can be repaired without losing anything.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Also compare the database's indexes with its tables.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print settings and findings as JSON.")] = False,
) -> None:
    """List settings and check the library. Changes nothing without --repair.

    Exits with code 0 if all is fine, 1 if there are only warnings, 2 if there are problems.
    """
    from readtrack.cli import check

    raise typer.Exit(check.check(repair=repair, full=full, as_json=as_json))


folder = typer.Typer(help="Export and import papers and topics as a zip of Markdown files.", no_args_is_help=True)
catalogue = typer.Typer(help="Manage the offline catalog of public metadata dumps.", no_args_is_help=True)
person = typer.Typer(help="Manage members.", no_args_is_help=True)
token = typer.Typer(help="Manage API tokens.", no_args_is_help=True)


def register_groups(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.add_typer(folder, name="folder")
    app.add_typer(catalogue, name="catalogue")
    app.add_typer(person, name="person")
    app.add_typer(token, name="token")


@folder.command("out", epilog="Example: readtrack folder out library.zip --query topic:checkpointing")
def write_folder(
    file: Zip,
    query: Annotated[
        str, typer.Option("--query", "-q", help="Search query that selects the papers. Default: all.")
    ] = "",
    as_person: As = "",
) -> None:
    """Export papers, topics and shared texts as Markdown for Obsidian or Logseq."""
    from readtrack.cli import markdown_folder

    markdown_folder.export_folder(file, query, as_person)


@folder.command("in", epilog="Example: readtrack folder in library.zip")
def bring_folder(file: Zip, as_person: As = "") -> None:
    """Import an exported folder. Existing content is never overwritten."""
    from readtrack.cli import markdown_folder

    markdown_folder.import_folder_from_file(file, as_person)


@catalogue.command("load", epilog="Example: readtrack catalogue load arxiv-metadata-oai-snapshot.json dblp.xml.gz")
def load_catalogue(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="arXiv snapshot (JSON lines), dblp.xml or Crossref works (JSON); plain or .gz."
        ),
    ],
    *,
    without_abstracts: Annotated[
        bool, typer.Option("--without-abstracts", help="Skip abstracts; takes two fifths of the space.")
    ] = False,
) -> None:
    """Load dumps into the catalog. After an interruption, run it again to continue."""
    from readtrack.cli import catalog

    catalog.load_files(paths, without_abstracts=without_abstracts)


@catalogue.command("status", epilog="Example: readtrack catalogue status")
def show_catalogue() -> None:
    """Show the number of works, and the files with their dates."""
    from readtrack.cli import catalog

    catalog.show_status()


@person.command("add", epilog="Example: readtrack person add Aki --role editor")
def add_person(
    name: Annotated[str, typer.Argument(help="Name shown to others.")],
    email: Annotated[str, typer.Option(help="Email address, also for signing in.")] = "",
    role: Annotated[
        str, typer.Option(help="viewer, member, editor or admin. Default: member; the first one becomes admin.")
    ] = "",
    *,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
) -> None:
    """Add a member. Without --password-stdin, print a link for setting a password."""
    from readtrack.cli import accounts

    accounts.add(name, email, role, password_stdin=password_stdin)


@person.command("link", epilog="Example: readtrack person link Aki")
def link_person(name: Name) -> None:
    """Print a one-time link for setting a new password."""
    from readtrack.cli import accounts

    accounts.link(name)


@person.command("list", epilog="Example: readtrack person list")
def list_people() -> None:
    """List members."""
    from readtrack.cli import accounts

    accounts.list_people()


@person.command("reset-second-factor", epilog="Example: readtrack person reset-second-factor Aki")
def reset_second_factor(name: Name) -> None:
    """Turn off two-factor authentication for a member who lost app and recovery codes.

    Check first that the request really comes from them.
    """
    from readtrack.cli import accounts

    accounts.reset_second_factor(name)


@person.command("known-as", epilog="Example: readtrack person known-as Aki aki@example.org")
def name_identity(
    name: Name, value: Annotated[str, typer.Argument(help="Value of READTRACK_AUTH_HEADER for this member.")]
) -> None:
    """Link a member to the account name that a trusted proxy sends."""
    from readtrack.cli import accounts

    accounts.link_identity(name, value)


@person.command("disable", epilog="Example: readtrack person disable Zed")
def disable_person(name: Name) -> None:
    """Disable a member. Their content is kept."""
    from readtrack.cli import accounts

    accounts.disable(name)


@person.command("enable", epilog="Example: readtrack person enable Zed")
def enable_person(name: Name) -> None:
    """Enable a disabled member. The password still works; tokens stay revoked."""
    from readtrack.cli import accounts

    accounts.enable(name)


@person.command("role", epilog="Example: readtrack person role Aki editor")
def set_role(
    name: Name, wanted: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, member, editor or admin.")]
) -> None:
    """Change a member's role."""
    from readtrack.cli import accounts

    accounts.role(name, wanted)


@person.command("erase", epilog="Example: readtrack person erase Zed --yes")
def erase_person(name: Name, *, yes: Annotated[bool, typer.Option("--yes", help="Skip confirmation.")] = False) -> None:
    """Permanently delete name, sign-in methods and private data of a disabled member.

    Shared content stays, as by "Former member". This can't be undone.
    """
    from readtrack.cli import accounts

    if not yes:
        typer.confirm(f"Erase {name} permanently?", abort=True, err=True)
    accounts.erase(name)


@token.command("create", epilog="Example: readtrack token create Aki --name ci --scope import --days 90")
def create_token(
    name: Annotated[str, typer.Argument(metavar="PERSON", help="Owner, by name or email.")],
    label: Annotated[str, typer.Option("--name", help="Name of the token.")] = "command line",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, write, import, admin or feed; repeatable. Default: all that the owner may have."),
    ] = None,
    days: Annotated[int | None, typer.Option(help="Days until it expires. Default: never.")] = None,
) -> None:
    """Create a token and print it. It is shown only once."""
    from readtrack.cli import accounts

    accounts.create_token(name, label, scope or [], days)


@token.command("list", epilog="Example: readtrack token list")
def list_tokens() -> None:
    """List tokens of all members, without the secrets."""
    from readtrack.cli import accounts

    accounts.list_tokens()


@token.command("revoke", epilog="Example: readtrack token revoke 3")
def revoke_token(
    token_id: Annotated[int, typer.Argument(metavar="ID", help="ID from `readtrack token list`.")],
) -> None:
    """Revoke a token."""
    from readtrack.cli import accounts

    accounts.revoke_token(token_id)
