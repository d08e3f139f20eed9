"""What people write with, and what their texts name: drafts, images, templates, macros, versions, references."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import DRAFTED, REFERRING, json_list, json_object, moment, one_of, scattered


class Draft(SQLModel, table=True):
    """What a person typed and has not saved yet: theirs alone. `version`: of the text that they began from, if any.

    `tab`: the window in which it was typed, by a word of its own; two windows never write over each other. `number`:
    how often it was kept. `fields`: as the form has them.
    """

    __table_args__ = (
        sa.UniqueConstraint("person_id", "tab"),
        sa.Index("ix_draft_subject_subject_id", "subject", "subject_id"),
        one_of("subject", DRAFTED),
    )
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id")
    subject: str
    subject_id: int  # the paper that is summarised, or the topic; no foreign key, as it is one of several tables
    tab: str
    number: int = 1
    version: int | None = None
    fields: dict[str, Any] = json_object()
    saved_at: datetime = moment()


class Image(SQLModel, table=True):
    """A picture of somebody's text, as readtrack encoded it anew. `name`: in its address, not to be guessed."""

    __table_args__ = (sa.UniqueConstraint("person_id", "sha256"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    person_id: int = Field(foreign_key="person.id")
    sha256: str  # of what was uploaded: the same picture is kept once
    media_type: str
    width: int  # pixels
    height: int  # pixels
    content: bytes
    uses: int = 0  # how often a text was saved that shows it
    created_at: datetime = moment()


class TextTemplate(SQLModel, table=True):
    """Headings that a summary can begin with, as the team likes them."""

    __tablename__ = "text_template"
    __table_args__ = ({"sqlite_autoincrement": True},)  # who saves a removed one must not meet a later one
    id: int | None = Field(default=None, primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    markdown: str
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_at: datetime = moment()


class Macro(SQLModel, table=True):
    r"""A word of the team's in formulas: `\loss` stands for `\mathcal{L}`."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)  # letters only, without the backslash
    body: str
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()


class TextReference(SQLModel, table=True):
    """A text names a paper or a topic. `key` says which, in the form of `readtrack.markdown.reference_keys`.

    A name is bound when the text is saved, so that renaming keeps the link: `paper_id` or `topic_id`. Both are null
    for an identifier, which belongs to its paper wherever that goes, and for what is not here (yet).
    """

    __tablename__ = "text_reference"
    __table_args__ = (
        sa.UniqueConstraint("subject", "subject_id", "key"),
        one_of("subject", REFERRING),
        {"sqlite_autoincrement": True},  # undo keeps its number, so no later name gets it
    )
    id: int | None = Field(default=None, primary_key=True)
    subject: str
    subject_id: int  # the summary, topic or comment; no foreign key, as it is one of several tables
    key: str = Field(index=True)
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)


class TopicVersion(SQLModel, table=True):
    """A topic as it was saved once. Without foreign keys to topics: it outlives them while they can come back."""

    __tablename__ = "topic_version"
    __table_args__ = (sa.UniqueConstraint("topic_id", "number"),)
    id: int | None = Field(default=None, primary_key=True)
    topic_id: int
    number: int
    name: str
    aliases: list[str] = json_list()
    markdown: str
    parent_id: int | None = None
    saved_by: int | None = Field(default=None, foreign_key="person.id")
    saved_at: datetime = moment()


class LlmUsage(SQLModel, table=True):
    """That a language model was asked for a draft, for the team's budget. Neither question nor answer is kept."""

    __tablename__ = "llm_usage"
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    purpose: str
    tokens: int  # of question and answer, as the endpoint counted them
    created_at: datetime = moment(index=True)
