"""The files of backups: their names, and the folder they are in."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.files import PARTIAL, lock_file
from readtrack.workspace.backup.archive import Manifest, open_archive

_NAME = re.compile(r"readtrack-(\d{8}T\d{6}Z)(?:-before-(\w+))?\.zip")


@dataclass(frozen=True)
class BackupFile:
    """A backup in a folder. `before`: the revision that an upgrade then went to; `manifest`: None if it is damaged."""

    path: Path
    created_at: datetime
    size: int
    before: str
    manifest: Manifest | None

    @property
    def name(self) -> str:
        return self.path.name


def dated_name(*, before: str = "") -> str:
    """Return the name of a backup that is made now."""
    return f"readtrack-{now():%Y%m%dT%H%M%SZ}{f'-before-{before}' if before else ''}.zip"


def list_backups(folder: Path) -> list[BackupFile]:
    """Return the backups in a folder by their names, newest first. Other files are left out."""
    if not folder.is_dir():
        return []
    paths = sorted((path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file()), reverse=True)
    return [backup for backup in map(_describe, paths) if backup is not None]


def _describe(path: Path) -> BackupFile | None:
    """Return the backup, or None if it was deleted meanwhile."""
    matched = _NAME.fullmatch(path.name)
    stamp, before = matched.groups() if matched else ("", "")
    manifest = None
    with suppress(Invalid, OSError), open_archive(path) as archive:
        manifest = archive.manifest
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    try:
        created_at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:  # Digits that are no time.
        created_at = datetime.fromtimestamp(stat.st_mtime, UTC)
    return BackupFile(path, created_at, stat.st_size, before or "", manifest)


def delete_old_backups(folder: Path, keep: int) -> list[BackupFile]:
    """Delete all but the newest backups and the newest of each of the last days, and return the deleted ones.

    Many backups of one day thus delete none of the days before. Other files stay, damaged ones too, and so do the
    backups that were made before an upgrade.
    """
    ours = [backup for backup in list_backups(folder) if backup.manifest is not None and not backup.before]
    newest_by_day: dict[date, BackupFile] = {}
    for backup in ours:
        newest_by_day.setdefault(backup.created_at.date(), backup)
    kept_names = {backup.name for backup in (*ours[:keep], *list(newest_by_day.values())[:keep])}
    old = [backup for backup in ours if backup.name not in kept_names]
    for backup in old:
        backup.path.unlink(missing_ok=True)
    return old


def delete_partial_files(folder: Path) -> None:
    """Delete what interrupted backups have left in a folder."""
    for path in folder.glob(f"readtrack-*{PARTIAL}"):
        if not _NAME.fullmatch(path.name.removesuffix(PARTIAL)):
            continue
        with suppress(Conflict), lock_file(path):
            path.unlink(missing_ok=True)
