"""Asking everybody again about many papers: some at a time, so that nobody who writes waits for all of them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, policy, search
from readtrack.db import Database, Write
from readtrack.jobs import Claimed
from readtrack.models import Paper
from readtrack.papers import queries
from readtrack.papers.answers.asking import ask_again
from readtrack.policy import Visitor
from readtrack.sources import Http

JOB = "papers.again"
AT_ONCE = 200  # papers in one transaction


def refresh_found(tx: Write, me: Visitor, q: str) -> int:
    """Asks everybody again about all papers of a question; how many they are."""
    policy.require(me, "edit")
    these = sa.select(col(Paper.id)).where(queries.found_by(tx, me, search.parse(q))).order_by(col(Paper.id))
    return _ask(tx, me, [paper_id for paper_id in tx.scalars(these) if paper_id])


def _ask(tx: Write, me: Visitor, paper_ids: Sequence[int]) -> int:
    """About the first at once, about the rest by a job."""
    ask_again(tx, paper_ids[:AT_ONCE])
    if rest := paper_ids[AT_ONCE:]:
        job_id = jobs.enqueue(tx, JOB, {"papers": rest}, created_by=me.id)
        jobs.announce(tx, job_id, len(rest))
    return len(paper_ids)


@jobs.handler(JOB)
def ask_the_rest(database: Database, _http: Http, claimed: Claimed) -> None:
    """Portion after portion, from where it stopped."""
    papers: Sequence[int] = claimed.payload["papers"]
    failed = jobs.failed_before(claimed)
    for start in range(claimed.done, len(papers), AT_ONCE):
        some = papers[start : start + AT_ONCE]
        if new := jobs.write_items(database, claimed, some, ask_again, done=start + len(some)):
            failed += new
            with database.write() as tx:
                jobs.record_failed(tx, claimed, failed)
    jobs.finish_list(database, claimed, "papers", failed)
