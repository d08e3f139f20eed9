"""Tables for readings, their history, and summaries."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.clock import today
from readtrack.infra.models.columns import STATUSES, THROWN, moment, one_of, reference_index, scattered


class Reading(SQLModel, table=True):
    """A person's pass through a paper. `current` marks the latest pass; earlier ones are kept."""

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
        # Covering indexes for the progress statistics of the team and of one person.
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
    version_label: str = ""  # The version that is or was read: v2, published.
    recommendation: str = ""  # To the team, after finishing.
    priority: int = 0  # Of papers to read: 1 first, 0 normal, -1 later.
    position: int | None = None  # Position in one's queue within the same priority, ascending; null counts as 0.
    private: bool = False
    added_on: date = Field(default_factory=today)  # Date this pass was added, in the reader's time zone.
    created_at: datetime = moment()
    updated_at: datetime = moment()


class ReadingEvent(SQLModel, table=True):
    """An append-only log of changes to readings.

    `before` is the complete previous state, for undo; null if there was none.
    """

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
    verb: str  # set, removed, moved, undone; merged, unmerged, returned are barriers that undo does not cross.
    batch: int | None = None  # Changes made together share the ID of the first one.
    from_status: str | None = None
    to_status: str | None = None
    before: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON)
    after: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON)
    token_id: int | None = Field(default=None, foreign_key="token.id")


class Summary(SQLModel, table=True):
    """A person's summary of a paper. All versions are kept in SummaryVersion."""

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
    """A saved version of a summary."""

    __tablename__ = "summary_version"
    __table_args__ = (sa.UniqueConstraint("summary_id", "number"),)
    id: int | None = Field(default=None, primary_key=True)
    summary_id: int = Field(foreign_key="summary.id")
    number: int
    tldr: str = ""
    markdown: str = ""
    private: bool = False
    saved_at: datetime = moment()
