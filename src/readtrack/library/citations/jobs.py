"""The job that asks what papers cite: one request for each; never the network inside a transaction."""

from typing import NamedTuple

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import Claimed
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.permissions import present
from readtrack.library.citations.store import keep_list
from readtrack.metadata import registry
from readtrack.metadata.types import About, Cited, Ref, Service

JOB = "citations.ask"
OFFLINE = "offline"
NO_ANSWER = (SourceUnavailable, SourceRefused)  # of any paper, at present

log = structlog.get_logger()


class Question(NamedTuple):
    """Whom to ask about a paper, and by which of its names."""

    service: Service
    key: str


def ask_later(tx: Write, paper_ids: list[int], *, dedup: str, by: int) -> int:
    """The job that asks about these papers, one after the other."""
    job_id = queue.enqueue(tx, JOB, {"papers": paper_ids}, dedup=dedup, created_by=by, priority=-1)
    queue.announce(tx, job_id, len(paper_ids))
    return job_id


@queue.handler(JOB)
def ask(database: Database, http: Http, claimed: Claimed) -> None:
    """Each list is kept before the next paper is asked about; a job that is tried again goes on where it stopped."""
    papers: list[int] = claimed.payload["papers"]
    failed = queue.failed_before(claimed)
    for done, paper_id in enumerate(papers[claimed.done :], claimed.done + 1):
        with queue.isolated("a paper cannot be asked about", *NO_ANSWER, paper=paper_id) as outcome:
            _ask_about(database, http, claimed, paper_id, done=done)
        if outcome.problem is not None:
            failed.append(paper_id)
            with database.write() as tx:
                queue.hold(tx, claimed, done=done)
                queue.record_failed(tx, claimed, failed)
    queue.finish_list(database, claimed, "papers", failed)


def _ask_about(database: Database, http: Http, claimed: Claimed, paper_id: int, *, done: int) -> None:
    with database.read() as tx:
        question = find_question(tx, paper_id)
    works = _answer(http, question) if question else None
    with database.write() as tx:
        queue.hold(tx, claimed, done=done)
        if question and works is not None:
            _keep(tx, paper_id, question, works)


def find_question(tx: Read, paper_id: int) -> Question | None:
    """The first name by which a service can be asked; None when there is none, or the paper is gone."""
    query = (
        sa.select(col(Identifier.scheme), col(Identifier.value))
        .join(Paper, col(Paper.id) == col(Identifier.paper_id))
        .where(col(Paper.id) == paper_id, present(Paper))
    )
    about = About(tuple(Ref(row.scheme, row.value) for row in tx.execute(query.order_by(col(Identifier.id)))))
    return next((Question(service, key) for service in asked() for key in service.asks(about)), None)


def asked() -> list[Service]:
    """The services that tell what a paper cites when they are asked."""
    return [service for service in registry.all_services() if service.ask_cited]


def _answer(http: Http, question: Question) -> list[Cited] | None:
    """None when nobody knows it, or who was asked refuses to answer for this one."""
    try:
        works = question.service.ask_cited(http, question.key) if question.service.ask_cited else None
    except SourceRefused as refused:
        if refused.code == OFFLINE:
            raise
        log.warning("a service does not tell what a paper cites", key=question.key, problem=refused.message)
        return None
    return None if works is None else list(works)


def _keep(tx: Write, paper_id: int, question: Question, works: list[Cited]) -> None:
    """Unless the paper went meanwhile: what it became is asked about when somebody wants that."""
    here = sa.select(col(Paper.id)).where(col(Paper.id) == paper_id, present(Paper)).with_for_update()
    if tx.scalar(here) is not None:
        keep_list(tx, paper_id, works, service=question.service.name, key=question.key)
