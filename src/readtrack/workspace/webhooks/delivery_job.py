"""The job that sends the due deliveries of one webhook, in the order of their events.

A delivery that fails is tried again before the later ones, so that a receiver gets one request at a time while it is
down. After the last attempt the webhook is disabled. The next attempt is stored before a request is sent, so that a
worker that dies in between sends it again, with the same id. A receiver may ask for a later attempt (Retry-After).
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write, savepoint
from readtrack.infra.errors import Conflict, SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.responses import retry_after
from readtrack.infra.http.types import Http
from readtrack.infra.http.webhooks import WebhookSender, get_webhook_sender
from readtrack.infra.i18n import use_language
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Webhook, WebhookDelivery
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.normalize import clean
from readtrack.team.activity.queries import EventRow
from readtrack.workspace.webhooks.collect import JOB, give_up_waiting
from readtrack.workspace.webhooks.filters import find_sender, find_visible_events
from readtrack.workspace.webhooks.payloads import build_content
from readtrack.workspace.webhooks.signature import build_signed_headers, derive_secret

TEST = "webhook.test"
RETRY_MINUTES = (1, 5, 20, 60, 180, 360, 780)  # After each failed attempt but the last: eight in about a day.
MAX_ATTEMPTS = len(RETRY_MINUTES) + 1
MAX_ANSWER_CHARS = 500
GONE = 410  # The receiver wants nothing more.
MAX_WAIT_SECONDS = RETRY_MINUTES[-1] * 60.0  # Waited at most if the receiver asks for a pause.
BUSY = (429, 503)  # The statuses that Retry-After belongs to.


@dataclass(frozen=True)
class DeliveryRequest:
    """A request to be sent."""

    delivery_id: int
    url: str
    content: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True)
class DeliveryAnswer:
    """The answer to a request. `status` is None if there was none; then `text` says why.

    `retry_after`: the seconds until the receiver wants the next attempt, if it says so.
    """

    status: int | None
    text: str
    retry_after: float | None = None

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def problem(self) -> str:
        """A sentence for the owner."""
        return self.text if self.status is None else f"HTTP {self.status}"


@queue.handler(JOB)
def send_deliveries(database: Database, http: Http, job: LeasedJob) -> None:
    """Send the due deliveries of a webhook one by one. One that can't be built fails, and the next ones are sent."""
    sender = get_webhook_sender(http)
    while (request := _take_next(database, job, sender)) is not None:
        answer = _send(sender, request)
        with database.write() as tx:
            queue.extend_lease(tx, job)
            _record_answer(tx, job.payload["webhook"], request.delivery_id, answer)


def _take_next(database: Database, job: LeasedJob, sender: WebhookSender) -> DeliveryRequest | None:
    """Return the request of the next due delivery, or finish the job and return None."""
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        webhook = tx.get(Webhook, job.payload["webhook"], with_for_update=True)
        while webhook is not None and (delivery := _find_due(tx, webhook)) is not None:
            building = queue.isolate_errors(
                "failed to build delivery", StorageUnavailable, Conflict, delivery=delivery.id
            )
            with building as outcome, savepoint(tx):
                content = _build_content(tx, webhook, delivery, sender.home)
            if outcome.problem is not None:
                delivery.state, delivery.status = "failed", None
                delivery.answer = queue.problem_message(outcome.problem)
            elif content is None:
                delivery.state = "skipped"
            else:
                delivery.attempts += 1
                delivery.next_attempt_at = _next_attempt_at(delivery.attempts)
                return _build_request(webhook, delivery, content, sender.secret_key)
            tx.flush()
        queue.finish_job(tx, job)
        return None


def _find_due(tx: Write, webhook: Webhook) -> WebhookDelivery | None:
    """Return the next delivery if it is due: one that a person sent, or the oldest of an active webhook."""
    waiting = sa.select(WebhookDelivery).where(
        col(WebhookDelivery.webhook_id) == webhook.id, col(WebhookDelivery.state) == "waiting"
    )
    order = (col(WebhookDelivery.manual).desc(), col(WebhookDelivery.event_id))
    is_due = col(WebhookDelivery.next_attempt_at) <= now()
    manual = tx.scalar(waiting.where(col(WebhookDelivery.manual), is_due).order_by(*order).limit(1))
    if manual is not None or webhook.state != "active":
        return manual
    oldest = tx.scalar(waiting.where(sa.not_(col(WebhookDelivery.manual))).order_by(*order).limit(1))
    return oldest if oldest is not None and oldest.next_attempt_at <= now() else None


