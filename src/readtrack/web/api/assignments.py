"""Assignments as JSON."""

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.team.assignments import commands, queries
from readtrack.team.assignments.queries import AssignmentFilter, AssignmentRow, Which
from readtrack.team.assignments.schemas import AssignmentAnswer, AssignmentEdit, AssignmentMake
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import valid
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import Body, JsonAnswer, OnceOnly, answer_for, described_body, etag, version_wanted
from readtrack.web.routing import api_router

router = api_router("assignments")


class PersonRef(BaseModel):
    """A person by id and name."""

    id: int
    name: str


class AssignmentOut(BaseModel):
    """Who should read what. `done`: the person has finished it, as far as who asks may know."""

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


class AssignmentList(BaseModel):
    """A page of assignments; `next` is the cursor to the rest."""

    items: list[AssignmentOut]
    next: str | None


class AssignmentQuery(BaseModel):
    """Which assignments. `by`: who asked; `state`: open, overdue, done, declined, withdrawn or all."""

    model_config = ConfigDict(extra="forbid")
    person: int | None = None
    by: int | None = None
    paper: int | None = None
    state: Which = "open"
    limit: int | None = None
    after: str | None = None


@router.get("/assignments", responses={200: {"model": AssignmentList}})
def list_assignments(request: Request, wanted: Annotated[AssignmentQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """What is open or overdue, the nearest day first; of the others the latest day first."""
    asked = AssignmentFilter(wanted.person, wanted.by, wanted.paper, wanted.state)
    cut = cut_for(request, asked.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_assignments(tx, me, asked, cut)
    cursor = cursor_for(request, asked.question, page)
    return linked(request, answer_for(request, {"items": [_out(row) for row in page.items], "next": cursor}), cursor)


@router.post("/assignments", responses={201: {"model": AssignmentOut}}, openapi_extra=described_body(AssignmentMake))
def create(me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Asks a person to read a paper; 409 when it is asked already."""
    if replayed := once.replay(body):
        return replayed
    made = commands.make_assignment(tx, me, valid(AssignmentMake, body))
    payload, tag = _now(tx, me, made.id or 0)
    return once.answer(body, payload, headers={"Location": f"/api/v1/assignments/{made.id}", "ETag": tag})


@router.get("/assignments/{assignment_id:int}", responses={200: {"model": AssignmentOut}})
def show(request: Request, assignment_id: int, me: Me, tx: ReadTx) -> Response:
    """One assignment, with whether it is done."""
    payload, tag = _now(tx, me, assignment_id)
    return answer_for(request, payload, tag=tag)


@router.patch(
    "/assignments/{assignment_id:int}",
    responses={200: {"model": AssignmentOut}},
    openapi_extra=described_body(AssignmentEdit),
)
def edit(request: Request, assignment_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Another day, depth or note; needs If-Match."""
    change, version = valid(AssignmentEdit, body), version_wanted(request, assignment_id)
    commands.edit_assignment(tx, me, assignment_id, change, version=version)
    return _answered(tx, me, assignment_id)


@router.post(
    "/assignments/{assignment_id:int}/answer",
    responses={200: {"model": AssignmentOut}},
    openapi_extra=described_body(AssignmentAnswer),
)
def answer(assignment_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Accepts or declines what I am asked; safe to send twice."""
    commands.answer_assignment(tx, me, assignment_id, valid(AssignmentAnswer, body))
    return _answered(tx, me, assignment_id)


@router.delete("/assignments/{assignment_id:int}", status_code=204)
def withdraw(assignment_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes it back; it is kept as withdrawn."""
    commands.withdraw_assignment(tx, me, assignment_id)
    return Response(status_code=204)


def _answered(tx: Read, me: Visitor, assignment_id: int) -> Response:
    payload, tag = _now(tx, me, assignment_id)
    return JsonAnswer(payload, headers={"ETag": tag})


def _now(tx: Read, me: Visitor, assignment_id: int) -> tuple[dict[str, Any], str]:
    row = queries.get_assignment(tx, me, assignment_id)
    return _out(row), etag(row.id, row.version)


def _out(row: AssignmentRow) -> dict[str, Any]:
    shown = row._asdict()
    shown |= {"paper": row.paper_id, "title": row.title or row.label, "person": _ref(row.person_id, row.person)}
    shown["by"] = _ref(row.by_id, row.by)
    return {name: shown[name] for name in AssignmentOut.model_fields}


def _ref(person_id: int | None, name: str) -> dict[str, Any] | None:
    return {"id": person_id, "name": name} if person_id else None
