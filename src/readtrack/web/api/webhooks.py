"""API endpoints for webhooks and their deliveries."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    JsonResponse,
    ResponseModel,
    conditional_response,
    page_response,
)
from readtrack.web.routing import api_router
from readtrack.workspace.webhooks import commands, queries
from readtrack.workspace.webhooks.commands import WebhookCreate, WebhookFields
from readtrack.workspace.webhooks.queries import WebhookRow

router = api_router("webhooks")


class WebhookRead(ResponseModel):
    """A webhook. `view`: a saved search; `person`: id of its owner.

    `state`: `disabled` by readtrack, or `ownerless`: its owner is no longer an active admin, and the next admin who
    saves it becomes its owner. `problem` says why nothing is sent.
    """

    id: int
    url: str
    format: Literal["json", "slack", "mattermost", "discord"]
    events: list[str]
    topic: str
    view: int | None
    team: bool
    active: bool
    state: Literal["active", "paused", "disabled", "ownerless"]
    problem: str
    created_at: datetime
    person: int
    person_name: str


class WebhookWithSecret(WebhookRead):
    """A created webhook with the `secret` of its signatures, which is shown only now.

    A repeated request is not replayed.
    """

    secret: str


class WebhookList(ResponseModel):
    """My webhooks, and for admins those of the team."""

    items: list[WebhookRead]


class DeliveryRead(ResponseModel):
    """A delivery. `status`, `answer`: the last answer; if there was none, `answer` says why."""

    id: int
    event: str
    state: Literal["waiting", "delivered", "failed", "skipped"]
    attempts: int
    status: int | None
    answer: str
    created_at: datetime
    next_attempt_at: datetime | None


class DeliveryList(ResponseModel):
    """Deliveries of the last 30 days, newest first; `next` is the cursor of the next page."""

    items: list[DeliveryRead]
    next: str | None


@router.get("/webhooks", responses={200: {"model": WebhookList}})
def list_webhooks(request: Request, me: Me, tx: ReadTx) -> Response:
    """List webhooks.

    Mine, and for admins those of the team.
    """
    return conditional_response(request, {"items": [_webhook_json(row) for row in queries.list_webhooks(tx, me)]})


@router.post(
    "/webhooks",
    responses={201: {"model": WebhookWithSecret}},
    openapi_extra=request_body_schema(WebhookCreate, {"url": "https://chat.example.org/hook"}),
)
def create_webhook(request: Request, me: Me, body: Body, tx: WriteTx) -> Response:
    """Create a webhook.

    The secret of its signatures is in this answer and nowhere else.
    """
    data = validate_input(WebhookCreate, body)
    webhook_id, secret = commands.create_webhook(tx, me, data, key=request.app.state.settings.secret_key)
    webhook = _webhook_json(queries.get_webhook(tx, me, webhook_id))
    return JsonResponse({**webhook, "secret": secret}, 201, {"Location": f"/api/v1/webhooks/{webhook_id}"})


@router.get("/webhooks/{webhook_id:int}", responses={200: {"model": WebhookRead}})
def get_webhook(request: Request, webhook_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a webhook."""
    return conditional_response(request, _webhook_json(queries.get_webhook(tx, me, webhook_id)))


@router.patch(
    "/webhooks/{webhook_id:int}",
    responses={200: {"model": WebhookRead}},
    openapi_extra=request_body_schema(WebhookFields, {"events": ["papers"]}, merge_patch=True),
)
def update_webhook(webhook_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a webhook.

    Only the given fields change. `active: true` turns on one that readtrack disabled.
    """
    current = queries.get_webhook(tx, me, webhook_id)
    patched = apply_merge_patch({name: getattr(current, name) for name in WebhookFields.model_fields}, body)
    commands.edit_webhook(tx, me, webhook_id, validate_input(WebhookFields, patched))
    return JsonResponse(_webhook_json(queries.get_webhook(tx, me, webhook_id)))


@router.delete("/webhooks/{webhook_id:int}", status_code=204)
def delete_webhook(webhook_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a webhook with its deliveries."""
    commands.delete_webhook(tx, me, webhook_id)
    return Response(status_code=204)


@router.post("/webhooks/{webhook_id:int}/test", responses={202: {"model": DeliveryRead}}, status_code=202)
def send_test(webhook_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Send a test message."""
    delivery_id = commands.send_test(tx, me, webhook_id)
    return once.answer(asdict(queries.get_delivery(tx, me, webhook_id, delivery_id)), status=202)


@router.get("/webhooks/{webhook_id:int}/deliveries", responses={200: {"model": DeliveryList}})
def list_deliveries(
    request: Request, webhook_id: int, wanted: Annotated[PageQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the deliveries of a webhook.

    Of the last 30 days, newest first.
    """
    cursor_context = f"deliveries\0{webhook_id}"
    page_request = read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    page = queries.list_deliveries(tx, me, webhook_id, page_request)
    return page_response(request, cursor_context, page, [asdict(row) for row in page.items])


@router.post(
    "/webhooks/{webhook_id:int}/deliveries/{delivery_id:int}/resend",
    responses={202: {"model": DeliveryRead}},
    status_code=202,
)
def resend_delivery(webhook_id: int, delivery_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Send a delivery again.

    Once, with the same `webhook-id`.
    """
    commands.resend_delivery(tx, me, webhook_id, delivery_id)
    return once.answer(asdict(queries.get_delivery(tx, me, webhook_id, delivery_id)), status=202)


def _webhook_json(row: WebhookRow) -> dict[str, Any]:
    data = asdict(row) | {"active": row.active, "person": row.person_id, "person_name": row.person}
    return {name: data[name] for name in WebhookRead.model_fields}
