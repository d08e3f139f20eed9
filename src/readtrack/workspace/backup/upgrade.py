"""The backup that is made before a schema is upgraded, and finding it again."""

from collections.abc import Callable
from pathlib import Path

from readtrack.infra.config import Settings
from readtrack.infra.db import Database, migrations
from readtrack.infra.errors import NewerSchema, ReadtrackError, StorageUnavailable
from readtrack.workspace.backup.archive import key_check
from readtrack.workspace.backup.create import create_backup
from readtrack.workspace.backup.files import BackupFile, list_backups

FAILED = (
    "The database was not upgraded, because the backup before it failed ({reason}). Solve that, or run "
    "`readtrack migrate --no-backup`."
)
RESTORE = "{message} Or restore the backup that was made before the upgrade: {path}"


def backup_before_upgrade(settings: Settings, database: Database) -> Callable[[str], Path]:
    """Return a function that backs up the library before an upgrade. It raises StorageUnavailable if that fails."""

    def back_up(_revision: str) -> Path:
        try:
            settings.backup_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path, _manifest = create_backup(
                database,
                settings.backup_folder,
                key_check=key_check(settings.secret_key),
                before=migrations.wanted_revision(),
            )
        except (ReadtrackError, OSError) as error:
            raise StorageUnavailable(FAILED.format(reason=str(error).rstrip("."))) from error
        return path

    return back_up


def describe_newer_schema(settings: Settings, error: NewerSchema) -> NewerSchema:
    """Return the error with the backup that this version of readtrack can restore, if there is one."""
    backup = find_backup_before_upgrade(settings.backup_folder)
    if backup is None:
        return error
    return NewerSchema(RESTORE.format(message=error.message, path=backup.path))


def find_backup_before_upgrade(folder: Path) -> BackupFile | None:
    """Return the newest backup before an upgrade from a schema that this readtrack knows."""
    known = migrations.known_revisions()
    made_before = (backup for backup in list_backups(folder) if backup.before and backup.manifest)
    return next((backup for backup in made_before if backup.manifest and backup.manifest.revision in known), None)
