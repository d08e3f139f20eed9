"""The trash as JSON: what can be brought back, and bringing it back."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.responses.json import IdempotentPost
from readtrack.web.responses.lists import page_response
from readtrack.web.routing import api_router
from readtrack.workspace.trash import queries
from readtrack.workspace.trash.commands import restore_item
from readtrack.workspace.trash.queries import TrashItem

router = api_router("trash")
Kind = Literal["papers", "summaries", "comments", "views", "others"]


class TrashQuery(PageQuery):
    """What of it. `others`: topics, questions, meetings, relations, items of agendas and rules."""

    kind: Kind = "others"


class TrashItemRead(BaseModel):
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

    items: list[TrashItemRead]
    next: str | None


class RestoreResult(BaseModel):
    """Where it stands now."""

    address: str


@router.get("/trash", responses={200: {"model": TrashList}})
def list_trash(request: Request, wanted: Annotated[TrashQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List the trash.

    What I may restore: papers for editors, my summaries, comments and saved searches, and what was removed.
    """
    question = queries.question_of(wanted.kind)
    page = queries.list_trash(
        tx, me, wanted.kind, read_page_request(request, question, limit=wanted.limit, after=wanted.after)
    )
    return page_response(request, question, page, [_trash_item_json(item) for item in page.items])


@router.post("/trash/{shelf}/{thing_id:int}/restore", responses={200: {"model": RestoreResult}})
def restore_from_trash(shelf: Kind, thing_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Brings it back; 409 when its name was taken meanwhile, or its thirty days are over."""
    return once.answer({"address": restore_item(tx, me, shelf, thing_id)}, status=200)


def _trash_item_json(item: TrashItem) -> dict[str, Any]:
    return {**item._asdict(), "until": item.until}
