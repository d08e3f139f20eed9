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

MAX_WAITING = 200  # papers of an import that are counted; there may be more
LATEST_IMPORTS = 20  # how many are looked at; older ones are done


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is.

    `state`: parsing, committing, committed or failed. `papers_waiting`: its papers that wait for metadata, counted
    up to MAX_WAITING.
    """

    id: int
    title: str
    number: int
    state: str
    progress_done: int = 0
    total: int | None = None
    error: str = ""
    papers_waiting: int = 0

    @property
    def has_more_waiting(self) -> bool:
        """Return True if more papers may wait than were counted."""
        return self.papers_waiting == MAX_WAITING


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
    """Return how many papers of each import wait for metadata, counted up to MAX_WAITING.

    The cost depends neither on the number of requests nor on the length of an import. If many papers of the library
    wait, only the last ones of each import are looked at, which are asked about last.
    """
    waiting_query = sa.select(col(MetadataRequest.paper_id)).where(is_waiting()).limit(MAX_WAITING)
    waiting_ids = set(tx.scalars(waiting_query))
    if not waiting_ids or not import_ids:
        return {}
    if len(waiting_ids) == MAX_WAITING:
        return _count_last_waiting(tx, import_ids)
    papers = sa.func.count(sa.distinct(col(Entry.paper_id))).label("papers")
    query = sa.select(col(Entry.revision_id), papers).where(
        col(Entry.paper_id).in_(waiting_ids), col(Entry.revision_id).in_(import_ids)
    )
    return {row.revision_id: row.papers for row in tx.execute(query.group_by(col(Entry.revision_id)))}


def _count_last_waiting(tx: Read, import_ids: Sequence[int]) -> dict[int, int]:
    """Return how many papers wait, among those of the last entries of each import."""
    last_query = sa.select(col(Entry.paper_id)).where(col(Entry.revision_id) == col(NoteRevision.id))
    last_query = last_query.order_by(col(Entry.position).desc()).limit(MAX_WAITING)
    last_entries = last_query.correlate(NoteRevision).subquery()
    waits = sa.exists().where(
        col(MetadataRequest.paper_id) == last_entries.c.paper_id, col(MetadataRequest.state) == "waiting"
    )
    count_query = sa.select(sa.func.count(sa.distinct(last_entries.c.paper_id))).where(waits)
    papers = count_query.correlate(NoteRevision).scalar_subquery().label("papers")
    query = sa.select(col(NoteRevision.id), papers).where(col(NoteRevision.id).in_(import_ids))
    return {row.id: row.papers for row in tx.execute(query)}
