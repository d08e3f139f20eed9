"""What is going on in the background: sources, imports and all other jobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, Job, MetadataRequest, Note, NoteRevision
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports.queries import revision_state
from readtrack.library.enrichment.pending import is_waiting
from readtrack.library.enrichment.scheduler import JOB as SERVICE_JOB
from readtrack.library.enrichment.source_status import SourceStatus, list_sources

LATEST_IMPORTS = 20  # how many are looked at; older ones are done


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is.

    `state`: parsing, committing, committed or failed. `papers_waiting`: its papers that wait for metadata.
    """

    id: int
    title: str
    number: int
    state: str
    progress_done: int = 0
    total: int | None = None
    error: str = ""
    papers_waiting: int = 0


@dataclass(frozen=True)
class JobOverview:
    """What is going on, as far as one person may see it.

    `jobs`: the waiting, running and failed ones except those of sources and imports.
    """

    sources: Sequence[SourceStatus]
    imports: Sequence[ImportProgress]
    jobs: Sequence[Job]


def get_job_overview(tx: Read, me: CurrentUser, bases: Mapping[str, str], *, offline: bool) -> JobOverview:
    """Return what is going on, in a fixed number of statements."""
    own_sections = (SERVICE_JOB, "imports.parse", "imports.commit", "imports.discard")
    return JobOverview(
        sources=list_sources(tx, bases, offline=offline),
        imports=list_import_progress(tx),
        jobs=queue.list_unfinished_jobs(tx, queue.visible_jobs(me), except_kinds=own_sections),
    )


def list_import_progress(tx: Read) -> list[ImportProgress]:
    """Return the latest imports that are in progress, have failed or wait for metadata, newest first."""
    job = aliased(Job)  # `revision_state` looks at the table itself
    columns: Sequence[Any] = (NoteRevision.id, Note.title, NoteRevision.number, job.progress_done, job.total, job.error)
    query = (
        sa.select(*map(col, columns), revision_state().label("state"))
        .join(Note, col(Note.id) == col(NoteRevision.note_id))
        .join(job, col(job.id) == col(NoteRevision.job_id), isouter=True)
        .where(col(NoteRevision.state).in_(("parsing", "committing", "committed")))
        .order_by(col(NoteRevision.id).desc())
        .limit(LATEST_IMPORTS)
    )
    rows = tx.execute(query).all()
    waiting_counts = _count_waiting_papers(tx, [row.id for row in rows])
    imports = [
        ImportProgress(
            row.id,
            row.title,
            row.number,
            row.state,
            row.progress_done or 0,
            row.total,
            row.error or "",
            waiting_counts.get(row.id, 0),
        )
        for row in rows
    ]
    return [progress for progress in imports if progress.state != "committed" or progress.papers_waiting]


def _count_waiting_papers(tx: Read, import_ids: Sequence[int]) -> dict[int, int]:
    query = (
        sa.select(col(Entry.revision_id), sa.func.count(sa.distinct(col(Entry.paper_id))).label("papers"))
        .join(MetadataRequest, col(MetadataRequest.paper_id) == col(Entry.paper_id))
        .where(is_waiting(), col(Entry.revision_id).in_(import_ids))
        .group_by(col(Entry.revision_id))
    )
    return {row.revision_id: row.papers for row in tx.execute(query)}
