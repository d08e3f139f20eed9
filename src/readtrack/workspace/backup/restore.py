"""Restores a library from an archive, into either database.

The archive is read twice: checked as a whole, then loaded into tables of its own revision, which are upgraded. The old
library is replaced in one step at the end: on SQLite by renaming a new file, on PostgreSQL by the commit of the one
transaction that does everything.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from readtrack import search
from readtrack.infra import db
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write, library_lock, migrations, tables
from readtrack.infra.errors import Conflict, Invalid, StorageUnavailable
from readtrack.infra.jobs import queue
from readtrack.infra.models import Notification
from readtrack.library.references import index
from readtrack.workspace.backup.archive import DAMAGED, Archive, open_archive
from readtrack.workspace.backup.create import TEMPORARY
from readtrack.workspace.backup.files import sync_folder

DRAFT = ".restoring"
KEPT = ".before-restore-"
ONE_PERSON = "{name} has the data of one person. Only an archive of a whole library can be restored."
NEWER = "{name} has schema {revision}, which is newer than this readtrack. Install version {version} or a newer one."
USED = "There is a library at {url}. Add --replace to replace it."
OTHER_SCHEMA = "The library at {url} has another schema. Run `readtrack migrate` first, or restore into an empty database."


@dataclass(frozen=True)
class Restored:
    """What a restore has done. `kept`: where the old library's file is, if there was one."""

    row_count: int
    kept: Path | None = None


def restore_archive(path: Path, url: str, *, replace: bool = False) -> Restored:
    """Restore the library of an archive into the database at `url`.

    Raise Invalid if the archive is not a whole library that this readtrack can read, and Conflict if the database has
    a library, unless `replace`; nothing has changed then.
    """
    with open_archive(path) as archive, library_lock.hold_library_alone(url):
        _refuse_unfit(archive)
        archive.verify()
        is_used = has_library(url)
        if is_used and not replace:
            raise Conflict(USED.format(url=_shown(url)))
        if sa.make_url(url).get_backend_name() == "sqlite":
            kept = _restore_file(archive, Path(sa.make_url(url).database or ""), is_used=is_used)
        else:
            kept = None
            _restore_tables(archive, url)
        return Restored(archive.manifest.row_count, kept)


def has_library(url: str) -> bool:
    """Return False if restoring loses nothing: nobody has joined yet, or the SQLite file is missing or empty."""
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite" and not _has_content(Path(parsed.database or "")):
        return False
    with _opened(url) as database:
        try:
            with database.snapshot() as connection:
                if migrations.stored_revision(connection) is None:
                    migrations.refuse_foreign_tables(connection)
                    return False
                return connection.execute(sa.select(sa.column("id")).select_from(sa.table("person"))).first() is not None
        except StorageUnavailable:
            if database.dialect == "sqlite":
                return True  # Damaged, or no library.
            raise


def _refuse_unfit(archive: Archive) -> None:
    manifest = archive.manifest
    if manifest.kind != "library":
        raise Invalid(ONE_PERSON.format(name=archive.name))
    if manifest.revision not in migrations.known_revisions():
        message = NEWER.format(name=archive.name, revision=manifest.revision, version=manifest.readtrack)
        raise Invalid(message)


def _restore_file(archive: Archive, path: Path, *, is_used: bool) -> Path | None:
    """Build the library in a new file, then put it in the place of the old one, which is kept."""
    _delete_remains(path)
    draft = path.with_name(path.name + DRAFT)
    try:
        with _opened(f"sqlite:///{draft}") as database:
            with db.change_schema(database) as connection:
                _fill(connection, archive)
            _build_indexes(database)
        # The last connection has written the log into the file and deleted it, so the file is complete on disk.
        return _swap(draft, path, keep=is_used)
    except BaseException:
        _delete_files(draft)
        raise


def _restore_tables(archive: Archive, url: str) -> None:
    with _opened(url) as database:
        with db.change_schema(database) as connection:
            library_lock.refuse_other_sessions(connection)
            migrations.refuse_foreign_tables(connection)
            if migrations.stored_revision(connection) not in {None, migrations.wanted_revision()}:
                raise Conflict(OTHER_SCHEMA.format(url=_shown(url)))
            tables.drop_tables(connection)
            _fill(connection, archive)
        _build_indexes(database)  # If this is interrupted, the next start does it.


def _fill(connection: sa.Connection, archive: Archive) -> None:
    manifest = archive.manifest
    migrations.upgrade(connection, manifest.revision)
    found = {name: columns for name, columns in tables.list_tables(connection).items() if name not in TEMPORARY}
    if found != {name: table.columns for name, table in manifest.tables.items()}:
        raise Invalid(DAMAGED.format(name=archive.name, reason="its tables aren't those of its schema"))
    with tables.without_foreign_keys(connection):
        for name, columns in found.items():
            tables.clear_table(connection, name)  # Migrations may have put rows there.
            tables.fill_table(connection, name, columns, archive.rows(name))
    last_ids = {name: table.last_id for name, table in manifest.tables.items() if table.last_id is not None}
    tables.set_last_ids(connection, last_ids, found)
    migrations.upgrade(connection)
    with Write(connection) as tx:
        _forget_sent(tx)
        tx.flush()


def _forget_sent(tx: Write) -> None:
    """Have nothing sent again that was sent after the backup: mail that was due then is not due any more."""
    queue.end_outgoing_jobs(tx)
    tx.bulk_execute(sa.update(Notification).values(mail_due=False))


def _build_indexes(database: Database) -> None:
    with database.write() as tx:
        search.ensure(tx)
        index.index_missing_references(tx)


def _swap(draft: Path, path: Path, *, keep: bool) -> Path | None:
    kept = path.with_name(f"{path.name}{KEPT}{now():%Y%m%dT%H%M%SZ}") if keep else None
    if path.exists():
        _write_log_into_file(path)
    if kept is not None:
        os.link(path, kept)  # So that there is a library at any moment.
    for suffix in ("-wal", "-shm"):  # Still there only if the old file is damaged.
        log = path.with_name(path.name + suffix)
        if log.exists() and kept is not None:
            log.replace(kept.with_name(kept.name + suffix))
        log.unlink(missing_ok=True)
    sync_folder(path.parent)
    draft.replace(path)
    sync_folder(path.parent)
    return kept


def _write_log_into_file(path: Path) -> None:
    """Have the recent changes of the old library in its file instead of the log beside it, if it can be read."""
    with _opened(f"sqlite:///{path}") as database:
        try:
            with database.write():
                pass
        except (StorageUnavailable, sa.exc.DBAPIError):
            return


def _delete_remains(path: Path) -> None:
    """Delete what an interrupted restore has left: its unfinished file, and a second name of the library's own."""
    _delete_files(path.with_name(path.name + DRAFT))
    for kept in path.parent.glob(f"{path.name}{KEPT}*"):
        if path.exists() and kept.samefile(path):
            kept.unlink()


def _delete_files(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _shown(url: str) -> str:
    return sa.make_url(url).render_as_string(hide_password=True)


@contextmanager
def _opened(url: str) -> Iterator[Database]:
    database = Database(url)
    try:
        yield database
    finally:
        database.dispose()
