"""API endpoints for people: list and show; for admins: roles, disabling, erasure."""

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.queries import PersonRow
from readtrack.team.accounts.schemas import PersonUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, conditional_response, page_response
from readtrack.web.routing import api_router

router = api_router("people")
QUESTION = "people"


class PersonRead(ResponseModel):
    """A person.

    `email`: visible to admins and oneself, otherwise null; `erased`: a former member without a name.
    """

    id: int
    name: str
    role: str
    email: str | None
    disabled: bool
    erased: bool


class PersonList(ResponseModel):
    """A page of people; `next` is the cursor of the next page."""

    items: list[PersonRead]
    next: str | None


class PeopleQuery(PageQuery):
    """Pagination of the list."""


@router.get("/people", responses={200: {"model": PersonList}})
def list_people(request: Request, me: Me, tx: ReadTx, wanted: Annotated[PeopleQuery, Query()]) -> Response:
    """List people.

    By name.
    """
    page = queries.list_people(tx, me, read_page_request(request, QUESTION, limit=wanted.limit, after=wanted.after))
    return page_response(request, QUESTION, page, [_person_json(row) for row in page.items])


@router.get("/people/{person_id:int}", responses={200: {"model": PersonRead}})
def get_person(request: Request, person_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a person."""
    return conditional_response(request, _person_json(queries.get_person_row(tx, me, person_id)))


@router.patch(
    "/people/{person_id:int}",
    responses={200: {"model": PersonRead}},
    openapi_extra=request_body_schema(PersonUpdate, {"role": "viewer"}),
)
def update_person(person_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a person's role or disable an account.

    For admins. Only the given fields change.
    """
    edit = validate_input(PersonUpdate, body)
    if "role" in edit.model_fields_set:
        commands.set_role(tx, me, person_id, edit.role)
    if "disabled" in edit.model_fields_set:
        change = commands.disable_person if edit.disabled else commands.enable_person
        change(tx, me, person_id)
    tx.flush()
    return JsonResponse(_person_json(queries.get_person_row(tx, me, person_id)))


@router.delete("/people/{person_id:int}", responses={200: {"model": PersonRead}})
def erase_person(person_id: int, me: Me, tx: WriteTx) -> Response:
    """Erase a disabled person.

    What was private is deleted; what was written for the team stays. This cannot be undone.
    """
    commands.erase_person(tx, me, person_id)
    return JsonResponse(_person_json(queries.get_person_row(tx, me, person_id)))


def _person_json(row: PersonRow) -> dict[str, Any]:
    data = {"id": row.id, "name": row.name, "role": row.role, "email": row.email or None}
    return {**data, "disabled": row.disabled, "erased": row.erased}
