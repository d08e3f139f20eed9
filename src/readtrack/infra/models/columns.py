"""Column types shared by the tables, and the allowed values of enumerated columns."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from readtrack.infra.clock import now
from readtrack.infra.text import person_names

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
SQLModel.model_config["defer_build"] = True  # Few rows are validated: validators are built at first use.

ROLES = ("viewer", "member", "editor", "admin")  # Each role includes the permissions of the roles before it.
SCOPES = ("read", "write", "import", "admin", "feed")
PaperKind = Literal["paper", "article", "video", "slides", "code", "course", "documentation", "page"]
PAPER_KINDS: tuple[str, ...] = get_args(PaperKind)
# Of a work that is a paper; "" if unknown.
PublicationType = Literal[
    "", "journal_article", "conference_paper", "book", "chapter", "thesis", "masters_thesis", "report"
]
PUBLICATION_TYPES: tuple[str, ...] = get_args(PublicationType)
ENTRY_KINDS = ("paper", "mention", "topic", "question", "lead", "snippet", "table", "junk", "blank")
DECISIONS = ("add", "known", "review", "skip")
# Condition of partial indexes on deleted_at; planners would use a full index for "IS NULL", too.
THROWN = sa.text("deleted_at IS NOT NULL")
STATUSES = ("to_read", "reading", "paused", "read", "dropped")
DEPTHS = ("skimmed", "read", "studied")
PROGRESS_UNITS = ("page", "percent", "section")
LINK_ROLES = ("landing", "pdf", "html", "video", "slides", "code", "commentary")
METADATA_REQUEST_STATES = ("waiting", "answered", "unknown", "refused", "earlier")  # earlier: before the last refresh
STAGES = ("published", "preprint", "page")  # Displayed fields come from the first stage available.
# refused: a person said that it describes another work.
RECORD_STATES = ("agrees", "disagrees", "refused", "superseded")
RELATIONS = ("cites", "extends", "compares", "contradicts", "implements", "discusses", "presents")
LARGEST_ID = 999_999_999  # Largest random ID: nine digits fit into every integer column.
MAX_KEY_CHARS = 500  # Characters, of at most four bytes each.
RECOMMENDATIONS = ("must_read", "worth_it", "optional", "skip")  # By those who finished a paper.
PRIORITIES = (1, 0, -1)  # Of papers to read: first, normal, later.
QUESTION_STATES = ("open", "answered", "dropped")
ASSIGNMENT_STATES = ("proposed", "accepted", "declined", "withdrawn")  # done and overdue are derived.
MEETING_STATES = ("planned", "held", "cancelled")
ITEM_STATES = ("planned", "discussed", "postponed")
CANDIDATE_STATES = ("open", "chosen", "withdrawn")
NOTIFICATION_KINDS = ("mention", "reply", "assignment", "meeting", "version", "job")
NOTIFICATION_CHANNELS = ("page", "mail", "nothing")
SUBJECTS = ("paper", "question", "topic")  # What can be discussed.
DRAFTED = ("summary", "topic")  # What drafts are saved for.
REFERRING = ("summary", "topic", "comment")  # Texts that may contain references to papers and topics.
TOPIC_LINK_KINDS = ("article", "repository", "tool", "video", "documentation", "other")
DISPLAYS = ("list", "table", "board")
DENSITIES = ("airy", "dense")
JOB_STATES = ("queued", "paused", "running", "done", "failed")
WEBHOOK_STATES = ("active", "paused", "disabled")  # Paused by a person, disabled by readtrack.
WEBHOOK_FORMATS = ("json", "slack", "mattermost", "discord")
DELIVERY_STATES = ("waiting", "delivered", "failed", "skipped")  # Skipped: no longer allowed or wanted.


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime.

    SQLite stores no time zone, so it is removed on write and added on read.
    """

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: sa.Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def result_processor(self, _dialect: sa.Dialect, _coltype: object) -> Callable[[Any], datetime | None]:
        """Return one function that converts the driver's value, because a list reads hundreds of them."""
        return _aware


def _aware(stored: str | datetime | None) -> datetime | None:
    """Convert a stored moment: text without a zone from SQLite, or a datetime from PostgreSQL."""
    if isinstance(stored, str):
        return datetime.fromisoformat(f"{stored}+00:00")
    return stored and stored.astimezone(UTC)


class Key(TypeDecorator[str]):
    """A normalized name for comparing and sorting, truncated to fit into a PostgreSQL index."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: sa.Dialect) -> str | None:
        return None if value is None else value[:MAX_KEY_CHARS]


class Names(TypeDecorator[list[str]]):
    """A JSON list of author names, each a string or, if its parts are known, an object."""

    impl = sa.JSON
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, _dialect: sa.Dialect) -> Any:  # noqa: ANN401 - JSON
        return None if value is None else person_names.encode_names(value)

    def process_result_value(self, value: Any, _dialect: sa.Dialect) -> list[str] | None:  # noqa: ANN401 - JSON
        return None if value is None else person_names.decode_names(value)

    def compare_values(self, x: Any, y: Any) -> bool:  # noqa: ANN401 - SQLAlchemy's signature
        """Return False for equal names of which other parts are known, so that these are saved."""
        return person_names.is_same_value(x, y)


def moment(*, index: bool = False, optional: bool = False) -> Any:  # noqa: ANN401 - like SQLModel's Field
    """Declare a datetime column whose default is the current time, or null if `optional`."""
    if optional:
        return Field(default=None, sa_type=Moment, index=index)
    return Field(default_factory=now, sa_type=Moment, index=index)


def scattered() -> Any:  # noqa: ANN401
    """Declare a primary key with a random ID.

    Visible IDs then reveal nothing about rows a user may not see. Random IDs give no order; order by a datetime
    instead. An ID is not reused, so data kept for undo never refers to a later row.
    """
    return Field(default=None, primary_key=True, sa_column_kwargs={"default": _unused})


def _unused(context: DefaultExecutionContext) -> int:
    """Return a random ID that is unused in the column's table."""
    return unused_ids(context.connection, context.current_column, 1)[0]


def unused_ids(connection: sa.Connection, column: Any, count: int) -> list[int]:  # noqa: ANN401 - of any table
    """Return `count` unused random IDs with one query per round, instead of one per row in a bulk insert."""
    unused: set[int] = set()
    while len(unused) < count:
        candidates = {1 + secrets.randbelow(LARGEST_ID) for _ in range(count - len(unused))}
        unused |= candidates.difference(connection.scalars(sa.select(column).where(column.in_(candidates))))
    return list(unused)


def json_list() -> Any:  # noqa: ANN401
    """Declare a JSON list column."""
    return Field(default_factory=list, sa_type=sa.JSON)


def name_list() -> Any:  # noqa: ANN401
    """Declare a column with the names of authors."""
    return Field(default_factory=list, sa_type=Names)


def json_object() -> Any:  # noqa: ANN401
    """Declare a JSON object column."""
    return Field(default_factory=dict, sa_type=sa.JSON)


def reference_index(table: str, column: str) -> sa.Index:
    """Return a partial index for a foreign key that is usually null.

    Without it, deleting the referenced row would scan the whole table.
    """
    is_set = sa.text(f"{column} IS NOT NULL")
    return sa.Index(f"ix_{table}_{column}", column, sqlite_where=is_set, postgresql_where=is_set)


def one_of(column: str, values: tuple[str, ...]) -> sa.CheckConstraint:
    """Return a CHECK constraint that allows only these values."""
    words = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({words})", name=column)
