"""Commands for webhooks, with their input for both forms and JSON."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

import sqlalchemy as sa
from pydantic import AfterValidator, Field
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Webhook, WebhookDelivery
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.urls import safe_url
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.library.topics.queries import find_slug
from readtrack.team.activity.verbs import GROUPS, public_verbs
from readtrack.workspace.saved_searches.queries import find_view
from readtrack.workspace.webhooks import queries
from readtrack.workspace.webhooks.collect import enqueue_sending, give_up_waiting, newest_event_id
from readtrack.workspace.webhooks.delivery_job import TEST
from readtrack.workspace.webhooks.filters import find_sender
from readtrack.workspace.webhooks.signature import derive_secret, format_secret, new_salt

MAX_WEBHOOKS = 20  # Per person.
MAX_URL_CHARS = 2000


def _check_url(url: str) -> str:
    if safe_url(url) is None:
        raise ValueError(_("Enter a web address like https://example.org/hook."))
    return url


def _check_event(name: str) -> str:
    if name not in GROUPS and name not in public_verbs():
        raise ValueError(
            _("Unknown event. Use one of {known}, or a single event such as paper.added.").format(
                known=", ".join(GROUPS)
            )
        )
    return name


class WebhookFields(TrimmedModel):
    """Where to send, and which events: their groups or verbs, and optionally a topic or a saved search.

    Without `events`, those of the activity feed are sent; without `format`, as `json`.
    """

    url: Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS), AfterValidator(_check_url), OneLine]
    format: Literal["json", "slack", "mattermost", "discord"] = "json"
    events: Annotated[list[Annotated[str, AfterValidator(_check_event)]], Field(max_length=100)] = Field(
        default_factory=list
    )
    topic: Annotated[str, Field(max_length=200), OneLine] = ""
    view: int | None = None
    active: bool = True


class WebhookCreate(WebhookFields):
    """A new webhook. `team`: it sends what everybody may see; only admins may create one."""

    team: bool = False


def create_webhook(tx: Write, me: CurrentUser, data: WebhookCreate, *, key: str) -> tuple[int, str]:
    """Create a webhook and return its id and its secret, which is shown only now.

    `key` is the library's secret key. Raise Conflict if I have too many.
    """
    permissions.require(me, "send-team-webhooks" if data.team else "send-webhooks")
    permissions.lock_person(tx, me)
    count = tx.scalar(sa.select(sa.func.count()).where(col(Webhook.person_id) == me.id)) or 0
    if count >= MAX_WEBHOOKS:
        message = _("You've reached the limit of {count} webhooks. Delete one first.").format(count=MAX_WEBHOOKS)
        raise Conflict(message, code="too-many")
    webhook = Webhook(person_id=me.id, team=data.team, url=data.url, salt=new_salt(), last_event_id=newest_event_id(tx))
    _set_fields(tx, me, webhook, data)
    tx.add(webhook)
    tx.flush()
    _record(tx, me, webhook, "webhook.added")
    return webhook.id or 0, format_secret(derive_secret(key, webhook.salt, webhook.id or 0))


def edit_webhook(tx: Write, me: CurrentUser, webhook_id: int, data: WebhookFields) -> None:
    """Replace the address, the format and the filters of a webhook, and turn it on or off."""
    webhook = _get_for_update(tx, me, webhook_id)
    _set_fields(tx, me, webhook, data)
    _record(tx, me, webhook, "webhook.edited")
    tx.flush()


def delete_webhook(tx: Write, me: CurrentUser, webhook_id: int) -> None:
    """Delete a webhook with its deliveries."""
    webhook = _get_for_update(tx, me, webhook_id)
    tx.execute(sa.delete(WebhookDelivery).where(col(WebhookDelivery.webhook_id) == webhook_id))
    _record(tx, me, webhook, "webhook.deleted")
    tx.delete(webhook)
    tx.flush()


def send_test(tx: Write, me: CurrentUser, webhook_id: int) -> int:
    """Have a test message sent now, and return the id of its delivery."""
    webhook = _get_for_update(tx, me, webhook_id)
    delivery = WebhookDelivery(webhook_id=webhook.id or 0, verb=TEST, manual=True)
    tx.add(delivery)
    tx.flush()
    enqueue_sending(tx, webhook_id)
    return delivery.id or 0


def resend_delivery(tx: Write, me: CurrentUser, webhook_id: int, delivery_id: int) -> None:
    """Have a delivery sent once more, with the same id. Raise Conflict if it is still waiting."""
    _get_for_update(tx, me, webhook_id)
    queries.get_delivery(tx, me, webhook_id, delivery_id)
    delivery = tx.get_one(WebhookDelivery, delivery_id, with_for_update=True)
    if delivery.state == "waiting":
        raise Conflict(_("This delivery hasn't been sent yet."))
    delivery.state, delivery.manual, delivery.next_attempt_at = "waiting", True, now()
    tx.flush()
    enqueue_sending(tx, webhook_id)


def _get_for_update(tx: Write, me: CurrentUser, webhook_id: int) -> Webhook:
    queries.get_webhook(tx, me, webhook_id)
    return tx.get_one(Webhook, webhook_id, with_for_update=True)


def _set_fields(tx: Write, me: CurrentUser, webhook: Webhook, data: WebhookFields) -> None:
    topic = _require_topic(tx, data.topic) if data.topic else ""
    if data.view is not None and data.view != webhook.view_id:
        _require_view(tx, me, data.view, team=webhook.team)
    is_sending = webhook.state == "active" and find_sender(tx, webhook) is not None
    webhook.url, webhook.format, webhook.events = data.url, data.format, list(dict.fromkeys(data.events))
    webhook.topic, webhook.view_id = topic, data.view
    if webhook.team:
        webhook.person_id = me.id or webhook.person_id  # It sends with the rights of the admin who saved it last.
    if data.active:
        if not is_sending:
            webhook.last_event_id = newest_event_id(tx)  # What happened while it was off is not sent later.
            give_up_waiting(tx, col(WebhookDelivery.webhook_id) == webhook.id)
        webhook.state, webhook.problem = "active", ""
    elif webhook.state == "active":
        webhook.state = "paused"
        give_up_waiting(tx, col(WebhookDelivery.webhook_id) == webhook.id)


def _require_topic(tx: Read, name: str) -> str:
    slug = find_slug(tx, name)
    if slug is None:
        raise invalid_field("/topic", "not-found", _("No such topic."))
    return slug


def _require_view(tx: Read, me: CurrentUser, view_id: int, *, team: bool) -> None:
    view = find_view(tx, me, view_id)
    if view is None or (team and not view.shared):
        message = _("Choose a saved search that is shared with the team.") if team else _("No such saved search.")
        raise invalid_field("/view", "not-found", message)


def _record(tx: Write, me: CurrentUser, webhook: Webhook, verb: str) -> None:
    """Record an event for the audit trail, with the host only, because an address may contain a secret."""
    events.record_event(
        tx, me, verb, data={"webhook": webhook.id, "host": urlsplit(webhook.url).hostname}, private=True
    )
