"""Tables for comments and questions on papers and topics."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import QUESTION_STATES, SUBJECTS, THROWN, moment, one_of


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
