"""A lock that shows whether a library is in use: shared by all processes that work with it, exclusive for a restore.

On SQLite it is a file beside the database, and processes that a holder forks hold it too; on PostgreSQL it is an
advisory lock of each connection.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from readtrack.infra.errors import StorageUnavailable

# Advisory lock ID; must be the same in all versions, and differ from those of migrations and of the search index.
USE_LOCK = 7_263_548_121
CLOSING_SECONDS = 3.0  # how long PostgreSQL may hold the locks of a connection that was just closed
IN_USE = "The library is in use. Stop all readtrack processes of {url}, then try again."
BEING_RESTORED = "The library is being restored. Try again when that is done."


@contextmanager
def hold_library(url: str) -> Iterator[None]:
    """Mark the library as in use. Raise StorageUnavailable while it is being restored."""
    with _file_lock(url, fcntl.LOCK_SH, BEING_RESTORED):
        yield


@contextmanager
def hold_library_alone(url: str) -> Iterator[None]:
    """Keep all other processes from opening the library on SQLite. Raise StorageUnavailable if it is in use."""
    with _file_lock(url, fcntl.LOCK_EX, IN_USE.format(url=masked_url(url))):
        yield


def refuse_other_sessions(connection: sa.Connection) -> None:
    """Keep all other processes from opening the library on PostgreSQL, until the transaction ends.

    Raise StorageUnavailable if it is in use.
    """
    if connection.dialect.name == "sqlite":
        return
    deadline = time.monotonic() + CLOSING_SECONDS
    while not connection.exec_driver_sql(f"SELECT pg_try_advisory_xact_lock({USE_LOCK})").scalar():
        if time.monotonic() > deadline:
            raise StorageUnavailable(IN_USE.format(url=masked_url(connection.engine.url)))
        time.sleep(0.1)


def register_session(dbapi: Any, _record: Any) -> None:  # noqa: ANN401 - the driver's own connection
    """Mark the library as in use as long as this PostgreSQL connection is open."""
    is_free = dbapi.execute(f"SELECT pg_try_advisory_lock_shared({USE_LOCK})").fetchone()[0]
    dbapi.commit()
    if not is_free:
        raise StorageUnavailable(BEING_RESTORED)


def masked_url(url: str | sa.URL) -> str:
    """Return the address for display, with the password masked."""
    return sa.make_url(url).render_as_string(hide_password=True)


@contextmanager
def _file_lock(url: str, operation: int, message: str) -> Iterator[None]:
    parsed = sa.make_url(url)
    if parsed.get_backend_name() != "sqlite":
        yield
        return
    try:
        descriptor = os.open(f"{parsed.database}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        if operation == fcntl.LOCK_EX:
            raise
        yield  # Nobody can restore into a folder that cannot be written, or is not there yet.
        return
    try:
        try:
            fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
        except OSError as error:
            raise StorageUnavailable(message) from error
        yield
    finally:
        os.close(descriptor)
