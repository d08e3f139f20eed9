"""The job that asks one service about all papers that wait for it; never the network inside a transaction."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, search, sources
from readtrack.clock import now
from readtrack.db import Database, Read, Write
from readtrack.errors import Conflict, SourceRefused, SourceResting, SourceUnavailable, StorageUnavailable
from readtrack.jobs import Claimed
from readtrack.models import Inquiry, Paper, Record
from readtrack.papers import versions
from readtrack.papers.already import already_known
from readtrack.papers.asking import JOB, ask_about, ask_later, hold
from readtrack.papers.records import take_answer
from readtrack.papers.remembering import Remembering, UnchangedError
from readtrack.papers.resolving import resolve_what_is_left
from readtrack.papers.twice import find_later
from readtrack.policy import present
from readtrack.sources import Fetched, Http, Service

OFFLINE = "offline"
GIVEN_UP = "{} It was tried {} times and is left alone now; the paper is kept, ask for it again on its page."
TURN = 10.0  # seconds that one service has a worker to itself
AT_MOST = 3  # times that an answer is brought to a database that is busy
KEPT, PORTION = 20, 200  # answers, and papers that the others are asked about, in one transaction


@dataclass(frozen=True)
class Waiting:
    """An inquiry whose turn it is."""

    id: int
    paper_id: int
    validators: Mapping[str, Any]
    asked: bool  # before; then the network is wanted


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
        _keep(database, claimed, waiting, answered, done=done, over=over)
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


@dataclass(frozen=True)
class Answered:
    """What a batch brought. `unchanged`: keys of which the service says that nothing is new."""

    fetched: Fetched
    unchanged: frozenset[str] = frozenset()
    validators: Mapping[str, Any] | None = None  # of the one key that was asked
    away: SourceUnavailable | None = None  # nothing came, and it is to be tried again
    only: frozenset[str] | None = None  # the keys that this is about, when not about all of the batch


def _answered(database: Database, http: Http, claimed: Claimed, waiting: Mapping[str, Sequence[Waiting]]) -> "Answered":
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
    return _asking(tx, *_of(service), due, limit=service.batch)


def _asking(tx: Read, *which: sa.ColumnElement[bool], limit: int | None = None) -> dict[str, list[Waiting]]:
    query = (
        sa.select(
            col(Inquiry.key), col(Inquiry.id), col(Inquiry.paper_id), col(Inquiry.validators), col(Inquiry.asked_at)
        )
        .where(*which)
        .order_by(col(Inquiry.id))
        .limit(limit)
    )
    found: dict[str, list[Waiting]] = {}
    for row in tx.execute(query):
        found.setdefault(row.key, []).append(Waiting(row.id, row.paper_id, row.validators, row.asked_at is not None))
    return found


def _keep(
    database: Database,
    claimed: Claimed,
    waiting: Mapping[str, Sequence[Waiting]],
    answered: Answered,
    *,
    done: int,
    over: bool,
) -> None:
    """Some papers in one transaction, so that no other writer waits for all of them."""
    for start in range(0, len(waiting), KEPT):
        _keep_some(database, claimed, dict(list(waiting.items())[start : start + KEPT]), answered)
    with database.write() as tx:
        jobs.hold(tx, claimed, done=done)
        if over:
            jobs.give_way(tx, claimed)


def _keep_some(
    database: Database, claimed: Claimed, waiting: Mapping[str, Sequence[Waiting]], answered: Answered
) -> None:
    """What came is not asked for again because somebody wrote the same, or held the same rows, at that moment."""
    for attempt in range(1, AT_MOST + 1):
        try:
            with database.write() as tx, search.together(tx):
                jobs.hold(tx, claimed)
                _take(tx, sources.service(claimed.payload["service"]), waiting, answered)
        except (Conflict, StorageUnavailable):
            if attempt == AT_MOST:
                raise
        else:
            return


def _take(tx: Write, service: Service, asked: Mapping[str, Sequence[Waiting]], answered: Answered) -> None:
    """Keeps what was said, then sees whom else to ask. A key that no answer speaks of goes on waiting."""
    waiting = _still_waiting(tx, asked)
    if answered.away:
        _put_off(tx, waiting, answered.away)
        return
    if answered.only is not None:
        waiting = {key: inquiries for key, inquiries in waiting.items() if key in answered.only}
    for key, inquiries in waiting.items():
        for inquiry in inquiries:
            _take_one(tx, service, key, inquiry, answered)
    ask_about(tx, {inquiry.paper_id for inquiries in waiting.values() for inquiry in inquiries})


def _still_waiting(tx: Write, asked: Mapping[str, Sequence[Waiting]]) -> Mapping[str, Sequence[Waiting]]:
    """Papers may have been merged, split or deleted while the answer was on its way; now they are locked."""
    these = col(Inquiry.id).in_([inquiry.id for inquiries in asked.values() for inquiry in inquiries])
    waits = (these, col(Inquiry.state) == "waiting")
    held = hold(tx, tx.scalars(sa.select(col(Inquiry.paper_id)).where(*waits)).all())
    return _asking(tx, *waits, col(Inquiry.paper_id).in_(held))


def _take_one(tx: Write, service: Service, key: str, inquiry: Waiting, answered: Answered) -> None:
    state, problem = _outcome(service, key, answered)
    values: dict[str, Any] = {"state": state, "problem": problem, "asked_at": now(), "not_before": None}
    if key in answered.fetched.found:
        take_answer(tx, inquiry.paper_id, answered.fetched.found[key], key=key)
    elif key in answered.unchanged and not _confirm_unchanged(tx, service, inquiry.paper_id):
        values |= {"state": "waiting", "validators": {}}  # what it said before went with another paper
    if answered.validators is not None:
        values["validators"] = dict(answered.validators)
    tx.execute(sa.update(Inquiry).where(col(Inquiry.id) == inquiry.id).values(values))


def _put_off(tx: Write, waiting: Mapping[str, Sequence[Waiting]], away: SourceUnavailable) -> None:
    """One address is tried again later, ever later, and at last given up; nothing else waits for it."""
    these = col(Inquiry.id).in_([inquiry.id for inquiries in waiting.values() for inquiry in inquiries])
    rested = isinstance(away, SourceResting)  # nothing was asked
    for inquiry in tx.scalars(sa.select(Inquiry).where(these)).all():
        inquiry.tries += not rested
        inquiry.not_before, inquiry.problem = jobs.next_try(inquiry.tries, away.retry_after), away.message
        if inquiry.tries >= jobs.MAX_ATTEMPTS:
            inquiry.state, inquiry.asked_at = "refused", now()
            inquiry.problem = GIVEN_UP.format(away.message, inquiry.tries)
    tx.flush()


def _is_over(database: Database, claimed: Claimed, service: Service) -> bool:
    """Whether nobody waits: then it is done, or until the next of those that did not answer is tried again.

    In a transaction of its own, which holds nothing that others wait for while it waits for them.
    """
    with database.write() as tx:
        jobs.hold(tx, claimed)
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


def _outcome(service: Service, key: str, answered: Answered) -> tuple[str, str]:
    if key in answered.fetched.found or key in answered.unchanged:
        return "answered", ""
    if key in answered.fetched.missing:
        return "unknown", _unknown(service, key)
    sentence = answered.fetched.refused.get(key, f"{service.label} said nothing of it. The paper is kept.")
    return "refused", sentence


def _unknown(service: Service, key: str) -> str:
    """Only who speaks for a name can say that it is wrong; of others nobody expects to know everything."""
    own = next((source for source in sources.all_sources() if source.name in service.own), None)
    if own is None:
        return ""
    return f"{own.label(key)} is not known there. Check the number; the paper is kept."


def _confirm_unchanged(tx: Write, service: Service, paper_id: int) -> bool:
    """Whether there is a record of what has not changed."""
    mine = sa.update(Record).where(
        col(Record.paper_id) == paper_id, col(Record.service) == service.name, col(Record.state) != "superseded"
    )
    result: Any = tx.execute(mine.values(checked_at=now()))
    return bool(result.rowcount)


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
