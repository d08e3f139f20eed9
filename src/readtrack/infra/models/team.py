"""Tables for what the team does together: assignments, meetings with agendas and candidates, comments, questions."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import (
    ASSIGNMENT_STATES,
    CANDIDATE_STATES,
    ITEM_STATES,
    MEETING_STATES,
    QUESTION_STATES,
    SUBJECTS,
    THROWN,
    json_list,
    moment,
    one_of,
)


class Assignment(SQLModel, table=True):
    """An assignment of a paper to a person, with depth and due date.

    It is a request and never changes a reading status. `open_key` (person and paper) is set while it is proposed or
    accepted, so that a person has at most one open assignment per paper.
    """

    __table_args__ = (
        one_of("state", ASSIGNMENT_STATES),
        sa.CheckConstraint("depth = '' OR depth IN ('skimmed', 'read', 'studied')", name="depth"),
        sa.Index("ix_assignment_person_id_state_due_on", "person_id", "state", "due_on"),
        sa.Index("ix_assignment_state_due_on_id", "state", "due_on", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    state: str = "proposed"
    depth: str = ""
    due_on: date | None = None
    note: str = ""
    reason: str = ""  # Given by the person who declined it.
    open_key: str | None = Field(default=None, unique=True)
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id", index=True)
    created_at: datetime = moment()
    decided_at: datetime | None = moment(optional=True)  # Time it was accepted, declined or withdrawn.


class Series(SQLModel, table=True):
    """Meetings that come again: a rhythm, a place, and who presents in turn.

    `interval_weeks`: weeks between two of them; 0 for no rhythm. `weekday`: 0 is Monday. `start_time`: wall-clock
    time "HH:MM" in `time_zone`. `presenter_order`: ids of people in their order.
    """

    __table_args__ = (
        sa.CheckConstraint("interval_weeks >= 0 AND interval_weeks <= 12", name="interval_weeks"),
        sa.CheckConstraint("weekday >= 0 AND weekday <= 6", name="weekday"),
        {"sqlite_autoincrement": True},  # Never reuse the ID of a deleted series, because undo restores it.
    )
    id: int | None = Field(default=None, primary_key=True)
    name: str
    interval_weeks: int = 1
    weekday: int = 0
    start_time: str = "15:00"
    minutes: int = 60
    time_zone: str = "UTC"
    starts_on: date | None = None
    location: str = ""
    presenter_order: list[int] = json_list()
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    ended_at: datetime | None = moment(optional=True)


class Meeting(SQLModel, table=True):
    """A meeting. `starts_at` is the moment, `time_zone` the zone for display and recurrence."""

    __table_args__ = (
        one_of("state", MEETING_STATES),
        sa.Index("ix_meeting_starts_at_id", "starts_at", "id"),
        {"sqlite_autoincrement": True},  # Never reuse the ID of a deleted meeting, because calendars keep it.
    )
    id: int | None = Field(default=None, primary_key=True)
    series_id: int | None = Field(default=None, foreign_key="series.id", index=True)
    title: str
    starts_at: datetime = moment()
    minutes: int = 60
    time_zone: str = "UTC"
    location: str = ""
    state: str = "planned"
    presenter_id: int | None = Field(default=None, foreign_key="person.id")  # From the rotation.
    notes: str = ""  # Markdown.
    decisions: str = ""  # Markdown.
    version: int = 1
    sequence: int = 0  # SEQUENCE of the iCalendar event; incremented when time, place or state change.
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_at: datetime = moment()


class AgendaItem(SQLModel, table=True):
    """An agenda item: a paper or a question."""

    __tablename__ = "agenda_item"
    __table_args__ = (
        one_of("state", ITEM_STATES),
        sa.CheckConstraint("(paper_id IS NULL) <> (question_id IS NULL)", name="subject"),
        sa.UniqueConstraint("meeting_id", "paper_id"),
        sa.UniqueConstraint("meeting_id", "question_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    meeting_id: int = Field(foreign_key="meeting.id")
    position: int = 0
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    question_id: int | None = Field(default=None, foreign_key="question.id", index=True)
    presenter_id: int | None = Field(default=None, foreign_key="person.id")
    minutes: int | None = None
    note: str = ""
    state: str = "planned"
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()


class Candidate(SQLModel, table=True):
    """A paper proposed for a meeting of a series, with votes."""

    __table_args__ = (one_of("state", CANDIDATE_STATES), sa.UniqueConstraint("series_id", "paper_id"))
    id: int | None = Field(default=None, primary_key=True)
    series_id: int = Field(foreign_key="series.id")
    paper_id: int = Field(foreign_key="paper.id", index=True)
    state: str = "open"
    reason: str = ""
    proposed_by: int | None = Field(default=None, foreign_key="person.id")
    proposed_at: datetime = moment()


class Vote(SQLModel, table=True):
    """A person's vote on a candidate: -1, 0 or +1."""

    __table_args__ = (sa.CheckConstraint("value >= -1 AND value <= 1", name="value"),)
    candidate_id: int = Field(foreign_key="candidate.id", primary_key=True)
    person_id: int = Field(foreign_key="person.id", primary_key=True, index=True)
    value: int
    voted_at: datetime = moment()


