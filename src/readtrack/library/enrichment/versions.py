"""Dated versions of papers: the latest one, versions newer than the one read, and checks for new ones."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Assignment, MetadataRequest, Paper, Reading, Version
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import is_present
from readtrack.library.enrichment.scheduler import enqueue_service_job
from readtrack.metadata.types import DatedVersion
from readtrack.reading.paper_facts import version_number

JOB = "papers.versions"
ARXIV = "arxiv"  # the only service with versions
AGAIN_AFTER = timedelta(days=7)
AWAITED_BY = ("to_read", "reading", "paused")  # reading states whose readers are notified of new versions
_OF_ARXIV = re.compile(
    r"(?<![\w.])(?:\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?/\d{7})(v[1-9]\d{0,2})(?![\w])", re.IGNORECASE
)


class NewerVersion(NamedTuple):
    """A version newer than the one that was read."""

    label: str
    published_at: datetime | None


def parse_version(text: str) -> str:
    """Return the version that a text names, as in arXiv 2401.00001v2; "" if none or several."""
    labels = {label.casefold() for label in _OF_ARXIV.findall(text)}
    return labels.pop() if len(labels) == 1 else ""


def find_newer_version(tx: Read, paper_id: int, label: str) -> NewerVersion | None:
    """Return the latest version if it is newer than this label, else None."""
    return find_newer_versions(tx, {paper_id: label}).get(paper_id)


def find_newer_versions(tx: Read, read_labels: Mapping[int, str]) -> dict[int, NewerVersion]:
    """Return the newer versions of many papers, given the label read of each, in one statement."""
    numbered = {paper_id: label for paper_id, label in read_labels.items() if version_number(label)}
    if not numbered:
        return {}
    query = sa.select(col(Version.paper_id), col(Version.label), col(Version.dated))
    latest: dict[int, NewerVersion] = {}
    for row in tx.execute(query.where(col(Version.paper_id).in_(numbered))):
        current_label = latest[row.paper_id].label if row.paper_id in latest else numbered[row.paper_id]
        if version_number(row.label) > version_number(current_label):
            latest[row.paper_id] = NewerVersion(row.label, row.dated)
    return latest


def add_versions(tx: Write, paper: Paper, reported: Iterable[DatedVersion]) -> None:
    """Add unknown versions, and notify the paper's readers of one released since the paper was added."""
    paper_id = paper.id or 0
    known_labels = set(tx.scalars(sa.select(col(Version.label)).where(col(Version.paper_id) == paper_id)))
    last_number = max((version_number(label) for label in known_labels), default=0)
    new_versions = {version.label: version for version in reported if version.label not in known_labels}
    tx.add_all(
        Version(paper_id=paper_id, label=label, dated=version.published_at) for label, version in new_versions.items()
    )
    newest = max(new_versions.values(), key=lambda version: version_number(version.label), default=None)
    if newest is None or not 0 < last_number < version_number(
        newest.label
    ):  # the first versions reported were there before
        return
    if newest.published_at is None or newest.published_at >= paper.created_at:
        subject, data = {"paper_id": paper_id}, {"label": newest.label}
        notify(
            tx,
            None,
            "version",
            _list_awaiting_readers(tx, paper_id),
            subject_ids=subject,
            group_key=f"paper:{paper_id}",
            data=data,
        )


def _list_awaiting_readers(tx: Read, paper_id: int) -> Iterable[int]:
    """Return people who are reading the paper or assigned to it.

    Each is notified individually, so nobody learns of another's private reading.
    """
    query = sa.select(col(Reading.person_id)).where(col(Reading.paper_id) == paper_id, col(Reading.current))
    assignment_query = sa.select(col(Assignment.person_id)).where(col(Assignment.paper_id) == paper_id)
    open_assignments = assignment_query.where(col(Assignment.open_key).is_not(None))
    return tx.scalars(sa.union(query.where(col(Reading.status).in_(AWAITED_BY)), open_assignments)).all()


def enqueue_version_check(tx: Write) -> int:
    """Enqueue the job that requests new versions of papers being read."""
    return queue.enqueue(tx, JOB, dedup_key=JOB)


@queue.handler(JOB)
def check_versions(database: Database, _http: Http, job: LeasedJob) -> None:
    """Request papers from arXiv again if someone is reading them and the last answer is over a week old."""
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        statement = sa.update(MetadataRequest).where(*_due_request_filter()).values(state="waiting", problem="")
        if tx.bulk_execute(statement).rowcount:
            enqueue_service_job(tx, ARXIV)
        queue.finish_job(tx, job)


def is_version_check_due(tx: Read) -> bool:
    """Return True if the version check would find anything to request."""
    return tx.execute(sa.select(col(MetadataRequest.id)).where(*_due_request_filter()).limit(1)).first() is not None


def _due_request_filter() -> tuple[sa.ColumnElement[bool], ...]:
    paper_ids = sa.select(col(Reading.paper_id)).join(Paper, col(Paper.id) == col(Reading.paper_id))
    paper_ids = paper_ids.where(col(Reading.current), col(Reading.status).in_(AWAITED_BY), is_present(Paper))
    return (
        col(MetadataRequest.service) == ARXIV,
        col(MetadataRequest.state) == "answered",
        col(MetadataRequest.asked_at) < now() - AGAIN_AFTER,
        col(MetadataRequest.paper_id).in_(paper_ids),
    )