def _build_content(tx: Write, webhook: Webhook, delivery: WebhookDelivery, home: str) -> bytes | None:
    """Return the content, None if the owner may not send it any more."""
    owner = find_sender(tx, webhook)
    if owner is None:
        return None
    if delivery.event_ids:
        events = find_visible_events(tx, webhook, owner, delivery.event_ids)
    else:
        events = [_build_test_event(owner, delivery.created_at)]
    with use_language(owner.language):
        return build_content(webhook.format, events, home) if events else None


def _build_test_event(owner: CurrentUser, created_at: datetime) -> EventRow:
    return EventRow(
        id=0,
        created_at=created_at,
        verb=TEST,
        person_id=owner.id,
        person=owner.name,
        by_program=False,
        paper_id=None,
        title="",
        language="",
        data={},
        private=False,
    )


def _build_request(webhook: Webhook, delivery: WebhookDelivery, content: bytes, key: str) -> DeliveryRequest:
    secret = derive_secret(key, webhook.salt, webhook.id or 0)
    signed = build_signed_headers(secret, f"msg_{delivery.id}", int(now().timestamp()), content)
    return DeliveryRequest(delivery.id or 0, webhook.url, content, {"content-type": "application/json", **signed})


def _send(sender: WebhookSender, request: DeliveryRequest) -> DeliveryAnswer:
    try:
        with queue.isolate_errors(
            "failed to send delivery", SourceUnavailable, SourceRefused, delivery=request.delivery_id
        ) as outcome:
            response = sender.client.deliver(request.url, request.content, request.headers)
    except (SourceUnavailable, SourceRefused) as error:
        return DeliveryAnswer(None, error.message)
    if outcome.problem is not None:
        return DeliveryAnswer(None, queue.problem_message(outcome.problem))
    wait_seconds = retry_after(response.headers.get("retry-after", "")) if response.status in BUSY else None
    return DeliveryAnswer(response.status, response.body.decode(errors="replace"), wait_seconds)


def _next_attempt_at(attempts: int) -> datetime:
    minutes = RETRY_MINUTES[min(attempts, len(RETRY_MINUTES)) - 1]
    return now() + timedelta(minutes=minutes * random.uniform(0.9, 1.1))  # noqa: S311 - jitter, not security


def _record_answer(tx: Write, webhook_id: int, delivery_id: int, answer: DeliveryAnswer) -> None:
    """Store the answer. Does nothing if the webhook was deleted meanwhile."""
    webhook = tx.get(Webhook, webhook_id, with_for_update=True)
    delivery = tx.get(WebhookDelivery, delivery_id, with_for_update=True)
    if webhook is None or delivery is None:
        return
    delivery.status, delivery.answer = answer.status, clean(answer.text[:MAX_ANSWER_CHARS])
    is_last = delivery.attempts >= MAX_ATTEMPTS and not delivery.manual
    if answer.is_success:
        delivery.state = "delivered"
    elif delivery.manual or is_last or answer.status == GONE:
        delivery.state = "failed"
    elif answer.retry_after is not None:
        asked_at = now() + timedelta(seconds=min(answer.retry_after, MAX_WAIT_SECONDS))
        delivery.next_attempt_at = max(delivery.next_attempt_at, asked_at)
    tx.flush()
    if (is_last and not answer.is_success) or answer.status == GONE:
        _disable(tx, webhook, answer.problem)


def _disable(tx: Write, webhook: Webhook, problem: str) -> None:
    """Disable the webhook, give up its waiting deliveries, and notify its owner."""
    if webhook.state == "disabled":
        return
    webhook.state, webhook.problem = "disabled", problem
    give_up_waiting(tx, col(WebhookDelivery.webhook_id) == webhook.id)
    data = {"happened": "webhook-disabled", "problem": problem}
    notify(tx, None, "job", [webhook.person_id], subject_ids={}, group_key=f"webhook:{webhook.id}", data=data)
