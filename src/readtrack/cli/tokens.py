"""`readtrack token …`."""

from collections.abc import Sequence
from dataclasses import replace

import typer

from readtrack.cli.context import open_existing_library, validate_input
from readtrack.infra.permissions import OPERATOR, SCOPES_OF
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.schemas import TokenCreate


def create(name: str, label: str, scopes: Sequence[str], days: int | None) -> None:
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


def revoke(token_id: int) -> None:
    """Run `readtrack token revoke`."""
    with open_existing_library() as (_, database), database.write() as tx:
        commands.revoke_token(tx, OPERATOR, token_id)
    typer.echo(f"Token {token_id} is revoked.", err=True)
