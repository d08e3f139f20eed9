"""Queries for webhooks and their deliveries.

A member sees their own; an admin also those of the team. Addresses of chats are secrets, so nobody else does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, Webhook, WebhookDelivery
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.webhooks.filters import build_sender


@dataclass(frozen=True)
class WebhookRow:
    """A webhook with its owner.

    `state`: "ownerless" if it is active, but its owner may not send to it any more. `problem`: why it sends nothing.
    """

    id: int
    url: str
    format: str
    events: Sequence[str]
    topic: str
    view: int | None
    team: bool
    active: bool
    state: str
    problem: str
    created_at: datetime
    person_id: int
    person: str


@dataclass(frozen=True)
class DeliveryRow:
    """A delivery. `answer`: the beginning of the last answer, or why there was none."""

    id: int
    event: str
    state: str
    attempts: int
    status: int | None
    answer: str
    created_at: datetime
    next_attempt_at: datetime | None


def list_webhooks(tx: Read, me: CurrentUser) -> list[WebhookRow]:
    """Return my webhooks, and for admins those of the team, oldest first."""
    permissions.require(me, "send-webhooks")
    rows = tx.execute(_webhooks_query(me).order_by(col(Webhook.created_at), col(Webhook.id)))
    return [_build_webhook(webhook, person) for webhook, person in rows]


def get_webhook(tx: Read, me: CurrentUser, webhook_id: int) -> WebhookRow:
    """Return a webhook. Raise NotFound."""
    permissions.require(me, "send-webhooks")
    row = tx.execute(_webhooks_query(me).where(col(Webhook.id) == webhook_id)).first()
    if row is None:
        raise NotFound(_("Webhook {number} not found.").format(number=webhook_id))
    return _build_webhook(*row)


def list_deliveries(tx: Read, me: CurrentUser, webhook_id: int, page_request: PageRequest) -> Page[DeliveryRow]:
    """Return the deliveries of the last thirty days, newest first. Raise NotFound if the webhook is not visible."""
    get_webhook(tx, me, webhook_id)
    created_at, delivery_id = col(WebhookDelivery.created_at), col(WebhookDelivery.id)
    query = sa.select(WebhookDelivery).where(col(WebhookDelivery.webhook_id) == webhook_id)
    if page_request.after is not None:
        moment, last_id = page_request.after
        last = sa.tuple_(sa.literal(datetime.fromisoformat(moment), WebhookDelivery.created_at.type), last_id)  # type: ignore[attr-defined]
        query = query.where(sa.tuple_(created_at, delivery_id) < last)
    query = query.order_by(created_at.desc(), delivery_id.desc()).limit(page_request.limit + 1)
    rows, has_more = split_page(tx.scalars(query).all(), page_request.limit)
    after = (rows[-1].created_at.isoformat(), rows[-1].id or 0) if has_more else None
    return Page([_build_delivery(row) for row in rows], after)


def get_delivery(tx: Read, me: CurrentUser, webhook_id: int, delivery_id: int) -> DeliveryRow:
    """Return a delivery. Raise NotFound."""
    get_webhook(tx, me, webhook_id)
    delivery = tx.get(WebhookDelivery, delivery_id)
    if delivery is None or delivery.webhook_id != webhook_id:
        raise NotFound(_("Delivery {number} not found.").format(number=delivery_id))
    return _build_delivery(delivery)


def _build_webhook(webhook: Webhook, person: Person) -> WebhookRow:
    state, problem = webhook.state, webhook.problem
    if state == "active" and build_sender(person, webhook) is None:
        state = "ownerless"
        problem = _("Nothing is sent because {person} is no longer an active admin. Save to take it over.")
        problem = problem.format(person=person.name)
    return WebhookRow(
        id=webhook.id or 0,
        url=webhook.url,
        format=webhook.format,
        events=webhook.events,
        topic=webhook.topic,
        view=webhook.view_id,
        team=webhook.team,
        active=webhook.state == "active",
        state=state,
        problem=problem,
        created_at=webhook.created_at,
        person_id=webhook.person_id,
        person=person.name,
    )


def _build_delivery(row: WebhookDelivery) -> DeliveryRow:
    return DeliveryRow(
        id=row.id or 0,
        event=row.verb,
        state=row.state,
        attempts=row.attempts,
        status=row.status,
        answer=row.answer,
        created_at=row.created_at,
        next_attempt_at=row.next_attempt_at if row.state == "waiting" else None,
    )


def _webhooks_query(me: CurrentUser) -> sa.Select[Webhook, Person]:
    is_own = sa.and_(sa.not_(col(Webhook.team)), col(Webhook.person_id) == me.id)
    is_visible = sa.or_(is_own, col(Webhook.team)) if permissions.has_permission(me, "send-team-webhooks") else is_own
    query = sa.select(Webhook, Person).join(Person, col(Person.id) == col(Webhook.person_id))
    return query.where(is_visible)
