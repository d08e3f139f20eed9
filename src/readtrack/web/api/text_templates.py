"""API endpoints for text templates, which every member may edit."""

from datetime import datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.reading.text_templates import commands, queries
from readtrack.reading.text_templates.commands import TextTemplateFields
from readtrack.reading.text_templates.queries import TemplateRow
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

router = api_router("text templates")


class TextTemplateRead(ResponseModel):
    """A template with headings for new texts. `person`: who made it, blank if unknown."""

    id: int
    name: str
    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    person: str


class TextTemplateList(ResponseModel):
    """The team's templates, by name. `standard`: text of the built-in template."""

    items: list[TextTemplateRead]
    standard: str


@router.get("/templates", responses={200: {"model": TextTemplateList}})
def list_text_templates(request: Request, _me: Me, tx: ReadTx) -> Response:
    """List text templates.

    The team's, and the built-in `standard`.
    """
    templates = [row._asdict() for row in queries.list_templates(tx)]
    return conditional_response(request, {"items": templates, "standard": queries.standard_template()})


@router.post(
    "/templates",
    responses={201: {"model": TextTemplateRead}},
    openapi_extra=request_body_schema(TextTemplateFields, {"name": "Surveys", "markdown": "## What"}),
)
def create_text_template(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a template."""
    template = queries.get_template(tx, commands.add_template(tx, me, validate_input(TextTemplateFields, body)).id or 0)
    headers = {"Location": f"/api/v1/templates/{template.id}", "ETag": etag(template.id, template.version)}
    return once.answer(template._asdict(), headers=headers)


@router.get("/templates/{template_id:int}", responses={200: {"model": TextTemplateRead}})
def get_text_template(request: Request, template_id: int, _me: Me, tx: ReadTx) -> Response:
    """Get a text template."""
    template = queries.get_template(tx, template_id)
    return conditional_response(request, template._asdict(), tag=etag(template.id, template.version))


@router.patch(
    "/templates/{template_id:int}",
    responses={200: {"model": TextTemplateRead}},
    openapi_extra=request_body_schema(TextTemplateFields, {"name": "Runs"}, merge_patch=True),
)
def update_text_template(template_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a text template.

    Only the given fields change; needs If-Match. 412 carries the newer one.
    """
    version = parse_if_match(if_match, template_id)
    current = queries.get_template(tx, template_id)
    update = validate_input(TextTemplateFields, apply_merge_patch(_fields(current), body))
    commands.edit_template(tx, me, template_id, update, version=version)
    template = queries.get_template(tx, template_id)
    return JsonResponse(template._asdict(), headers={"ETag": etag(template_id, template.version)})


@router.delete("/templates/{template_id:int}", status_code=204)
def delete_text_template(template_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a text template.

    Texts that began with it stay as they are.
    """
    commands.delete_template(tx, me, template_id)
    return Response(status_code=204)


def _fields(template: TemplateRow) -> dict[str, Any]:
    return {name: getattr(template, name) for name in TextTemplateFields.model_fields}
