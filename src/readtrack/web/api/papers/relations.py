"""API endpoints for relations between papers."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.library.papers import lists
from readtrack.library.relations import links
from readtrack.library.relations.links import (
    Kind,
    RelationCreate,
    RelationKey,
    RelationRow,
    RelationUpdate,
    dismiss_suggestion,
    restore_suggestion,
)
from readtrack.library.relations.suggest import RelationSuggestion, list_suggestions
from readtrack.web.api.papers.papers import PaperName
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    ItemList,
    JsonResponse,
    ResponseModel,
    conditional_response,
)
from readtrack.web.routing import api_router

router = api_router("papers")


class RelationRead(ResponseModel):
    """A relation. `direction`: `to` or `from` the other paper."""

    id: int
    kind: str
    direction: str
    paper: PaperName
    note: str


class RelationSuggestionRead(ResponseModel):
    """A suggested relation with the reason."""

    kind: str
    direction: str
    paper: PaperName
    reason: str


@router.get("/papers/{paper_id:int}/relations", responses={200: {"model": ItemList[RelationRead]}})
def list_relations(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the relations of a paper.

    In both directions.
    """
    lists.get_row(tx, me, paper_id)
    return conditional_response(
        request, {"items": [_relation_json(row) for row in links.list_relations(tx, me, paper_id)]}
    )


@router.post(
    "/papers/{paper_id:int}/relations",
    responses={200: {"model": ItemList[RelationRead]}, 201: {"model": ItemList[RelationRead]}},
    openapi_extra=request_body_schema(RelationCreate, {"to": 3, "kind": "cites"}),
)
def create_relation(paper_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a relation to another paper.

    Responds 200 if it already exists.
    """
    is_new = links.add_relation(tx, me, paper_id, validate_input(RelationCreate, body))
    items = [_relation_json(row) for row in links.list_relations(tx, me, paper_id)]
    return once.answer({"items": items}, status=201 if is_new else 200)


@router.patch(
    "/papers/{paper_id:int}/relations/{kind}/{to:int}",
    responses={200: {"model": ItemList[RelationRead]}},
    openapi_extra=request_body_schema(RelationUpdate, {"note": "In section 3."}, merge_patch=True),
)
def update_relation(paper_id: int, kind: Kind, to: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a relation.

    Its kind or note (JSON merge patch).
    """
    key = RelationKey(to=to, kind=kind)
    current = links.get_relation(tx, me, paper_id, key)
    update = validate_input(RelationUpdate, apply_merge_patch(current.model_dump(), body))
    links.edit_relation(tx, me, paper_id, key, edit=update)
    return JsonResponse({"items": [_relation_json(row) for row in links.list_relations(tx, me, paper_id)]})


@router.get("/papers/{paper_id:int}/relations/suggested", responses={200: {"model": ItemList[RelationSuggestionRead]}})
def list_relation_suggestions(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List suggested relations of a paper.

    Each with the reason.
    """
    return conditional_response(
        request, {"items": [_suggestion_json(row) for row in list_suggestions(tx, me, paper_id)]}
    )


@router.put("/papers/{paper_id:int}/relations/{kind}/{to:int}/dismissal", status_code=204)
def dismiss_relation(paper_id: int, kind: Kind, to: int, me: Me, tx: WriteTx) -> Response:
    """Dismiss a suggested relation.

    It is not suggested again.
    """
    dismiss_suggestion(tx, me, paper_id, RelationKey(to=to, kind=kind))
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/relations/{kind}/{to:int}/dismissal", status_code=204)
def reopen_relation(paper_id: int, kind: Kind, to: int, me: Me, tx: WriteTx) -> Response:
    """Suggest a dismissed relation again."""
    restore_suggestion(tx, me, paper_id, RelationKey(to=to, kind=kind))
    return Response(status_code=204)


@router.delete(
    "/papers/{paper_id:int}/relations",
    status_code=204,
    openapi_extra=request_body_schema(RelationKey, {"to": 3, "kind": "cites"}),
)
def remove_relation(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Remove a relation.

    Safe to repeat.
    """
    links.remove_relation(tx, me, paper_id, validate_input(RelationKey, body))
    return Response(status_code=204)


def _suggestion_json(row: RelationSuggestion) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "direction": "to" if row.is_outgoing else "from",
        "paper": {"id": row.paper.id, "title": row.paper.title},
        "reason": row.reason,
    }


def _relation_json(row: RelationRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "direction": "to" if row.is_outgoing else "from",
        "paper": {"id": row.paper_id, "title": row.title},
        "note": row.note,
    }
