"""Acts on many papers as JSON: each paper with its own outcome, and one deed that undoes all of it."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.web.api.bulk_action_schemas import (
    BulkOut,
    DeedList,
    UndoneOut,
    WholeDeedOut,
    deed_out,
    done_out,
    undone_out,
    whole_out,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import valid
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import Body, OnceOnly, answer_for, described_body
from readtrack.web.routing import api_router
from readtrack.workspace.bulk_actions import queries
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, retry_act, undo_or_enqueue
from readtrack.workspace.bulk_actions.schemas import Bulk

router = api_router("bulk")


class DeedQuery(BaseModel):
    """Which page of them."""

    model_config = ConfigDict(extra="forbid")
    limit: int | None = None
    after: str | None = None


@router.post(
    "/bulk",
    status_code=207,
    responses={207: {"model": BulkOut}, 202: {"model": WholeDeedOut}},
    openapi_extra=described_body(Bulk),
)
def act(me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """One act on up to 2,000 papers, chosen or all that match, each with its own outcome; `deed` undoes all of it.

    More than 50 are done by a job: 202, with what GET /bulk/{id} answers of it, where outcomes are added to `items`.
    """
    if replayed := once.replay(body):
        return replayed
    done = act_or_enqueue(tx, me, valid(Bulk, body))
    if isinstance(done, int):
        return once.answer(body, whole_out(tx, me, done), status=202, headers={"Location": f"/api/v1/bulk/{done}"})
    return once.answer(body, done_out(done), status=207)


@router.get("/bulk", responses={200: {"model": DeedList}})
def list_deeds(request: Request, wanted: Annotated[DeedQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """What I did to many papers in the last 30 days, the latest first."""
    cut = cut_for(request, queries.QUESTION, limit=wanted.limit, after=wanted.after)
    page = queries.list_deeds(tx, me, cut)
    cursor = cursor_for(request, queries.QUESTION, page)
    progress = queries.progress_of(tx, page.items)
    items = [deed_out(deed, progress[deed.id]) for deed in page.items]
    return linked(request, answer_for(request, {"items": items, "next": cursor}), cursor)


@router.get("/bulk/{deed_id:int}", responses={200: {"model": WholeDeedOut}})
def show(request: Request, deed_id: int, me: Me, tx: ReadTx) -> Response:
    """One of them, how far it is, and what was refused."""
    return answer_for(request, whole_out(tx, me, deed_id))


@router.post("/bulk/{deed_id:int}/undo", responses={200: {"model": UndoneOut}, 202: {"model": WholeDeedOut}})
def undo(deed_id: int, me: Me, once: OnceOnly, tx: WriteTx) -> Response:
    """Undoes it, but for papers that somebody changed since: these stay as they are, and are named.

    What a job did is undone by one: 202, with what GET /bulk/{id} answers. An act that still runs ends here.
    """
    if replayed := once.replay(None):
        return replayed
    back = undo_or_enqueue(tx, me, deed_id)
    if back is None:
        return once.answer(None, whole_out(tx, me, deed_id), status=202)
    return once.answer(None, undone_out(back), status=200)


@router.post("/bulk/{deed_id:int}/retry", responses={200: {"model": WholeDeedOut}})
def retry(deed_id: int, me: Me, once: OnceOnly, tx: WriteTx) -> Response:
    """Goes on with one that failed."""
    if replayed := once.replay(None):
        return replayed
    retry_act(tx, me, deed_id)
    return once.answer(None, whole_out(tx, me, deed_id), status=200)
