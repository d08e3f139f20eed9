"""Refreshing the metadata of many papers in portions, to keep write transactions short."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.db import Database, Write
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.enrichment.scheduler import refresh_metadata
from readtrack.library.papers import lists

JOB = "papers.again"
BATCH_SIZE = 200  # papers in one transaction


def refresh_matching_papers(tx: Write, me: CurrentUser, query: str) -> int:
    """Refresh the metadata of all papers of a query and return their number."""
    permissions.require(me, "edit")
    paper_query = (
        sa.select(col(Paper.id)).where(lists.visible_papers_filter(tx, me, search.parse(query))).order_by(col(Paper.id))
    )
    return _refresh_papers(tx, me, [paper_id for paper_id in tx.scalars(paper_query) if paper_id])


def _refresh_papers(tx: Write, me: CurrentUser, paper_ids: Sequence[int]) -> int:
    """Refresh the first portion now and the rest by a job."""
    refresh_metadata(tx, paper_ids[:BATCH_SIZE])
    if remaining_ids := paper_ids[BATCH_SIZE:]:
        job_id = queue.enqueue(tx, JOB, {"papers": remaining_ids}, created_by=me.id)
        queue.set_total(tx, job_id, len(remaining_ids))
    return len(paper_ids)


@queue.handler(JOB)
def refresh_remaining_papers(database: Database, _http: Http, job: LeasedJob) -> None:
    """Refresh portion after portion, resuming where the job stopped."""
    papers: Sequence[int] = job.payload["papers"]
    failed_ids = queue.failed_items(job)
    for start in range(job.progress_done, len(papers), BATCH_SIZE):
        batch = papers[start : start + BATCH_SIZE]
        if new_failures := queue.write_items(database, job, batch, refresh_metadata, done=start + len(batch)):
            failed_ids += new_failures
            with database.write() as tx:
                queue.record_failed_items(tx, job, failed_ids)
    queue.finish_items(database, job, "papers", failed_ids)
