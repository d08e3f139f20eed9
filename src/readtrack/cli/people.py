"""`readtrack person …`, `readtrack token …`."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from readtrack.cli.opened import checked, library
from readtrack.db import Read
from readtrack.errors import NotFound
from readtrack.models import Person
from readtrack.paging import MAX_LIMIT, Cut
from readtrack.people import commands, passwords, queries
from readtrack.people.inputs import PasswordSet, PersonAdd, TokenCreate
from readtrack.policy import OPERATOR, SCOPES_OF
from readtrack.settings import Settings

person = typer.Typer(help="Who is on the team.", no_args_is_help=True)
token = typer.Typer(help="Tokens for programs.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Name or e-mail.")]


def register(app: typer.Typer) -> None:
    """Adds these commands."""
    app.add_typer(person, name="person")
    app.add_typer(token, name="token")


@person.command("add", epilog="Example: readtrack person add Aki --role editor")
def add(
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
    """Add a person; without a password, print the link with which they set one."""
    given = checked(PersonAdd, name=name, email=email, **({"role": role} if role else {}))
    password_hash = ""
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        checked(PasswordSet, name=name, email=email, password=password)
        password_hash = passwords.hash_password(password)
    with library() as (ready, database), database.write() as tx:
        added = commands.add_person(tx, OPERATOR, given, password_hash=password_hash)
        code = "" if password_hash else commands.invite_back(tx, OPERATOR, added.id or 0)
    typer.echo(f"{added.name} is on the team as {added.role}.", err=True)
    if code:
        _show_link(ready, code)


@person.command("link", epilog="Example: readtrack person link Aki")
def link(name: Name) -> None:
    """Print a link, good once and for a short time, with which a person sets a new password."""
    with library() as (ready, database), database.write() as tx:
        found = _person(tx, name)
        code = commands.invite_back(tx, OPERATOR, found.id or 0)
    typer.echo(f"With this link {found.name} sets a new password; earlier links work no more.", err=True)
    _show_link(ready, code)


@person.command("list", epilog="Example: readtrack person list")
def list_people() -> None:
    """List everybody."""
    with library() as (_, database), database.read() as tx:
        for someone in _everybody(tx):
            typer.echo(f"{someone.id}\t{someone.name}\t{someone.role}\t{someone.email or '-'}{_gone(someone)}")


@person.command("disable", epilog="Example: readtrack person disable Zed")
def disable(name: Name) -> None:
    """Shut a person out, at once; what they wrote stays."""
    with library() as (_, database), database.write() as tx:
        found = _person(tx, name)
        commands.disable_person(tx, OPERATOR, found.id or 0)
        typer.echo(f"{found.name} is disabled.", err=True)


@token.command("create", epilog="Example: readtrack token create Aki --name ci --scope import --days 90")
def create(
    name: Annotated[str, typer.Argument(metavar="PERSON", help="Whose token it is, by name or e-mail.")],
    label: Annotated[str, typer.Option("--name", help="What it is for.")] = "command line",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, write, import, admin, feed; all the person may have when none is named."),
    ] = None,
    days: Annotated[int | None, typer.Option(help="How long it is good; without end when not said.")] = None,
) -> None:
    """Make a token and print it, alone, on standard output. It is shown only now."""
    with library() as (_, database), database.write() as tx:
        owner = queries.get_visitor(tx, name)
        given = checked(TokenCreate, name=label, scopes=scope or sorted(SCOPES_OF[owner.role]), days=days)
        _, secret = commands.create_token(tx, owner, given)
    typer.echo(secret)


@token.command("list", epilog="Example: readtrack token list")
def list_tokens() -> None:
    """List everybody's tokens; their secrets are not known."""
    with library() as (_, database), database.read() as tx:
        for row in queries.list_tokens(tx, OPERATOR):
            typer.echo(f"{row.id}\t{row.person}\t{row.name}\t{row.hint}…\t{','.join(row.scopes)}")


@token.command("revoke", epilog="Example: readtrack token revoke 3")
def revoke(token_id: Annotated[int, typer.Argument(metavar="ID", help="As `token list` shows it.")]) -> None:
    """End a token, at once."""
    with library() as (_, database), database.write() as tx:
        commands.revoke_token(tx, OPERATOR, token_id)
    typer.echo(f"Token {token_id} is revoked.", err=True)


def _person(tx: Read, name: str) -> Person:
    found = queries.find_person(tx, name)
    if found is None:
        message = f"There is nobody called {name}. `readtrack person list` shows the names."
        raise NotFound(message)
    return found


def _show_link(ready: Settings, code: str) -> None:
    """The link, or its path: a command does not know at which address the library is served."""
    if not ready.base_url:
        typer.echo("Put this behind the address that `readtrack serve` prints (or set READTRACK_BASE_URL):", err=True)
    typer.echo(f"{ready.base_url.rstrip('/')}/join/{code}")


def _everybody(tx: Read) -> Iterator[Any]:
    after = None
    while True:
        page = queries.list_people(tx, OPERATOR, Cut(MAX_LIMIT, after))
        yield from page.items
        if (after := page.next) is None:
            return


def _gone(someone: Any) -> str:  # noqa: ANN401 - a row
    return "\tdisabled" if someone.disabled else ""
