"""Tables for jobs, periodic tasks, events, notifications, idempotency keys and rate limits."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import (
    JOB_STATES,
    NOTIFICATION_KINDS,
    json_object,
    moment,
    one_of,
    reference_index,
    scattered,
)


class Job(SQLModel, table=True):
    """Work done later by the worker.

    `fencing_token` changes with each claim: a worker that holds an old one writes nothing more.
    """

    __table_args__ = (
        one_of("state", JOB_STATES),
        sa.Index("ix_job_state_priority_run_at_id", "state", "priority", "run_at", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    payload: dict[str, Any] = json_object()
    state: str = "queued"
    priority: int = 0  # Higher first.
    run_at: datetime = moment()
    attempts: int = 0
    lease_until: datetime | None = moment(optional=True)
    fencing_token: str = ""
    progress_done: int = 0
    total: int | None = None
    # Deduplication key; cleared when the job is done, kept if it fails.
    dedup_key: str | None = Field(default=None, unique=True)
    error: str = ""
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    ended_at: datetime | None = moment(optional=True)


class PeriodicTask(SQLModel, table=True):
    """The schedule of a periodic task and the error of its last run, if it failed."""

    __tablename__ = "periodic_task"
    name: str = Field(primary_key=True)
    next_at: datetime = moment()
    error: str = ""
    failed_at: datetime | None = moment(optional=True)


TELLING = sa.text("before IS NOT NULL OR after IS NOT NULL")  # Events that contain texts.


class Event(SQLModel, table=True):
    """An event and the person who caused it. `private` events are visible to that person only."""

    __table_args__ = (
        sa.Index("ix_event_person_id_created_at", "person_id", "created_at"),
        sa.Index("ix_event_created_at_id", "created_at", "id"),
        # A small part of all events.
        sa.Index("ix_event_telling", "verb", sqlite_where=TELLING, postgresql_where=TELLING),
        reference_index("event", "token_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    created_at: datetime = moment()
    person_id: int | None = Field(default=None, foreign_key="person.id")
    token_id: int | None = Field(default=None, foreign_key="token.id")
    verb: str
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    data: dict[str, Any] = json_object()
    before: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))  # For the audit trail.
    after: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    address: str = ""  # Client address, for the audit trail.
    private: bool = False


class Notification(SQLModel, table=True):
    """Something that happened and concerns one person. It names what it is about; the words are made when it is shown.

    `group_key`: there is at most one unread notification of it, so that a hundred replies are one line with a number.
    """

    __table_args__ = (
        one_of("kind", NOTIFICATION_KINDS),
        sa.UniqueConstraint("person_id", "group_key"),
        sa.Index("ix_notification_person_id_read_at_id", "person_id", "read_at", "id"),
        reference_index("notification", "question_id"),
        reference_index("notification", "summary_id"),
        reference_index("notification", "topic_id"),
        reference_index("notification", "assignment_id"),
        reference_index("notification", "meeting_id"),
        reference_index("notification", "import_id"),
    )
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id")
    kind: str
    actor_id: int | None = Field(default=None, foreign_key="person.id")  # The last person who caused it.
    count: int = 1
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    comment_id: int | None = Field(default=None, foreign_key="comment.id", index=True)
    question_id: int | None = Field(default=None, foreign_key="question.id")
    summary_id: int | None = Field(default=None, foreign_key="summary.id")
    topic_id: int | None = Field(default=None, foreign_key="topic.id")
    assignment_id: int | None = Field(default=None, foreign_key="assignment.id")
    meeting_id: int | None = Field(default=None, foreign_key="meeting.id")
    import_id: int | None = Field(default=None, foreign_key="note_revision.id")
    # No foreign key, because jobs are deleted some time after their end (infra/jobs/cleanup.py).
    job_id: int | None = None
    data: dict[str, Any] = json_object()  # Details from which the page renders the text.
    group_key: str | None = None  # Set while unread.
    created_at: datetime = moment()
    read_at: datetime | None = moment(optional=True)
    mail_due: bool = False  # Include in the next daily mail.


class IdempotencyKey(SQLModel, table=True):
    """The stored response to a POST with an Idempotency-Key.

    It is written in the transaction of the POST's effect and kept for a day.
    """

    __tablename__ = "idempotency_key"
    __table_args__ = (sa.UniqueConstraint("person_id", "key", "method", "path"),)
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    key: str
    method: str
    path: str
    body_hash: str
    status: int
    headers: dict[str, str] = json_object()
    body: str
    expires_at: datetime = moment(index=True)


class HostRateLimit(SQLModel, table=True):
    """The rate limit of a host. A lease means that a request is in progress.

    `failures` counts consecutive failures, which make the host rest; `problem` is the last one, as a sentence.
    `answered_at` is the time of the last usable answer. `answers` and `errors` count all requests since the row exists.
    """

    __tablename__ = "host_rate_limit"
    host: str = Field(primary_key=True)
    not_before: datetime = moment()
    lease_until: datetime | None = moment(optional=True)
    lease_token: str = ""
    failures: int = 0
    problem: str = ""
    answered_at: datetime | None = moment(optional=True)
    answers: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    errors: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
