"""Tables for what belongs to texts: drafts, images, templates, formula macros, topic versions, text references, and the
usage of the language model that drafts them.

The usage counter of an image is incremented when a text that shows the image is saved. COLUMNS lists the columns whose
texts may show images. The deletion of unused images reads all texts before its write transaction; an unchanged counter
proves that no text with the image was saved in between. Mapper events do the counting, so that no command can omit it.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json
from sqlmodel import Field, SQLModel, col

from readtrack.infra.models.columns import DRAFTED, REFERRING, json_list, json_object, moment, one_of, scattered
from readtrack.infra.models.knowledge import ComparisonRow
from readtrack.infra.models.library import Topic
from readtrack.infra.models.readings import Summary, SummaryVersion
from readtrack.infra.models.saved_searches import UndoEntry
from readtrack.infra.models.team import Comment, Meeting

ADDRESS = "/images/"
_NAME = re.compile(rf"{ADDRESS}([0-9a-fx-]+)")


class Draft(SQLModel, table=True):
    """Unsaved form input of a person, visible to that person only.

    `version` is the version of the text that the edit started from, if any. `tab` is an ID of the browser tab, so that
    two tabs do not overwrite each other's drafts. `number` counts the autosaves, and `fields` holds the form fields.
    """

    __table_args__ = (
        sa.UniqueConstraint("person_id", "tab"),
        sa.Index("ix_draft_subject_subject_id", "subject", "subject_id"),
        one_of("subject", DRAFTED),
    )
    id: int | None = scattered()
    person_id: int = Field(foreign_key="person.id")
    subject: str
    subject_id: int  # The summarized paper, or the topic; no foreign key, because it refers to one of several tables.
    tab: str
    number: int = 1
    version: int | None = None
    fields: dict[str, Any] = json_object()
    saved_at: datetime = moment()


class Image(SQLModel, table=True):
    """An uploaded image, re-encoded by readtrack. `name` is the unguessable part of its URL."""

    __table_args__ = (sa.UniqueConstraint("person_id", "sha256"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    person_id: int = Field(foreign_key="person.id")
    sha256: str  # Hash of the uploaded file; each person's duplicates are stored once.
    media_type: str
    width: int  # Pixels.
    height: int  # Pixels.
    content: bytes
    uses: int = 0  # How often a text that shows the image was saved.
    created_at: datetime = moment()


class TextTemplate(SQLModel, table=True):
    """A text with headings from which a summary can start."""

    __tablename__ = "text_template"
    # Never reuse an ID: saving a deleted template must not change a later one.
    __table_args__ = ({"sqlite_autoincrement": True},)
    id: int | None = Field(default=None, primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    markdown: str
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_at: datetime = moment()


class Macro(SQLModel, table=True):
    r"""A team-defined macro for formulas: `\loss` expands to `\mathcal{L}`."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)  # Letters only, without the backslash.
    body: str
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()


class TextReference(SQLModel, table=True):
    """A reference from a text to a paper or topic.

    `key` has the format of `readtrack.markdown.references`. A name is resolved to `paper_id` or `topic_id` when the
    text is saved, so that the link survives renaming. Both are null for identifiers, which follow their paper through
    merges, and for targets that do not exist yet.
    """

    __tablename__ = "text_reference"
    __table_args__ = (
        sa.UniqueConstraint("subject", "subject_id", "key"),
        one_of("subject", REFERRING),
        {"sqlite_autoincrement": True},  # Never reuse the ID of a deleted reference, because undo restores it.
    )
    id: int | None = Field(default=None, primary_key=True)
    subject: str
    subject_id: int  # The summary, topic or comment; no foreign key, because it refers to one of several tables.
    key: str = Field(index=True)
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)


class TopicVersion(SQLModel, table=True):
    """A saved version of a topic.

    It has no foreign keys to topics, so that it outlives a deleted topic until undo.
    """

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
    """A request to the language model, recorded for the team's budget.

    Prompt and completion are not stored.
    """

    __tablename__ = "llm_usage"
    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    purpose: str
    tokens: int  # Prompt and completion, as counted by the endpoint.
    created_at: datetime = moment(index=True)


COLUMNS: dict[type[SQLModel], Sequence[str]] = {
    Summary: ("markdown",),
    SummaryVersion: ("markdown",),
    Comment: ("markdown",),
    Topic: ("markdown",),
    TopicVersion: ("markdown",),
    Meeting: ("notes", "decisions"),
    TextTemplate: ("markdown",),
    ComparisonRow: ("cells",),
    Draft: ("fields",),
    UndoEntry: ("undo",),  # Data that undo can restore.
}


def image_names(text: str) -> Sequence[str]:
    """Return the names of the images in a text or in JSON."""
    return _NAME.findall(text) if ADDRESS in text else ()


def _count_uses(_mapper: object, connection: sa.Connection, row: object) -> None:
    names = set(_names_in(getattr(row, name) for name in COLUMNS[type(row)]))  # type: ignore[index]
    if not names:
        return
    # Lock in a fixed order to avoid deadlocks between texts that show the same images.
    image_ids = sa.select(col(Image.id)).where(col(Image.name).in_(names)).order_by(col(Image.id)).with_for_update()
    images = sa.update(Image).where(col(Image.id).in_(image_ids))
    connection.execute(images.values(uses=col(Image.uses) + 1))


def _names_in(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        yield from image_names(value if isinstance(value, str) else to_json(value).decode())


for _table in COLUMNS:
    sa.event.listen(_table, "before_insert", _count_uses)
    sa.event.listen(_table, "before_update", _count_uses)
