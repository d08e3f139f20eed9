"""Database access: separate types for read and write transactions, settings per dialect, migrations.

The only module that commits. On SQLite, writers within the process take turns and do not block readers; PostgreSQL uses
one connection pool.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVarTuple, cast

import sqlalchemy as sa
from pydantic_core import from_json
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.sql.dml import UpdateBase
from sqlmodel import Session

from readtrack.infra.db import errors, migrations
from readtrack.infra.db.fair_lock import FairLock
from readtrack.infra.db.library_lock import register_session
from readtrack.infra.db.sqlite import SAFE_VERSION, is_safe, sqlite3
from readtrack.infra.errors import Conflict, NotFound, StorageUnavailable
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

SQLITE_SETTINGS = (  # why each: docs/decisions/0002-sqlite-wal-with-one-writer.md
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=5000",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "mmap_size=0",
    "temp_store=MEMORY",
    "journal_size_limit=67108864",
)
# Of a file that nobody else opens, and that is deleted if it does not become complete: no log, no wait for the disk.
DRAFT_SETTINGS = (
    *(setting for setting in SQLITE_SETTINGS if not setting.startswith(("journal_mode", "synchronous"))),
    "journal_mode=MEMORY",
    "synchronous=OFF",
    "cache_size=-65536",  # KiB
)
Ts = TypeVarTuple("Ts")
SQLITE_DRIVER = {"check_same_thread": False, "timeout": 5}
WRITE_WAIT = 10.0  # Seconds to wait for other writers (on PostgreSQL: for each lock), or for a connection.


def dump_json(value: object) -> str:
    """Return a value as it is stored in SQLite."""
    if value in ([], {}):  # Most are empty.
        return "[]" if isinstance(value, list) else "{}"
    return json.dumps(value)


QUIET: dict[str, Any] = {  # Keep user texts and password hashes out of the log.
    "hide_parameters": True,
    "pool_timeout": WRITE_WAIT,
    "json_serializer": dump_json,
}
SQLITE: dict[str, Any] = {**QUIET, "module": sqlite3, "connect_args": SQLITE_DRIVER, "json_deserializer": from_json}
AT_ONCE = N_("Someone else changed this at the same time. Reload and try again.")
NO_DRIVER = "PostgreSQL needs a further package: pip install 'readtrack[postgres]'."
PAUSE_SECONDS = 0.01  # Seconds after a background write on SQLite, so that other processes can write.
LOCK_POLL_MILLISECONDS = 3  # Maximum time between two attempts to become the writer.
READING_LIMIT = 2.0  # Seconds a SELECT may run on SQLite.
MAX_REPORTED = 10  # Damages and orphans; with one of them, a backup is to be restored anyway.
# Seconds a starting process waits for another process's migration and the backup before it, which take minutes in a
# large library. Nobody waits for a process that died: its lock ends with it.
MIGRATION_WAIT = 600
MIGRATION_SETTINGS = (
    "foreign_keys=OFF",
    f"busy_timeout={MIGRATION_WAIT * 1000}",
    "cache_size=-65536",  # KiB, for a table with all its indexes.
)
# Advisory lock ID; must be the same in all versions, so that two processes never migrate one database.
MIGRATION_LOCK = 7_263_548_119


class Read(Session):
    """A read-only transaction."""

    @property
    def is_in_process(self) -> bool:
        """Return True if queries run within this process, as on SQLite."""
        return self.get_bind().dialect.name == "sqlite"

    def rows(self, query: sa.Select[*Ts], parameters: Mapping[str, Any] | None = None) -> Sequence[sa.Row[*Ts]]:
        """Run a SELECT of columns and return rows keyed by column name (not attribute name).

        It bypasses the ORM, which would double the time; so it is not for whole entities.
        """
        return self.connection().execute(query, parameters or {}).all()


class Write(Read):
    """A read-write transaction.

    Commands require this type, so a type checker rejects a read-only transaction.
    """

    def rows(self, query: sa.Select[*Ts], parameters: Mapping[str, Any] | None = None) -> Sequence[sa.Row[*Ts]]:
        """Flush pending changes, then run the SELECT, so that it sees them."""
        self.flush()
        return super().rows(query, parameters)

    def bulk_execute(self, statement: UpdateBase) -> sa.CursorResult[*tuple[Any, ...]]:
        """Run an UPDATE or DELETE of many rows without looking for them among the objects of this session."""
        result = self.execute(statement, execution_options={"synchronize_session": False})
        return cast("sa.CursorResult[*tuple[Any, ...]]", result)

    def insert_rows(self, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Insert rows in few statements and return their ids in the order of the rows."""
        if self.is_in_process:  # SQLite numbers the rows of a transaction one after the other.
            self.connection().execute(sa.insert(table), rows)
            last_id: int = self.connection().exec_driver_sql("SELECT last_insert_rowid()").scalar_one()
            return list(range(last_id - len(rows) + 1, last_id + 1))
        statement = sa.insert(table).returning(table.c.id, sort_by_parameter_order=True)
        return list(self.connection().execute(statement, rows).scalars())


