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
from readtrack.library.duplicates.candidates import add_candidate
from readtrack.library.duplicates.review import count_open_duplicates
from readtrack.metadata.types import Ref

JOB = "papers.duplicates"
SETTLING = timedelta(minutes=1)  # delay after an import, so that metadata arrives first
APART = timedelta(minutes=10)  # minimum interval between two runs
MOST_OPEN = 1_000  # open pairs; nobody would review more
READ, WRITTEN = 2_000, 100  # papers per read, pairs per write transaction
LARGE = 20_000  # papers from which a separate process compares them, so that the GIL does not block requests


def enqueue_duplicate_search(tx: Write) -> int:
    """Enqueue one search after a delay and not too soon after the last one; return the job's id."""
    last = tx.scalar(sa.select(sa.func.max(col(Job.ended_at))).where(col(Job.kind) == JOB))
    at = max(now() + SETTLING, last + APART) if last else now() + SETTLING
    return queue.enqueue(tx, JOB, dedup=JOB, priority=-1, run_at=at)


@queue.handler(JOB)
def find_duplicates(database: Database, _http: Http, claimed: LeasedJob) -> None:
    """Store the likeliest new pairs. Papers changed during the run are compared in the next one."""
    began = now()
    papers = [known for portion in _iterate_papers(database) for known in portion]
    candidates = _find_candidates(papers)
    with database.read() as tx:
        wanted = _select_new(tx, candidates)
    for start in range(0, len(wanted), WRITTEN):
        with database.write() as tx:
            queue.extend_lease(tx, claimed, done=start, total=len(wanted))
        queue.write_items(
            database, claimed, wanted[start : start + WRITTEN], _store_candidates
        )  # pairs that fail are found again by the next run
    with database.write() as tx:
        queue.finish_job(tx, claimed)
        if _has_changes(tx, since=began):
            enqueue_duplicate_search(tx)


def _find_candidates(papers: Sequence[ComparedPaper]) -> list[DuplicateCandidate]:
    if len(papers) <= LARGE:
        return blocking.find_candidates(papers)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as aside:
        return aside.submit(blocking.find_candidates, papers).result()


def _iterate_papers(database: Database) -> Iterator[list[ComparedPaper]]:
    """Yield all listed papers in portions, each read in its own short transaction."""
    last = 0
    while True:
        with database.read() as tx:
            portion = _load_papers(tx, last)
        if not portion:
            return
        yield portion
        last = portion[-1].id


def _load_papers(tx: Read, last: int) -> list[ComparedPaper]:
    shown = (col(Paper.id), col(Paper.title), col(Paper.authors), col(Paper.year), col(Paper.kind))
    query = sa.select(*shown).where(col(Paper.id) > last, is_listed(Paper)).order_by(col(Paper.id)).limit(READ)
    rows = tx.execute(query).all()
    refs: defaultdict[int, list[Ref]] = defaultdict(list)
    if rows:
        named = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
        within = col(Identifier.paper_id).between(rows[0].id, rows[-1].id)
        for row in tx.execute(named.where(within).order_by(col(Identifier.id))):
            refs[row.paper_id].append(Ref(row.scheme, row.value))
    return [
        ComparedPaper(row.id, row.title, tuple(row.authors), row.year, row.kind, tuple(refs[row.id]))
        for row in rows
        if row.id
    ]


def _select_new(tx: Read, candidates: Sequence[DuplicateCandidate]) -> list[DuplicateCandidate]:
    """Return the pairs that are not stored yet, up to the limit of open pairs."""
    pairs = tx.execute(sa.select(col(DuplicatePair.first_id), col(DuplicatePair.second_id)))
    known = {tuple(row) for row in pairs}
    room = max(0, MOST_OPEN - count_open_duplicates(tx))
    return [found for found in candidates if (found.one, found.other) not in known][:room]


def _store_candidates(tx: Write, candidates: Sequence[DuplicateCandidate]) -> None:
    """Store the pairs whose papers both still exist."""
    ids = {paper_id for found in candidates for paper_id in (found.one, found.other)}
    here = set(tx.scalars(sa.select(col(Paper.id)).where(col(Paper.id).in_(ids), is_present(Paper))))
    for found in candidates:
        if {found.one, found.other} <= here:
            add_candidate(tx, found.one, found.other, likeness=found.likeness, evidence=found.evidence)


def _has_changes(tx: Read, *, since: datetime) -> bool:
    return tx.scalar(sa.select(col(Paper.id)).where(col(Paper.updated_at) >= since).limit(1)) is not None
