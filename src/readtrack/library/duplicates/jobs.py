"""The job that searches for likely duplicates. No transaction is open while papers are compared."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from multiprocessing import get_context

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import DuplicatePair, Identifier, Job, Paper
from readtrack.infra.permissions import is_listed, is_present
from readtrack.library.duplicates import blocking
from readtrack.library.duplicates.blocking import ComparedPaper, DuplicateCandidate
from readtrack.library.duplicates.review import count_open_duplicates
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.metadata.types import Ref

JOB = "papers.duplicates"
SETTLE_DELAY = timedelta(minutes=1)  # delay after an import, so that metadata arrives first
MIN_INTERVAL = timedelta(minutes=10)  # minimum interval between two runs
MAX_OPEN = 1_000  # open pairs; nobody would review more
READ, WRITTEN = 2_000, 100  # papers per read, pairs per write transaction
# Papers from which a separate process compares them, so that the GIL does not block requests.
LARGE_LIBRARY_PAPERS = 20_000


def enqueue_duplicate_search(tx: Write) -> int:
    """Enqueue one search after a delay and not too soon after the last one; return the job's id."""
    last_run = tx.scalar(sa.select(sa.func.max(col(Job.ended_at))).where(col(Job.kind) == JOB))
    run_at = max(now() + SETTLE_DELAY, last_run + MIN_INTERVAL) if last_run else now() + SETTLE_DELAY
    return queue.enqueue(tx, JOB, dedup_key=JOB, priority=-1, run_at=run_at)


@queue.handler(JOB)
def find_duplicates(database: Database, _http: Http, job: LeasedJob) -> None:
    """Store the likeliest new pairs. Papers changed during the run are compared in the next one."""
    started_at = now()
    papers = [paper for batch in _iterate_papers(database) for paper in batch]
    candidates = _find_candidates(papers)
    with database.read() as tx:
        new_candidates = _select_new(tx, candidates)
    for start in range(0, len(new_candidates), WRITTEN):
        with database.write() as tx:
            queue.extend_lease(tx, job, done=start, total=len(new_candidates))
        # Pairs that fail are found again by the next run.
        queue.write_items(database, job, new_candidates[start : start + WRITTEN], _store_candidates)
    with database.write() as tx:
        queue.finish_job(tx, job)
        if _has_changes(tx, since=started_at):
            enqueue_duplicate_search(tx)


def _find_candidates(papers: Sequence[ComparedPaper]) -> list[DuplicateCandidate]:
    if len(papers) <= LARGE_LIBRARY_PAPERS:
        return blocking.find_candidates(papers)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(blocking.find_candidates, papers).result()


def _iterate_papers(database: Database) -> Iterator[list[ComparedPaper]]:
    """Yield all listed papers in portions, each read in its own short transaction."""
    last_id = 0
    while True:
        with database.read() as tx:
            batch = _load_papers(tx, last_id)
        if not batch:
            return
        yield batch
        last_id = batch[-1].id


def _load_papers(tx: Read, last_id: int) -> list[ComparedPaper]:
    columns = (col(Paper.id), col(Paper.title), col(Paper.authors), col(Paper.year), col(Paper.kind))
    query = sa.select(*columns).where(col(Paper.id) > last_id, is_listed(Paper)).order_by(col(Paper.id)).limit(READ)
    rows = tx.execute(query).all()
    refs: defaultdict[int, list[Ref]] = defaultdict(list)
    if rows:
        identifier_query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
        in_batch = col(Identifier.paper_id).between(rows[0].id, rows[-1].id)
        for row in tx.execute(identifier_query.where(in_batch).order_by(col(Identifier.id))):
            refs[row.paper_id].append(Ref(row.scheme, row.value))
    return [
        ComparedPaper(row.id, row.title, tuple(row.authors), row.year, row.kind, tuple(refs[row.id]))
        for row in rows
        if row.id
    ]


def _select_new(tx: Read, candidates: Sequence[DuplicateCandidate]) -> list[DuplicateCandidate]:
    """Return the pairs that are not stored yet, up to the limit of open pairs."""
    pairs = tx.execute(sa.select(col(DuplicatePair.first_id), col(DuplicatePair.second_id)))
    known_pairs = {tuple(row) for row in pairs}
    remaining = max(0, MAX_OPEN - count_open_duplicates(tx))
    return [candidate for candidate in candidates if (candidate.one, candidate.other) not in known_pairs][:remaining]


def _store_candidates(tx: Write, candidates: Sequence[DuplicateCandidate]) -> None:
    """Store the pairs whose papers both still exist."""
    ids = {paper_id for candidate in candidates for paper_id in (candidate.one, candidate.other)}
    present_ids = set(tx.scalars(sa.select(col(Paper.id)).where(col(Paper.id).in_(ids), is_present(Paper))))
    for candidate in candidates:
        if {candidate.one, candidate.other} <= present_ids:
            add_candidate(tx, candidate.one, candidate.other, likeness=candidate.likeness, evidence=candidate.evidence)


def _has_changes(tx: Read, *, since: datetime) -> bool:
    return tx.scalar(sa.select(col(Paper.id)).where(col(Paper.updated_at) >= since).limit(1)) is not None
