"""The database: reading and writing transactions as distinct types, settings of each dialect, migrations.

The only module that commits. SQLite: one writer at a time inside the process, readers beside it; PostgreSQL: one pool.
"""

import math
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from readtrack.infra.errors import Conflict, NotFound, StorageUnavailable
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
Ts = TypeVarTuple("Ts")
SQLITE_DRIVER = {"check_same_thread": False, "timeout": 5}
WRITE_WAIT = 10.0  # seconds to wait for others who write (on PostgreSQL for each lock of theirs), or for a connection
QUIET: dict[str, Any] = {  # what people wrote, and hashes of passwords, are not for the log
    "hide_parameters": True,
    "pool_timeout": WRITE_WAIT,
}
SQLITE: dict[str, Any] = {**QUIET, "connect_args": SQLITE_DRIVER, "json_deserializer": from_json}
AT_ONCE = "Somebody else did the same at the same moment. Nothing was changed; please look again."
NO_DRIVER = "PostgreSQL needs a further package: pip install 'readtrack[postgres]'."
PAUSE = 0.02  # seconds between two slices of one piece of work
READING_LIMIT = 2.0  # seconds one reading statement may take on SQLite
MIGRATION_WAIT = 60  # seconds that a starting process waits for another one's migration on SQLite
MIGRATION_LOCK = 7_263_548_119  # any number; two readtracks migrating one PostgreSQL database must agree on it


class Read(Session):
    """A transaction that only reads."""

    @property
    def is_in_process(self) -> bool:
        """Whether it is answered within this process."""
        return self.get_bind().dialect.name == "sqlite"

    def rows(self, asked: sa.Select[*Ts], given: Mapping[str, Any] | None = None) -> Sequence[sa.Row[*Ts]]:
        """What a SELECT of columns finds, by the columns' names (not the attributes'). Past the ORM, whose way takes as
        long again; so not for whole entities.
        """
        return self.connection().execute(asked, given or {}).all()


class Write(Read):
    """A transaction that may write; commands ask for this type, so a reading one is refused before anything runs."""

    def rows(self, asked: sa.Select[*Ts], given: Mapping[str, Any] | None = None) -> Sequence[sa.Row[*Ts]]:
        """The same; what was changed before is found, too."""
        self.flush()
        return super().rows(asked, given)

    def bulk_execute(self, statement: UpdateBase) -> sa.CursorResult[*tuple[Any, ...]]:
        """Run an UPDATE or DELETE of many rows without looking for them among the objects of this session."""
        result = self.execute(statement, execution_options={"synchronize_session": False})
        return cast("sa.CursorResult[*tuple[Any, ...]]", result)


class Database:
    """Opens transactions. `with database.read() as tx:` / `with database.write() as tx:`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.dialect = sa.engine.make_url(url).get_backend_name()
        if self.dialect == "sqlite":
            self._writer, self._reader = _sqlite_writer(url), _sqlite_reader(url)
            self._turn: FairLock | None = FairLock()  # SQLite's own waiting is unfair; ours is a queue
        else:
            self._writer = self._reader = _postgres_engine(url)
            self._turn = None
        self._reads = self._reader.execution_options(**_read_options(self.dialect))

    @property
    def max_writers(self) -> int:
        """How many may write at once: SQLite has one writer; on PostgreSQL the rest of the threads is left to readers,
        as a lock makes a writer wait.
        """
        return 1 if self.dialect == "sqlite" else 16

    @property
    def engines(self) -> tuple[sa.Engine, ...]:
        """The engines behind the transactions, for counting statements."""
        return (self._writer,) if self._writer is self._reader else (self._writer, self._reader)

    @contextmanager
    def read(self) -> Iterator[Read]:
        """A consistent view of the data; whatever is written in it is not kept."""
        with _translate_errors(), Read(self._reads, autoflush=False) as tx:  # its end rolls back
            yield tx

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Write]:
        """One change, whole or not at all; committed when the block ends well.

        Raises StorageUnavailable when others write for longer than `wait` seconds, which is WRITE_WAIT unless given.
        """
        with self._writer_slot(wait), _translate_errors(), Write(self._writer, expire_on_commit=False) as tx:
            try:
                yield tx
                tx.commit()
            except IntegrityError as error:
                raise Conflict(AT_ONCE) from error

    @contextmanager
    def _writer_slot(self, wait: float | None) -> Iterator[None]:
        """The one writer's place; whoever waits too long is told to come again, so that nobody waits for ever."""
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=WRITE_WAIT if wait is None else wait):
            raise errors.busy_error()
        try:
            yield
        finally:
            self._turn.release()

    def pause(self) -> None:
        """Let others write before the next slice of a long piece of work.

        Threads of this process stand in a queue and need no pause. SQLite has no queue between processes: a waiting one
        looks again every 1 to 100 ms, and would find the database locked each time.
        """
        if self.dialect == "sqlite":
            time.sleep(PAUSE)

    def dispose(self) -> None:
        """Closes every connection."""
        for engine in self.engines:
            engine.dispose()


