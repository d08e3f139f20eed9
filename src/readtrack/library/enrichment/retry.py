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
AT_ONCE = 200  # papers in one transaction


def refresh_matching_papers(tx: Write, me: CurrentUser, q: str) -> int:
    """Refresh the metadata of all papers of a query and return their number."""
    permissions.require(me, "edit")
    these = sa.select(col(Paper.id)).where(lists.visible_papers_filter(tx, me, search.parse(q))).order_by(col(Paper.id))
    return _refresh_papers(tx, me, [paper_id for paper_id in tx.scalars(these) if paper_id])


def _refresh_papers(tx: Write, me: CurrentUser, paper_ids: Sequence[int]) -> int:
    """Refresh the first portion now and the rest by a job."""
    refresh_metadata(tx, paper_ids[:AT_ONCE])
    if rest := paper_ids[AT_ONCE:]:
        job_id = queue.enqueue(tx, JOB, {"papers": rest}, created_by=me.id)
        queue.set_total(tx, job_id, len(rest))
    return len(paper_ids)


@queue.handler(JOB)
def refresh_remaining_papers(database: Database, _http: Http, claimed: LeasedJob) -> None:
    """Refresh portion after portion, resuming where the job stopped."""
    papers: Sequence[int] = claimed.payload["papers"]
    failed = queue.failed_items(claimed)
    for start in range(claimed.progress_done, len(papers), AT_ONCE):
        some = papers[start : start + AT_ONCE]
        if new := queue.write_items(database, claimed, some, refresh_metadata, done=start + len(some)):
            failed += new
            with database.write() as tx:
                queue.record_failed_items(tx, claimed, failed)
    queue.finish_items(database, claimed, "papers", failed)
