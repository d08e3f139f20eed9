"""API endpoints for topics."""

from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from readtrack.library.topics import commands, delete, queries
from readtrack.library.topics.commands import TopicCreate, TopicUpdate
from readtrack.library.topics.filter import TopicFilter, Which, find_topics
from readtrack.library.topics.queries import TopicDetail
from readtrack.web.api.topics.schemas import TopicDetailRead, TopicRead, etag_header, topic_detail_json, topic_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse, require_if_match
from readtrack.web.responses.lists import page_response
from readtrack.web.routing import api_router

router = api_router("topics")
Model = TypeVar("Model", bound=BaseModel)


class TopicList(BaseModel):
    """A page of topics; `next` is the cursor of the next page."""

    items: list[TopicRead]
    next: str | None


class TopicListQuery(PageQuery):
    """The filter of topics, with pagination.

    `of`: once (one paper), empty (no papers, subtopics included), textless, or outermost (no parent); `q`: part of any
    name.
    """

    of: Which | None = None
    q: str = Field(default="", max_length=500)


@router.get("/topics", responses={200: {"model": TopicList}})
def list_topics(request: Request, wanted: Annotated[TopicListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List topics.

    By name.
    """
    topic_filter = TopicFilter(wanted.of, wanted.q)
    page = find_topics(
        tx, me, topic_filter, read_page_request(request, topic_filter.question, limit=wanted.limit, after=wanted.after)
    )
    aliases = queries.find_aliases(tx, [row.id for row in page.items])
    items = [topic_json(row, aliases.get(row.id, [])) for row in page.items]
    return page_response(request, topic_filter.question, page, items)


@router.post("/topics", responses={201: {"model": TopicDetailRead}}, openapi_extra=request_body_schema(TopicCreate))
def create_topic(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a topic.

    Responds 409 if another has one of its names.
    """
    topic = commands.add_topic(tx, me, validate_input(TopicCreate, body))
    detail = queries.get_topic(tx, me, topic.slug)
    return once.answer(topic_detail_json(detail), headers={"Location": _address(topic.slug), **etag_header(detail)})


@router.get("/topics/{slug}", responses={200: {"model": TopicDetailRead}})
def get_topic_by_slug(slug: str, me: Me, tx: ReadTx) -> Response:
    """Get a topic.

    301 if the address has another of its names.
    """
    current_slug = queries.find_slug(tx, slug)
    if current_slug is not None and current_slug != slug:
        return RedirectResponse(_address(current_slug), 301)
    return _topic_response(queries.get_topic(tx, me, slug))


@router.patch(
    "/topics/{slug}", responses={200: {"model": TopicDetailRead}}, openapi_extra=request_body_schema(TopicUpdate)
)
def update_topic(request: Request, slug: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a topic.

    Only the given fields change (JSON merge patch).
    """
    topic = queries.get_topic(tx, me, slug)
    version = require_if_match(request, topic.row.id)
    commands.edit_topic(tx, me, slug, _apply_patch(topic, body), version=version)
    return _topic_response(queries.get_topic(tx, me, slug))


@router.delete("/topics/{slug}", status_code=204)
def delete_topic(slug: str, me: Me, tx: WriteTx) -> Response:
    """Delete a topic without papers.

    409 if it has papers.
    """
    delete.delete_topic(tx, me, slug)
    return Response(status_code=204)


def _topic_response(topic: TopicDetail) -> Response:
    """Return the topic without a 304 check.

    Its counts change without the version that the ETag is made of.
    """
    return JsonResponse(topic_detail_json(topic), headers={**etag_header(topic), "Cache-Control": "private, no-cache"})


def _address(slug: str) -> str:
    return f"/api/v1/topics/{quote(slug)}"


def _apply_patch(topic: TopicDetail, body: Any) -> TopicUpdate:  # noqa: ANN401 - JSON
    row = topic.row
    now = {"name": row.name, "aliases": list(topic.aliases), "parent": row.parent, "markdown": topic.markdown}
    return validate_input(TopicUpdate, apply_merge_patch(now, body))
