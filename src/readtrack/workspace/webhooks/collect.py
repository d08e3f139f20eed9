"""The periodic task that turns new events into deliveries and has a worker send those that are due."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.jobs import queue
from readtrack.infra.models import Event, Webhook, WebhookDelivery
from readtrack.team.activity.feed_items import group_events
from readtrack.team.activity.queries import EventRow, list_settled_ids
from readtrack.workspace.webhooks.filters import find_sender, find_visible_events, select_events

JOB = "webhooks.send"
MAX_EVENTS = 1000  # Per webhook and run.


def collect_events(database: Database) -> None:
    """Create deliveries of new events, and enqueue a job for each webhook with one that is due.

    A webhook whose events can't be collected does not stop the others; the errors are raised at the end.
    """
    errors: list[BaseException] = []
    with database.read() as tx:
        behind = list(tx.scalars(_behind_query()))
    for webhook_id in behind:
        collecting = queue.isolate_errors("failed to collect events", StorageUnavailable, webhook=webhook_id)
        with collecting as outcome, database.write() as tx:
            _collect_new(tx, webhook_id)
        if outcome.problem is not None:
            errors.append(outcome.problem)
    with database.read() as tx:
        has_due = tx.scalar(_due_query().limit(1)) is not None
    if has_due:
        with database.write() as tx:
            for webhook_id in tx.scalars(_due_query()).all():
                enqueue_sending(tx, webhook_id)
    if errors:
        message = f"failed to collect events ({'; '.join(map(repr, errors))})"
        raise BaseExceptionGroup(message, errors)


def enqueue_sending(tx: Write, webhook_id: int) -> None:
    """Have a worker send what is due. There is one job for each webhook, so that none waits for another's receiver."""
    queue.enqueue(tx, JOB, {"webhook": webhook_id}, dedup_key=f"{JOB}:{webhook_id}")


def newest_event_id(tx: Read) -> int:
    """Return the id of the newest event, which is where a new webhook begins."""
    return tx.scalar(sa.select(sa.func.max(col(Event.id)))) or 0


def give_up_waiting(tx: Write, condition: sa.ColumnElement[bool]) -> None:
    """Send none of the waiting deliveries that match."""
    tx.flush()
    is_waiting = col(WebhookDelivery.state) == "waiting"
    tx.execute(sa.update(WebhookDelivery).where(is_waiting, condition).values(state="failed"))


def forget_unsent(tx: Write) -> None:
    """Send nothing of what happened so far; for a restored library, whose receivers may have got it already."""
    give_up_waiting(tx, sa.true())
    tx.bulk_execute(sa.update(Webhook).values(last_event_id=newest_event_id(tx)))


def _collect_new(tx: Write, webhook_id: int) -> None:
    """Create the deliveries of the next events. Those that happen while a webhook is off are not sent later."""
    webhook = tx.get(Webhook, webhook_id, with_for_update=True)
    event_ids = list_settled_ids(tx, after_id=webhook.last_event_id, limit=MAX_EVENTS) if webhook else []
    if webhook is None or not event_ids:
        return
    webhook.last_event_id = event_ids[-1]
    sender = find_sender(tx, webhook)
    if webhook.state != "active" or sender is None:
        return
    events = select_events(tx, webhook, sender, find_visible_events(tx, webhook, sender, event_ids))
    for group in _group(webhook, events):
        first = group[0]
        tx.add(
            WebhookDelivery(
                webhook_id=webhook_id, event_id=first.id, event_ids=[event.id for event in group], verb=first.verb
            )
        )


def _group(webhook: Webhook, events: Sequence[EventRow]) -> Sequence[Sequence[EventRow]]:
    """Group the events by message: each its own for programs, one for what is one sentence in a chat."""
    return [[event] for event in events] if webhook.format == "json" else group_events(events)


def _behind_query() -> sa.Select[Any]:
    newest = sa.select(sa.func.max(col(Event.id))).scalar_subquery()
    return sa.select(col(Webhook.id)).where(col(Webhook.last_event_id) < newest).order_by(col(Webhook.id))


def _due_query() -> sa.Select[Any]:
    is_due = (col(WebhookDelivery.state) == "waiting", col(WebhookDelivery.next_attempt_at) <= now())
    return sa.select(col(WebhookDelivery.webhook_id)).where(*is_due).distinct()
