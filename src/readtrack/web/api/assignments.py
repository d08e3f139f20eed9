"""API endpoints for reading assignments."""

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.team.assignments import commands, queries
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate, AssignmentUpdate
from readtrack.team.assignments.queries import AssignmentFilter, AssignmentRow, Which
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    JsonResponse,
    ResponseModel,
    conditional_response,
    etag,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router

router = api_router("assignments")


class PersonRef(ResponseModel):
    """Id and name of a person."""

    id: int
    name: str


class AssignmentRead(ResponseModel):
    """An assignment of a paper to a person.

    `done`: the person has finished it, as far as this is visible to you.
    """

    id: int
    paper: int
    title: str
    person: PersonRef
    by: PersonRef | None
    state: str
    depth: str
    due_on: date | None
    note: str
    reason: str
    done: bool
    overdue: bool
    version: int
    created_at: datetime
    decided_at: datetime | None


class AssignmentList(ResponseModel):
    """A page of assignments; `next` is the cursor of the next page."""

    items: list[AssignmentRead]
    next: str | None


class AssignmentQuery(PageQuery):
    """The filter of assignments.

    `by`: who assigned; `state`: open, overdue, done, declined, withdrawn or all.
    """

    person: int | None = None
    by: int | None = None
    paper: int | None = None
    state: Which = "open"


@router.get("/assignments", responses={200: {"model": AssignmentList}})
def list_assignments(request: Request, wanted: Annotated[AssignmentQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List assignments.

    Open and overdue ones by due date; others newest first.
    """
    assignment_filter = AssignmentFilter(wanted.person, wanted.by, wanted.paper, wanted.state)
    page_request = read_page_request(request, assignment_filter.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_assignments(tx, me, assignment_filter, page_request)
    return page_response(request, assignment_filter.question, page, [assignment_json(row) for row in page.items])


@router.post(
    "/assignments",
    responses={201: {"model": AssignmentRead}},
    openapi_extra=request_body_schema(AssignmentCreate, {"paper": 1, "person": 1}),
)
def create_assignment(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Assign a paper to a person.

    Responds 409 if it is already assigned.
    """
    assignment = commands.make_assignment(tx, me, validate_input(AssignmentCreate, body))
    payload, tag = _get_payload_and_tag(tx, me, assignment.id or 0)
    return once.answer(payload, headers={"Location": f"/api/v1/assignments/{assignment.id}", "ETag": tag})


@router.get("/assignments/{assignment_id:int}", responses={200: {"model": AssignmentRead}})
def get_assignment(request: Request, assignment_id: int, me: Me, tx: ReadTx) -> Response:
    """Get an assignment.

    And whether it is done.
    """
    payload, tag = _get_payload_and_tag(tx, me, assignment_id)
    return conditional_response(request, payload, tag=tag)


@router.patch(
    "/assignments/{assignment_id:int}",
    responses={200: {"model": AssignmentRead}},
    openapi_extra=request_body_schema(AssignmentUpdate, {"note": "Other."}),
)
def update_assignment(assignment_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update an assignment.

    Its due date, depth or note; needs If-Match.
    """
    change, version = validate_input(AssignmentUpdate, body), parse_if_match(if_match, assignment_id)
    commands.edit_assignment(tx, me, assignment_id, change, version=version)
    return _assignment_response(tx, me, assignment_id)


@router.post(
    "/assignments/{assignment_id:int}/answer",
    responses={200: {"model": AssignmentRead}},
    openapi_extra=request_body_schema(AssignmentAnswer, {"answer": "accept"}),
)
def answer_assignment(assignment_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Accept or decline an assignment.

    Safe to repeat.
    """
    commands.answer_assignment(tx, me, assignment_id, validate_input(AssignmentAnswer, body))
    return _assignment_response(tx, me, assignment_id)


@router.delete("/assignments/{assignment_id:int}", status_code=204)
def withdraw_assignment(assignment_id: int, me: Me, tx: WriteTx) -> Response:
    """Withdraw an assignment.

    It is kept as withdrawn.
    """
    commands.withdraw_assignment(tx, me, assignment_id)
    return Response(status_code=204)


def _assignment_response(tx: Read, me: CurrentUser, assignment_id: int) -> Response:
    payload, tag = _get_payload_and_tag(tx, me, assignment_id)
    return JsonResponse(payload, headers={"ETag": tag})


def _get_payload_and_tag(tx: Read, me: CurrentUser, assignment_id: int) -> tuple[dict[str, Any], str]:
    row = queries.get_assignment(tx, me, assignment_id)
    return assignment_json(row), etag(row.id, row.version)


def assignment_json(row: AssignmentRow) -> dict[str, Any]:
    """Return an assignment as JSON."""
    data = row._asdict()
    data |= {"paper": row.paper_id, "title": row.title or row.label, "person": _ref(row.person_id, row.person)}
    data["by"] = _ref(row.by_id, row.by)
    return {name: data[name] for name in AssignmentRead.model_fields}


def _ref(person_id: int | None, name: str) -> dict[str, Any] | None:
    return {"id": person_id, "name": name} if person_id else None