@contextmanager
def savepoint(tx: Write) -> Iterator[None]:
    """A part of a change that is whole or not at all, and may fail alone. What the database refuses is explained."""
    with _translate_errors(), tx.begin_nested():
        yield


@contextmanager
def _translate_errors() -> Iterator[None]:
    """The database's own words are for the log; a person is told what to do."""
    try:
        yield
    except OverflowError as error:  # a number that no column can hold
        raise NotFound(_(errors.NO_SUCH)) from error
    except PoolTimeoutError as error:  # every connection is in use
        raise errors.busy_error() from error
    except DBAPIError as error:
        known = errors.translate_error(error)
        if known is None:
            raise
        raise known from error


def committed_in_order(tx: Read, table: str) -> sa.ColumnElement[bool]:
    """The rows of a table before which no other can appear any more, though its number is smaller.

    PostgreSQL numbers rows when they are written and shows them when they are committed; SQLite has one writer.
    """
    if tx.get_bind().dialect.name == "sqlite":
        return sa.true()
    return sa.literal_column(f"age({table}.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)", sa.Boolean())


def database_exists(url: str) -> bool:
    """False for a file that does not exist: to open it would make it."""
    parsed = sa.make_url(url)
    return parsed.get_backend_name() != "sqlite" or Path(parsed.database or "").is_file()


def migrate(database: Database) -> None:
    """Brings the tables up to date. Safe when several processes start at once: one migrates, the others wait for it.

    Raises StorageUnavailable when the database cannot be used, with its own words, which are for the operator; and when
    it is newer than this readtrack.
    """
    try:
        with _translate_errors():
            if revision_of(database) != migrations.wanted_revision():
                _migrate(database)
    except StorageUnavailable as problem:
        if not isinstance(problem.__cause__, DBAPIError):
            raise
        said = str(problem.__cause__.orig).partition("\n")[0]
        message = f"{problem.message} ({said})"
        raise StorageUnavailable(message) from problem


def _migrate(database: Database) -> None:
    with database._writer.connect() as connection:  # noqa: SLF001 - same module
        try:
            with _migration_lock(connection, database.dialect), connection.begin():
                migrations.upgrade(connection)
        finally:
            connection.invalidate()  # its settings were those of a migration


@_translate_errors()
def current_revision(database: Database) -> tuple[str | None, str | None]:
    """Where the tables stand, and where this readtrack would have them."""
    return revision_of(database), migrations.wanted_revision()


@_translate_errors()
def revision_of(database: Database) -> str | None:
    """Where the tables stand; None when there are none of readtrack."""
    with database._reader.connect() as connection:  # noqa: SLF001 - same module
        if not sa.inspect(connection).has_table(migrations.TABLE):
            return None
        found: str | None = connection.scalar(sa.text(f"SELECT version_num FROM {migrations.TABLE}"))  # noqa: S608
    return found


@_translate_errors()
def integrity_problems(database: Database) -> list[str]:
    """What the database itself finds wrong with its file; PostgreSQL looks after its own."""
    if database.dialect != "sqlite":
        return []
    with database._reader.connect() as connection:  # noqa: SLF001
        connection.detach()  # nobody else asks with it, as it takes the time it takes
        connection.connection.dbapi_connection.set_progress_handler(None, 0)  # type: ignore[union-attr]
        found = [row[0] for row in connection.exec_driver_sql("PRAGMA quick_check(5)") if row[0] != "ok"]
        orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(5)
    problems = [f"The database file is damaged ({line}). Stop readtrack and restore the last backup." for line in found]
    return problems + [
        f"Table {row[0]} row {row[1]} refers to a missing row of {row[2]}. Restore the last backup." for row in orphans
    ]


