"""What the team knows of its papers beside their facts: comparisons, citations, links of topics, what lies near."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.models.columns import LANGUAGES, RELATIONS, TOPIC_LINK_KINDS, listed, mapped, moment, one_of


class TopicLink(SQLModel, table=True):
    """Something on the web that belongs to a topic and is no paper: an article, a repository, a tool."""

    __tablename__ = "topic_link"
    __table_args__ = (one_of("kind", TOPIC_LINK_KINDS),)
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

    id: int | None = Field(default=None, primary_key=True)
    topic_id: int | None = Field(default=None, foreign_key="topic.id", index=True)
    title: str = ""
    columns: list[str] = listed()
    scale: list[list[str]] = listed()
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
    place: int
    cells: list[str] = listed()
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)


class Citation(SQLModel, table=True):
    """A work that a paper of the library cites, as a service said. One that has several identifiers has several rows.

    `place`: in the list of that service.
    """

    __table_args__ = (
        sa.UniqueConstraint("paper_id", "service", "place", "scheme"),
        sa.Index("ix_citation_scheme_value_paper_id", "scheme", "value", "paper_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    service: str
    place: int
    scheme: str
    value: str
    title: str = ""
    year: int | None = None


class RefusedRelation(SQLModel, table=True):
    """A relation that was suggested and that a person said is none."""

    __tablename__ = "refused_relation"
    __table_args__ = (sa.UniqueConstraint("from_id", "to_id", "kind"), one_of("kind", RELATIONS))
    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="paper.id")
    to_id: int = Field(foreign_key="paper.id", index=True)
    kind: str
    refused_by: int | None = Field(default=None, foreign_key="person.id")
    refused_at: datetime = moment()


class Layout(SQLModel, table=True):
    """Where the nodes of a drawing stand. `fingerprint`: of its nodes and edges; made anew when that differs."""

    subject: str = Field(primary_key=True)  # "topic:5:2", "paper:9:1", "map"
    fingerprint: str
    places: dict[str, Any] = mapped()
    made_at: datetime = moment()


class PaperVector(SQLModel, table=True):
    """A paper's title and abstract as an encoder sees them. `fingerprint`: of the text that it was made from."""

    __tablename__ = "paper_vector"
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", unique=True)
    encoder: str
    fingerprint: str
    vector: bytes


class Gloss(SQLModel, table=True):
    """A title in another language, for who does not read its own; `machine`: drafted by one, taken by a person."""

    __table_args__ = (sa.UniqueConstraint("paper_id", "language"), one_of("language", LANGUAGES))
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    language: str
    title: str
    machine: bool = False
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()
