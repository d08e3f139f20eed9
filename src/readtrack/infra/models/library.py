"""Papers, their names for ever, and what sources said."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import (
    LINK_ROLES,
    PAPER_KINDS,
    RECORD_STATES,
    RELATIONS,
    STAGES,
    THROWN,
    Key,
    json_list,
    json_object,
    moment,
    one_of,
    reference_index,
)

UNLISTED = sa.text("deleted_at IS NOT NULL OR merged_into IS NOT NULL OR triage = 'rejected'")  # policy.unlisted()

WAITING = sa.text("triage = 'inbox'")  # search.team: what waits to be decided


class Paper(SQLModel, table=True):
    """A work the team tracks.

    `field_locks`: field -> {"by", "at"}, with "record" when a person took it from that one: no source overwrites it.
    `field_sources`: field -> the record that it is shown from. `user_supplied`: field -> what notes or a
    person said of it before any service was asked; an answer with quite another title disagrees with it.
    """

    __table_args__ = (
        one_of("kind", PAPER_KINDS),
        one_of("triage", ("inbox", "library", "rejected")),
        sa.Index("ix_paper_year_order_id", sa.text("coalesce(year, 0)"), "id"),  # as lists are sorted
        sa.Index("ix_paper_updated_at_id", "updated_at", "id"),
        sa.Index("ix_paper_title_key_id", "title_key", "id"),
        sa.Index("ix_paper_kind_id", "kind", "id"),
        sa.Index("ix_paper_trash", "deleted_at", "id", sqlite_where=THROWN, postgresql_where=THROWN),
        sa.Index("ix_paper_venue_order_id", sa.text("substr(venue, 1, 100)"), "id"),  # as groups are sorted
        sa.Index("ix_paper_unlisted", "id", sqlite_where=UNLISTED, postgresql_where=UNLISTED),  # few of all
        sa.Index("ix_paper_inbox", "id", sqlite_where=WAITING, postgresql_where=WAITING),  # few, too
        reference_index("paper", "merged_into"),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str = "paper"
    title: str = ""
    title_key: str = Field(default="", sa_type=Key)  # NFKC + casefold, for sorting
    authors: list[str] = json_list()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    abstract: str = ""
    language: str = ""
    triage: str = "library"
    record_id: int | None = None  # the canonical record; no foreign key, the two tables would need each other first
    field_sources: dict[str, int] = json_object()
    user_supplied: dict[str, Any] = json_object()
    field_locks: dict[str, Any] = json_object()
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_by: int | None = Field(default=None, foreign_key="person.id")
    updated_at: datetime = moment()
    deleted_at: datetime | None = moment(optional=True)
    purged_at: datetime | None = moment(optional=True)  # emptied, long after it was deleted: its identifiers are left
    merged_into: int | None = Field(default=None, foreign_key="paper.id")  # no index: it would be taken for "is null"


class Identifier(SQLModel, table=True):
    """A Ref that belongs to exactly one paper: what makes importing idempotent.

    `asserted_by`: the service that named it; blank when notes or a person did.
    """

    __table_args__ = (sa.UniqueConstraint("scheme", "value"),)
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", index=True)
    scheme: str
    value: str
    asserted_by: str = ""


class Version(SQLModel, table=True):
    """One dated form of a paper: arXiv v1, v2 …; the published one."""

    __table_args__ = (sa.UniqueConstraint("paper_id", "label"),)
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", index=True)
    label: str
    dated: datetime | None = moment(optional=True)


class Link(SQLModel, table=True):
    """An address where a paper, or something about it, can be opened.

    No unique index: a long address does not fit into one of PostgreSQL; links are added under the lock of their paper.
    """

    __table_args__ = (one_of("role", LINK_ROLES),)
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", index=True)
    url: str
    role: str = "landing"


class MetadataRecord(SQLModel, table=True):
    """What one service said of one identifier, at one time; kept whatever it says.

    `key`: what the service was asked with; with `raw` it can be read again without the network. `identifiers`: what
    else it calls the work. `problem`: in a few words, why it disagrees. `checked_at`: when the service last said the
    same.
    """

    __tablename__ = "metadata_record"
    __table_args__ = (
        one_of("state", RECORD_STATES),
        one_of("stage", STAGES),
        sa.Index("ix_metadata_record_state_id", "state", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", index=True)
    service: str
    key: str = ""
    scheme: str
    value: str
    stage: str
    state: str
    problem: str = ""
    kind: str = ""
    title: str = ""
    authors: list[str] = json_list()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    abstract: str = ""
    language: str = ""
    identifiers: list[str] = json_list()
    remark: str = ""
    raw: str = ""
    fetched_at: datetime = moment()
    checked_at: datetime = moment()


class Relation(SQLModel, table=True):
    """A typed, directed link between two papers: this commentary discusses that paper."""

    __table_args__ = (sa.UniqueConstraint("from_id", "to_id", "kind"), one_of("kind", RELATIONS))
    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="paper.id")
    to_id: int = Field(foreign_key="paper.id", index=True)
    kind: str
    note: str = ""
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()


class Topic(SQLModel, table=True):
    """A named subject with aliases, a parent and a text."""

    __table_args__ = ({"sqlite_autoincrement": True},)  # undo keeps its number, so no later topic gets it
    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    name: str
    parent_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    markdown: str = ""
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_at: datetime = moment()


class TopicAlias(SQLModel, table=True):
    """A name of a topic, its own included (`is_canonical`): `alias_key` (NFKC + casefold) is unique over all topics."""

    __tablename__ = "topic_alias"
    id: int | None = Field(default=None, primary_key=True)
    topic_id: int = Field(foreign_key="topic.id", index=True)
    alias: str
    alias_key: str = Field(unique=True)
    is_canonical: bool = False


class PaperTopic(SQLModel, table=True):
    """A paper filed under a topic."""

    __tablename__ = "paper_topic"
    # Both, so that the papers of a topic are read off the index alone: of all topics together they are counted.
    __table_args__ = (sa.Index("ix_paper_topic_topic_id_paper_id", "topic_id", "paper_id"),)
    paper_id: int = Field(foreign_key="paper.id", primary_key=True)
    topic_id: int = Field(foreign_key="topic.id", primary_key=True)
    position: int | None = None  # in the order in which the team reads this topic; null: in none
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()
