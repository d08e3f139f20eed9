"""Acts on many papers as JSON: each paper with its own outcome, and one deed that undoes all of it."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.bulk import queries
from readtrack.bulk.commands import act_on_many
from readtrack.bulk.inputs import Bulk
from readtrack.bulk.out import BulkOut, DeedList, DeedOut, UndoneOut, deed_out, done_out, undone_out
from readtrack.bulk.undoing import undo_deed
from readtrack.web.answers import Body, OnceOnly, answer_for, described_body
from readtrack.web.cursors import cursor_for, cut_for, linked
from readtrack.web.forms import valid
from readtrack.web.routers import api_router
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = api_router("bulk")


class DeedQuery(BaseModel):
    """Which page of them."""

    model_config = ConfigDict(extra="forbid")
    limit: int | None = None
    after: str | None = None


@router.post("/bulk", status_code=207, responses={207: {"model": BulkOut}}, openapi_extra=described_body(Bulk))
def act(me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """One act on up to 2,000 papers, chosen or all that match, each with its own outcome; `deed` undoes all of it."""
    if replayed := once.replay(body):
        return replayed
    return once.answer(body, done_out(act_on_many(tx, me, valid(Bulk, body))), status=207)


@router.get("/bulk", responses={200: {"model": DeedList}})
def list_deeds(request: Request, wanted: Annotated[DeedQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """What I did to many papers in the last 30 days, the latest first."""
    cut = cut_for(request, queries.QUESTION, limit=wanted.limit, after=wanted.after)
    page = queries.list_deeds(tx, me, cut)
    cursor = cursor_for(request, queries.QUESTION, page)
    items = [deed_out(deed) for deed in page.items]
    return linked(request, answer_for(request, {"items": items, "next": cursor}), cursor)


@router.get("/bulk/{deed_id:int}", responses={200: {"model": DeedOut}})
def show(request: Request, deed_id: int, me: Me, tx: ReadTx) -> Response:
    """One of them, with what was refused."""
    return answer_for(request, deed_out(queries.get_deed(tx, me, deed_id)))


@router.post("/bulk/{deed_id:int}/undo", responses={200: {"model": UndoneOut}})
def undo(deed_id: int, me: Me, once: OnceOnly, tx: WriteTx) -> Response:
    """Undoes it, but for papers that somebody changed since: these stay as they are, and are named."""
    if replayed := once.replay(None):
        return replayed
    return once.answer(None, undone_out(undo_deed(tx, me, deed_id)), status=200)
