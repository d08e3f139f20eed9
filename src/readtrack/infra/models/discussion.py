"""What people say to one another about papers, topics and questions."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import QUESTION_STATES, SUBJECTS, THROWN, moment, one_of


class Comment(SQLModel, table=True):
    """A post in the discussion of a paper, topic or question: exactly one of the three. Everybody may read it.

    `parent_id`: the post that began the thread, of the same subject; threads are one level deep. `resolved_at` is of
    the thread, on the post that began it. `hidden_at`: an admin took it out of sight. A deleted one keeps its place
    while others answered it; its text is kept for thirty days.
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
    """An open question from notes or written by hand, on a paper, a topic, both or neither.

    `answer_id`: the comment that answers it. `owner_id`: who looks for the answer.
    """

    __table_args__ = (
        one_of("state", QUESTION_STATES),
        sa.Index("ix_question_state_id", "state", "id"),
        {"sqlite_autoincrement": True},  # undo keeps its number, so no later question gets it
    )
    id: int | None = Field(default=None, primary_key=True)
    text: str
    state: str = "open"
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    owner_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    answer_id: int | None = None  # the comment; no foreign key, the two tables would need each other first
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_at: datetime = moment()
    closed_at: datetime | None = moment(optional=True)
    closed_by: int | None = Field(default=None, foreign_key="person.id")


class ReadMarker(SQLModel, table=True):
    """Up to which comment a person has seen a discussion: what is new since they last looked."""

    __tablename__ = "read_marker"
    __table_args__ = (one_of("subject", SUBJECTS),)
    person_id: int = Field(foreign_key="person.id", primary_key=True)
    subject: str = Field(primary_key=True)
    subject_id: int = Field(primary_key=True, sa_type=sa.Integer)
    comment_id: int  # the newest there was; no foreign key, as it may be removed
    seen_at: datetime = moment()