@contextmanager
def _migration_lock(connection: sa.Connection, dialect: str) -> Iterator[None]:
    """Nobody else migrates meanwhile: IMMEDIATE sees to it on SQLite, a lock on PostgreSQL."""
    if dialect == "sqlite":
        for setting in ("foreign_keys=OFF", f"busy_timeout={MIGRATION_WAIT * 1000}"):
            connection.connection.cursor().execute(f"PRAGMA {setting}")  # past SQLAlchemy, which would say BEGIN first
        yield
        return
    connection.exec_driver_sql("SET lock_timeout = 0")  # another process may migrate for long
    connection.exec_driver_sql(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({MIGRATION_LOCK})")
        connection.commit()


def _sqlite_writer(url: str) -> sa.Engine:
    engine = sa.create_engine(url, **SQLITE, pool_size=1, max_overflow=4)
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_writing)
    sa.event.listen(engine, "checkin", _rollback_open_transaction)
    return engine


def _begin_writing(connection: sa.Connection) -> None:
    """Waits for other processes."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _sqlite_reader(url: str) -> sa.Engine:
    # more than there are threads that answer requests: none of them waits for a connection of another
    driver = {"connect_args": {**SQLITE_DRIVER, "factory": _TimeLimitedConnection}}
    engine = sa.create_engine(url, **{**SQLITE, **driver}, pool_size=8, max_overflow=48)
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "connect", _set_read_only)
    return engine


def _set_up_sqlite(dbapi: Any, _record: Any) -> None:  # noqa: ANN401 - the driver's own connection
    dbapi.isolation_level = None  # SQLAlchemy says BEGIN, not the driver
    for setting in SQLITE_SETTINGS:
        _set_pragma(dbapi, setting)


def _set_pragma(dbapi: Any, setting: str) -> None:  # noqa: ANN401
    """Of several that open a new file at once, one makes it a WAL; the others are told "locked" without any waiting."""
    until = time.monotonic() + SQLITE_DRIVER["timeout"]
    while True:
        try:
            dbapi.execute(f"PRAGMA {setting}")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _rollback_open_transaction(dbapi: Any, _record: Any) -> None:  # noqa: ANN401
    """A COMMIT that failed can leave its transaction open, and with it everybody else out."""
    if dbapi is not None and dbapi.in_transaction:
        dbapi.rollback()


def _set_read_only(dbapi: Any, _record: Any) -> None:  # noqa: ANN401
    dbapi.execute("PRAGMA query_only=ON")
    dbapi.set_progress_handler(lambda: time.monotonic() > dbapi.deadline, 100_000)
    dbapi.ready = True


class _TimeLimitedConnection(sqlite3.Connection):
    """Begins with its first statement, and stops each after READING_LIMIT: one bad question must not hold a thread for
    ever. Not by events: as soon as SQLAlchemy has one, it looks for others in ten places of a statement.
    """

    ready = False
    deadline = math.inf

    def cursor(self) -> "_TimeLimitedCursor":  # type: ignore[override]
        return super().cursor(_TimeLimitedCursor)


class _TimeLimitedCursor(sqlite3.Cursor):
    connection: _TimeLimitedConnection

    def execute(self, *asked: Any) -> "_TimeLimitedCursor":  # noqa: ANN401
        here = self.connection
        if here.ready and not here.in_transaction:
            super().execute("BEGIN")
        here.deadline = time.monotonic() + READING_LIMIT
        super().execute(*asked)
        return self


def _postgres_engine(url: str) -> sa.Engine:
    options = {"options": f"-c timezone=utc -c lock_timeout={round(WRITE_WAIT * 1000)}"}
    try:
        return sa.create_engine(url, **QUIET, connect_args=options, pool_size=8, max_overflow=32, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StorageUnavailable(NO_DRIVER) from error


def _read_options(dialect: str) -> dict[str, Any]:
    if dialect == "sqlite":
        return {}
    return {"postgresql_readonly": True, "isolation_level": "REPEATABLE READ"}
