"""API endpoints for topics and their papers: assignment, reading order and coverage; and the schemas of topics."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from readtrack.library.topics import commands, delete, queries
from readtrack.library.topics.commands import TopicCreate, TopicUpdate
from readtrack.library.topics.coverage import cursor_context, get_coverage
from readtrack.library.topics.delete import remove_from_topic
from readtrack.library.topics.queries import TopicCondition, TopicDetail, TopicFilter, TopicRow, find_topics
from readtrack.library.topics.reading_order import ReadingOrderMove, list_order, move_in_order, remove_paper_from_order
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.dependencies.pagination import PageQuery, add_next_link, get_next_cursor, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    JsonResponse,
    ResponseModel,
    conditional_response,
    etag,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router


class TopicRead(ResponseModel):
    """A topic in a list.

    `papers`: including subtopics; `read`: papers that someone has read; `parent`: a slug.
    """

    slug: str
    name: str
    aliases: list[str]
    parent: str | None
    children: int
    papers: int
    read: int


class TopicName(ResponseModel):
    """A topic by name."""

    slug: str
    name: str


class TopicDetailRead(TopicRead):
    """A topic with all its data.

    `line`: its ancestors, outermost first; `below`: its direct subtopics.
    """

    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    line: list[TopicName]
    below: list[TopicName]


def etag_header(topic: TopicDetail) -> dict[str, str]:
    return {"ETag": etag(topic.row.id, topic.version)}


def topic_json(row: TopicRow, aliases: Sequence[str]) -> dict[str, Any]:
    numbers = {"children": row.children, "papers": row.papers, "read": row.read}
    return {"slug": row.slug, "name": row.name, "aliases": aliases, "parent": row.parent, **numbers}


def topic_detail_json(topic: TopicDetail) -> dict[str, Any]:
    text = {"markdown": topic.markdown, "version": topic.version}
    timestamps = {"created_at": topic.created_at, "updated_at": topic.updated_at}
    ancestors = [{"slug": slug, "name": name} for slug, name in topic.line]
    subtopics = [{"slug": row.slug, "name": row.name} for row in topic.subtopics]
    return {**topic_json(topic.row, topic.aliases), **text, **timestamps, "line": ancestors, "below": subtopics}


router = api_router("topics")
Model = TypeVar("Model", bound=BaseModel)


class TopicList(ResponseModel):
    """A page of topics; `next` is the cursor of the next page."""

    items: list[TopicRead]
    next: str | None


class TopicListQuery(PageQuery):
    """The filter of topics, with pagination.

    `of`: once (one paper), empty (no papers, subtopics included), textless, or outermost (no parent); `q`: part of any
    name.
    """

    of: TopicCondition | None = None
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


@router.post(
    "/topics",
    responses={201: {"model": TopicDetailRead}},
    openapi_extra=request_body_schema(TopicCreate, {"name": "New"}),
)
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
    "/topics/{slug}",
    responses={200: {"model": TopicDetailRead}},
    openapi_extra=request_body_schema(TopicUpdate, {"markdown": "Text."}, merge_patch=True),
)
def update_topic(slug: str, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a topic.

    Only the given fields change (JSON merge patch). 412 carries the newer topic and the one that mine is based on
    (`base`).
    """
    topic = queries.get_topic(tx, me, slug)
    version = parse_if_match(if_match, topic.row.id)
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


@router.put("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def add_paper_to_topic(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Add a paper to a topic.

    Safe to repeat.
    """
    commands.link_topic(tx, me, paper_id, slug)
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/topics/{slug}", status_code=204)
def remove_paper_from_topic(paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Remove a paper from a topic.

    It can be restored from the trash for 30 days. Safe to repeat.
    """
    remove_from_topic(tx, me, paper_id, slug)
    return Response(status_code=204)


class ReadingOrderItem(ResponseModel):
    """A paper in the reading order. `my_status`: null if it is not on my list."""

    paper: int
    title: str
    my_status: str | None


class ReadingOrder(ResponseModel):
    items: list[ReadingOrderItem]


@router.get("/topics/{slug}/order", responses={200: {"model": ReadingOrder}})
def get_reading_order(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """Get the reading order of a topic.

    With my status of each paper.
    """
    rows = list_order(tx, me, queries.get_id(tx, slug))
    items = [{"paper": row.id, "title": row.title, "my_status": row.my.status if row.my else None} for row in rows]
    return conditional_response(request, {"items": items})


@router.put(
    "/topics/{slug}/order/{paper_id:int}/position",
    status_code=204,
    openapi_extra=request_body_schema(ReadingOrderMove, {"to": "top"}),
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


class PaperCoverage(ResponseModel):
    """A paper. `states`: by person id, one of read, reading, paused, to_read, dropped."""

    paper: int
    title: str
    states: dict[int, str]


class TopicReader(ResponseModel):
    id: int
    name: str


class TopicCoverageRead(ResponseModel):
    """A page of papers, and the people with readings of them, those who read most first."""

    papers: list[PaperCoverage]
    people: list[TopicReader]
    next: str | None


class TopicCoverageQuery(PageQuery):
    """Pagination of the papers."""


@router.get("/topics/{slug}/coverage", responses={200: {"model": TopicCoverageRead}})
def get_topic_coverage(
    request: Request, slug: str, wanted: Annotated[TopicCoverageQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """Get the coverage of a topic.

    Its papers and those below it by person, as far as readings are shared or mine.
    """
    topic_id = queries.get_id(tx, slug)
    page = get_coverage(
        tx, me, topic_id, read_page_request(request, cursor_context(slug), limit=wanted.limit, after=wanted.after)
    )
    cursor, [coverage] = get_next_cursor(request, cursor_context(slug), page), page.items
    papers = [{"paper": paper.id, "title": paper.title, "states": paper.states} for paper in coverage.papers]
    people = [{"id": number, "name": name} for number, name in coverage.people]
    return add_next_link(
        request, conditional_response(request, {"papers": papers, "people": people, "next": cursor}), cursor
    )
