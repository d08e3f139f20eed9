"""What an operator looks at first: database, disk, worker, jobs and sources. Shown as a page and as metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

import readtrack
from readtrack.infra import disk, permissions
from readtrack.infra.config import Settings
from readtrack.infra.db import Read
from readtrack.infra.db.size import DatabaseSize, measure_database
from readtrack.infra.jobs import queue, scheduler
from readtrack.infra.jobs.queue import JobCount
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.enrichment.source_status import SourceStatus, list_sources


@dataclass(frozen=True)
class SystemStatus:
    """The state of this readtrack.

    `free_bytes`: on the disk of the data folder; None if the folder is missing. `worker_seen_at`: the last sign of life
    of any worker. `oldest_due_at`: since when the job that waits longest is due.
    """

    version: str
    database: DatabaseSize
    free_bytes: int | None
    worker_seen_at: datetime | None
    is_worker_running: bool
    jobs: Sequence[JobCount]
    oldest_due_at: datetime | None
    papers: int
    sources: Sequence[SourceStatus]

    def count_jobs(self, state: str) -> int:
        """Return the number of jobs in a state, of any kind."""
        return sum(job.count for job in self.jobs if job.state == state)


def get_system_status(tx: Read, me: CurrentUser, settings: Settings) -> SystemStatus:
    """Return the state of this readtrack, in a fixed number of statements. Raise NotAllowed if `me` is no admin."""
    permissions.require(me, "manage-jobs")
    worker_seen_at = scheduler.last_heartbeat(tx)
    return SystemStatus(
        version=readtrack.__version__,
        database=measure_database(tx),
        free_bytes=_find_free_bytes(settings),
        worker_seen_at=worker_seen_at,
        is_worker_running=scheduler.is_worker_running(worker_seen_at),
        jobs=queue.count_unfinished_jobs(tx),
        oldest_due_at=queue.oldest_due_at(tx),
        papers=_count_papers(tx),
        sources=list_sources(tx, settings.bases, offline=settings.offline),
    )


def is_disk_almost_full(settings: Settings) -> bool:
    """Return True if less space is left than READTRACK_MIN_FREE_MB, or the data folder is missing."""
    free_bytes = _find_free_bytes(settings)
    return free_bytes is None or free_bytes < settings.min_free_bytes


def _find_free_bytes(settings: Settings) -> int | None:
    """Return the space left on the disk of the data folder, or None if the folder is missing or unreadable."""
    try:
        return disk.free_bytes(settings.data)
    except OSError:
        return None


def _count_papers(tx: Read) -> int:
    return tx.scalar(sa.select(sa.func.count()).select_from(Paper).where(permissions.is_present(Paper))) or 0
