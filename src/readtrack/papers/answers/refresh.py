"""The job that asks one service about all papers that wait for it; never the network inside a transaction."""

import time
from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, sources
from readtrack.clock import now
from readtrack.db import Database, Read, Write
from readtrack.errors import SourceRefused, SourceUnavailable
from readtrack.jobs import Claimed
from readtrack.models import Inquiry, Paper
from readtrack.papers.answers import versions
from readtrack.papers.answers.already import already_known
from readtrack.papers.answers.asking import JOB, ask_about, ask_later
from readtrack.papers.answers.keeping import Answered, Waiting, keep, questions
from readtrack.papers.answers.remembering import Remembering, UnchangedError
from readtrack.papers.finding.resolving import resolve_what_is_left
from readtrack.papers.joining.twice import find_later
from readtrack.policy import present
from readtrack.sources import Fetched, Http, Service

OFFLINE = "offline"
TURN = 10.0  # seconds that one service has a worker to itself
PORTION = 200  # papers that the others are asked about, in one transaction


@jobs.handler(JOB)
def refresh_papers(database: Database, http: Http, claimed: Claimed) -> None:
    """Batch after batch, until nobody waits, or others have waited long enough.

    What a batch brought is kept before the next one is asked for.
    """
    service = sources.service(claimed.payload["service"])
    done, until = claimed.done, time.monotonic() + TURN
    while True:
        with database.read() as tx:
            waiting = _waiting(tx, service)
        if not waiting and _is_over(database, claimed, service):
            return
        answered = _answered(database, http, claimed, waiting)
        over, done = time.monotonic() > until, done + len(waiting)
        keep(database, claimed, waiting, answered, done=done, over=over)
        if over:
            return


def resume(tx: Write) -> None:
    """Sees to it that whatever waits is asked for: after a start, when an operator went online, when a job gave up."""
    waiting = sa.select(col(Inquiry.service)).where(col(Inquiry.state) == "waiting").distinct()
    known = {service.name for service in sources.all_services()}
    for service in tx.scalars(waiting).all():
        if service in known:
            ask_later(tx, service)
    resolve_what_is_left(tx)
    if versions.is_due(tx):
        versions.check_later(tx)


def _answered(database: Database, http: Http, claimed: Claimed, waiting: Mapping[str, Sequence[Waiting]]) -> Answered:
    """What came of asking for a batch. While a service is away, the others are asked about the same papers."""
    service = sources.service(claimed.payload["service"])
    try:
        return _ask(http, service, waiting)
    except (SourceUnavailable, SourceRefused) as problem:
        if service.scattered and isinstance(problem, SourceUnavailable):
            return Answered(Fetched(), away=problem)
        if problem.code != OFFLINE:
            _go_on_without(database, claimed, service)
        raise


def _ask(http: Http, service: Service, waiting: Mapping[str, Sequence[Waiting]]) -> Answered:
    if not waiting:
        return Answered(Fetched())
    if found := already_known(http, service, [key for key, asking in waiting.items() if not asking[0].asked]):
        return Answered(Fetched(found), only=frozenset(found))
    if service.batch > 1:
        return Answered(service.fetch(http, list(waiting)))
    ((key, inquiries),) = waiting.items()
    remembering = Remembering(http, inquiries[0].validators if len(inquiries) == 1 else {})
    try:
        return Answered(service.fetch(remembering, [key]), validators=remembering.seen)
    except UnchangedError:
        return Answered(Fetched(), frozenset({key}))
    except SourceRefused as refused:
        if refused.code == OFFLINE:
            raise
        return Answered(Fetched(refused={key: refused.message}))


def _waiting(tx: Read, service: Service) -> dict[str, list[Waiting]]:
    """The next batch of keys, each with the papers that ask for it."""
    due = sa.or_(col(Inquiry.not_before).is_(None), col(Inquiry.not_before) <= now())
    return questions(tx, *_of(service), due, limit=service.batch)


def _is_over(database: Database, claimed: Claimed, service: Service) -> bool:
    """Whether nobody waits: then it is done, or until the next of those that did not answer is tried again.

    In a transaction of its own, which holds nothing that others wait for while it waits for them.
    """
    with database.write() as tx:
        jobs.hold(tx, claimed, ending=True)
        if _waiting(tx, service):
            return False
        later = tx.scalar(sa.select(sa.func.min(col(Inquiry.not_before))).where(*_of(service)))
        if later is None:
            find_later(tx)
            jobs.finish(tx, claimed)
        else:
            jobs.give_way(tx, claimed, until=later)
        return True


def _of(service: Service) -> tuple[sa.ColumnElement[bool], ...]:
    """What waits for it, of papers that are here."""
    here = sa.exists().where(col(Paper.id) == col(Inquiry.paper_id), present(Paper))
    return col(Inquiry.state) == "waiting", col(Inquiry.service) == service.name, here


def _go_on_without(database: Database, claimed: Claimed, service: Service) -> None:
    """While one service is away, the others are asked about all papers that wait for it."""
    after = 0
    while True:
        with database.write() as tx:
            jobs.hold(tx, claimed)
            query = sa.select(col(Inquiry.paper_id)).where(*_of(service), col(Inquiry.paper_id) > after).distinct()
            papers = tx.scalars(query.order_by(col(Inquiry.paper_id)).limit(PORTION)).all()
            ask_about(tx, papers, resting={service.name})
        if len(papers) < PORTION:
            return
        after = papers[-1]
