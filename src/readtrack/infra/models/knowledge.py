"""What the team knows of its papers beside their facts: comparisons, citations, links of topics, what lies near."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.i18n import LANGUAGES
from readtrack.infra.models.columns import RELATIONS, TOPIC_LINK_KINDS, json_list, json_object, moment, one_of


class TopicLink(SQLModel, table=True):
    """Something on the web that belongs to a topic and is no paper: an article, a repository, a tool."""

    __tablename__ = "topic_link"
    __table_args__ = (
        one_of("kind", TOPIC_LINK_KINDS),
        {"sqlite_autoincrement": True},  # undo keeps its number, so no later link gets it
    )
    id: int | None = Field(default=None, primary_key=True)
    topic_id: int = Field(foreign_key="topic.id", index=True)
    kind: str = "article"
    url: str
    title: str = ""
    note: str = ""
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()


class Comparison(SQLModel, table=True):
    """A table that compares things under a topic. `scale`: what its signs mean, the best first: [["◎", "excellent"]].

    `entry_id`: the lines of notes that it was made from.
    """

    __table_args__ = ({"sqlite_autoincrement": True},)  # who saves a deleted table must not meet a later one
    id: int | None = Field(default=None, primary_key=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    title: str = ""
    columns: list[str] = json_list()
    scale: list[list[str]] = json_list()
    entry_id: int | None = Field(default=None, foreign_key="entry.id", unique=True)
    version: int = 1
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_by: int | None = Field(default=None, foreign_key="person.id")
    updated_at: datetime = moment()


class ComparisonRow(SQLModel, table=True):
    """A row of one, perhaps about a paper of the library."""

    __tablename__ = "comparison_row"
    id: int | None = Field(default=None, primary_key=True)
    comparison_id: int = Field(foreign_key="comparison.id", index=True)
    position: int
    cells: list[str] = json_list()
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)


class CitedWork(SQLModel, table=True):
    """A work that papers of the library cite, by one of its names; it may be here or not.

    `papers`: how many cite it, as counted when that changed last: never fewer than are here. `dismissed_at`: a person
    said that the team does not want it.
    """

    __tablename__ = "cited_work"
    __table_args__ = (
        sa.UniqueConstraint("scheme", "value"),
        sa.Index("ix_cited_work_papers_id", "papers", "id"),  # as those that are not here are listed
    )
    id: int | None = Field(default=None, primary_key=True)
    scheme: str
    value: str
    title: str = ""
    year: int | None = None
    papers: int = 0
    dismissed_by: int | None = Field(default=None, foreign_key="person.id")
    dismissed_at: datetime | None = moment(optional=True)


class Citation(SQLModel, table=True):
    """That a paper of the library cites a work, as a service said. One that has two names there has two rows.

    `key`: what the service was asked with; `position`: in its list.
    """

    __table_args__ = (
        sa.UniqueConstraint("paper_id", "service", "key", "position", "work_id"),
        sa.Index("ix_citation_work_id_paper_id", "work_id", "paper_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    service: str
    key: str
    position: int
    work_id: int = Field(foreign_key="cited_work.id")


class DismissedRelation(SQLModel, table=True):
    """A relation that was suggested and that a person said is none."""

    __tablename__ = "dismissed_relation"
    __table_args__ = (sa.UniqueConstraint("from_id", "to_id", "kind"), one_of("kind", RELATIONS))
    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="paper.id")
    to_id: int = Field(foreign_key="paper.id", index=True)
    kind: str
    dismissed_by: int | None = Field(default=None, foreign_key="person.id")
    dismissed_at: datetime = moment()


class GraphLayout(SQLModel, table=True):
    """Where the nodes of a drawing stand. `fingerprint`: of its nodes and edges; made anew when that differs."""

    __tablename__ = "graph_layout"
    subject: str = Field(primary_key=True)  # "topic:5:2", "paper:9:1", "map"
    fingerprint: str
    positions: dict[str, Any] = json_object()
    made_at: datetime = moment()


class PaperVector(SQLModel, table=True):
    """A paper's title and abstract as an encoder saw them: the direction, in bytes. Older than the paper: made anew."""

    __tablename__ = "paper_vector"
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", unique=True)
    encoder: str
    vector: bytes
    made_at: datetime = moment(index=True)


class TranslatedTitle(SQLModel, table=True):
    """A title in another language, for who does not read its own; `machine`: drafted by one, taken by a person."""

    __tablename__ = "translated_title"
    __table_args__ = (sa.UniqueConstraint("paper_id", "language"), one_of("language", LANGUAGES))
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    language: str
    title: str
    machine: bool = False
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()
