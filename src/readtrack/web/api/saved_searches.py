"""API endpoints for saved searches."""

from datetime import datetime
from typing import Any, Literal

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.errors import StaleVersion
from readtrack.infra.permissions import CurrentUser
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    JsonResponse,
    ResponseModel,
    conditional_response,
    etag,
    parse_if_match,
)
from readtrack.web.routing import api_router
from readtrack.workspace.saved_searches import commands, queries
from readtrack.workspace.saved_searches.commands import SavedSearchFields, SavedSearchMove
from readtrack.workspace.saved_searches.queries import ViewRow

router = api_router("saved searches")


class SavedSearchRead(ResponseModel):
    """A saved search. `person`: id of its owner; `page`, `feed`: URLs of its list and its feed."""

    id: int
    name: str
    q: str
    sort: str
    display: Literal["list", "table", "board"]
    grouping: str
    columns: list[str]
    shared: bool
    version: int
    created_at: datetime
    updated_at: datetime
    person: int
    person_name: str
    page: str
    feed: str


class SavedSearchList(ResponseModel):
    """My saved searches in my order, then shared ones."""

    items: list[SavedSearchRead]


@router.get("/views", responses={200: {"model": SavedSearchList}})
def list_saved_searches(request: Request, me: Me, tx: ReadTx) -> Response:
    """List saved searches.

    Mine in the order of my sidebar, then those that others share.
    """
    return conditional_response(request, {"items": [_saved_search_json(view) for view in queries.list_views(tx, me)]})


@router.post(
    "/views",
    responses={201: {"model": SavedSearchRead}},
    openapi_extra=request_body_schema(SavedSearchFields, {"name": "To read"}),
)
def create_saved_search(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Save a search under a name.

    `q` is stored in its canonical form.
    """
    view = queries.get_view(tx, me, commands.save_view(tx, me, validate_input(SavedSearchFields, body)))
    headers = {"Location": f"/api/v1/views/{view.id}", "ETag": etag(view.id, view.version)}
    return once.answer(_saved_search_json(view), headers=headers)


@router.get("/views/{view_id:int}", responses={200: {"model": SavedSearchRead}})
def get_saved_search(request: Request, view_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a saved search.

    For its papers: `GET /api/v1/papers?view=`. Private ones of others are 404.
    """
    view = queries.get_view(tx, me, view_id)
    return conditional_response(request, _saved_search_json(view), tag=etag(view.id, view.version))


@router.patch(
    "/views/{view_id:int}",
    responses={200: {"model": SavedSearchRead}},
    openapi_extra=request_body_schema(SavedSearchFields, {"name": "Ours"}, merge_patch=True),
)
def update_saved_search(view_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a saved search.

    Only the given fields change; needs If-Match. 412 carries the newer one. 204 if I can no longer see it
    afterwards.
    """
    version = parse_if_match(if_match, view_id)
    view = queries.get_view(tx, me, view_id)
    patched = apply_merge_patch({name: getattr(view, name) for name in SavedSearchFields.model_fields}, body)
    try:
        commands.edit_view(tx, me, view_id, validate_input(SavedSearchFields, patched), version=version)
    except StaleVersion as error:
        raise StaleVersion(error.message, current=_saved_search_json(view)) from error
    return _saved_search_response(tx, me, view_id)


@router.post(
    "/views/{view_id:int}/move", status_code=204, openapi_extra=request_body_schema(SavedSearchMove, {"to": "top"})
)
def move_saved_search(view_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Move a saved search in my sidebar.

    To the top, up, down, or to the bottom.
    """
    commands.move_view(tx, me, view_id, validate_input(SavedSearchMove, body))
    return Response(status_code=204)


@router.delete("/views/{view_id:int}", status_code=204)
def delete_saved_search(view_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a saved search.

    It can be restored for 30 days.
    """
    commands.delete_view(tx, me, view_id)
    return Response(status_code=204)


@router.post("/views/{view_id:int}/restore", responses={200: {"model": SavedSearchRead}})
def restore_saved_search(view_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Restore a deleted saved search."""
    commands.restore_view(tx, me, view_id)
    return once.answer(_saved_search_json(queries.get_view(tx, me, view_id)), status=200)


def _saved_search_response(tx: Read, me: CurrentUser, view_id: int) -> Response:
    """Return the saved search, or 204 if it is no longer visible.

    That is the case when an editor has made it private to its owner.
    """
    view = queries.find_view(tx, me, view_id)
    if view is None:
        return Response(status_code=204)
    return JsonResponse(_saved_search_json(view), headers={"ETag": etag(view.id, view.version)})


def _saved_search_json(view: ViewRow) -> dict[str, Any]:
    renamed_fields = {"person": view.person_id, "person_name": view.person}
    data = view._asdict() | renamed_fields | {"page": view.href, "feed": f"/feeds/{view.id}.atom"}
    return {name: data[name] for name in SavedSearchRead.model_fields}
