"""API endpoints for the current user's access tokens."""

from datetime import datetime
from typing import Any

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.queries import TokenRow
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import BodyProof, confirm_in_api
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, conditional_response
from readtrack.web.routing import api_router

router = api_router("people")


class TokenRead(BaseModel):
    """A valid token, without its secret."""

    id: int
    name: str
    hint: str
    scopes: list[str]
    created_at: datetime
    used_at: datetime | None
    used_from: str
    expires_at: datetime | None


class TokenList(BaseModel):
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


@router.post("/tokens", responses={201: {"model": TokenWithSecret}}, openapi_extra=request_body_schema(TokenCreate))
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
