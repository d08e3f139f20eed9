"""`readtrack person …` and `readtrack token …`."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import typer

from readtrack.cli.context import open_existing_library, open_or_create_library, validate_input
from readtrack.infra.config import Settings
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound, SettingsError
from readtrack.infra.models import Person
from readtrack.infra.pagination import MAX_LIMIT, PageRequest
from readtrack.infra.permissions import OPERATOR, SCOPES_OF
from readtrack.team.accounts import commands, passwords, queries
from readtrack.team.accounts.identities import identity_from_header
from readtrack.team.accounts.schemas import PasswordSet, PersonCreate, PersonUpdate, TokenCreate


def add(name: str, email: str, role: str, *, password_stdin: bool) -> None:
    """Run `readtrack person add`."""
    data = validate_input(PersonCreate, name=name, email=email, **({"role": role} if role else {}))
    password_hash = ""
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        validate_input(PasswordSet, name=name, email=email, password=password)
        password_hash = passwords.hash_password(password)
    with open_or_create_library() as (settings, database), database.write() as tx:
        person = commands.add_person(tx, OPERATOR, data, password_hash=password_hash)
        code = "" if password_hash else commands.create_reset_link(tx, OPERATOR, person.id or 0)
    typer.echo(f"Added {person.name} as {person.role}.", err=True)
    if code:
        _show_link(settings, code)


def link(name: str) -> None:
    """Run `readtrack person link`."""
    with open_existing_library() as (settings, database), database.write() as tx:
        person = _get_person(tx, name)
        code = commands.create_reset_link(tx, OPERATOR, person.id or 0)
    typer.echo(f"Password link for {person.name}. Earlier links no longer work.", err=True)
    _show_link(settings, code)


def list_people() -> None:
    """Run `readtrack person list`."""
    with open_existing_library() as (_, database), database.read() as tx:
        for person in _list_people(tx):
            typer.echo(f"{person.id}\t{person.name}\t{person.role}\t{person.email or '-'}{_format_state(person)}")


def reset_second_factor(name: str) -> None:
    """Run `readtrack person reset-second-factor`."""
    with open_existing_library() as (_, database), database.write() as tx:
        person = _get_person(tx, name)
        was_enabled = commands.reset_second_factor(tx, OPERATOR, person.id or 0)
    if was_enabled:
        typer.echo(f"Two-factor authentication turned off for {person.name}. All their sessions were ended.", err=True)
    else:
        typer.echo(f"{person.name} doesn't use two-factor authentication.", err=True)


def link_identity(name: str, value: str) -> None:
    """Run `readtrack person known-as`."""
    with open_existing_library() as (settings, database), database.write() as tx:
        if not settings.auth_header:
            message = "READTRACK_AUTH_HEADER is not set. Set it to the header in which your proxy names the user."
            raise SettingsError(message)
        person = _get_person(tx, name)
        commands.name_identity(tx, OPERATOR, person.id or 0, identity_from_header(settings.auth_header, value))
    typer.echo(f"Linked {settings.auth_header} {value} to {person.name}.", err=True)


def disable(name: str) -> None:
    """Run `readtrack person disable`."""
    with open_existing_library() as (_, database), database.write() as tx:
        person = _get_person(tx, name)
        commands.disable_person(tx, OPERATOR, person.id or 0)
        typer.echo(f"Disabled {person.name}.", err=True)


def enable(name: str) -> None:
    """Run `readtrack person enable`."""
    with open_existing_library() as (_, database), database.write() as tx:
        person = _get_person(tx, name)
        commands.enable_person(tx, OPERATOR, person.id or 0)
        typer.echo(f"Enabled {person.name}.", err=True)


def role(name: str, role_name: str) -> None:
    """Run `readtrack person role`."""
    update = validate_input(PersonUpdate, role=role_name)
    with open_existing_library() as (_, database), database.write() as tx:
        person = _get_person(tx, name)
        commands.set_role(tx, OPERATOR, person.id or 0, update.role)
        typer.echo(f"Changed the role of {person.name} to {update.role}.", err=True)


def erase(name: str) -> None:
    """Run `readtrack person erase`."""
    with open_existing_library() as (_, database), database.write() as tx:
        new_name = commands.erase_person(tx, OPERATOR, _get_person(tx, name).id or 0)
    typer.echo(f"Erased. Shared content is now by {new_name}.", err=True)


def _get_person(tx: Read, name: str) -> Person:
    person = queries.find_person(tx, name)
    if person is None:
        message = f"Member {name} not found. List all with `readtrack person list`."
        raise NotFound(message)
    return person


def _show_link(settings: Settings, code: str) -> None:
    """Print the link, or only its path if the base URL is unknown."""
    if not settings.base_url:
        typer.echo("Add this to the address that `readtrack serve` prints, or set READTRACK_BASE_URL:", err=True)
    typer.echo(f"{settings.base_url.rstrip('/')}/invitations/accept/{code}")


def _list_people(tx: Read) -> Iterator[Any]:
    cursor = None
    while True:
        page = queries.list_people(tx, OPERATOR, PageRequest(MAX_LIMIT, cursor))
        yield from page.items
        if (cursor := page.next) is None:
            return


def _format_state(person: Any) -> str:  # noqa: ANN401 - a row
    return "\terased" if person.erased else "\tdisabled" if person.disabled else ""


def create_token(name: str, label: str, scopes: Sequence[str], days: int | None) -> None:
    """Run `readtrack token create`."""
    with open_existing_library() as (_, database), database.write() as tx:
        owner = queries.get_visitor(tx, name)
        data = validate_input(TokenCreate, name=label, scopes=scopes or sorted(SCOPES_OF[owner.role]), days=days)
        _, secret = commands.create_token(tx, replace(owner, confirmed=True), data)
    typer.echo(secret)


def list_tokens() -> None:
    """Run `readtrack token list`."""
    with open_existing_library() as (_, database), database.read() as tx:
        for row in queries.list_tokens(tx, OPERATOR):
            typer.echo(f"{row.id}\t{row.person}\t{row.name}\t{row.hint}…\t{','.join(row.scopes)}")


def revoke_token(token_id: int) -> None:
    """Run `readtrack token revoke`."""
    with open_existing_library() as (_, database), database.write() as tx:
        commands.revoke_token(tx, OPERATOR, token_id)
    typer.echo(f"Revoked token {token_id}.", err=True)
