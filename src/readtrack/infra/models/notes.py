"""Raw notes and what their lines became."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import (
    DECISIONS,
    ENTRY_KINDS,
    Key,
    json_list,
    json_object,
    moment,
    one_of,
    reference_index,
)


class Note(SQLModel, table=True):
    """A document of raw notes the team pasted or uploaded."""

    id: int | None = Field(default=None, primary_key=True)
    title: str
    title_key: str = Field(index=True, sa_type=Key)
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()


class NoteRevision(SQLModel, table=True):
    """A note's text as it came once. An import *is* a revision being decided: /imports/{id} is its id.

    `state`: parsing while its entries are being stored; then a preview until it is committed.
    """

    __tablename__ = "note_revision"
    __table_args__ = (
        sa.UniqueConstraint("note_id", "number"),
        one_of("state", ("parsing", "preview", "committing", "committed")),
    )
    id: int | None = Field(default=None, primary_key=True)
    note_id: int = Field(foreign_key="note.id", index=True)
    number: int = 1
    text: str
    sha256: str = Field(unique=True)
    line_count: int
    state: str = "preview"
    job_id: int | None = None  # the commit; no foreign key: once committed, it may be deleted (purging.py)
    defaults: dict[str, Any] = json_object()  # {"topics": [...], "status": ...} given at commit
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    committed_by: int | None = Field(default=None, foreign_key="person.id")
    committed_at: datetime | None = moment(optional=True)


class Entry(SQLModel, table=True):
    """A span of lines in a note and what it became. `proposed`: what the parser said, before a person corrected it.

    Two that a person joined are two rows still: the second has `joined_to` and is shown nowhere, so that it can come
    back, and is known when the note is imported again.
    """

    __table_args__ = (
        sa.UniqueConstraint("revision_id", "position"),
        one_of("kind", ENTRY_KINDS),
        one_of("decision", DECISIONS),
        sa.Index("ix_entry_revision_id_first_line_part_position", "revision_id", "first_line", "part", "position"),
        reference_index("entry", "topic_id"),
        reference_index("entry", "question_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    revision_id: int = Field(foreign_key="note_revision.id")
    position: int  # its number, never another's; those that splitting makes come after all others
    first_line: int
    last_line: int
    part: int = 1
    kind: str
    paper_kind: str = ""
    identifiers: list[str] = json_list()
    links: list[dict[str, str]] = json_list()
    title: str = ""
    topics: list[str] = json_list()
    venue: str = ""
    year: int | None = None
    status: str | None = None
    text: str = ""
    authors: list[str] = json_list()
    published: str = ""  # as far as the notes tell: 2023, 2023-05 or 2023-05-16
    read_on: str = ""  # the day on which somebody read it, 2024-02-03
    rating: str = ""
    abstract: str = ""
    twin: str = ""  # the identifier of a paper above that has the same title
    apart: bool = False  # a person says that the twin is another paper
    aliases: list[str] = json_list()  # of a topic: offered by the parser
    alias_taken: bool = False
    raw: str = ""
    decision: str
    reason: str = ""
    rules: list[int] = json_list()  # those of the team that shaped it; they may be removed, so no foreign key
    fingerprint: str = Field(index=True)  # same kind, identifiers, title and text = same fingerprint
    proposed: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    joined_to: int | None = None  # the position of the entry that this one is part of
    split_from: int | None = None  # the position of the entry that this one was part of
    made: bool = False  # its paper, topic, question or lead was not there before
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id")
    question_id: int | None = Field(default=None, foreign_key="question.id")
    lead_id: int | None = Field(default=None, foreign_key="lead.id", index=True)
    done_at: datetime | None = moment(optional=True)


class ImportRule(SQLModel, table=True):
    """What the team said once and wants done to every import: of addresses (`host`), or of headings.

    `says` what such an entry is: of a kind, of another topic, no topic, or nothing to keep. `name`: that kind or topic.
    """

    __tablename__ = "import_rule"
    __table_args__ = (
        sa.UniqueConstraint("pattern", "value_key"),
        one_of("pattern", ("host", "heading")),
        one_of("says", ("kind", "topic", "no_topic", "skip")),
    )
    id: int | None = Field(default=None, primary_key=True)
    pattern: str
    value: str
    value_key: str
    says: str
    name: str = ""
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()


class Lead(SQLModel, table=True):
    """A paper that notes only describe or name, not yet found. `topic_id`: of the innermost heading above it."""

    __table_args__ = (one_of("state", ("open", "found", "dropped")), reference_index("lead", "paper_id"))
    id: int | None = Field(default=None, primary_key=True)
    text: str
    state: str = "open"
    paper_id: int | None = Field(default=None, foreign_key="paper.id")
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
