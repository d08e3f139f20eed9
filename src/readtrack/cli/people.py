"""`readtrack person …`."""

import sys
from collections.abc import Iterator
from typing import Any

import typer

from readtrack.cli.context import open_existing_library, open_or_create_library, validate_input
from readtrack.infra.config import Settings
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound, SettingsError
from readtrack.infra.models import Person
from readtrack.infra.pagination import MAX_LIMIT, PageRequest
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands, passwords, queries
from readtrack.team.accounts.identities import identity_from_header
from readtrack.team.accounts.schemas import PasswordSet, PersonCreate, PersonUpdate


def add(name: str, email: str, role: str, *, password_stdin: bool) -> None:
    """Run `readtrack person add`."""
    given = validate_input(PersonCreate, name=name, email=email, **({"role": role} if role else {}))
    password_hash = ""
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        validate_input(PasswordSet, name=name, email=email, password=password)
        password_hash = passwords.hash_password(password)
    with open_or_create_library() as (ready, database), database.write() as tx:
        added = commands.add_person(tx, OPERATOR, given, password_hash=password_hash)
        code = "" if password_hash else commands.create_reset_link(tx, OPERATOR, added.id or 0)
    typer.echo(f"{added.name} is on the team as {added.role}.", err=True)
    if code:
        _show_link(ready, code)


def link(name: str) -> None:
    """Run `readtrack person link`."""
    with open_existing_library() as (ready, database), database.write() as tx:
        found = _get_person(tx, name)
        code = commands.create_reset_link(tx, OPERATOR, found.id or 0)
    typer.echo(f"With this link {found.name} sets a new password; earlier links work no more.", err=True)
    _show_link(ready, code)


def list_people() -> None:
    """Run `readtrack person list`."""
    with open_existing_library() as (_, database), database.read() as tx:
        for someone in _list_people(tx):
            typer.echo(f"{someone.id}\t{someone.name}\t{someone.role}\t{someone.email or '-'}{_format_state(someone)}")


def reset_second_factor(name: str) -> None:
    """Run `readtrack person reset-second-factor`."""
    with open_existing_library() as (_, database), database.write() as tx:
        found = _get_person(tx, name)
        ended = commands.reset_second_factor(tx, OPERATOR, found.id or 0)
    if ended:
        typer.echo(f"{found.name} signs in with the password alone now, and is signed out everywhere.", err=True)
    else:
        typer.echo(f"{found.name} has no second factor. Nothing was changed.", err=True)


def link_identity(name: str, value: str) -> None:
    """Run `readtrack person known-as`."""
    with open_existing_library() as (ready, database), database.write() as tx:
        if not ready.auth_header:
            message = "READTRACK_AUTH_HEADER is not set: no header is believed. Nothing was changed."
            raise SettingsError(message)
        found = _get_person(tx, name)
        commands.name_identity(tx, OPERATOR, found.id or 0, identity_from_header(ready.auth_header, value))
    typer.echo(f"Whom {ready.auth_header} calls {value} is {found.name}.", err=True)


def disable(name: str) -> None:
    """Run `readtrack person disable`."""
    with open_existing_library() as (_, database), database.write() as tx:
        found = _get_person(tx, name)
        commands.disable_person(tx, OPERATOR, found.id or 0)
        typer.echo(f"{found.name} is disabled.", err=True)


def enable(name: str) -> None:
    """Run `readtrack person enable`."""
    with open_existing_library() as (_, database), database.write() as tx:
        found = _get_person(tx, name)
        commands.enable_person(tx, OPERATOR, found.id or 0)
        typer.echo(f"{found.name} can sign in again.", err=True)


def role(name: str, wanted: str) -> None:
    """Run `readtrack person role`."""
    given = validate_input(PersonUpdate, role=wanted)
    with open_existing_library() as (_, database), database.write() as tx:
        found = _get_person(tx, name)
        commands.set_role(tx, OPERATOR, found.id or 0, given.role)
        typer.echo(f"{found.name} is {given.role} now.", err=True)


def erase(name: str) -> None:
    """Run `readtrack person erase`."""
    with open_existing_library() as (_, database), database.write() as tx:
        called = commands.erase_person(tx, OPERATOR, _get_person(tx, name).id or 0)
    typer.echo(f"Erased. What they wrote for the team stays, by {called}.", err=True)


def _get_person(tx: Read, name: str) -> Person:
    found = queries.find_person(tx, name)
    if found is None:
        message = f"There is nobody called {name}. `readtrack person list` shows the names."
        raise NotFound(message)
    return found


def _show_link(ready: Settings, code: str) -> None:
    """Print the link, or only its path if the base URL is unknown."""
    if not ready.base_url:
        typer.echo("Put this behind the address that `readtrack serve` prints (or set READTRACK_BASE_URL):", err=True)
    typer.echo(f"{ready.base_url.rstrip('/')}/invitations/accept/{code}")


def _list_people(tx: Read) -> Iterator[Any]:
    after = None
    while True:
        page = queries.list_people(tx, OPERATOR, PageRequest(MAX_LIMIT, after))
        yield from page.items
        if (after := page.next) is None:
            return


def _format_state(someone: Any) -> str:  # noqa: ANN401 - a row
    return "\terased" if someone.erased else "\tdisabled" if someone.disabled else ""
