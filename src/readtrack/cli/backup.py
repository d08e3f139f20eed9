"""`readtrack backup`, `restore` and `export archive`."""

from pathlib import Path

import typer

from readtrack.cli.context import open_unmigrated_database, refuse_without_library
from readtrack.infra import config
from readtrack.infra.clock import now
from readtrack.infra.config import Settings
from readtrack.infra.db.replacement import KEPT
from readtrack.infra.errors import Invalid
from readtrack.infra.files import write_beside
from readtrack.team.accounts.queries import get_visitor
from readtrack.workspace.backup.archive import Archive, key_check, open_archive
from readtrack.workspace.backup.create import SECRET_KEY, create_backup
from readtrack.workspace.backup.person_data import write_person_data
from readtrack.workspace.backup.restore import restore_archive

WORD = "REPLACE"
OTHER_KEY = (
    "The secret key differs from that of the backup: codes of authenticator apps don't work, only recovery codes do. "
    "Set READTRACK_SECRET_KEY to the old key if you have it."
)


def back_up(path: Path, *, keep: int, with_secret_key: bool) -> None:
    """Run `readtrack backup`."""
    settings = config.load()
    refuse_without_library(settings)
    if keep and not path.is_dir():
        raise Invalid(f"{path} isn't a folder. --keep deletes older backups in a folder.")
    secret_key = settings.stored_secret_key()
    if with_secret_key and not secret_key:
        raise Invalid("There is no secret key to back up.")
    with open_unmigrated_database(settings) as database:
        target, manifest = create_backup(
            database,
            path,
            key_check=key_check(secret_key),
            secret_key=secret_key if with_secret_key else "",
            keep=keep,
        )
    key = ", with the secret key" if with_secret_key else ", without the secret key"
    typer.echo(f"{target}: {manifest.row_count:,} rows, {target.stat().st_size:,} bytes, verified{key}")


def export_archive(path: Path, person: str) -> None:
    """Run `readtrack export archive`: the whole library, or the data of one person."""
    if not person:
        back_up(path, keep=0, with_secret_key=False)
        return
    settings = config.load()
    refuse_without_library(settings)
    with open_unmigrated_database(settings) as database:
        with database.read() as tx:
            owner = get_visitor(tx, person)
        with write_beside(path) as file:
            manifest = write_person_data(database, file, owner.id)
    typer.echo(f"{path}: {manifest.row_count:,} rows of {owner.name}")


def restore(path: Path, *, replace: bool, word: str) -> None:
    """Run `readtrack restore`."""
    settings = config.load()
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_archive(path) as archive:
        if replace and not word:
            question = f"Type {WORD} to replace the library at {settings.shown_url} by the backup of "
            word = typer.prompt(f"{question}{archive.manifest.created_at:%Y-%m-%d %H:%M} UTC", err=True)
        if replace and word != WORD:
            raise Invalid(f"Nothing was restored. Type {WORD}, or add --yes {WORD}.")
        kept = restore_archive(path, settings.url, replace=replace)
        typer.echo(f"Restored {archive.manifest.row_count:,} rows. Everyone has to sign in again.")
        if kept:
            typer.echo(f"The old library is {kept}. Delete it when you don't need it any more.")
        if key_line := _restore_secret_key(settings, archive):
            typer.echo(key_line)


def _restore_secret_key(settings: Settings, archive: Archive) -> str:
    """Store the key of the archive unless it is set elsewhere, and return a line about it for the operator."""
    key = settings.stored_secret_key()
    if SECRET_KEY not in archive.manifest.files or settings.secret_key:
        check = archive.manifest.key_check
        return OTHER_KEY if check and check != key_check(key) else ""
    archived_key = archive.read_file(SECRET_KEY)
    path = settings.secret_key_path
    if key.encode() == archived_key:
        return ""
    if key:
        path.replace(path.with_name(f"{path.name}{KEPT}{now():%Y%m%dT%H%M%SZ}"))
    with write_beside(path) as file:
        file.write(archived_key)
    return f"The secret key was restored to {path}."
