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
    dated: datetime | None


def parse_version(text: str) -> str:
    """Return the version that a text names, as in arXiv 2401.00001v2; "" if none or several."""
    named = {found.casefold() for found in _OF_ARXIV.findall(text)}
    return named.pop() if len(named) == 1 else ""


def find_newer_version(tx: Read, paper_id: int, label: str) -> NewerVersion | None:
    """Return the latest version if it is newer than this label, else None."""
    return find_newer_versions(tx, {paper_id: label}).get(paper_id)


def find_newer_versions(tx: Read, read: Mapping[int, str]) -> dict[int, NewerVersion]:
    """Return the newer versions of many papers, given the label read of each, in one statement."""
    known = {paper_id: label for paper_id, label in read.items() if version_number(label)}
    if not known:
        return {}
    query = sa.select(col(Version.paper_id), col(Version.label), col(Version.dated))
    latest: dict[int, NewerVersion] = {}
    for row in tx.execute(query.where(col(Version.paper_id).in_(known))):
        so_far = latest[row.paper_id].label if row.paper_id in latest else known[row.paper_id]
        if version_number(row.label) > version_number(so_far):
            latest[row.paper_id] = NewerVersion(row.label, row.dated)
    return latest


def add_versions(tx: Write, paper: Paper, said: Iterable[DatedVersion]) -> None:
    """Add unknown versions, and notify the paper's readers of one released since the paper was added."""
    paper_id = paper.id or 0
    known = set(tx.scalars(sa.select(col(Version.label)).where(col(Version.paper_id) == paper_id)))
    last = max((version_number(label) for label in known), default=0)
    fresh = {version.label: version for version in said if version.label not in known}
    tx.add_all(Version(paper_id=paper_id, label=label, dated=version.dated) for label, version in fresh.items())
    newest = max(fresh.values(), key=lambda version: version_number(version.label), default=None)
    if newest is None or not 0 < last < version_number(newest.label):  # the first versions reported were there before
        return
    if newest.dated is None or newest.dated >= paper.created_at:
        about, data = {"paper_id": paper_id}, {"label": newest.label}
        notify(
            tx, None, "version", _list_awaiting_readers(tx, paper_id), about=about, once=f"paper:{paper_id}", data=data
        )


def _list_awaiting_readers(tx: Read, paper_id: int) -> Iterable[int]:
    """Return people who are reading the paper or assigned to it.

    Each is notified individually, so nobody learns of another's private reading.
    """
    at = sa.select(col(Reading.person_id)).where(col(Reading.paper_id) == paper_id, col(Reading.current))
    asked = sa.select(col(Assignment.person_id)).where(col(Assignment.paper_id) == paper_id)
    awaited = asked.where(col(Assignment.open_key).is_not(None))
    return tx.scalars(sa.union(at.where(col(Reading.status).in_(AWAITED_BY)), awaited)).all()


def enqueue_version_check(tx: Write) -> int:
    """Enqueue the job that requests new versions of papers being read."""
    return queue.enqueue(tx, JOB, dedup=JOB)


@queue.handler(JOB)
def check_versions(database: Database, _http: Http, claimed: LeasedJob) -> None:
    """Request papers from arXiv again if someone is reading them and the last answer is over a week old."""
    with database.write() as tx:
        queue.extend_lease(tx, claimed, ending=True)
        again = sa.update(MetadataRequest).where(*_due_request_filter()).values(state="waiting", problem="")
        if tx.bulk_execute(again).rowcount:
            enqueue_service_job(tx, ARXIV)
        queue.finish_job(tx, claimed)


def is_version_check_due(tx: Read) -> bool:
    """Return True if the version check would find anything to request."""
    return tx.execute(sa.select(col(MetadataRequest.id)).where(*_due_request_filter()).limit(1)).first() is not None


def _due_request_filter() -> tuple[sa.ColumnElement[bool], ...]:
    at = sa.select(col(Reading.paper_id)).join(Paper, col(Paper.id) == col(Reading.paper_id))
    at = at.where(col(Reading.current), col(Reading.status).in_(AWAITED_BY), is_present(Paper))
    return (
        col(MetadataRequest.service) == ARXIV,
        col(MetadataRequest.state) == "answered",
        col(MetadataRequest.asked_at) < now() - AGAIN_AFTER,
        col(MetadataRequest.paper_id).in_(at),
    )
