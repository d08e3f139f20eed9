"""Pages for webhooks: the list, and each with its form and its deliveries."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.team.activity.verbs import GROUPS
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render, with_query
from readtrack.workspace.saved_searches.queries import list_views
from readtrack.workspace.webhooks import commands, queries
from readtrack.workspace.webhooks.commands import WebhookCreate, WebhookFields
from readtrack.workspace.webhooks.queries import WebhookRow

router = page_router()
LIST = "/settings/webhooks"
FORMATS = {"json": "JSON", "slack": "Slack", "mattermost": "Mattermost", "discord": "Discord"}
STATES = {"active": N_("Active"), "paused": N_("Paused"), "disabled": N_("Turned off"), "ownerless": N_("No owner")}
DELIVERY_STATES = {
    "waiting": N_("Waiting"),
    "delivered": N_("Delivered"),
    "failed": N_("Failed"),
    "skipped": N_("Skipped"),
}
NEW = {"url": "", "format": "json", "events": [], "topic": "", "view": "", "active": True, "team": False}


@router.get("/settings/webhooks")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show my webhooks, and for admins those of the team."""
    webhooks = queries.list_webhooks(tx, me)
    return render(request, "webhooks/list.html", webhooks=webhooks, formats=FORMATS, states=STATES)


@router.get("/settings/webhooks/new")
def new_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the form for a new webhook."""
    permissions.require(me, "send-webhooks")
    return _form(request, me, tx, typed=NEW)


@router.post("/settings/webhooks")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create a webhook and show its secret once, without a redirect."""
    permissions.require(me, "send-webhooks")
    typed = _typed(fields) | {"active": True}
    form_result = validate_form(WebhookCreate, typed)
    if form_result.value is None:
        return _form(request, me, tx, typed=typed, errors=form_result.errors)
    try:
        key = request.app.state.settings.secret_key
        webhook_id, secret = commands.create_webhook(tx, me, form_result.value, key=key)
    except (Conflict, Invalid) as error:  # Raised before anything is written.
        return _form(request, me, tx, typed=typed, errors=_errors(error))
    return _page(request, me, tx, queries.get_webhook(tx, me, webhook_id), secret=secret)


@router.get("/settings/webhooks/{webhook_id:int}")
def show_page(request: Request, webhook_id: int, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show a webhook with its deliveries."""
    return _page(request, me, tx, queries.get_webhook(tx, me, webhook_id), after=after)


@router.post("/settings/webhooks/{webhook_id:int}")
def edit(request: Request, webhook_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save a webhook."""
    webhook, typed = queries.get_webhook(tx, me, webhook_id), _typed(fields)
    form_result = validate_form(WebhookFields, typed)
    if form_result.value is None:
        return _page(request, me, tx, webhook, typed=typed, errors=form_result.errors)
    try:
        commands.edit_webhook(tx, me, webhook_id, form_result.value)
    except Invalid as error:  # Raised before anything is written.
        return _page(request, me, tx, webhook, typed=typed, errors=_errors(error))
    return redirect_with_flash(request, f"{LIST}/{webhook_id}", _("Saved"))


@router.post("/settings/webhooks/{webhook_id:int}/delete")
def delete(request: Request, webhook_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a webhook with its deliveries."""
    commands.delete_webhook(tx, me, webhook_id)
    return redirect_with_flash(request, LIST, _("Webhook deleted"))


@router.post("/settings/webhooks/{webhook_id:int}/test")
def send_test(request: Request, webhook_id: int, me: Me, tx: WriteTx) -> Response:
    """Send a test message."""
    commands.send_test(tx, me, webhook_id)
    return redirect_with_flash(request, f"{LIST}/{webhook_id}#deliveries")


@router.post("/settings/webhooks/{webhook_id:int}/deliveries/{delivery_id:int}/resend")
def resend(request: Request, webhook_id: int, delivery_id: int, me: Me, tx: WriteTx) -> Response:
    """Send a delivery again."""
    commands.resend_delivery(tx, me, webhook_id, delivery_id)
    return redirect_with_flash(request, f"{LIST}/{webhook_id}#deliveries")


def _page(
    request: Request,
    me: CurrentUser,
    tx: Read,
    webhook: WebhookRow,
    *,
    after: str = "",
    typed: Mapping[str, Any] | None = None,
    **context: Any,  # noqa: ANN401 - of the template
) -> Response:
    address, cursor_context = f"{LIST}/{webhook.id}", f"deliveries\0{webhook.id}"
    page = queries.list_deliveries(tx, me, webhook.id, read_page_request(request, cursor_context, after=after))
    cursor = get_next_cursor(request, cursor_context, page)
    older, newer = with_query(address, after=cursor) if cursor else "", address if after else ""
    context |= {"deliveries": page.items, "delivery_states": DELIVERY_STATES, "older": older, "newer": newer}
    typed = typed or {name: getattr(webhook, name) for name in WebhookFields.model_fields}
    return _form(request, me, tx, webhook=webhook, typed=typed, **context)


def _form(
    request: Request,
    me: CurrentUser,
    tx: Read,
    *,
    typed: Mapping[str, Any],
    webhook: WebhookRow | None = None,
    errors: Mapping[str, str] | None = None,
    **context: Any,  # noqa: ANN401 - of the template
) -> Response:
    views = [(str(view.id), view.name) for view in list_views(tx, me)]
    context = (
        {"secret": ""}
        | context
        | {"typed": {**typed, "view": str(typed["view"] or "")}, "errors": errors or {}, "views": views}
    )
    return render(
        request,
        "webhooks/edit.html",
        422 if errors else 200,
        webhook=webhook,
        formats=FORMATS,
        groups=GROUPS,
        **context,
    )


def _typed(fields: Fields) -> dict[str, Any]:
    """Return the values of the form; unchecked boxes are not sent."""
    checked = {name: fields.get(name) == "1" for name in ("active", "team")}
    return {**NEW, **fields.values, "events": list(fields.lists.get("events", [])), **checked}


def _errors(error: Conflict | Invalid) -> Mapping[str, str]:
    problems = error.errors if isinstance(error, Invalid) else ()
    return {problem.pointer.removeprefix("/"): problem.detail for problem in problems} or {"url": error.message}
