"""The job that searches for likely duplicates of new and changed papers.

No transaction is open while papers are compared, and each write transaction is short.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.permissions import is_listed, is_present
from readtrack.library.duplicates import blocking
from readtrack.library.duplicates.blocking import ComparedPaper, DuplicateCandidate
from readtrack.library.duplicates.stored_keys import (
    ComparedVersion,
    apply_key_changes,
    count_uncompared,
    find_blocks,
    has_uncompared,
    list_key_changes,
    list_uncompared,
    mark_compared,
    mark_uncompared,
)
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.metadata.types import Ref

JOB = "papers.duplicates"
SETTLE_DELAY = timedelta(minutes=1)  # delay after an import, so that metadata arrives first
RETRY_FAILED_AFTER = timedelta(hours=6)
BATCH_SIZE = 100  # papers that are compared together
KEYS_WRITTEN = 20  # papers whose keys are written in one transaction: 35 ms in a library of 100,000
TURN_SECONDS = 10.0  # seconds that the job may occupy a worker
MARKED = 1_000  # papers marked in one transaction


class LoadedPaper(NamedTuple):
    """A paper as it is stored; only listed ones are compared."""

    paper: ComparedPaper
    version: ComparedVersion
    is_listed: bool


def enqueue_duplicate_search(tx: Write) -> int:
    """Enqueue the comparison of new and changed papers after a delay; return the job's id."""
    return queue.enqueue(tx, JOB, dedup_key=JOB, priority=-1, run_at=now() + SETTLE_DELAY)


def schedule_duplicate_search(database: Database) -> None:
    """Enqueue the comparison if there are new or changed papers and it is not enqueued yet.

    A failed job is not restarted at once, so that its error is shown meanwhile.
    """
    with database.read() as tx:
        job = queue.find_by_dedup_key(tx, JOB)
        is_blocked = job is not None and (job.ended_at is None or job.ended_at > now() - RETRY_FAILED_AFTER)
        if is_blocked or not has_uncompared(tx):
            return
    with database.write() as tx:
        enqueue_duplicate_search(tx)


def compare_all_papers(database: Database) -> int:
    """Have all papers compared again, and return their number."""
    count, last_id = 0, 0
    while True:
        with database.write() as tx:
            query = sa.select(col(Paper.id)).where(col(Paper.id) > last_id).order_by(col(Paper.id)).limit(MARKED)
            ids = [paper_id for paper_id in tx.scalars(query) if paper_id]
            if not ids:
                enqueue_duplicate_search(tx)
                return count
            mark_uncompared(tx, ids)
        count, last_id = count + len(ids), ids[-1]


@queue.handler(JOB)
def find_duplicates(database: Database, _http: Http, job: LeasedJob) -> None:
    """Compare new and changed papers in batches. Papers changed during the run are left to the next one."""
    done, deadline = job.progress_done, time.monotonic() + TURN_SECONDS
    with database.write() as tx:
        queue.extend_lease(tx, job, total=done + count_uncompared(tx))
    while True:
        with database.read() as tx:
            loaded = load_papers(tx, list_uncompared(tx, BATCH_SIZE))
        _compare_batch(database, job, loaded)
        done += len(loaded)
        with database.write() as tx:
            queue.extend_lease(tx, job, done=done)
            mark_compared(tx, [row.version for row in loaded])
            if len(loaded) < BATCH_SIZE:
                queue.finish_job(tx, job)
                if has_uncompared(tx):
                    enqueue_duplicate_search(tx)
                return
            if time.monotonic() > deadline:
                queue.requeue_job(tx, job)
                return


def _compare_batch(database: Database, job: LeasedJob, loaded: Sequence[LoadedPaper]) -> None:
    """Store the keys of the papers, then the likely duplicates among the papers that share one.

    What cannot be stored is logged and left out.
    """
    traits = blocking.find_traits(row.paper for row in loaded if row.is_listed)
    keys = {paper_id: blocking.find_keys(found) for paper_id, found in traits.items()}
    with database.read() as tx:
        changes = list_key_changes(tx, {row.paper.id: keys.get(row.paper.id, ()) for row in loaded})
    for start in range(0, len(changes), KEYS_WRITTEN):
        queue.write_items(database, job, changes[start : start + KEYS_WRITTEN], apply_key_changes)
    with database.read() as tx:
        blocks = find_blocks(tx, list(keys))
        pairs = {
            (min(paper_id, other_id), max(paper_id, other_id))
            for paper_id, own_keys in keys.items()
            for other_id in blocking.choose_candidates(paper_id, (blocks.get(key, ()) for key in own_keys))
        }
        others = load_papers(tx, sorted({paper_id for pair in pairs for paper_id in pair} - keys.keys()))
    traits |= blocking.find_traits(row.paper for row in others if row.is_listed)
    candidates = blocking.score_candidates(
        (traits[first_id], traits[second_id]) for first_id, second_id in pairs if {first_id, second_id} <= traits.keys()
    )
    if candidates:
        queue.write_items(database, job, candidates, _store_candidates)


def load_papers(tx: Read, ids: Sequence[int]) -> list[LoadedPaper]:
    """Return papers in the order of ids."""
    refs: defaultdict[int, list[Ref]] = defaultdict(list)
    for row in tx.rows(_REFS, {"ids": ids}):
        refs[row.paper_id].append(Ref(row.scheme, row.value))
    return [
        LoadedPaper(
            ComparedPaper(row.id, row.title, tuple(row.authors), row.year, row.kind, tuple(refs[row.id])),
            ComparedVersion(row.id, row.version, row.compared_version),
            bool(row.is_listed),
        )
        for row in tx.rows(_PAPERS, {"ids": ids})
    ]


_PAPERS: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        *map(
            col, (Paper.id, Paper.title, Paper.authors, Paper.year, Paper.kind, Paper.version, Paper.compared_version)
        ),
        is_listed(Paper).label("is_listed"),
    )
    .where(in_id_list(col(Paper.id), "ids"))
    .order_by(col(Paper.id))
)
_REFS: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    .where(in_id_list(col(Identifier.paper_id), "ids"))
    .order_by(col(Identifier.id))
)


def _store_candidates(tx: Write, candidates: Sequence[DuplicateCandidate]) -> None:
    """Store the pairs whose papers both still exist."""
    ids = {paper_id for candidate in candidates for paper_id in (candidate.one, candidate.other)}
    present_ids = set(tx.scalars(sa.select(col(Paper.id)).where(col(Paper.id).in_(ids), is_present(Paper))))
    for candidate in candidates:
        if {candidate.one, candidate.other} <= present_ids:
            add_candidate(tx, candidate.one, candidate.other, likeness=candidate.likeness, evidence=candidate.evidence)
