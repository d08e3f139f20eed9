"""`readtrack person …`, `readtrack token …`."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

from readtrack.cli.opened import checked, library
from readtrack.db import Read
from readtrack.errors import NotFound
from readtrack.models import Person
from readtrack.paging import MAX_LIMIT, Cut
from readtrack.people import commands, passwords, queries
from readtrack.people.identities import named_by_header
from readtrack.people.inputs import PasswordSet, PersonAdd, PersonEdit, TokenCreate
from readtrack.policy import OPERATOR, SCOPES_OF
from readtrack.settings import Settings, SettingsError

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


@person.command("reset-second-factor", epilog="Example: readtrack person reset-second-factor Aki")
def reset_second_factor(name: Name) -> None:
    """End the second factor of somebody who lost app and codes; make sure first that it is they who ask."""
    with library() as (_, database), database.write() as tx:
        found = _person(tx, name)
        ended = commands.reset_second_factor(tx, OPERATOR, found.id or 0)
    if ended:
        typer.echo(f"{found.name} signs in with the password alone now, and is signed out everywhere.", err=True)
    else:
        typer.echo(f"{found.name} has no second factor. Nothing was changed.", err=True)


@person.command("known-as", epilog="Example: readtrack person known-as Aki aki@example.org")
def known_as(
    name: Name, value: Annotated[str, typer.Argument(help="What the proxy writes into AUTH_HEADER for them.")]
) -> None:
    """Say whom the proxy in front means by a name: from then on its word lets that person in."""
    with library() as (ready, database), database.write() as tx:
        if not ready.auth_header:
            message = "READTRACK_AUTH_HEADER is not set: no header is believed. Nothing was changed."
            raise SettingsError(message)
        found = _person(tx, name)
        commands.name_identity(tx, OPERATOR, found.id or 0, named_by_header(ready.auth_header, value))
    typer.echo(f"Whom {ready.auth_header} calls {value} is {found.name}.", err=True)


@person.command("disable", epilog="Example: readtrack person disable Zed")
def disable(name: Name) -> None:
    """Shut a person out, at once; what they wrote stays."""
    with library() as (_, database), database.write() as tx:
        found = _person(tx, name)
        commands.disable_person(tx, OPERATOR, found.id or 0)
        typer.echo(f"{found.name} is disabled.", err=True)


@person.command("enable", epilog="Example: readtrack person enable Zed")
def enable(name: Name) -> None:
    """Let a person in again, with the password they had; their tokens stay revoked."""
    with library() as (_, database), database.write() as tx:
        found = _person(tx, name)
        commands.enable_person(tx, OPERATOR, found.id or 0)
        typer.echo(f"{found.name} can sign in again.", err=True)


@person.command("role", epilog="Example: readtrack person role Aki editor")
def role(
    name: Name, wanted: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, member, editor or admin.")]
) -> None:
    """Give a person another role."""
    given = checked(PersonEdit, role=wanted)
    with library() as (_, database), database.write() as tx:
        found = _person(tx, name)
        commands.set_role(tx, OPERATOR, found.id or 0, given.role)
        typer.echo(f"{found.name} is {given.role} now.", err=True)


@person.command("erase", epilog="Example: readtrack person erase Zed --yes")
def erase(
    name: Name, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask; it cannot be undone.")] = False
) -> None:
    """Erase a disabled person: name, ways in and private things go, what they wrote for the team stays."""
    if not yes:
        typer.confirm(f"Erase {name} for ever?", abort=True, err=True)
    with library() as (_, database), database.write() as tx:
        called = commands.erase_person(tx, OPERATOR, _person(tx, name).id or 0)
    typer.echo(f"Erased. What they wrote for the team stays, by {called}.", err=True)


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
        _, secret = commands.create_token(tx, replace(owner, confirmed=True), given)
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
    return "\terased" if someone.erased else "\tdisabled" if someone.disabled else ""
