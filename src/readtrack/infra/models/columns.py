"""Column kinds shared by the tables, and the closed lists of words."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from readtrack.infra.clock import now

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

ROLES = ("viewer", "member", "editor", "admin")  # each may do what those before it may
SCOPES = ("read", "write", "import", "admin", "feed")
PaperKind = Literal["paper", "article", "video", "slides", "code", "course", "documentation", "page"]
PAPER_KINDS: tuple[str, ...] = get_args(PaperKind)
ENTRY_KINDS = ("paper", "mention", "topic", "question", "lead", "snippet", "table", "junk", "blank")
DECISIONS = ("add", "known", "review", "skip")
THROWN = sa.text("deleted_at IS NOT NULL")  # of what else an index has, it would be taken for "is null"
STATUSES = ("to_read", "reading", "paused", "read", "dropped")
DEPTHS = ("skimmed", "read", "studied")
PROGRESS_UNITS = ("page", "percent", "section")
LINK_ROLES = ("landing", "pdf", "html", "video", "slides", "code", "commentary")
METADATA_REQUEST_STATES = ("waiting", "answered", "unknown", "refused", "earlier")  # earlier: before the last refresh
STAGES = ("published", "preprint", "page")  # what is shown comes from the first of them that there is
RECORD_STATES = ("agrees", "disagrees", "refused", "superseded")  # refused: a person said it is another work's
RELATIONS = ("cites", "extends", "compares", "contradicts", "implements", "discusses", "presents")
LARGEST_ID = 999_999_999  # of those that are drawn: nine digits fit into every column
LONGEST_KEY = 500  # characters, of at most four bytes
RECOMMENDATIONS = ("must_read", "worth_it", "optional", "skip")  # of those who finished a paper
PRIORITIES = (1, 0, -1)  # of what is to be read: first, as it comes, when there is time
QUESTION_STATES = ("open", "answered", "dropped")
ASSIGNMENT_STATES = ("proposed", "accepted", "declined", "withdrawn")  # done and overdue are derived
MEETING_STATES = ("planned", "held", "cancelled")
ITEM_STATES = ("planned", "discussed", "postponed")
CANDIDATE_STATES = ("open", "chosen", "withdrawn")
NOTIFICATION_KINDS = ("mention", "reply", "assignment", "meeting", "version", "job")
NOTIFICATION_CHANNELS = ("page", "mail", "nothing")
SUBJECTS = ("paper", "question", "topic")  # what is discussed
DRAFTED = ("summary", "topic")  # what drafts are kept of
REFERRING = ("summary", "topic", "comment")  # texts that may name papers and topics
TOPIC_LINK_KINDS = ("article", "repository", "tool", "video", "documentation", "other")
DISPLAYS = ("list", "table", "board")
DENSITIES = ("airy", "dense")
JOB_STATES = ("queued", "running", "done", "failed")


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime. SQLite stores no zone, so it is taken off and put back here."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: sa.Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def result_processor(self, _dialect: sa.Dialect, _coltype: object) -> Callable[[Any], datetime | None]:
        """In one step from what the driver gives: a list reads hundreds."""
        return _aware


def _aware(given: str | datetime | None) -> datetime | None:
    """`given`: the text of a moment without its zone, as SQLite keeps it; PostgreSQL's own."""
    if isinstance(given, str):
        return datetime.fromisoformat(f"{given}+00:00")
    return given and given.astimezone(UTC)


class Key(TypeDecorator[str]):
    """A name as it is compared and sorted: as much of it as fits into an index of PostgreSQL."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: sa.Dialect) -> str | None:
        return None if value is None else value[:LONGEST_KEY]


def moment(*, index: bool = False, optional: bool = False) -> Any:  # noqa: ANN401 - SQLModel's Field is typed so
    """A column for a moment: now when not optional, else null."""
    if optional:
        return Field(default=None, sa_type=Moment, index=index)
    return Field(default_factory=now, sa_type=Moment, index=index)


def scattered() -> Any:  # noqa: ANN401
    """A primary key that tells nothing: of rows that some people may not see, those they see must not give the number.

    It says nothing of the order of rows either, which is that of a moment. It is given once only: what is kept of a
    row that is gone, as for undo, never meets a later one.
    """
    return Field(default=None, primary_key=True, sa_column_kwargs={"default": _unused})


def _unused(context: DefaultExecutionContext) -> int:
    """A number by chance that no row of the table has."""
    return unused_ids(context.connection, context.current_column, 1)[0]


def unused_ids(connection: sa.Connection, column: Any, count: int) -> list[int]:  # noqa: ANN401 - of any table
    """So many numbers by chance that no row has: for many rows at once, which would ask one by one otherwise."""
    found: set[int] = set()
    while len(found) < count:
        drawn = {1 + secrets.randbelow(LARGEST_ID) for _ in range(count - len(found))}
        found |= drawn.difference(connection.scalars(sa.select(column).where(column.in_(drawn))))
    return list(found)


def json_list() -> Any:  # noqa: ANN401
    """A column for a JSON list."""
    return Field(default_factory=list, sa_type=sa.JSON)


def json_object() -> Any:  # noqa: ANN401
    """A column for a JSON object."""
    return Field(default_factory=dict, sa_type=sa.JSON)


def reference_index(table: str, column: str) -> sa.Index:
    """An index of a foreign key that most rows leave null, so that deleting what it refers to reads no whole table."""
    is_set = sa.text(f"{column} IS NOT NULL")
    return sa.Index(f"ix_{table}_{column}", column, sqlite_where=is_set, postgresql_where=is_set)


def one_of(column: str, values: tuple[str, ...]) -> sa.CheckConstraint:
    """The database itself refuses words that the model does not have."""
    words = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({words})", name=column)