class Database:
    """Opens transactions: `with database.read() as tx:`, `with database.write() as tx:`.

    With `background`, a pause follows each write on SQLite, so that a process in which a person waits comes next. With
    `draft`, it is a SQLite file that gets its name when it is complete: what is committed is not on disk.
    """

    def __init__(self, url: str, *, background: bool = False, draft: bool = False) -> None:
        self.url, self._is_background = url, background
        self.dialect = sa.engine.make_url(url).get_backend_name()
        if self.dialect == "sqlite":
            settings = DRAFT_SETTINGS if draft else SQLITE_SETTINGS
            self._writer, self._reader = _sqlite_writer(url, settings), _sqlite_reader(url, settings)
            # SQLite's busy handler polls and is unfair; this lock is first come, first served.
            self._turn: FairLock | None = FairLock()
        else:
            self._writer = self._reader = _postgres_engine(url)
            self._turn = None
        self._reads = self._reader.execution_options(**_read_options(self.dialect))

    @property
    def max_writers(self) -> int:
        """Return how many threads may write at once.

        SQLite has one writer. On PostgreSQL a writer can block on a row lock, so the other threads are left to readers.
        """
        return 1 if self.dialect == "sqlite" else 16

    @property
    def engines(self) -> tuple[sa.Engine, ...]:
        """Return the engines in use, so that tests can count statements."""
        return (self._writer,) if self._writer is self._reader else (self._writer, self._reader)

    @contextmanager
    def read(self) -> Iterator[Read]:
        """Open a transaction with a consistent snapshot. Writes in it are rolled back."""
        with _translate_errors(), Read(self._reads, autoflush=False) as tx:  # Closing the session rolls back.
            yield tx

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Open a read-only transaction that may take long: the time of its statements is not limited.

        It delays no writer. SQLite's write-ahead log grows until it ends.
        """
        with _translate_errors(), self._reads.connect() as connection:
            if self.dialect == "sqlite":
                connection.detach()  # A connection of its own, which is closed at the end.
                connection.connection.dbapi_connection.set_progress_handler(None, 0)  # type: ignore[union-attr]
            yield connection

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Write]:
        """Open a transaction that commits if the block succeeds and rolls back otherwise.

        Raise StorageUnavailable if other writers hold the lock for longer than `wait` seconds (default WRITE_WAIT), and
        Conflict if the commit violates a constraint.
        """
        with self._writer_slot(wait), _translate_errors(), Write(self._writer, expire_on_commit=False) as tx:
            try:
                yield tx
                tx.commit()
            except IntegrityError as error:
                raise Conflict(AT_ONCE) from error

    @contextmanager
    def _writer_slot(self, wait: float | None) -> Iterator[None]:
        """Serialize writers within this process on SQLite.

        Raise StorageUnavailable if the wait is too long.
        """
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=WRITE_WAIT if wait is None else wait):
            raise errors.busy_error()
        try:
            yield
            if self._is_background:
                self.pause()
        finally:
            self._turn.release()

    def connect_writer(self) -> sa.Connection:
        """Return a connection for maintenance, outside of the queue of this process's writers."""
        return self._writer.connect()

    def pause(self) -> None:
        """Let other processes write before the next batch of a long task.

        Threads of this process queue for the FairLock and need no pause. Between processes SQLite has no queue: waiting
        writers only look again and again.
        """
        if self.dialect == "sqlite":
            time.sleep(PAUSE_SECONDS)

    def dispose(self) -> None:
        """Close every connection: one that a thread still uses, when it gives it back."""
        for engine in self.engines:
            pool = engine.pool
            engine.dispose()  # from now on with another pool, which keeps its connections
            sa.event.listen(pool, "checkin", _close_connection)
            pool.dispose()  # what was given back before it listened


