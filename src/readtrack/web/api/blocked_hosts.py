"""API endpoints for blocked sites."""

from datetime import datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.metadata.blocked_hosts import commands, queries
from readtrack.metadata.blocked_hosts.commands import BlockedHostCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, ItemList, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("blocked hosts")


class BlockedHostRead(ResponseModel):
    """A blocked host, including its subdomains."""

    id: int
    host: str
    person: str | None
    added_at: datetime


class BlockedHost(ResponseModel):
    """The blocked host."""

    id: int
    host: str


BLOCKED: Any = {status: {"model": BlockedHost} for status in (200, 201)}


@router.get("/blocked-hosts", responses={200: {"model": ItemList[BlockedHostRead]}})
def list_blocked_hosts(request: Request, me: Me, tx: ReadTx) -> Response:
    """List blocked hosts.

    By name.
    """
    return conditional_response(request, {"items": [dict(row._mapping) for row in queries.list_blocked_hosts(tx, me)]})  # noqa: SLF001 - SQLAlchemy's public name


@router.post(
    "/blocked-hosts", responses=BLOCKED, openapi_extra=request_body_schema(BlockedHostCreate, {"host": "example.org"})
)
def block_host(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Block a host.

    Responds 200 if it is already blocked.
    """
    data = validate_input(BlockedHostCreate, body)
    host_id, is_new = commands.block_host(tx, me, data)
    return once.answer({"id": host_id, "host": data.host}, status=201 if is_new else 200)


@router.delete("/blocked-hosts/{host_id:int}", status_code=204)
def unblock_host(host_id: int, me: Me, tx: WriteTx) -> Response:
    """Unblock a host."""
    commands.unblock_host(tx, me, host_id)
    return Response(status_code=204)
