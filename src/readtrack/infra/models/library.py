"""Tables for papers, their identifiers and topics, the records of metadata sources, and requests for metadata.

Also what a person has to decide on: suggested matches, possible duplicates, merges, and blocked hosts.
"""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import (
    LINK_ROLES,
    METADATA_REQUEST_STATES,
    PAPER_KINDS,
    PUBLICATION_TYPES,
    RECORD_STATES,
    RELATIONS,
    STAGES,
    THROWN,
    Key,
    json_list,
    json_object,
    moment,
    name_list,
    one_of,
    reference_index,
)

# Must match permissions.unlisted().
UNLISTED = sa.text("deleted_at IS NOT NULL OR merged_into IS NOT NULL OR triage = 'rejected'")

WAITING = sa.text("triage = 'inbox'")  # Must match the condition for untriaged papers in search.
WAITING_REQUEST = sa.text("state = 'waiting'")  # Must match library.enrichment.pending.is_waiting().
UNKNOWN_REQUEST = sa.text("state IN ('unknown', 'refused')")  # Must match library.papers.needs_attention.
UNCOMPARED = sa.text("version != compared_version")  # Must match library.duplicates.stored_keys.


class Paper(SQLModel, table=True):
    """A work the team tracks.

    `field_locks`: field -> {"by", "at"}, with "record" when a person took it from that one: no source overwrites it.
    `field_sources`: field -> the record that it is shown from. `user_supplied`: field -> what notes or a
    person said of it before any service was asked; an answer with quite another title disagrees with it.
    `compared_version`: the version last compared with others to find duplicates; not this one if that is to come.
    """

    __table_args__ = (
        one_of("kind", PAPER_KINDS),
        one_of("publication_type", PUBLICATION_TYPES),
        one_of("triage", ("inbox", "library", "rejected")),
        sa.Index("ix_paper_year_order_id", sa.text("coalesce(year, 0)"), "id"),  # The sort key of lists.
        sa.Index("ix_paper_updated_at_id", "updated_at", "id"),
        sa.Index("ix_paper_title_key_id", "title_key", "id"),
        sa.Index("ix_paper_kind_id", "kind", "id"),
        sa.Index("ix_paper_trash", "deleted_at", "id", sqlite_where=THROWN, postgresql_where=THROWN),
        sa.Index("ix_paper_venue_order_id", sa.text("substr(venue, 1, 100)"), "id"),  # The sort key of groups.
        # A small part of all papers.
        sa.Index("ix_paper_unlisted", "id", sqlite_where=UNLISTED, postgresql_where=UNLISTED),
        sa.Index("ix_paper_inbox", "id", sqlite_where=WAITING, postgresql_where=WAITING),  # A small part of all papers.
        sa.Index("ix_paper_uncompared", "id", sqlite_where=UNCOMPARED, postgresql_where=UNCOMPARED),  # Few, most times.
        reference_index("paper", "merged_into"),
        sa.Index("ix_paper_citation_key", sa.text("lower(citation_key)"), unique=True),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str = "paper"
    title: str = ""
    title_key: str = Field(default="", sa_type=Key)  # NFKC + casefold, for sorting.
    authors: list[str] = name_list()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    publication_type: str = ""
    abstract: str = ""
    language: str = ""
    citation_key: str | None = None  # Null until title and authors are known.
    triage: str = "library"
    # The canonical record; no foreign key, because that would make the two tables depend on each other.
    record_id: int | None = None
    field_sources: dict[str, int] = json_object()
    user_supplied: dict[str, Any] = json_object()
    field_locks: dict[str, Any] = json_object()
    version: int = 1
    compared_version: int = 0
    created_by: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = moment()
    updated_by: int | None = Field(default=None, foreign_key="person.id")
    updated_at: datetime = moment()
    deleted_at: datetime | None = moment(optional=True)
    purged_at: datetime | None = moment(optional=True)  # Purged long after deletion; only the identifiers remain.
    # Not indexed, because planners would use the index for "IS NULL".
    merged_into: int | None = Field(default=None, foreign_key="paper.id")


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
    """A dated version of a paper: arXiv v1, v2 …, or the published one."""

    __table_args__ = (sa.UniqueConstraint("paper_id", "label"),)
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    label: str
    dated: datetime | None = moment(optional=True)


class Link(SQLModel, table=True):
    """A URL of a paper or of something about it.

    There is no unique index, because long URLs exceed PostgreSQL's index limit; links are added while the paper is
    locked.
    """

    __table_args__ = (one_of("role", LINK_ROLES),)
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id", index=True)
    url: str
    role: str = "landing"


class MetadataRecord(SQLModel, table=True):
    """The response of one service for one identifier at one time, kept in every case.

    `key` is the identifier sent to the service; together with `raw`, the record can be parsed again without the
    network. `identifiers` are further identifiers of the work. `problem` is a short reason for a disagreement.
    `checked_at` is the last time the service returned the same data.
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
    authors: list[str] = name_list()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    publication_type: str = ""
    abstract: str = ""
    language: str = ""
    arxiv_class: str = ""  # "cs.DC"
    identifiers: list[str] = json_list()
    remark: str = ""
    raw: str = ""
    fetched_at: datetime = moment()
    checked_at: datetime = moment()


class Relation(SQLModel, table=True):
    """A typed, directed relation between two papers, e.g. a commentary that discusses a paper."""

    __table_args__ = (sa.UniqueConstraint("from_id", "to_id", "kind"), one_of("kind", RELATIONS))
    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="paper.id")
    to_id: int = Field(foreign_key="paper.id", index=True)
    kind: str
    note: str = ""
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()


class Topic(SQLModel, table=True):
    """A topic with aliases, a parent and a text."""

    # Never reuse the ID of a deleted topic, because undo restores it.
    __table_args__ = ({"sqlite_autoincrement": True},)
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
    """The assignment of a paper to a topic."""

    __tablename__ = "paper_topic"
    # A covering index: counting the papers of all topics does not read the table.
    __table_args__ = (sa.Index("ix_paper_topic_topic_id_paper_id", "topic_id", "paper_id"),)
    paper_id: int = Field(foreign_key="paper.id", primary_key=True)
    topic_id: int = Field(foreign_key="topic.id", primary_key=True)
    position: int | None = None  # Position in the topic's reading order; null: not in it.
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()


class MetadataRequest(SQLModel, table=True):
    """A request to one service about one paper.

    `validators` maps a URL to its conditional request headers. `tries` and `not_before` apply to a URL that fails while
    the rest of the service works. `host`: of a key that is an address, if the service has many hosts.
    """

    __tablename__ = "metadata_request"
    __table_args__ = (
        sa.UniqueConstraint("paper_id", "service", "key"),
        one_of("state", METADATA_REQUEST_STATES),
        # Each of some rows only, so that no planner takes one of them where those of a few papers are asked for.
        sa.Index(
            "ix_metadata_request_due",
            "service",
            "not_before",
            "id",
            sqlite_where=WAITING_REQUEST,
            postgresql_where=WAITING_REQUEST,
        ),
        sa.Index(
            "ix_metadata_request_waiting",
            "service",
            "paper_id",
            sqlite_where=WAITING_REQUEST,
            postgresql_where=WAITING_REQUEST,
        ),
        sa.Index(
            "ix_metadata_request_host",
            "service",
            "host",
            "not_before",
            sqlite_where=WAITING_REQUEST,
            postgresql_where=WAITING_REQUEST,
        ),
        sa.Index("ix_metadata_request_unknown", "id", sqlite_where=UNKNOWN_REQUEST, postgresql_where=UNKNOWN_REQUEST),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    service: str
    key: str
    host: str = ""
    state: str = "waiting"
    asked_at: datetime | None = moment(optional=True)
    tries: int = 0
    not_before: datetime | None = moment(optional=True)
    problem: str = ""  # A sentence, if the service has no record or refused the request.
    validators: dict[str, Any] = json_object()


class TitleSearch(SQLModel, table=True):
    """A title that services are searched for: of a paper or lead that is only named, or of what an article discusses.

    `title`: of the paper or lead, as it was when this began; another one is looked for anew. `answered_at`:
    service -> when it answered.
    """

    __tablename__ = "title_search"
    __table_args__ = (
        one_of("state", ("waiting", "done")),
        sa.Index("ix_title_search_state_id", "state", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int | None = Field(default=None, foreign_key="paper.id", unique=True)
    lead_id: int | None = Field(default=None, foreign_key="lead.id", unique=True)
    title: str
    state: str = "waiting"
    answered_at: dict[str, str] = json_object()
    asked_at: datetime | None = moment(optional=True)  # Null: not a title of a work, or no service has answered yet.


class MatchSuggestion(SQLModel, table=True):
    """A match a service found for a title, to be confirmed by a person.

    `kind` is "is" if the paper or lead without identifier is the identified work, "discusses" for commentary on it.
    """

    __tablename__ = "match_suggestion"
    __table_args__ = (
        one_of("kind", ("is", "discusses")),
        one_of("state", ("open", "accepted", "rejected")),
        sa.Index("ix_match_suggestion_state_id", "state", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    paper_id: int | None = Field(default=None, foreign_key="paper.id", index=True)
    lead_id: int | None = Field(default=None, foreign_key="lead.id", index=True)
    identifier: str
    service: str
    title: str
    authors: list[str] = name_list()
    year: int | None = None
    venue: str = ""
    likeness: int  # 0 to 100.
    evidence: str  # A sentence.
    state: str = "open"
    made_at: datetime = moment()
    decided_by: int | None = Field(default=None, foreign_key="person.id")
    decided_at: datetime | None = moment(optional=True)


class DuplicatePair(SQLModel, table=True):
    """Two papers that may be one; `first_id` is the older. `distinct`: a person said that they are two."""

    __tablename__ = "duplicate_pair"
    __table_args__ = (
        sa.UniqueConstraint("first_id", "second_id"),
        one_of("state", ("open", "distinct", "merged")),
        sa.Index("ix_duplicate_pair_state_id", "state", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    first_id: int = Field(foreign_key="paper.id")
    second_id: int = Field(foreign_key="paper.id", index=True)
    likeness: int  # 0 to 100.
    evidence: str  # A sentence.
    state: str = "open"
    found_at: datetime = moment()
    decided_by: int | None = Field(default=None, foreign_key="person.id")
    decided_at: datetime | None = moment(optional=True)


class DuplicateKey(SQLModel, table=True):
    """A hash of something that duplicates of a paper have in common with it, such as the beginning of its title.

    Only papers that share a key are compared.
    """

    __tablename__ = "duplicate_key"
    __table_args__ = (
        # A covering index: finding the papers of a key does not read the table.
        sa.Index("ix_duplicate_key_key_paper_id", "key", "paper_id"),
        {"sqlite_with_rowid": False},
    )
    paper_id: int = Field(foreign_key="paper.id", primary_key=True)
    key: int = Field(primary_key=True, sa_type=sa.BigInteger)


class Merge(SQLModel, table=True):
    """A paper merged into another. `moved` lists the moved rows with their old values, for undo."""

    id: int | None = Field(default=None, primary_key=True)
    from_id: int = Field(foreign_key="paper.id", index=True)
    into_id: int = Field(foreign_key="paper.id", index=True)
    moved: dict[str, Any] = json_object()
    merged_by: int | None = Field(default=None, foreign_key="person.id")
    merged_at: datetime = moment()
    undone_by: int | None = Field(default=None, foreign_key="person.id")
    undone_at: datetime | None = moment(optional=True)


class BlockedHost(SQLModel, table=True):
    """A host that the team blocked, including its subdomains."""

    __tablename__ = "blocked_host"
    id: int | None = Field(default=None, primary_key=True)
    host: str = Field(unique=True)
    added_by: int | None = Field(default=None, foreign_key="person.id")
    added_at: datetime = moment()