class Comment(SQLModel, table=True):
    """A comment on exactly one paper, topic or question, readable by everybody.

    `parent_id` is the first comment of the thread, on the same subject; threads are one level deep. `resolved_at`
    belongs to the thread and is set on its first comment. `hidden_at` means that an admin hid the comment. A deleted
    comment stays visible as a placeholder while it has replies; its text is kept for thirty days.
    """

    __table_args__ = (
        sa.CheckConstraint(
            "(CASE WHEN paper_id IS NULL THEN 0 ELSE 1 END + CASE WHEN question_id IS NULL THEN 0 ELSE 1 END "
            "+ CASE WHEN topic_id IS NULL THEN 0 ELSE 1 END) = 1",
            name="subject",
        ),
        sa.Index("ix_comment_paper_id_id", "paper_id", "id"),
        sa.Index("ix_comment_question_id_id", "question_id", "id"),
        sa.Index("ix_comment_topic_id_id", "topic_id", "id"),
        sa.Index("ix_comment_person_id_id", "person_id", "id"),
        sa.Index("ix_comment_trash", "deleted_at", "id", sqlite_where=THROWN, postgresql_where=THROWN),
    )
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    paper_id: int | None = Field(default=None, foreign_key="paper.id")
    question_id: int | None = Field(default=None, foreign_key="question.id")
    topic_id: int | None = Field(default=None, foreign_key="topic.id")
    parent_id: int | None = Field(default=None, foreign_key="comment.id", index=True)
    markdown: str
    version: int = 1
    created_at: datetime = moment()
    updated_at: datetime = moment()
    resolved_at: datetime | None = moment(optional=True)
    resolved_by: int | None = Field(default=None, foreign_key="person.id")
    hidden_at: datetime | None = moment(optional=True)
    hidden_by: int | None = Field(default=None, foreign_key="person.id")
    deleted_at: datetime | None = moment(optional=True)


class Question(SQLModel, table=True):
    """A question from notes or entered by hand, about a paper, a topic, both or neither.

    `answer_id` is the comment that answers it, `owner_id` the person who looks for the answer.
    """

    __table_args__ = (
        one_of("state", QUESTION_STATES),
        sa.Index("ix_question_state_id", "state", "id"),
        {"sqlite_autoincrement": True},  # Never reuse the ID of a deleted question, because undo restores it.
    )
    id: int | None = Field(default=None, primary_key=True)
    text: str
    state: str = "open"
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    owner_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    # The comment; no foreign key, because that would make the two tables depend on each other.
    answer_id: int | None = None
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_at: datetime = moment()
    closed_at: datetime | None = moment(optional=True)
    closed_by: int | None = Field(default=None, foreign_key="person.id")


class ReadMarker(SQLModel, table=True):
    """The last comment a person has seen in a discussion, to mark newer ones as unread."""

    __tablename__ = "read_marker"
    __table_args__ = (one_of("subject", SUBJECTS),)
    person_id: int = Field(foreign_key="person.id", primary_key=True)
    subject: str = Field(primary_key=True)
    subject_id: int = Field(primary_key=True, sa_type=sa.Integer)
    comment_id: int  # The newest at that time; no foreign key, because it may be deleted.
    seen_at: datetime = moment()
