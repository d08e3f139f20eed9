"""The trash as JSON: what can be brought back, and bringing it back."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import OnceOnly, answer_for
from readtrack.web.routing import api_router
from readtrack.workspace.trash import queries
from readtrack.workspace.trash.commands import bring_back
from readtrack.workspace.trash.queries import Thrown

router = api_router("trash")
Kind = Literal["papers", "summaries", "comments", "views", "others"]


class TrashQuery(BaseModel):
    """What of it. `others`: topics, questions, meetings, relations, items of agendas and rules."""

    model_config = ConfigDict(extra="forbid")
    kind: Kind = "others"
    limit: int | None = None
    after: str | None = None


class ThrownOut(BaseModel):
    """Something in the trash. `about`: what happened to it; `until`: when it is really gone."""

    kind: Kind
    id: int
    about: str
    title: str
    language: str
    deleted_at: datetime
    until: datetime


class TrashList(BaseModel):
    """A page of it, what was deleted last first; `next` is the cursor to the rest."""

    items: list[ThrownOut]
    next: str | None


class Restored(BaseModel):
    """Where it stands now."""

    address: str


@router.get("/trash", responses={200: {"model": TrashList}})
def list_all(request: Request, wanted: Annotated[TrashQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """What I may bring back: papers for editors, summaries, comments and views of mine, and what was taken away."""
    question = queries.question_of(wanted.kind)
    page = queries.list_trash(tx, me, wanted.kind, cut_for(request, question, limit=wanted.limit, after=wanted.after))
    cursor = cursor_for(request, question, page)
    return linked(request, answer_for(request, {"items": [_out(item) for item in page.items], "next": cursor}), cursor)


@router.post("/trash/{shelf}/{thing_id:int}/restore", responses={200: {"model": Restored}})
def restore(shelf: Kind, thing_id: int, me: Me, once: OnceOnly, tx: WriteTx) -> Response:
    """Brings it back; 409 when its name was taken meanwhile, or its thirty days are over."""
    if replayed := once.replay(None):
        return replayed
    return once.answer(None, {"address": bring_back(tx, me, shelf, thing_id)}, status=200)


def _out(item: Thrown) -> dict[str, Any]:
    return {**item._asdict(), "until": item.until}
