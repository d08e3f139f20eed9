"""Replaces a whole library in one step: the old one stays in place until the new one is complete.

On SQLite the new one is built in another file, which is then renamed; on PostgreSQL it is built in one transaction.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from readtrack.infra.clock import now
from readtrack.infra.db import Database, change_schema, library_lock, migrations, tables
from readtrack.infra.errors import Conflict, StorageUnavailable
from readtrack.infra.files import sync_path

DRAFT = ".restoring"
KEPT = ".before-restore-"
OTHER_SCHEMA = (
    "The library at {url} has another schema. Run `readtrack migrate` first, or restore into an empty database."
)
SIDE_FILES = ("-wal", "-shm")  # Beside a SQLite database as long as it is open, or after a crash.


def has_library(url: str) -> bool:
    """Return False if replacing loses nothing: nobody has joined yet, or there is no SQLite file or an empty one."""
    parsed = sa.make_url(url)
    is_file = parsed.get_backend_name() == "sqlite"
    path = Path(parsed.database or "")
    if is_file and not (path.is_file() and path.stat().st_size):
        return False
    with _open_database(url) as database:
        try:
            with database.snapshot() as connection:
                if migrations.stored_revision(connection) is None:
                    migrations.refuse_foreign_tables(connection)
                    return False
                people: sa.Select[int] = sa.select(sa.column("id")).select_from(sa.table("person"))
                return connection.execute(people).first() is not None
        except (StorageUnavailable, sa.exc.DBAPIError):
            if not is_file:
                raise
            return True  # Damaged, or of another program.


def replace_library(
    url: str, fill: Callable[[sa.Connection], None], finish: Callable[[Database], None], *, keep: bool
) -> Path | None:
    """Replace the library: `fill` creates its tables in an empty schema, then `finish` is called.

    The caller holds the library alone. On SQLite, the old file is kept if `keep`; return where. If anything fails
    before the end, the old library is unchanged.
    """
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _replace_file(Path(parsed.database or ""), fill, finish, keep=keep)
    with _open_database(url) as database:
        with change_schema(database) as connection:
            library_lock.refuse_other_sessions(connection)
            migrations.refuse_foreign_tables(connection)
            if migrations.stored_revision(connection) not in {None, migrations.wanted_revision()}:
                raise Conflict(OTHER_SCHEMA.format(url=library_lock.masked_url(url)))
            tables.drop_tables(connection)
            fill(connection)
        finish(database)
    return None


def _replace_file(
    path: Path, fill: Callable[[sa.Connection], None], finish: Callable[[Database], None], *, keep: bool
) -> Path | None:
    _delete_remains(path)
    draft = path.with_name(path.name + DRAFT)
    try:
        with _open_database(f"sqlite:///{draft}", draft=True) as database:
            with change_schema(database) as connection:
                fill(connection)
            finish(database)
        sync_path(draft)
        return _swap_files(draft, path, keep=keep)
    finally:
        _delete_files(draft)


def _swap_files(draft: Path, path: Path, *, keep: bool) -> Path | None:
    kept = path.with_name(f"{path.name}{KEPT}{now():%Y%m%dT%H%M%SZ}") if keep else None
    if path.exists():
        _move_log_into_file(path)
    if kept is not None:
        os.link(path, kept)  # So that there is a library at any moment.
    for suffix in SIDE_FILES:  # Still there only if the old file is damaged.
        log = path.with_name(path.name + suffix)
        if log.exists() and kept is not None:
            log.replace(kept.with_name(kept.name + suffix))
        log.unlink(missing_ok=True)
    sync_path(path.parent)
    draft.replace(path)
    sync_path(path.parent)
    return kept


def _move_log_into_file(path: Path) -> None:
    """Have the recent changes of the old library in its file instead of the log beside it, if it can be read."""
    with _open_database(f"sqlite:///{path}") as database:
        try:
            with database.write():
                pass
        except (StorageUnavailable, sa.exc.DBAPIError):
            return


def _delete_remains(path: Path) -> None:
    """Delete what an interrupted replacement has left: its unfinished file, and a second name of the library's own."""
    _delete_files(path.with_name(path.name + DRAFT))
    for kept in path.parent.glob(f"{path.name}{KEPT}*"):
        if path.exists() and kept.samefile(path):
            kept.unlink()


def _delete_files(path: Path) -> None:
    for suffix in ("", *SIDE_FILES):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def _open_database(url: str, *, draft: bool = False) -> Iterator[Database]:
    database = Database(url, draft=draft)
    try:
        yield database
    finally:
        database.dispose()
