"""Tables for metadata requests and for the results a person has to decide on."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from readtrack.infra.models.columns import METADATA_REQUEST_STATES, json_list, json_object, moment, one_of


class MetadataRequest(SQLModel, table=True):
    """A request to one service about one paper.

    `validators` maps a URL to its conditional request headers. `tries` and `not_before` apply to a URL that fails while
    the rest of the service works.
    """

    __tablename__ = "metadata_request"
    __table_args__ = (
        sa.UniqueConstraint("paper_id", "service", "key"),
        one_of("state", METADATA_REQUEST_STATES),
        sa.Index("ix_metadata_request_state_service_id", "state", "service", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    paper_id: int = Field(foreign_key="paper.id")
    service: str
    key: str
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
    authors: list[str] = json_list()
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
