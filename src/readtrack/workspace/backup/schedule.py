"""Backups that a worker makes: each day, and when an admin asks for one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import NotFound, ReadtrackError, StorageUnavailable
from readtrack.infra.events import record_event
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Person
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.backup.archive import key_check
from readtrack.workspace.backup.create import create_backup
from readtrack.workspace.backup.files import BackupFile, list_backups

JOB = "backup.create"


@dataclass(frozen=True)
class BackupOverview:
    """The backups in the folder, and the unfinished or failed one. `is_daily`: one is made each day."""

    backups: Sequence[BackupFile]
    is_daily: bool
    is_running: bool
    error: str


def get_backup_overview(tx: Read, me: CurrentUser, settings: Settings) -> BackupOverview:
    """Return what the page of backups shows."""
    permissions.require(me, "manage-backups")
    job = queue.find_by_dedup_key(tx, JOB)
    return BackupOverview(
        backups=list_backups(settings.backup_folder),
        is_daily=bool(settings.backup_dir),
        is_running=job is not None and job.state != "failed",
        error=job.error if job else "",
    )


def require_access(me: CurrentUser) -> None:
    """Raise NotAllowed unless the user may download backups, and in a browser: they have everybody's private data."""
    permissions.require(me, "manage-backups")
    permissions.require_browser(me)


def take_backup(tx: Write, me: CurrentUser, settings: Settings, name: str) -> BackupFile:
    """Return the backup with that name among those in the folder, and record the download.

    Raise NotConfirmed without a password, and NotFound if there is no such backup.
    """
    require_access(me)
    permissions.require_confirmed(me)
    for backup in list_backups(settings.backup_folder):
        if backup.name == name:
            record_event(tx, me, "backup.downloaded", data={"name": name}, private=True)
            return backup
    raise NotFound(_("Backup not found."))


def request_backup(tx: Write, me: CurrentUser, settings: Settings) -> None:
    """Have a worker make a backup now, unless it is making one."""
    permissions.require(me, "manage-backups")
    _enqueue(tx, settings)


def schedule_daily_backup(database: Database, settings: Settings) -> None:
    """Have a worker make a backup if there is none of today (UTC) in the folder for daily ones."""
    if not settings.backup_dir:
        return
    dates = {backup.created_at.date() for backup in list_backups(settings.backup_folder) if not backup.before}
    if now().date() not in dates:
        with database.write() as tx:
            _enqueue(tx, settings)


def _enqueue(tx: Write, settings: Settings) -> None:
    folder, check = str(settings.backup_folder.absolute()), key_check(settings.secret_key)
    payload = {"folder": folder, "keep": settings.backup_keep, "key_check": check}
    queue.enqueue(tx, JOB, payload, dedup_key=JOB)


@queue.handler(JOB)
def run_backup(database: Database, _http: Http, job: LeasedJob) -> None:
    """Make a backup and delete old ones. If it fails, tell the admins; the job is tried again."""
    folder = Path(job.payload["folder"])
    problem: BaseException | None
    try:
        with queue.isolate_errors("failed to make backup", ReadtrackError, OSError) as outcome:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_backup(database, folder, key_check=job.payload["key_check"], keep=job.payload["keep"])
        problem = outcome.problem
    except (ReadtrackError, OSError) as error:
        problem = error
    if problem is not None:
        reason = str(problem) if isinstance(problem, OSError) else queue.problem_message(problem)
        with database.write() as tx:
            _notify_admins(tx, job, reason)
        raise StorageUnavailable(reason) from problem
    with database.write() as tx:
        queue.finish_job(tx, job)


def _notify_admins(tx: Write, job: LeasedJob, reason: str) -> None:
    is_admin = (col(Person.role) == "admin", col(Person.disabled_at).is_(None))
    admins = [number or 0 for number in tx.scalars(sa.select(col(Person.id)).where(*is_admin))]
    data = {"happened": "backup-failed", "problem": reason}
    notify(tx, None, "job", admins, subject_ids={"job_id": job.id}, group_key="backup", data=data)
