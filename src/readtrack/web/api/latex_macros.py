"""API endpoints for the team's LaTeX macros."""

from datetime import datetime

from fastapi import Request
from starlette.responses import Response

from readtrack.library.latex_macros import commands, queries
from readtrack.library.latex_macros.commands import MacroCreate, MacroUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("LaTeX macros")


class MacroRead(ResponseModel):
    """A LaTeX macro. `name`: without the backslash; `person`: who added it."""

    id: int
    name: str
    body: str
    created_at: datetime
    person: str | None


class MacroList(ResponseModel):
    """All macros, by name."""

    items: list[MacroRead]


@router.get("/macros", responses={200: {"model": MacroList}})
def list_macros(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """List LaTeX macros.

    By name, with who added each.
    """
    return conditional_response(request, {"items": [row._asdict() for row in queries.list_macros(tx)]})


@router.post(
    "/macros",
    responses={201: {"model": MacroRead}},
    openapi_extra=request_body_schema(MacroCreate, {"name": "grad", "body": "\\nabla"}),
)
def create_macro(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a macro.

    Responds 422 if it is built in or cannot be rendered, and 409 if the name is taken.
    """
    data = validate_input(MacroCreate, body)
    commands.add_macro(tx, me, data)
    return once.answer(queries.get_macro(tx, data.name)._asdict())


@router.put(
    "/macros/{macro}",
    responses={200: {"model": MacroRead}},
    openapi_extra=request_body_schema(MacroUpdate, {"body": "\\ell"}),
)
def update_macro(macro: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a LaTeX macro.

    Every text shows the change. The last change wins; the audit log has the previous one.
    """
    commands.change_macro(tx, me, macro, validate_input(MacroUpdate, body))
    return JsonResponse(queries.get_macro(tx, macro)._asdict())


@router.delete("/macros/{macro}", status_code=204)
def delete_macro(macro: str, me: Me, tx: WriteTx) -> Response:
    """Delete a LaTeX macro.

    Formulas that use it show their source. It can be restored from the trash for 30 days.
    """
    commands.remove_macro(tx, me, macro)
    return Response(status_code=204)
