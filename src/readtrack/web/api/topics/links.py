"""API endpoints for the web links of a topic."""

from datetime import datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.library.topics import queries
from readtrack.library.topics.links import (
    LinkRow,
    TopicLinkFields,
    add_link,
    edit_link,
    get_link,
    list_links,
    remove_link,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("topics")


class TopicLinkRead(ResponseModel):
    """A link. `by`: name of the person who added it."""

    id: int
    kind: str
    url: str
    title: str
    note: str
    by: str | None
    added_at: datetime


class TopicLinkList(ResponseModel):
    items: list[TopicLinkRead]


@router.get("/topics/{slug}/links", responses={200: {"model": TopicLinkList}})
def list_topic_links(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """List the links of a topic.

    Those that are not papers, by kind.
    """
    return conditional_response(
        request, {"items": [_link_json(row) for row in list_links(tx, queries.get_id(tx, slug))]}
    )


@router.post(
    "/topics/{slug}/links",
    responses={201: {"model": TopicLinkRead}},
    openapi_extra=request_body_schema(TopicLinkFields, {"url": "https://example.org/new"}),
)
def create_topic_link(slug: str, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a link to a topic.

    Responds 409 if it exists, or is a paper of the library (code `is-paper`).
    """
    link = add_link(tx, me, slug, validate_input(TopicLinkFields, body))
    return once.answer(_link_json(get_link(tx, slug, link.id or 0)))


@router.patch(
    "/topics/{slug}/links/{link_id:int}",
    responses={200: {"model": TopicLinkRead}},
    openapi_extra=request_body_schema(TopicLinkFields, {"title": "Other"}, merge_patch=True),
)
def update_topic_link(slug: str, link_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a link of a topic.

    Only the given fields change (JSON merge patch).
    """
    row = get_link(tx, slug, link_id)
    now = {name: getattr(row, name) for name in TopicLinkFields.model_fields}
    edit_link(tx, me, slug, link_id, data=validate_input(TopicLinkFields, apply_merge_patch(now, body)))
    return JsonResponse(_link_json(get_link(tx, slug, link_id)))


@router.delete("/topics/{slug}/links/{link_id:int}", status_code=204)
def remove_topic_link(slug: str, link_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove a link of a topic.

    It can be restored from the trash for 30 days.
    """
    remove_link(tx, me, slug, link_id)
    return Response(status_code=204)


def _link_json(row: LinkRow) -> dict[str, Any]:
    return row._asdict()
