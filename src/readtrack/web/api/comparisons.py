"""API endpoints for comparison tables, as JSON, CSV and Markdown."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.text import csv
from readtrack.infra.validation import NOT_BLANK, TrimmedModel
from readtrack.ingest.comparison_tables import import_table
from readtrack.library.comparisons import commands, parse_table, queries
from readtrack.library.comparisons.commands import ComparisonFields
from readtrack.library.comparisons.queries import ComparisonDetail
from readtrack.library.topics.queries import get_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.openapi import file_response, request_body_schema
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

router = api_router("comparisons")
HERE = "/comparisons/{comparison_id:int}"


class ComparisonRowRead(ResponseModel):
    """A row: one cell for each column, and the id of the paper it is about."""

    cells: list[str]
    paper: int | None


class ScaleSignRead(ResponseModel):
    """A sign of the scale and its meaning."""

    sign: str
    meaning: str


class ComparisonRead(ResponseModel):
    """A comparison table. `scale`: the best sign first; `topic`: a slug."""

    id: int
    topic: str
    title: str
    columns: list[str]
    rows: list[ComparisonRowRead]
    scale: list[ScaleSignRead]
    version: int
    created_at: datetime
    updated_at: datetime


class ComparisonList(ResponseModel):
    """All tables of a topic, oldest first."""

    items: list[ComparisonRead]


class ComparisonTarget(TrimmedModel):
    """The topic, by any of its names; it is created if it does not exist."""

    topic: Annotated[str, NOT_BLANK]


@router.get("/topics/{slug}/comparisons", responses={200: {"model": ComparisonList}})
def list_topic_comparisons(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """List the comparison tables of a topic.

    Oldest first.
    """
    topic = get_topic(tx, me, slug)
    tables = queries.list_comparisons(tx, me, topic.row.id, limit=commands.MAX_PER_TOPIC)
    return conditional_response(request, {"items": [comparison_json(table) for table in tables]})


@router.post(
    "/topics/{slug}/comparisons",
    responses={201: {"model": ComparisonRead}},
    openapi_extra=request_body_schema(ComparisonFields, {"title": "Runtimes", "columns": ["Of", "Speed"]}),
)
def create_comparison(slug: str, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Create a table in a topic."""
    comparison = commands.add_comparison(tx, me, slug, validate_input(ComparisonFields, body))
    return _created_response(once, queries.get_comparison(tx, me, comparison.id or 0))


@router.get(HERE, responses={200: {"model": ComparisonRead}})
def get_comparison(request: Request, comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a comparison table."""
    table = queries.get_comparison(tx, me, comparison_id)
    return conditional_response(request, comparison_json(table), tag=etag(table.id, table.version))


@router.get(HERE + ".csv", responses=file_response(csv.MEDIA_TYPE))
def get_comparison_csv(comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a comparison table as CSV.

    No cell runs as a formula.
    """
    return Response(parse_table.as_csv(queries.get_comparison(tx, me, comparison_id).grid), media_type=csv.MEDIA_TYPE)


@router.get(HERE + ".md", responses=file_response("text/markdown"))
def get_comparison_markdown(comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a comparison table as Markdown."""
    text = parse_table.as_markdown(queries.get_comparison(tx, me, comparison_id).grid)
    return Response(text, media_type="text/markdown; charset=utf-8")


@router.patch(
    HERE,
    responses={200: {"model": ComparisonRead}},
    openapi_extra=request_body_schema(ComparisonFields, {"title": "Run times"}, merge_patch=True),
)
def update_comparison(comparison_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a comparison table.

    Only the given fields change (JSON merge patch); rows and scale are replaced as a whole. 412 carries the newer
    table as Markdown.
    """
    version = parse_if_match(if_match, comparison_id)
    current = comparison_json(queries.get_comparison(tx, me, comparison_id))
    fields = {name: value for name, value in current.items() if name in ComparisonFields.model_fields}
    commands.edit_comparison(
        tx, me, comparison_id, validate_input(ComparisonFields, apply_merge_patch(fields, body)), version=version
    )
    table = queries.get_comparison(tx, me, comparison_id)
    return JsonResponse(comparison_json(table), headers={"ETag": etag(table.id, table.version)})


@router.delete(HERE, status_code=204)
def delete_comparison(comparison_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a comparison table.

    It can be restored from the trash for 30 days.
    """
    commands.delete_comparison(tx, me, comparison_id)
    return Response(status_code=204)


@router.post(
    "/entries/{entry_id:int}/table",
    responses={201: {"model": ComparisonRead}},
    openapi_extra=request_body_schema(ComparisonTarget, {"topic": "training"}),
)
def create_comparison_from_entry(entry_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Create a table from an entry of imported notes that contains one."""
    comparison = import_table(tx, me, entry_id, validate_input(ComparisonTarget, body).topic)
    return _created_response(once, queries.get_comparison(tx, me, comparison.id or 0))


def _created_response(once: IdempotentPost, table: ComparisonDetail) -> Response:
    headers = {"Location": f"/api/v1/comparisons/{table.id}", "ETag": etag(table.id, table.version)}
    return once.answer(comparison_json(table), headers=headers)


def comparison_json(table: ComparisonDetail) -> dict[str, Any]:
    """Return a comparison table as JSON."""
    rows = [{"cells": row.cells, "paper": row.paper_id} for row in table.rows]
    scale = [{"sign": sign, "meaning": meaning} for sign, meaning in table.scale]
    content = {"title": table.title, "columns": table.columns, "rows": rows, "scale": scale}
    timestamps = {"created_at": table.created_at, "updated_at": table.updated_at}
    return {"id": table.id, "topic": table.topic, **content, "version": table.version, **timestamps}
