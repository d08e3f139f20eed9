"""Tables for webhooks."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import (
    DELIVERY_STATES,
    WEBHOOK_FORMATS,
    WEBHOOK_STATES,
    json_list,
    moment,
    one_of,
    scattered,
)


class Webhook(SQLModel, table=True):
    """An address that is told of events that its owner may see, or, for the `team`, of shared ones.

    `events`: groups or verbs of the activity log; empty: those of the activity feed. `topic`: the slug of a topic.
    `view_id`: a saved search; no foreign key, because nothing is sent when it is gone. The secret is derived from the
    library's secret key and `salt`.
    """

    __table_args__ = (one_of("state", WEBHOOK_STATES), one_of("format", WEBHOOK_FORMATS))
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id", index=True)
    team: bool = False
    url: str
    format: str = "json"
    events: list[str] = json_list()
    topic: str = ""
    view_id: int | None = None
    salt: str
    last_event_id: int  # All events up to it are handled.
    state: str = "active"
    problem: str = ""  # Why it was disabled.
    created_at: datetime = moment()


class WebhookDelivery(SQLModel, table=True):
    """A message to a webhook: one event, or several that are one sentence in a chat; none for a test.

    Its content is made from the events when it is sent, so that nothing is sent that was deleted or made private since.
    `event_id`: the first event, by which deliveries are ordered. `manual`: sent by a person, without retries.
    """

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        one_of("state", DELIVERY_STATES),
        sa.UniqueConstraint("webhook_id", "event_id"),
        sa.Index("ix_webhook_delivery_webhook_id_created_at", "webhook_id", "created_at"),
        sa.Index("ix_webhook_delivery_state_next_attempt_at", "state", "next_attempt_at"),
    )
    id: int | None = scattered()
    webhook_id: int = Field(foreign_key="webhook.id")
    event_id: int | None = None  # No foreign key, because events of private things are deleted with them.
    event_ids: list[int] = json_list()
    verb: str
    manual: bool = False
    state: str = "waiting"
    attempts: int = 0
    status: int | None = None
    answer: str = ""  # The beginning of the answer, or why there was none.
    created_at: datetime = moment(index=True)
    next_attempt_at: datetime = moment()
