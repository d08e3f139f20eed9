"""The tasks that a worker runs periodically."""

from collections.abc import Sequence

from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.http.types import Http
from readtrack.infra.http.webhooks import find_webhook_sender
from readtrack.infra.jobs.cleanup import purge_jobs, purge_outdated
from readtrack.infra.jobs.scheduler import ScheduledTask
from readtrack.ingest.imports.long_imports import discard_interrupted_uploads
from readtrack.library.duplicates.jobs import schedule_duplicate_search
from readtrack.library.enrichment.jobs import resume_pending_requests
from readtrack.library.papers.similar import enqueue_embedding
from readtrack.team.notifications import commands, digest
from readtrack.team.notifications.commands import delete_old_notifications
from readtrack.workspace.backup.schedule import schedule_daily_backup
from readtrack.workspace.graph.map_job import schedule_map_layout
from readtrack.workspace.trash.purge import purge_trash
from readtrack.workspace.webhooks.collect import collect_events

RESUME_INTERVAL_SECONDS = 6 * 60 * 60.0  # Seconds between retries of requests whose job has failed, and between purges.
CHECK_INTERVAL_SECONDS = 5 * 60.0  # Seconds between checks for due daily mails and for papers that need embeddings.
BACKUP_INTERVAL_SECONDS = 60 * 60.0  # Seconds between checks whether a backup was made today.
WEBHOOK_INTERVAL_SECONDS = 15.0  # Seconds between checks for new events.
COMPARE_INTERVAL_SECONDS = 60.0  # Seconds between checks for new and changed papers to be compared.


def periodic_tasks(settings: Settings | None = None) -> Sequence[ScheduledTask]:
    """Return all periodic tasks, in the order in which they run when several are due.

    Those that depend on settings are left out without them.
    """
    return (*_tasks_with(settings), *_tasks()) if settings else _tasks()


def _tasks_with(settings: Settings) -> Sequence[ScheduledTask]:
    def start_backup(database: Database, _http: Http) -> None:
        schedule_daily_backup(database, settings)

    return (ScheduledTask("start daily backup", BACKUP_INTERVAL_SECONDS, start_backup),)


def _tasks() -> Sequence[ScheduledTask]:
    return (
        ScheduledTask("resume requests", RESUME_INTERVAL_SECONDS, _resume_requests),
        ScheduledTask("compare papers", COMPARE_INTERVAL_SECONDS, _compare_papers),
        ScheduledTask("send webhooks", WEBHOOK_INTERVAL_SECONDS, _send_webhooks),
        ScheduledTask("start daily mail", CHECK_INTERVAL_SECONDS, _start_daily_mail),
        ScheduledTask("start embeddings", CHECK_INTERVAL_SECONDS, _start_embeddings),
        ScheduledTask("start the map", RESUME_INTERVAL_SECONDS, lambda database, _http: schedule_map_layout(database)),
        ScheduledTask("purge read notifications", RESUME_INTERVAL_SECONDS, _purge_read_notifications),
        ScheduledTask("purge the trash", RESUME_INTERVAL_SECONDS, lambda database, _http: purge_trash(database)),
        ScheduledTask("discard interrupted uploads", RESUME_INTERVAL_SECONDS, _discard_uploads),
        ScheduledTask("purge jobs", RESUME_INTERVAL_SECONDS, lambda database, _http: purge_jobs(database)),
        ScheduledTask("purge outdated rows", RESUME_INTERVAL_SECONDS, lambda database, _http: purge_outdated(database)),
    )


def _resume_requests(database: Database, _http: Http) -> None:
    with database.write() as tx:
        resume_pending_requests(tx)


def _compare_papers(database: Database, _http: Http) -> None:
    schedule_duplicate_search(database)


def _send_webhooks(database: Database, http: Http) -> None:
    if find_webhook_sender(http) is not None:
        collect_events(database)


def _start_daily_mail(database: Database, http: Http) -> None:
    with database.write() as tx:
        digest.schedule_digests(tx, http)


def _start_embeddings(database: Database, _http: Http) -> None:
    with database.write() as tx:
        enqueue_embedding(tx)


def _discard_uploads(database: Database, _http: Http) -> None:
    discard_interrupted_uploads(database)


def _purge_read_notifications(database: Database, _http: Http) -> None:
    count = commands.MAX_DELETED_AT_ONCE
    while count >= commands.MAX_DELETED_AT_ONCE:
        with database.write() as tx:
            count = delete_old_notifications(tx)
