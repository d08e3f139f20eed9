"""How papers hang together, as JSON."""

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.papers import queries, relations
from readtrack.papers.relations import RelationAdd, RelationRemove, RelationRow
from readtrack.web.answers import Body, OnceOnly, answer_for, described_body
from readtrack.web.forms import valid
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(prefix="/api/v1", tags=["papers"])


class RelationOut(BaseModel):
    """A relation as one of its papers sees it. `direction`: `to` the other paper, or `from` it."""

    id: int
    kind: str
    direction: str
    paper: dict[str, Any]
    note: str


@router.get("/papers/{paper_id:int}/relations", responses={200: {"model": list[RelationOut]}})
def list_relations(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """What it discusses, extends, presents …, and what does that with it."""
    queries.get_row(tx, me, paper_id)
    return answer_for(request, {"items": [_out(row) for row in relations.list_relations(tx, me, paper_id)]})


@router.post("/papers/{paper_id:int}/relations", openapi_extra=described_body(RelationAdd))
def create(paper_id: int, me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Links it to another paper; 200 when they were linked so."""
    if replayed := once.replay(body):
        return replayed
    made = relations.add_relation(tx, me, paper_id, valid(RelationAdd, body))
    items = [_out(row) for row in relations.list_relations(tx, me, paper_id)]
    return once.answer(body, {"items": items}, status=201 if made else 200)


@router.delete("/papers/{paper_id:int}/relations", status_code=204, openapi_extra=described_body(RelationRemove))
def remove(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Takes a link away; again: the same."""
    relations.remove_relation(tx, me, paper_id, valid(RelationRemove, body))
    return Response(status_code=204)


def _out(row: RelationRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "direction": "to" if row.outward else "from",
        "paper": {"id": row.paper_id, "title": row.title},
        "note": row.note,
    }
