"""API endpoints for the trash."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.responses.json import IdempotentPost, ResponseModel, page_response
from readtrack.web.routing import api_router
from readtrack.workspace.trash import queries
from readtrack.workspace.trash.queries import TrashItem
from readtrack.workspace.trash.restore import restore_item

router = api_router("trash")
Kind = Literal["papers", "summaries", "comments", "views", "others"]


class TrashQuery(PageQuery):
    """The kind of items to list.

    `others`: topics, questions, meetings, relations, agenda items and rules.
    """

    kind: Kind = "others"


class TrashItemRead(ResponseModel):
    """An item in the trash. `about`: verb of its deletion; `until`: when it is purged."""

    kind: Kind
    id: int
    about: str
    title: str
    language: str
    deleted_at: datetime
    until: datetime


class TrashList(ResponseModel):
    """A page of items, latest deletion first; `next` is the cursor of the next page."""

    items: list[TrashItemRead]
    next: str | None


class RestoreResult(ResponseModel):
    """The URL of the restored item."""

    address: str


@router.get("/trash", responses={200: {"model": TrashList}})
def list_trash(request: Request, wanted: Annotated[TrashQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List the trash.

    What I may restore: papers for editors, my summaries, comments and saved searches, and what was removed.
    """
    cursor_context = queries.question_of(wanted.kind)
    page = queries.list_trash(
        tx, me, wanted.kind, read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    )
    return page_response(request, cursor_context, page, [_trash_item_json(item) for item in page.items])


@router.post("/trash/{shelf}/{thing_id:int}/restore", responses={200: {"model": RestoreResult}})
def restore_from_trash(shelf: Kind, thing_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Restore an item.

    Responds 409 if its name was taken in the meantime, or its thirty days are over.
    """
    return once.answer({"address": restore_item(tx, me, shelf, thing_id)}, status=200)


def _trash_item_json(item: TrashItem) -> dict[str, Any]:
    return {**item._asdict(), "until": item.until}
