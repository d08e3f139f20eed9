"""Tables for comparisons, citations, topic links, graph layouts, embeddings and translated titles."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.i18n import LANGUAGES
from readtrack.infra.models.columns import RELATIONS, TOPIC_LINK_KINDS, json_list, json_object, moment, one_of


class TopicLink(SQLModel, table=True):
    """A web resource of a topic that is not a paper: an article, a repository, a tool."""

    __tablename__ = "topic_link"
    __table_args__ = (
        one_of("kind", TOPIC_LINK_KINDS),
        {"sqlite_autoincrement": True},  # Never reuse the ID of a deleted link, because undo restores it.
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
    """A comparison table of a topic.

    `scale` lists symbols and meanings, best first: [["◎", "excellent"]]. `entry_id` is the note entry it was created
    from.
    """

    # Never reuse an ID: saving a deleted table must not change a later one.
    __table_args__ = ({"sqlite_autoincrement": True},)
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
    """A row of a comparison, optionally linked to a paper of the library."""

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
        # The sort order of cited works that are not in the library.
        sa.Index("ix_cited_work_papers_id", "papers", "id"),
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
    """A suggested relation that a person dismissed."""

    __tablename__ = "dismissed_relation"
    __table_args__ = (sa.UniqueConstraint("from_id", "to_id", "kind"), one_of("kind", RELATIONS))
    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="paper.id")
    to_id: int = Field(foreign_key="paper.id", index=True)
    kind: str
    dismissed_by: int | None = Field(default=None, foreign_key="person.id")
    dismissed_at: datetime = moment()


class GraphLayout(SQLModel, table=True):
    """The node positions of a graph.

    `fingerprint` is computed from nodes and edges; if it differs, the layout is redone.
    """

    __tablename__ = "graph_layout"
    subject: str = Field(primary_key=True)  # "topic:5:2", "paper:9:1", "map".
    fingerprint: str
    positions: dict[str, Any] = json_object()
    made_at: datetime = moment()


class PaperVector(SQLModel, table=True):
    """The embedding of a paper's title and abstract, as normalized bytes.

    Redone if older than the paper.
    """

    __tablename__ = "paper_vector"
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", unique=True)
    encoder: str
    vector: bytes
    made_at: datetime = moment(index=True)


class TranslatedTitle(SQLModel, table=True):
    """A translated title, for readers who do not read the original.

    `machine` marks a model's draft that a person accepted.
    """

    __tablename__ = "translated_title"
    __table_args__ = (sa.UniqueConstraint("paper_id", "language"), one_of("language", LANGUAGES))
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    language: str
    title: str
    machine: bool = False
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()
