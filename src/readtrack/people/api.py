"""People and tokens as JSON."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.db import Read
from readtrack.people import commands, queries
from readtrack.people.identities import list_identities
from readtrack.people.inputs import MeEdit, TokenCreate
from readtrack.people.queries import MyRow, TokenRow
from readtrack.policy import SCOPES_OF, Visitor
from readtrack.web.answers import Body, JsonAnswer, answer_for, described_body
from readtrack.web.cursors import cursor_for, cut_for, linked
from readtrack.web.forms import valid
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(prefix="/api/v1", tags=["people"])
QUESTION = "people"


class PersonOut(BaseModel):
    """A person; `email` is there for admins and for oneself only, else null."""

    id: int
    name: str
    role: str
    email: str | None
    disabled: bool


class PeopleOut(BaseModel):
    """A page of people; `next` is the cursor to the rest."""

    items: list[PersonOut]
    next: str | None


class IdentityOut(BaseModel):
    """By whom a person is known: an OpenID provider's address, or `header:` and the name of the proxy's header."""

    id: int
    issuer: str
    name: str
    created_at: datetime
    used_at: datetime | None


class MeOut(BaseModel):
    """Who asks. `scopes`: what this door lets them do; the role's whole share at a browser.

    `second_factor`: whether a code is asked after the password; `recovery_codes`: how many are left for a lost app.
    """

    id: int
    name: str
    email: str
    role: str
    theme: str
    single_keys: bool
    scopes: list[str]
    second_factor: bool
    recovery_codes: int
    identities: list[IdentityOut]


class TokenOut(BaseModel):
    """A token that works; its secret was shown once."""

    id: int
    name: str
    hint: str
    scopes: list[str]
    created_at: datetime
    used_at: datetime | None
    until: datetime | None


class TokensOut(BaseModel):
    """All of one's tokens."""

    items: list[TokenOut]


class TokenMade(TokenOut):
    """The answer to making one: the only time that `secret` is told. It is not kept, so there is no replay of it."""

    secret: str


class PeopleQuery(BaseModel):
    """Which part of the list."""

    model_config = ConfigDict(extra="forbid")
    limit: int | None = None
    after: str = ""


@router.get("/people", responses={200: {"model": PeopleOut}})
def list_people(request: Request, me: Me, tx: ReadTx, wanted: Annotated[PeopleQuery, Query()]) -> Response:
    """Everybody, by name."""
    page = queries.list_people(tx, me, cut_for(request, QUESTION, limit=wanted.limit, after=wanted.after))
    after = cursor_for(request, QUESTION, page)
    people = [
        {"id": row.id, "name": row.name, "role": row.role, "email": row.email or None, "disabled": row.disabled}
        for row in page.items
    ]
    answer = answer_for(request, {"items": people, "next": after})
    return linked(request, answer, after)


@router.get("/me", responses={200: {"model": MeOut}})
def show_me(request: Request, me: Me, tx: ReadTx) -> Response:
    """Who asks, and what this door lets them do."""
    return answer_for(request, _me(tx, me))


@router.patch("/me", responses={200: {"model": MeOut}}, openapi_extra=described_body(MeEdit))
def edit_me(me: Me, body: Body, tx: WriteTx) -> Response:
    """Changes what is given. Name and address only from a browser's session."""
    commands.edit_me(tx, me, valid(MeEdit, body))
    return JsonAnswer(_me(tx, me))


@router.get("/tokens", responses={200: {"model": TokensOut}})
def list_tokens(request: Request, me: Me, tx: ReadTx) -> Response:
    """My tokens that still work."""
    return answer_for(request, {"items": [_token(row) for row in queries.list_tokens(tx, me)]})


@router.post("/tokens", responses={201: {"model": TokenMade}}, openapi_extra=described_body(TokenCreate))
def create_token(me: Me, body: Body, tx: WriteTx) -> Response:
    """Makes a token, from a browser's session only; its secret is in this answer and nowhere else."""
    token, secret = commands.create_token(tx, me, valid(TokenCreate, body))
    made = next(row for row in queries.list_tokens(tx, me) if row.id == token.id)
    return JsonAnswer({**_token(made), "secret": secret}, 201, {"Location": f"/api/v1/tokens/{token.id}"})


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: int, me: Me, tx: WriteTx) -> Response:
    """Ends a token at once, from a browser's session only."""
    commands.revoke_token(tx, me, token_id)
    return Response(status_code=204)


def _me(tx: Read, me: Visitor) -> dict[str, Any]:
    mine, second = queries.get_me(tx, me), queries.get_second_factor(tx, me)
    scopes = SCOPES_OF[mine.role] if me.scopes is None else me.scopes & SCOPES_OF[mine.role]
    row = {name: getattr(mine, name) for name in ("id", "name", "email", "role", "theme", "single_keys")}
    known = [{name: getattr(row, name) for name in IdentityOut.model_fields} for row in list_identities(tx, me)]
    more = {"second_factor": second.on, "recovery_codes": second.left, "identities": known}
    return {**row, "scopes": sorted(scopes), **more}


def _token(row: TokenRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in TokenOut.model_fields}
