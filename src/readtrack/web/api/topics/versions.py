"""API endpoints for the version history of topics."""

from datetime import datetime
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.library.topics import history
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.responses.json import JsonResponse, ResponseModel, conditional_response, etag, page_response
from readtrack.web.routing import api_router

router = api_router("topics")


class TopicVersionRead(ResponseModel):
    """A saved version of a topic. `parent`: name of its parent topic."""

    number: int
    name: str
    aliases: list[str]
    parent: str | None
    markdown: str
    person: str | None
    saved_at: datetime


class TopicVersionList(ResponseModel):
    """A page of versions, newest first; `next` is the cursor of the next page."""

    items: list[TopicVersionRead]
    next: str | None


class TopicVersionListQuery(PageQuery):
    """Pagination of the list."""


@router.get("/topics/{slug}/versions", responses={200: {"model": TopicVersionList}})
def list_topic_versions(
    request: Request, slug: str, wanted: Annotated[TopicVersionListQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the versions of a topic.

    Newest first, with names, text, author and time.
    """
    cursor_context = f"versions of {slug}"
    page_request = read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    page = history.list_topic_versions(tx, me, slug, page_request)
    return page_response(request, cursor_context, page, [version._asdict() for version in page.items])


@router.get("/topics/{slug}/versions/{number:int}", responses={200: {"model": TopicVersionRead}})
def get_topic_version(request: Request, slug: str, number: int, me: Me, tx: ReadTx) -> Response:
    """Get a version of a topic."""
    return conditional_response(request, history.get_topic_version(tx, me, slug, number)._asdict())


@router.post("/topics/{slug}/versions/{number:int}/restore", responses={200: {"model": TopicVersionRead}})
def restore_topic_version(slug: str, number: int, me: Me, tx: WriteTx) -> Response:
    """Restore a version of a topic.

    Its names and text become the latest version, which is the answer; the topic keeps its place.
    """
    topic = history.restore_version(tx, me, slug, number)
    latest = history.get_topic_version(tx, me, slug, topic.version)
    return JsonResponse(latest._asdict(), headers={"ETag": etag(topic.id or 0, topic.version)})
