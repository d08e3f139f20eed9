"""Writes backups and archives of the whole library while it is in use."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO

from readtrack.infra.db import Database, migrations, tables
from readtrack.infra.errors import Invalid
from readtrack.infra.files import partial_path, write_beside
from readtrack.workspace.backup import files
from readtrack.workspace.backup.archive import ArchiveWriter, Manifest, open_archive

SECRET_KEY = "secret_key"  # noqa: S105 - the name of the file
# Sign-ins, rate limits and the schedule belong to the running service, and changes to copies that follow this library.
# The other names are those before revision 0012.
TEMPORARY = frozenset(
    {"session", "pending_sign_in", "login_attempt", "host_rate_limit", "idempotency_key", "periodic_task"}
    | {"change", "change_feed"}
    | {"sign_in", "half_way", "attempt", "pace", "idempotency"}
)
NO_LIBRARY = "The database has no library."


def create_backup(
    database: Database, path: Path, *, key_check: str = "", secret_key: str = "", before: str = "", keep: int = 0
) -> tuple[Path, Manifest]:
    """Write a verified backup to a file, or to a folder under a name with the date, and return where it is.

    It has the secret key if one is given. With `keep`, delete older backups in the folder. Nothing is left behind if it
    fails.
    """
    is_folder = path.is_dir()
    target = path / files.dated_name(before=before) if is_folder else path
    if is_folder:
        files.delete_partial_files(path)
    with write_beside(target) as file:
        manifest = write_archive(database, file, key_check=key_check, secret_key=secret_key)
        file.flush()
        with open_archive(partial_path(target)) as archive:
            archive.verify()
    if keep:
        files.delete_old_backups(target.parent, keep)
    return target, manifest


def write_archive(database: Database, file: IO[bytes], *, key_check: str = "", secret_key: str = "") -> Manifest:
    """Write the whole library as it is at this moment. Writers are not delayed."""
    with ArchiveWriter.open(file) as writer, database.snapshot() as connection:
        revision = migrations.stored_revision(connection)
        if revision is None:
            raise Invalid(NO_LIBRARY)
        found: Mapping[str, tables.Columns] = tables.list_tables(connection)
        last_ids = tables.last_ids(connection, found)
        for name, columns in found.items():
            if name not in TEMPORARY:
                rows = tables.read_rows(connection, name, columns)
                writer.add_table(name, columns, rows, last_id=last_ids.get(name))
        if secret_key:
            writer.add_file(SECRET_KEY, secret_key.encode())
        return writer.finish(kind="library", revision=revision, database=database.dialect, key_check=key_check)
