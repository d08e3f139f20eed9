"""API endpoints for bulk actions and their undo."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.web.api.bulk_action_schemas import (
    BulkResultRead,
    BulkUndoResult,
    UndoEntryDetailRead,
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
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, conditional_response
from readtrack.web.responses.lists import page_response
from readtrack.web.routing import api_router
from readtrack.workspace.bulk_actions import batch_jobs, queries
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, undo_or_enqueue
from readtrack.workspace.bulk_actions.schemas import BulkRequest

router = api_router("bulk actions")


class UndoEntryQuery(PageQuery):
    """Pagination of the list."""


@router.post(
    "/bulk",
    status_code=207,
    responses={207: {"model": BulkResultRead}, 202: {"model": UndoEntryDetailRead}},
    openapi_extra=request_body_schema(BulkRequest),
)
def run_bulk_action(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Change many papers at once.

    Up to 2,000 papers, chosen or all that match, each with its own outcome; `deed` undoes all of it.

    More than 50 are changed by a job: 202, with the body of GET /bulk/{id}, where outcomes are added to `items`.
    """
    result = act_or_enqueue(tx, me, validate_input(BulkRequest, body))
    if isinstance(result, int):
        return once.answer(
            get_undo_entry_json(tx, me, result), status=202, headers={"Location": f"/api/v1/bulk/{result}"}
        )
    return once.answer(bulk_outcome_json(result), status=207)


@router.get("/bulk", responses={200: {"model": UndoEntryList}})
def list_bulk_actions(request: Request, wanted: Annotated[UndoEntryQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List my bulk actions.

    Of the last 30 days, newest first.
    """
    page_request = read_page_request(request, queries.QUESTION, limit=wanted.limit, after=wanted.after)
    page = queries.list_undo_entries(tx, me, page_request)
    progress = queries.find_progress(tx, page.items)
    items = [undo_entry_json(undo_entry, progress[undo_entry.id]) for undo_entry in page.items]
    return page_response(request, queries.QUESTION, page, items)


@router.get("/bulk/{deed_id:int}", responses={200: {"model": UndoEntryDetailRead}})
def get_bulk_action(request: Request, deed_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a bulk action.

    With its progress and what was refused.
    """
    return conditional_response(request, get_undo_entry_json(tx, me, deed_id))


@router.post(
    "/bulk/{deed_id:int}/undo", responses={200: {"model": BulkUndoResult}, 202: {"model": UndoEntryDetailRead}}
)
def undo_bulk_action(deed_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Undo a bulk action.

    Papers that somebody has changed since stay as they are and are listed.

    What a job did is undone by a job: 202, with the body of GET /bulk/{id}. A running action ends here.
    """
    result = undo_or_enqueue(tx, me, deed_id)
    if result is None:
        return once.answer(get_undo_entry_json(tx, me, deed_id), status=202)
    return once.answer(bulk_undo_json(result), status=200)


@router.post("/bulk/{deed_id:int}/retry", responses={200: {"model": UndoEntryDetailRead}})
def retry_bulk_action(deed_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Retry a failed bulk action.

    It continues where it failed.
    """
    batch_jobs.retry_bulk_action(tx, me, deed_id)
    return once.answer(get_undo_entry_json(tx, me, deed_id), status=200)
