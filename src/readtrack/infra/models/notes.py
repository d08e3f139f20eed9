"""Tables for imported notes, their entries, import rules and leads."""

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
    name_list,
    one_of,
    reference_index,
)


class Note(SQLModel, table=True):
    """A document of raw notes the team pasted or uploaded.

    `path`: the file of an imported folder whose revisions it has, so that a file of that name elsewhere has its own.
    """

    id: int | None = Field(default=None, primary_key=True)
    title: str
    title_key: str = Field(index=True, sa_type=Key)
    path: str = Field(default="", index=True, sa_type=Key)
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()


LINES = ("first_line", "last_line")
STATES = ("uploading", "parsing", "preview", "committing", "committed", "cancelled", "discarded")


class NoteRevision(SQLModel, table=True):
    """One imported text of a note.

    An import *is* a revision under review: its ID is the one in /imports/{id}. `state` is "uploading" while its text is
    being stored, "parsing" while its entries are, then "preview" until it is committed. A person may cancel it:
    "cancelled" if some of it is in the library, otherwise "discarded" until a job has deleted it.
    """

    __tablename__ = "note_revision"
    __table_args__ = (
        sa.UniqueConstraint("note_id", "number"),
        one_of("state", STATES),
        {"sqlite_autoincrement": True},  # Never reuse the ID of a canceled import, because its page may still be open.
    )
    id: int | None = Field(default=None, primary_key=True)
    note_id: int = Field(foreign_key="note.id")
    number: int = 1
    text: str  # "" for a long text, which is stored in chunks.
    chunk_count: int = 0
    # Of a long text: format, position of the reader, and number of entries. Of a table: its columns.
    reading: dict[str, Any] = json_object()
    sha256: str = Field(unique=True)
    line_count: int
    state: str = "preview"
    # The job that reads a long text, later the commit job; no foreign key, because jobs are deleted some time after
    # their end (infra/jobs/cleanup.py).
    job_id: int | None = None
    defaults: dict[str, Any] = json_object()  # {"topics": [...], "status": ...}, set at commit.
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    committed_by: int | None = Field(default=None, foreign_key="person.id")
    committed_at: datetime | None = moment(optional=True)


class CanceledText(SQLModel, table=True):
    """A text whose import a person canceled before anything was added: a watch of its file does not import it again."""

    __tablename__ = "canceled_text"
    sha256: str = Field(primary_key=True)


class NoteChunk(SQLModel, table=True):
    """A piece of a long text, so that no transaction and no process holds all of it.

    `start`: its offset in the text, in characters. `first_line`: the number of its first line. Pieces end at line ends,
    unless a line is longer than a piece.
    """

    __tablename__ = "note_chunk"
    revision_id: int = Field(foreign_key="note_revision.id", primary_key=True)
    number: int = Field(primary_key=True)
    start: int
    first_line: int
    text: str


class Entry(SQLModel, table=True):
    """A range of lines in a note and the object created from it.

    `proposed` is the parser's result before corrections. When a person joins two entries, both rows remain: the second
    one has `joined_to` and is hidden, so that it can be separated again and is recognized when the note is imported
    again.
    """

    __table_args__ = (
        sa.UniqueConstraint("revision_id", "position"),
        one_of("kind", ENTRY_KINDS),
        one_of("decision", DECISIONS),
        sa.Index("ix_entry_revision_id_first_line_part_position", "revision_id", "first_line", "part", "position"),
        # All that the counts of a preview need, so that they don't read hundreds of thousands of rows with their text.
        sa.Index("ix_entry_counts", "revision_id", "kind", "decision", "paper_kind", "joined_to", "part", *LINES),
        reference_index("entry", "paper_id"),
        reference_index("entry", "topic_id"),
        reference_index("entry", "question_id"),
        reference_index("entry", "lead_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    revision_id: int = Field(foreign_key="note_revision.id")
    position: int  # A stable number, not the sort order; entries created by splitting are numbered after all others.
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
    publication_type: str = ""
    year: int | None = None
    status: str | None = None
    text: str = ""
    authors: list[str] = name_list()
    published: str = ""  # As precise as the notes: 2023, 2023-05 or 2023-05-16.
    read_on: str = ""  # The date the person read it, e.g. 2024-02-03.
    rating: str = ""
    abstract: str = ""
    language: str = ""
    citation_key: str = ""
    twin: str = ""  # The identifier of an earlier paper with the same title.
    apart: bool = False  # A person said that the twin is another paper.
    aliases: list[str] = json_list()  # Of a topic: suggested by the parser.
    alias_taken: bool = False
    # Of a paper from readtrack's own exports: its reading, texts and relations (`ingest/parser/paper_details.py`).
    details: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    raw: str = ""
    decision: str
    reason: str = ""
    # IDs of the team's rules that changed it; rules may be deleted, so there is no foreign key.
    rules: list[int] = json_list()
    fingerprint: str = Field(index=True)  # Hash of kind, identifiers, title and text.
    proposed: dict[str, Any] | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    joined_to: int | None = None  # The position of the entry it was joined to.
    split_from: int | None = None  # The position of the entry it was split from.
    made: bool = False  # This import created its paper, topic, question or lead.
    paper_id: int | None = Field(default=None, foreign_key="paper.id")
    topic_id: int | None = Field(default=None, foreign_key="topic.id")
    question_id: int | None = Field(default=None, foreign_key="question.id")
    lead_id: int | None = Field(default=None, foreign_key="lead.id")
    done_at: datetime | None = moment(optional=True)


class ImportRule(SQLModel, table=True):
    """A team rule applied to every import, for URLs of a host, for headings, or for CSV files with the same columns.

    `says` is the effect on matching entries: another kind, another topic, no topic, or skip. `name` is that kind or
    topic. For a header, it is "columns", and `columns` has the field by the name of each column.
    """

    __tablename__ = "import_rule"
    __table_args__ = (
        sa.UniqueConstraint("pattern", "value_key"),
        one_of("pattern", ("host", "heading", "header")),
        one_of("says", ("kind", "topic", "no_topic", "skip", "columns")),
    )
    id: int | None = Field(default=None, primary_key=True)
    pattern: str
    value: str
    value_key: str
    says: str
    name: str = ""
    columns: dict[str, str] = json_object()
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()


class Lead(SQLModel, table=True):
    """A paper that notes describe or name without an identifier, not found yet.

    `topic_id` is from the nearest heading.
    """

    __table_args__ = (one_of("state", ("open", "found", "dropped")), reference_index("lead", "paper_id"))
    id: int | None = Field(default=None, primary_key=True)
    text: str
    state: str = "open"
    paper_id: int | None = Field(default=None, foreign_key="paper.id")
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
