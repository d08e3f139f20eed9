"""What runs later, what happened, what must not happen twice."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.models.columns import JOB_STATES, mapped, moment, one_of


class Job(SQLModel, table=True):
    """Work done later by the worker. `fence` changes with each claim: who holds an old one writes nothing more."""

    __table_args__ = (
        one_of("state", JOB_STATES),
        sa.Index("ix_job_state_priority_run_at_id", "state", "priority", "run_at", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    payload: dict[str, Any] = mapped()
    state: str = "queued"
    priority: int = 0  # higher first
    run_at: datetime = moment()
    attempts: int = 0
    lease_until: datetime | None = moment(optional=True)
    fence: str = ""
    done: int = 0
    total: int | None = None
    dedup: str | None = Field(default=None, unique=True)  # freed when the job is done; kept by one that gave up
    problem: str = ""
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    ended_at: datetime | None = moment(optional=True)


class Event(SQLModel, table=True):
    """One thing that happened, by whom. `private` ones are for that person's eyes only."""

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment()
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    token_id: int | None = Field(default=None, foreign_key="token.id")
    verb: str
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    data: dict[str, Any] = mapped()
    private: bool = False


class Idempotency(SQLModel, table=True):
    """The answer to a POST that carried a key, kept a day, written together with its effect."""

    __table_args__ = (sa.UniqueConstraint("person_id", "key", "method", "path"),)
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    key: str
    method: str
    path: str
    body_hash: str
    status: int
    headers: dict[str, str] = mapped()
    body: str
    until: datetime = moment(index=True)


class Pace(SQLModel, table=True):
    """When a host may be asked again. A lease means: somebody is asking it right now.

    `failures` in a row make it rest; `problem` is the last of them, as a sentence.
    """

    host: str = Field(primary_key=True)
    next_at: datetime = moment()
    lease_until: datetime | None = moment(optional=True)
    holder: str = ""
    failures: int = 0
    problem: str = ""
