"""Restores a library from an archive, into either database.

The archive is read twice: its hashes are checked, then its rows are loaded into tables of its own revision, which are
upgraded.
"""

from pathlib import Path

import sqlalchemy as sa

from readtrack import search
from readtrack.infra.db import Database, Write, change_triggers, library_lock, migrations, tables
from readtrack.infra.db.replacement import has_library, replace_library
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.jobs import queue
from readtrack.infra.models import Notification
from readtrack.library.references import index
from readtrack.workspace.backup.archive import DAMAGED, Archive, open_archive
from readtrack.workspace.backup.create import TEMPORARY
from readtrack.workspace.webhooks.collect import forget_unsent

ONE_PERSON = "{name} has the data of one person. Only an archive of a whole library can be restored."
NEWER = "{name} has schema {revision}, which is newer than this readtrack. Install version {version} or a newer one."
USED = "There is a library at {url}. Add --replace to replace it."


def restore_archive(path: Path, url: str, *, replace: bool = False) -> Path | None:
    """Restore the library of an archive into the database at `url`.

    Return where the old library is kept, if it is. Raise Invalid if the archive is not a whole library that this
    readtrack can read, and Conflict if the database has a library, unless `replace`; nothing has changed then.
    """
    with open_archive(path) as archive, library_lock.hold_library_alone(url):
        _refuse_unfit(archive)
        is_used = has_library(url)
        if is_used and not replace:
            raise Conflict(USED.format(url=library_lock.masked_url(url)))
        archive.verify()
        return replace_library(url, lambda connection: _fill(connection, archive), _build_indexes, keep=is_used)


def _refuse_unfit(archive: Archive) -> None:
    manifest = archive.manifest
    if manifest.kind != "library":
        raise Invalid(ONE_PERSON.format(name=archive.name))
    if manifest.revision not in migrations.known_revisions():
        message = NEWER.format(name=archive.name, revision=manifest.revision, version=manifest.readtrack)
        raise Invalid(message)


def _fill(connection: sa.Connection, archive: Archive) -> None:
    manifest = archive.manifest
    migrations.upgrade(connection, manifest.revision)
    change_triggers.drop_triggers(connection)  # The last upgrade below creates them; rows of a backup are no changes.
    found = {name: columns for name, columns in tables.list_tables(connection).items() if name not in TEMPORARY}
    if found != {name: table.columns for name, table in manifest.tables.items()}:
        raise Invalid(DAMAGED.format(name=archive.name, reason="its tables aren't those of its schema"))
    with tables.without_foreign_keys(connection), tables.without_indexes(connection):
        for name, columns in found.items():
            tables.fill_table(connection, name, columns, archive.rows(name))
    last_ids = {name: table.last_id for name, table in manifest.tables.items() if table.last_id is not None}
    tables.set_last_ids(connection, last_ids, found)
    migrations.upgrade(connection)
    with Write(connection) as tx:
        _forget_sent(tx)


def _forget_sent(tx: Write) -> None:
    """Have nothing sent again that was sent after the backup: mail and webhooks due then are not due any more."""
    queue.end_outgoing_jobs(tx)
    forget_unsent(tx)
    tx.bulk_execute(sa.update(Notification).values(mail_due=False))


def _build_indexes(database: Database) -> None:
    """Build what is not in an archive. If this is interrupted on PostgreSQL, the next start does it."""
    with database.write() as tx:
        search.ensure(tx)
        index.index_missing_references(tx)
