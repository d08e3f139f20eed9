"""Refreshing or reparsing the metadata of many papers in portions, to keep write transactions short.

Reparsing reads the stored records again without network access, after an upgrade of the parsers.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.db import Database, Write, savepoint
from readtrack.infra.errors import SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import MetadataRecord, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.person_names import is_same_value
from readtrack.library.enrichment.records import TEXTS, reverify_records, to_record_columns
from readtrack.library.enrichment.scheduler import refresh_metadata
from readtrack.library.papers import lists
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata

JOB = "papers.again"
BATCH_SIZE = 200  # papers in one transaction
CATALOGUE = "catalogue"  # provides records like a service, without being registered as one
NAMES = ("stage", "year", "published_on", "authors", "identifiers", *TEXTS)


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


def reparse_records(tx: Write, me: CurrentUser, query: str, *, after_id: int = 0) -> tuple[int, int]:
    """Reparse the next papers of a query.

    Return the last paper's id (0 at the end) and the number of changed records. A paper whose records cannot be parsed
    is skipped.
    """
    permissions.require(me, "edit")
    paper_query = sa.select(col(Paper.id)).where(
        lists.visible_papers_filter(tx, me, search.parse(query)), col(Paper.id) > after_id
    )
    paper_ids = [paper_id for paper_id in tx.scalars(paper_query.order_by(col(Paper.id)).limit(BATCH_SIZE)) if paper_id]
    change_count = 0
    with search.defer_indexing(tx):
        for paper_id in paper_ids:
            with (
                queue.isolate_errors("failed to read stored responses", StorageUnavailable, paper=paper_id),
                savepoint(tx),
            ):
                change_count += _reparse_paper(tx, paper_id)
    return (paper_ids[-1] if paper_ids else 0), change_count


def _reparse_paper(tx: Write, paper_id: int) -> int:
    query = sa.select(MetadataRecord).where(
        col(MetadataRecord.paper_id) == paper_id, col(MetadataRecord.state) != "superseded"
    )
    changed_records = [record for record in tx.scalars(query).all() if record.raw and _reparse_record(record)]
    if changed_records:
        tx.flush()
        reverify_records(tx, tx.get_one(Paper, paper_id))
    return len(changed_records)


def _reparse_record(record: MetadataRecord) -> bool:
    """Update a record if its parsed values changed, and return whether they did."""
    metadata = _parse_record(record)
    if metadata is None:
        return False
    values = to_record_columns(metadata)
    if all(is_same_value(getattr(record, name), values[name]) for name in NAMES):
        return False
    for name in NAMES:
        setattr(record, name, values[name])
    return True


def _parse_record(record: MetadataRecord) -> Metadata | None:
    from readtrack.metadata.catalog.store import read_stored_work  # late: every worker has this module, few the catalog

    parsers = {service.name: service.read for service in sources.all_services()} | {CATALOGUE: read_stored_work}
    if record.service not in parsers:
        return None
    try:
        metadata = parsers[record.service](record.key, record.raw)
    except SourceUnavailable:
        return None
    return metadata if metadata.title else None
