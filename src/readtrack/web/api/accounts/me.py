"""API endpoints for the current user: account, sessions and access tokens.

Sessions are ended and tokens made in a browser session only.
"""

from datetime import datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import SCOPES_OF, CurrentUser
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands.accounts import name_conflict_error
from readtrack.team.accounts.identities import get_second_factor, list_identities
from readtrack.team.accounts.queries import TokenRow
from readtrack.team.accounts.schemas import MeUpdate, TokenCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import BodyProof, confirm_in_api
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.errors import error_response
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("people")
LOOKS = (
    "theme",
    "single_keys",
    "language",
    "time_zone",
    "density",
    "reading_limit",
    "start",
    "variants",
    "hide_checklist",
)
MINE = ("id", "name", "email", "role", *LOOKS)


class IdentityRead(ResponseModel):
    """An external identity: an OpenID Connect issuer, or `header:` and the name of the proxy's header."""

    id: int
    issuer: str
    name: str
    created_at: datetime
    used_at: datetime | None


class MeRead(ResponseModel):
    """The current user.

    `scopes`: what the current session or token may do; `second_factor`: two-factor authentication is enabled;
    `recovery_codes`: number of unused codes.
    """

    id: int
    name: str
    email: str
    role: str
    theme: str
    single_keys: bool
    language: str
    time_zone: str
    density: str
    reading_limit: int
    start: str
    variants: bool
    hide_checklist: bool
    scopes: list[str]
    second_factor: bool
    recovery_codes: int
    identities: list[IdentityRead]


@router.get("/me", responses={200: {"model": MeRead}})
def get_me(request: Request, me: Me, tx: ReadTx) -> Response:
    """Get my account.

    With what this session or token may do.
    """
    return conditional_response(request, _me(tx, me))


@router.patch("/me", responses={200: {"model": MeRead}}, openapi_extra=request_body_schema(MeUpdate, {"theme": "dark"}))
def update_me(request: Request, me: Me, body: Body, proof: BodyProof, tx: WriteTx) -> Response:
    """Update my account.

    Only the given fields change. Name and email only from a browser session; another email needs the password.
    """
    edit = validate_input(MeUpdate, body)
    if me.scopes is None and "email" in edit.model_fields_set and edit.email != queries.get_me(tx, me).email:
        confirmation = confirm_in_api(request, tx, me, proof)
        if isinstance(confirmation, Response):
            return confirmation
        me = confirmation
        errors = queries.find_name_conflicts(tx, "", edit.email, except_id=me.id)
        if errors:
            commands.count_address_conflict(tx, me)
            # Return instead of raising, so that the count is committed
            return error_response(request, name_conflict_error(errors))
    commands.edit_me(tx, me, edit)
    return JsonResponse(_me(tx, me))


def _me(tx: Read, me: CurrentUser) -> dict[str, Any]:
    account, second_factor = queries.get_me(tx, me), get_second_factor(tx, me)
    scopes = SCOPES_OF[account.role] if me.scopes is None else me.scopes & SCOPES_OF[account.role]
    row = {name: getattr(account, name) for name in MINE}
    identities = [{name: getattr(row, name) for name in IdentityRead.model_fields} for row in list_identities(tx, me)]
    sign_in_data = {
        "second_factor": second_factor.is_enabled,
        "recovery_codes": second_factor.remaining_codes,
        "identities": identities,
    }
    return {**row, "scopes": sorted(scopes), **sign_in_data}


class SessionRead(ResponseModel):
    """A session. `browser`: derived from `agent`; `this`: the session of this request."""

    id: int
    browser: str
    agent: str
    address: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    this: bool


class SessionList(ResponseModel):
    """All sessions of the current user, last used first."""

    items: list[SessionRead]


@router.get("/sessions", responses={200: {"model": SessionList}})
def list_sessions(request: Request, me: Me, tx: ReadTx) -> Response:
    """List my sessions."""
    names = [name for name in SessionRead.model_fields if name != "this"]
    rows = queries.list_sign_ins(tx, me)
    items = [{name: getattr(row, name) for name in names} | {"this": row.id == me.sign_in_id} for row in rows]
    return conditional_response(request, {"items": items})


@router.delete("/sessions", status_code=204)
def end_other_sessions(me: Me, tx: WriteTx) -> Response:
    """End all my other sessions.

    Only from a browser session.
    """
    commands.sign_out_others(tx, me)
    return Response(status_code=204)


@router.delete("/sessions/{session_id:int}", status_code=204)
def end_session(session_id: int, me: Me, tx: WriteTx) -> Response:
    """End one of my sessions.

    Only from a browser session.
    """
    commands.end_sign_in(tx, me, session_id)
    return Response(status_code=204)


class TokenRead(ResponseModel):
    """A valid token, without its secret."""

    id: int
    name: str
    hint: str
    scopes: list[str]
    created_at: datetime
    used_at: datetime | None
    used_from: str
    expires_at: datetime | None


class TokenList(ResponseModel):
    """All tokens of the current user."""

    items: list[TokenRead]


class TokenWithSecret(TokenRead):
    """A created token with its `secret`, which is not stored and shown only now.

    A repeated request is not replayed.
    """

    secret: str


@router.get("/tokens", responses={200: {"model": TokenList}})
def list_tokens(request: Request, me: Me, tx: ReadTx) -> Response:
    """List my API tokens."""
    return conditional_response(request, {"items": [_token(row) for row in queries.list_tokens(tx, me)]})


@router.post(
    "/tokens",
    responses={201: {"model": TokenWithSecret}},
    openapi_extra=request_body_schema(TokenCreate, {"name": "ci", "scopes": ["read"]}),
)
def create_token(request: Request, me: Me, body: Body, proof: BodyProof, tx: WriteTx) -> Response:
    """Create an API token.

    Only from a browser session and with the password. The secret is in this answer and nowhere else.
    """
    data = validate_input(TokenCreate, body)
    confirmation = confirm_in_api(request, tx, me, proof)
    if isinstance(confirmation, Response):
        return confirmation
    token, secret = commands.create_token(tx, confirmation, data)
    token_row = next(row for row in queries.list_tokens(tx, me) if row.id == token.id)
    return JsonResponse({**_token(token_row), "secret": secret}, 201, {"Location": f"/api/v1/tokens/{token.id}"})


@router.delete("/tokens/{token_id:int}", status_code=204)
def revoke_token(token_id: int, me: Me, tx: WriteTx) -> Response:
    """Revoke an API token.

    Only from a browser session.
    """
    commands.revoke_token(tx, me, token_id)
    return Response(status_code=204)


def _token(row: TokenRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in TokenRead.model_fields}
