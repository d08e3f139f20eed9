"""What each person does with a paper."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.clock import today
from readtrack.infra.models.columns import STATUSES, THROWN, moment, one_of, reference_index, scattered


class Reading(SQLModel, table=True):
    """One person's pass through one paper. `current` is the latest pass; earlier ones stay."""

    __table_args__ = (
        sa.UniqueConstraint("person_id", "paper_id", "pass"),
        one_of("status", STATUSES),
        sa.CheckConstraint("depth = '' OR depth IN ('skimmed', 'read', 'studied')", name="depth"),
        sa.CheckConstraint("priority >= -1 AND priority <= 1", name="priority"),
        sa.CheckConstraint(
            "recommendation = '' OR recommendation IN ('must_read', 'worth_it', 'optional', 'skip')",
            name="recommendation",
        ),
        sa.Index("ix_reading_person_id_current_status_paper_id", "person_id", "current", "status", "paper_id"),
        sa.Index(
            "ix_reading_person_id_current_status_updated_at_id", "person_id", "current", "status", "updated_at", "id"
        ),
        # What the figures of progress count, read off the index alone: the team's, and one person's.
        sa.Index("ix_reading_finished", "status", "private", "finished_on", "depth", "paper_id"),
        sa.Index("ix_reading_finished_of", "person_id", "status", "finished_on", "depth", "paper_id"),
        sa.Index("ix_reading_added", "private", "added_on", "paper_id"),
        sa.Index("ix_reading_added_of", "person_id", "added_on", "paper_id"),
        sa.Index("ix_reading_readers", "status", "private", "paper_id", "person_id"),
        sa.Index("ix_reading_untouched", "status", "private", "current", "updated_at", "paper_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    paper_id: int = Field(foreign_key="paper.id", index=True)
    pass_number: int = Field(default=1, sa_column=sa.Column("pass", sa.Integer, nullable=False))
    current: bool = True
    status: str
    depth: str = ""
    progress_unit: str = ""
    progress_at: int | None = None
    progress_of: int | None = None
    started_on: date | None = None
    finished_on: date | None = None
    reason: str = ""
    version_label: str = ""  # the version that is or was read: v2, published
    recommendation: str = ""  # to the others, by who finished it
    priority: int = 0  # of what is to be read: 1 first, -1 when there is time
    position: int | None = None  # in my queue, among those of the same priority; the smallest first, null is 0
    private: bool = False
    added_on: date = Field(default_factory=today)  # when this pass came onto the list, where its reader was
    created_at: datetime = moment()
    updated_at: datetime = moment()


class ReadingEvent(SQLModel, table=True):
    """Append-only: each change of a reading. `before` is the whole state it left (null: there was none), for undo."""

    __tablename__ = "reading_event"
    __table_args__ = (
        sa.Index("ix_reading_event_person_id_paper_id_id", "person_id", "paper_id", "id"),
        reference_index("reading_event", "token_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    paper_id: int = Field(foreign_key="paper.id", index=True)
    pass_number: int
    created_at: datetime = moment()
    verb: str  # set, removed, moved, undone; merged, unmerged, returned: nothing before these is undone
    batch: int | None = None  # what was changed together has the same: the id of the first of them
    from_status: str | None = None
    to_status: str | None = None
    before: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON)
    after: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON)
    token_id: int | None = Field(default=None, foreign_key="token.id")


class Summary(SQLModel, table=True):
    """One person's text on one paper; every version is kept in SummaryVersion."""

    __table_args__ = (
        sa.UniqueConstraint("person_id", "paper_id"),
        sa.Index("ix_summary_trash", "deleted_at", "id", sqlite_where=THROWN, postgresql_where=THROWN),
    )
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id")
    paper_id: int = Field(foreign_key="paper.id", index=True)
    tldr: str = ""
    markdown: str = ""
    private: bool = False
    version: int = 1
    created_at: datetime = moment()
    updated_at: datetime = moment()
    deleted_at: datetime | None = moment(optional=True)


class SummaryVersion(SQLModel, table=True):
    """A summary as it was saved once."""

    __tablename__ = "summary_version"
    __table_args__ = (sa.UniqueConstraint("summary_id", "number"),)
    id: int | None = Field(default=None, primary_key=True)
    summary_id: int = Field(foreign_key="summary.id", index=True)
    number: int
    tldr: str = ""
    markdown: str = ""
    private: bool = False
    saved_at: datetime = moment()
