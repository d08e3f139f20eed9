"""Acts on many papers as JSON: each paper with its own outcome, and one deed that undoes all of it."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.web.api.bulk_action_schemas import (
    BulkOut,
    BulkUndoOut,
    UndoEntryDetailOut,
    UndoEntryList,
    bulk_outcome_json,
    bulk_undo_json,
    get_undo_entry_json,
    undo_entry_json,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.responses.json import Body, IdempotentPost, conditional_response, request_body_schema
from readtrack.web.responses.lists import page_response
from readtrack.web.routing import api_router
from readtrack.workspace.bulk_actions import queries
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, retry_bulk_action, undo_or_enqueue
from readtrack.workspace.bulk_actions.schemas import BulkRequest

router = api_router("bulk")


class UndoEntryQuery(PageQuery):
    """Which page of them."""


@router.post(
    "/bulk",
    status_code=207,
    responses={207: {"model": BulkOut}, 202: {"model": UndoEntryDetailOut}},
    openapi_extra=request_body_schema(BulkRequest),
)
def act(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """One act on up to 2,000 papers, chosen or all that match, each with its own outcome; `deed` undoes all of it.

    More than 50 are done by a job: 202, with what GET /bulk/{id} answers of it, where outcomes are added to `items`.
    """
    done = act_or_enqueue(tx, me, validate_input(BulkRequest, body))
    if isinstance(done, int):
        return once.answer(get_undo_entry_json(tx, me, done), status=202, headers={"Location": f"/api/v1/bulk/{done}"})
    return once.answer(bulk_outcome_json(done), status=207)


@router.get("/bulk", responses={200: {"model": UndoEntryList}})
def list_deeds(request: Request, wanted: Annotated[UndoEntryQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """What I did to many papers in the last 30 days, the latest first."""
    cut = read_page_request(request, queries.QUESTION, limit=wanted.limit, after=wanted.after)
    page = queries.list_undo_entries(tx, me, cut)
    progress = queries.find_progress(tx, page.items)
    items = [undo_entry_json(deed, progress[deed.id]) for deed in page.items]
    return page_response(request, queries.QUESTION, page, items)


@router.get("/bulk/{deed_id:int}", responses={200: {"model": UndoEntryDetailOut}})
def show(request: Request, deed_id: int, me: Me, tx: ReadTx) -> Response:
    """One of them, how far it is, and what was refused."""
    return conditional_response(request, get_undo_entry_json(tx, me, deed_id))


@router.post("/bulk/{deed_id:int}/undo", responses={200: {"model": BulkUndoOut}, 202: {"model": UndoEntryDetailOut}})
def undo(deed_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Undoes it, but for papers that somebody changed since: these stay as they are, and are named.

    What a job did is undone by one: 202, with what GET /bulk/{id} answers. An act that still runs ends here.
    """
    back = undo_or_enqueue(tx, me, deed_id)
    if back is None:
        return once.answer(get_undo_entry_json(tx, me, deed_id), status=202)
    return once.answer(bulk_undo_json(back), status=200)


@router.post("/bulk/{deed_id:int}/retry", responses={200: {"model": UndoEntryDetailOut}})
def retry(deed_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Goes on with one that failed."""
    retry_bulk_action(tx, me, deed_id)
    return once.answer(get_undo_entry_json(tx, me, deed_id), status=200)
