"""API endpoints for the current user's sessions, which can be ended in a browser session only."""

from datetime import datetime

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.team.accounts import commands, queries
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.responses.json import conditional_response
from readtrack.web.routing import api_router

router = api_router("people")


class SessionRead(BaseModel):
    """A session. `browser`: derived from `agent`; `this`: the session of this request."""

    id: int
    browser: str
    agent: str
    address: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    this: bool


class SessionList(BaseModel):
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
    """End all my other sessions."""
    commands.sign_out_others(tx, me)
    return Response(status_code=204)


@router.delete("/sessions/{session_id:int}", status_code=204)
def end_session(session_id: int, me: Me, tx: WriteTx) -> Response:
    """End one of my sessions."""
    commands.end_sign_in(tx, me, session_id)
    return Response(status_code=204)