def _close_connection(_connection: object, entry: sa.pool.ConnectionPoolEntry) -> None:
    entry.invalidate()


@contextmanager
def savepoint(tx: Write) -> Iterator[None]:
    """Open a savepoint: its statements succeed or roll back together.

    Database errors are translated.
    """
    with _translate_errors(), tx.begin_nested():
        yield


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Translate database errors into errors with a message for the user.

    The original goes to the log.
    """
    try:
        yield
    except OverflowError as error:  # An integer too large for any column type.
        raise NotFound(_(errors.NO_SUCH)) from error
    except PoolTimeoutError as error:  # The connection pool is exhausted.
        raise errors.busy_error() from error
    except DBAPIError as error:
        translated = errors.translate_error(error)
        if translated is None:
            raise
        raise translated from error


def committed_in_order(tx: Read, table: str) -> sa.ColumnElement[bool]:
    """Return the condition for rows before which no row with a smaller ID can still appear.

    PostgreSQL assigns IDs at INSERT but makes rows visible at COMMIT, so a smaller ID may appear later. SQLite has one
    writer, so all its rows qualify.
    """
    if tx.get_bind().dialect.name == "sqlite":
        return sa.true()
    return sa.literal_column(f"age({table}.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)", sa.Boolean())


def database_exists(url: str) -> bool:
    """Return False if the SQLite file does not exist. Connecting would create it."""
    path = database_file(url)
    return path is None or path.is_file()


def database_file(url: str) -> Path | None:
    """Return the file of a SQLite database, None on PostgreSQL."""
    parsed = sa.make_url(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def migrate(database: Database, *, back_up: Callable[[str], object] | None = None) -> None:
    """Upgrade the schema. Call `back_up` with its revision first, unless the database is empty.

    Safe when several processes start at once: one migrates and the others wait for it. Raise StorageUnavailable,
    including the database's own error text for the operator, if the database cannot be used, and also if its schema is
    newer than this readtrack.
    """
    try:
        with _translate_errors():
            if revision_of(database) != migrations.wanted_revision():
                _migrate(database, back_up)
    except StorageUnavailable as problem:
        if not isinstance(problem.__cause__, DBAPIError):
            raise
        reason = str(problem.__cause__.orig).partition("\n")[0]
        message = f"{problem.message} ({reason})"
        raise StorageUnavailable(message) from problem


def _migrate(database: Database, back_up: Callable[[str], object] | None) -> None:
    with change_schema(database) as connection:
        revision = migrations.stored_revision(connection)  # Another process may have migrated it.
        if back_up is not None and revision is not None and migrations.is_older(revision):
            back_up(revision)
        migrations.upgrade(connection)


@contextmanager
def change_schema(database: Database) -> Iterator[sa.Connection]:
    """Open a transaction that excludes all other writers and migrations; foreign keys are not enforced on SQLite."""
    with _translate_errors(), database.connect_writer() as connection:
        try:
            with _migration_lock(connection, database.dialect), connection.begin():
                yield connection
        finally:
            connection.invalidate()  # The connection still has the migration's PRAGMAs.


@_translate_errors()
def current_revision(database: Database) -> tuple[str | None, str | None]:
    """Return the revision of the schema and the revision this readtrack expects."""
    return revision_of(database), migrations.wanted_revision()


@_translate_errors()
def revision_of(database: Database) -> str | None:
    """Return the Alembic revision of the schema, or None if it has no readtrack tables."""
    with database._reader.connect() as connection:  # noqa: SLF001 - same module
        return migrations.stored_revision(connection)


@_translate_errors()
def integrity_problems(database: Database, *, full: bool = False) -> tuple[list[str], list[str]]:
    """Return what SQLite's integrity check finds (at most ten) in tables, and in the search index.

    Always empty on PostgreSQL. `full` compares indexes with their tables too, which takes several times as long.
    """
    check = "integrity_check" if full else "quick_check"
    damage = [row[0] for row in _run_check(database, f"PRAGMA {check}({MAX_REPORTED})") if row[0] != "ok"]
    in_index = [line for line in damage if errors.is_about_search_index(line)]
    restore = "The database file is damaged ({}). Stop readtrack and restore the last backup."
    return (
        [restore.format(line) for line in damage if line not in in_index],
        [f"The search index is damaged ({line}). Build it again." for line in in_index],
    )


@_translate_errors()
def foreign_key_problems(database: Database) -> list[str]:
    """Return rows that refer to missing rows (at most ten). Always empty on PostgreSQL."""
    orphans = _run_check(database, "PRAGMA foreign_key_check")
    return [
        f"Table {table} row {row_id} refers to a missing row of {parent}." for table, row_id, parent, _key in orphans
    ]


def _run_check(database: Database, pragma: str) -> Sequence[Sequence[Any]]:
    if database.dialect != "sqlite":
        return []
    with database.snapshot() as connection:
        return connection.exec_driver_sql(pragma).fetchmany(MAX_REPORTED)


def version_problems(database: Database) -> list[str]:
    """Return a sentence if this version of SQLite is not safe for several processes; empty on PostgreSQL."""
    if database.dialect != "sqlite" or is_safe():
        return []
    version = ".".join(map(str, SAFE_VERSION))
    fault = f"SQLite {sqlite3.sqlite_version} has a rare fault when several processes write."
    return [f"{fault} Install pysqlite3, or a Python with SQLite {version} or newer."]


@contextmanager
def _migration_lock(connection: sa.Connection, dialect: str) -> Iterator[None]:
    """Hold the lock that excludes other migrations.

    It is BEGIN IMMEDIATE on SQLite and an advisory lock on PostgreSQL.
    """
    if dialect == "sqlite":
        for setting in MIGRATION_SETTINGS:
            # Directly on the driver: SQLAlchemy would send BEGIN first.
            connection.connection.cursor().execute(f"PRAGMA {setting}")
        yield
        return
    connection.exec_driver_sql(f"SET lock_timeout = '{MIGRATION_WAIT}s'")
    connection.exec_driver_sql(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({MIGRATION_LOCK})")
        connection.commit()


def _sqlite_writer(url: str, settings: Sequence[str]) -> sa.Engine:
    engine = sa.create_engine(url, **SQLITE, pool_size=1, max_overflow=4)
    sa.event.listen(engine, "connect", partial(_set_up_sqlite, settings))
    sa.event.listen(engine, "connect", _set_short_wait)
    sa.event.listen(engine, "begin", _begin_writing)
    sa.event.listen(engine, "checkin", _rollback_open_transaction)
    return engine


def _begin_writing(connection: sa.Connection) -> None:
    """Begin a write transaction as soon as no other process writes.

    SQLite's own wait looks only every 1 to 100 ms and would miss the pauses of a background process.
    """
    deadline = time.monotonic() + SQLITE_DRIVER["timeout"]
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except sa.exc.OperationalError as error:
            if not errors.is_busy(error) or time.monotonic() > deadline:
                raise
        else:
            return


def _set_short_wait(dbapi: Any, _record: Any) -> None:  # noqa: ANN401
    dbapi.execute(f"PRAGMA busy_timeout={LOCK_POLL_MILLISECONDS}")


def _sqlite_reader(url: str, settings: Sequence[str]) -> sa.Engine:
    # More than the number of request threads, so that no request waits for a connection.
    driver = {"connect_args": {**SQLITE_DRIVER, "factory": _TimeLimitedConnection}}
    engine = sa.create_engine(url, **{**SQLITE, **driver}, pool_size=8, max_overflow=48)
    sa.event.listen(engine, "connect", partial(_set_up_sqlite, settings))
    sa.event.listen(engine, "connect", _set_read_only)
    return engine


def _set_up_sqlite(settings: Sequence[str], dbapi: Any, _record: Any) -> None:  # noqa: ANN401 - the driver's own
    dbapi.isolation_level = None  # SQLAlchemy emits BEGIN instead of the driver.
    for setting in settings:
        _set_pragma(dbapi, setting)


def _set_pragma(dbapi: Any, setting: str) -> None:  # noqa: ANN401
    """Set a PRAGMA and retry while the file is locked.

    When several connections open a new file at once, one switches it to WAL and the others fail with "locked"
    immediately: the busy timeout does not apply there.
    """
    deadline = time.monotonic() + SQLITE_DRIVER["timeout"]
    while True:
        try:
            dbapi.execute(f"PRAGMA {setting}")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _rollback_open_transaction(dbapi: Any, _record: Any) -> None:  # noqa: ANN401
    """Roll back a transaction left open by a failed COMMIT, because it would block all other writers."""
    if dbapi is not None and dbapi.in_transaction:
        dbapi.rollback()


def _set_read_only(dbapi: Any, _record: Any) -> None:  # noqa: ANN401
    dbapi.execute("PRAGMA query_only=ON")
    dbapi.set_progress_handler(lambda: time.monotonic() > dbapi.deadline, 100_000)
    dbapi.ready = True


class _TimeLimitedConnection(sqlite3.Connection):
    """A connection that limits each statement to READING_LIMIT.

    It begins its transaction with the first statement. The limit keeps a slow query from occupying a thread forever. It
    is not built with SQLAlchemy events: once one is registered, SQLAlchemy checks for listeners in ten places per
    statement.
    """

    ready = False
    deadline = math.inf

    def cursor(self) -> "_TimeLimitedCursor":  # type: ignore[override]
        return super().cursor(_TimeLimitedCursor)


class _TimeLimitedCursor(sqlite3.Cursor):
    connection: _TimeLimitedConnection

    def execute(self, *arguments: Any) -> "_TimeLimitedCursor":  # noqa: ANN401
        connection = self.connection
        if connection.ready and not connection.in_transaction:
            super().execute("BEGIN")
        connection.deadline = time.monotonic() + READING_LIMIT
        super().execute(*arguments)
        return self


def _postgres_engine(url: str) -> sa.Engine:
    options = {"options": f"-c timezone=utc -c lock_timeout={round(WRITE_WAIT * 1000)}"}
    try:
        engine = sa.create_engine(url, **QUIET, connect_args=options, pool_size=8, max_overflow=32, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StorageUnavailable(NO_DRIVER) from error
    sa.event.listen(engine, "connect", register_session)
    return engine


def _read_options(dialect: str) -> dict[str, Any]:
    if dialect == "sqlite":
        return {}
    return {"postgresql_readonly": True, "isolation_level": "REPEATABLE READ"}
