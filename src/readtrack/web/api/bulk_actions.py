"""API endpoints for bulk actions and their undo, with their response schemas."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, ResponseModel, conditional_response, page_response
from readtrack.web.routing import api_router
from readtrack.workspace.bulk_actions import batch_jobs, queries
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, outcome_to_json, undo_or_enqueue
from readtrack.workspace.bulk_actions.commands import BulkResult
from readtrack.workspace.bulk_actions.queries import BulkProgress
from readtrack.workspace.bulk_actions.undo import UndoResult


class BulkProblem(ResponseModel):
    """Why a paper was not changed. `code`: a stable identifier; `allowed`: the values that are possible now."""

    code: str
    detail: str
    allowed: list[str] = Field(default_factory=list)


class BulkOutcome(ResponseModel):
    """The outcome for a paper.

    `status`: HTTP status that a request for this paper alone would return; `problem`: why it was not changed.
    """

    paper: int
    status: int
    changed: bool
    problem: BulkProblem | None


class BulkResultRead(ResponseModel):
    """The outcome of each paper in the requested order.

    `deed`: id to undo the action, null if there is nothing to undo.
    """

    act: str
    items: list[BulkOutcome]
    changed: int
    deed: int | None


class SkippedPaper(ResponseModel):
    """A paper that was not changed, with the reason."""

    paper: int
    detail: str


class BulkUndoResult(ResponseModel):
    """The restored papers, and those left unchanged because someone has changed them since."""

    papers: list[int]
    left: list[SkippedPaper]


class UndoEntryRead(ResponseModel):
    """A bulk action of mine.

    `papers`: number of changed papers; `refused`: up to 100 papers not changed, with the reasons; `state`, `done`,
    `total`: progress; `problem`: why it failed or ended early.
    """

    id: int
    act: str
    at: datetime
    papers: int
    undone_at: datetime | None
    refused: list[SkippedPaper]
    state: Literal["running", "undoing", "failed", "done", "undone"]
    done: int
    total: int
    problem: str


class UndoEntryDetailRead(UndoEntryRead):
    """A bulk action with its outcomes and the papers that its undo left unchanged.

    `items`: the outcome of each paper, only for actions run by a job.
    """

    items: list[BulkOutcome]
    left: list[SkippedPaper]


class UndoEntryList(ResponseModel):
    """A page of bulk actions, latest first; `next` is the cursor of the next page."""

    items: list[UndoEntryRead]
    next: str | None


def bulk_outcome_json(result: BulkResult) -> dict[str, Any]:
    """Return the result of a bulk action as JSON."""
    items = [outcome_to_json(outcome) for outcome in result.outcomes]
    return {"act": result.action, "items": items, "changed": result.changed_count, "deed": result.undo_id}


def bulk_undo_json(result: UndoResult) -> dict[str, Any]:
    """Return the result of an undo as JSON."""
    remaining = [{"paper": paper_id, "detail": reason} for paper_id, reason in result.unchanged.items()]
    return {"papers": result.papers, "left": remaining}


def undo_entry_json(undo_entry: Any, progress: BulkProgress) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """Return a bulk action as JSON."""
    refusals = [{"paper": paper_id, "detail": reason} for paper_id, reason in undo_entry.refused]
    data = {
        "id": undo_entry.id,
        "act": undo_entry.verb.removeprefix("bulk."),
        "at": undo_entry.created_at,
        "undone_at": undo_entry.undone_at,
    }
    return {**data, "papers": undo_entry.papers, "refused": refusals, **progress._asdict()}


def get_undo_entry_json(tx: Read, me: CurrentUser, undo_id: int) -> dict[str, Any]:
    """Return a bulk action with the outcome of each paper. Raise NotFound."""
    undo_entry = queries.get_undo_entry(tx, me, undo_id)
    items, refusals = queries.get_outcomes(tx, me, undo_id)
    remaining = [{"paper": paper_id, "detail": reason} for paper_id, reason in refusals]
    return {
        **undo_entry_json(undo_entry, queries.find_progress(tx, [undo_entry])[undo_id]),
        "items": items,
        "left": remaining,
    }


router = api_router("bulk actions")


class UndoEntryQuery(PageQuery):
    """Pagination of the list."""


@router.post(
    "/bulk",
    status_code=207,
    responses={207: {"model": BulkResultRead}, 202: {"model": UndoEntryDetailRead}},
    openapi_extra=request_body_schema(BulkRequest, {"papers": [1], "act": "reading", "reading": {"status": "reading"}}),
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

    With its progress and what was refused. `state`: running, undoing, failed, done or undone; `left`: what was not
    undone.
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
