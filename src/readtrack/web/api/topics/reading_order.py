"""API endpoints for the reading order of a topic."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.library.topics import queries
from readtrack.library.topics.reading_order import ReadingOrderMove, list_order, move_in_order, remove_paper_from_order
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, conditional_response
from readtrack.web.routing import api_router

router = api_router("topics")


class ReadingOrderItem(BaseModel):
    """A paper in the reading order. `my_status`: null if it is not on my list."""

    paper: int
    title: str
    my_status: str | None


class ReadingOrder(BaseModel):
    items: list[ReadingOrderItem]


@router.get("/topics/{slug}/order", responses={200: {"model": ReadingOrder}})
def get_reading_order(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """Get the reading order of a topic."""
    rows = list_order(tx, me, queries.get_id(tx, slug))
    items = [{"paper": row.id, "title": row.title, "my_status": row.my.status if row.my else None} for row in rows]
    return conditional_response(request, {"items": items})


@router.put(
    "/topics/{slug}/order/{paper_id:int}/position", status_code=204, openapi_extra=request_body_schema(ReadingOrderMove)
)
def set_reading_order_position(slug: str, paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Set the position of a paper in the reading order.

    Of a paper of the topic, in the order already or not: `to` up, down, top or bottom; or `before` or `after`
    another.
    """
    move_in_order(tx, me, slug, paper_id, step=validate_input(ReadingOrderMove, body))
    return Response(status_code=204)


@router.delete("/topics/{slug}/order/{paper_id:int}/position", status_code=204)
def remove_from_reading_order(slug: str, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove a paper from the reading order.

    It stays in the topic. Safe to repeat.
    """
    remove_paper_from_order(tx, me, slug, paper_id)
    return Response(status_code=204)
