"""API endpoints for summaries, their versions, and Markdown rendering."""

from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Header, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack import markdown
from readtrack.infra.validation import Markdown, NeverNull, StrictModel
from readtrack.library.references.resolve import get_render_context
from readtrack.reading.summaries import commands, queries
from readtrack.reading.summaries.commands import SummaryUpdate
from readtrack.reading.summaries.queries import SummaryRow
from readtrack.reading.summaries.three_way_save import restore_version
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    JsonResponse,
    OptionalIfMatch,
    ResponseModel,
    conditional_response,
    etag,
    missing_if_match_error,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router

router = api_router("summaries")
Model = TypeVar("Model", bound=BaseModel)


class SummaryRead(ResponseModel):
    """A person's summary of a paper."""

    id: int
    paper: int
    person: str
    tldr: str
    markdown: str
    private: bool
    version: int
    created_at: datetime
    updated_at: datetime


class SummaryList(ResponseModel):
    """The summaries of a paper, oldest first."""

    items: list[SummaryRead]
    next: str | None


class SummaryVersionRead(ResponseModel):
    """A saved version of a summary."""

    number: int
    tldr: str
    markdown: str
    private: bool
    saved_at: datetime


class SummaryVersionList(ResponseModel):
    """A page of versions, newest first; `next` is the cursor of the next page."""

    items: list[SummaryVersionRead]
    next: str | None


class SummaryListQuery(PageQuery):
    """Pagination of the list."""


class MarkdownText(StrictModel):
    """The Markdown to render."""

    markdown: Markdown


class RenderedHtml(ResponseModel):
    """The rendered, sanitized HTML."""

    html: str


@router.get("/papers/{paper_id:int}/summaries", responses={200: {"model": SummaryList}})
def list_summaries(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the summaries of a paper.

    Shared ones and mine.
    """
    summaries = queries.list_summaries(tx, me, paper_id)
    return conditional_response(request, {"items": [summary_json(row) for row in summaries], "next": None})


@router.get("/papers/{paper_id:int}/summary", responses={200: {"model": SummaryRead}})
def get_summary(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Get my summary of a paper.

    404 if there is none.
    """
    summary = queries.get_my_summary(tx, me, paper_id)
    return conditional_response(request, summary_json(summary), tag=etag(summary.id, summary.version))


@router.put(
    "/papers/{paper_id:int}/summary",
    responses={200: {"model": SummaryRead}, 201: {"model": SummaryRead}},
    openapi_extra=request_body_schema(SummaryUpdate, {"markdown": "Text."}),
)
def update_summary(
    paper_id: int,
    me: Me,
    body: Body,
    tx: WriteTx,
    if_match: OptionalIfMatch = None,
    if_none_match: Annotated[str | None, NeverNull, Header(description="`*` for a new summary.")] = None,
) -> Response:
    """Write my summary of a paper.

    The first with If-None-Match: *, later ones with If-Match. 412 carries the newer text and the one that mine is
    based on (`base`).
    """
    previous = queries.find_my_summary(tx, me, paper_id)
    version = None if (if_none_match or "").strip() == "*" else _parse_base_version(if_match, previous)
    commands.edit_summary(tx, me, paper_id, validate_input(SummaryUpdate, body), version=version)
    summary = queries.get_my_summary(tx, me, paper_id)
    headers = {"ETag": etag(summary.id, summary.version), "Location": f"/api/v1/papers/{paper_id}/summary"}
    return JsonResponse(summary_json(summary), 200 if previous else 201, headers)


@router.delete("/papers/{paper_id:int}/summary", status_code=204)
def delete_summary(paper_id: int, me: Me, tx: WriteTx, if_match: OptionalIfMatch = None) -> Response:
    """Delete my summary of a paper.

    Its versions are kept. With If-Match, only if that version is the latest.
    """
    summary = queries.get_my_summary(tx, me, paper_id)
    version = None if if_match is None else parse_if_match(if_match, summary.id)
    commands.delete_summary(tx, me, paper_id, version=version)
    return Response(status_code=204)


@router.get("/summaries/{summary_id:int}/versions", responses={200: {"model": SummaryVersionList}})
def list_summary_versions(
    request: Request, summary_id: int, wanted: Annotated[SummaryListQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the versions of a summary.

    Newest first; of others only those that were shared, numbered as if there were no others.
    """
    cursor_context = f"versions of {summary_id}"
    page_request = read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    page = queries.list_versions(tx, me, summary_id, page_request)
    return page_response(request, cursor_context, page, [version._asdict() for version in page.items])


@router.get("/summaries/{summary_id:int}/versions/{number:int}", responses={200: {"model": SummaryVersionRead}})
def get_summary_version(request: Request, summary_id: int, number: int, me: Me, tx: ReadTx) -> Response:
    """Get a version of a summary."""
    return conditional_response(request, queries.get_summary_version(tx, me, summary_id, number)._asdict())


@router.post("/summaries/{summary_id:int}/versions/{number:int}/restore", responses={200: {"model": SummaryRead}})
def restore_summary_version(summary_id: int, number: int, me: Me, tx: WriteTx) -> Response:
    """Restore a version of my summary.

    It becomes the latest version; private if either of them is.
    """
    restore_version(tx, me, summary_id, number)
    summary = queries.get_summary(tx, me, summary_id)
    return JsonResponse(summary_json(summary), headers={"ETag": etag(summary.id, summary.version)})


@router.post(
    "/render",
    responses={200: {"model": RenderedHtml}},
    openapi_extra=request_body_schema(MarkdownText, {"markdown": "*a*"}),
)
def render_markdown(_me: Me, body: Body, tx: ReadTx) -> Response:
    """Render Markdown.

    As pages show it, with the same people and papers. Nothing is saved.
    """
    text = validate_input(MarkdownText, body).markdown
    return JsonResponse({"html": markdown.render(text, get_render_context(tx, [text]))})


def _parse_base_version(if_match: str | None, previous: SummaryRow | None) -> int:
    if if_match is None:
        raise missing_if_match_error()
    return parse_if_match(if_match, previous.id if previous else 0)


def summary_json(row: SummaryRow) -> dict[str, Any]:
    """Return a summary as JSON."""
    data = row._asdict() | {"paper": row.paper_id}
    return {name: data[name] for name in SummaryRead.model_fields}
