"""The job that asks one service about all papers that wait for it; never the network inside a transaction."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, sources
from readtrack.clock import now
from readtrack.db import Database, Read, Write
from readtrack.errors import SourceRefused, SourceResting, SourceUnavailable
from readtrack.jobs import Claimed
from readtrack.models import Inquiry, Record
from readtrack.papers import versions
from readtrack.papers.already import already_known
from readtrack.papers.asking import ask_about, ask_later
from readtrack.papers.records import take_answer
from readtrack.papers.remembering import Remembering, UnchangedError
from readtrack.papers.resolving import resolve_what_is_left
from readtrack.papers.twice import find_later
from readtrack.policy import survivor_of
from readtrack.sources import Fetched, Http, Service

OFFLINE = "offline"
GIVEN_UP = "{} It was tried {} times and is left alone now; the paper is kept, ask for it again on its page."
TURN = 10.0  # seconds that one service has a worker to itself


@dataclass(frozen=True)
class Waiting:
    """An inquiry whose turn it is."""

    id: int
    paper_id: int
    validators: Mapping[str, Any]
    asked: bool  # before; then the network is wanted


@jobs.handler("papers.refresh")
def refresh_papers(database: Database, http: Http, claimed: Claimed) -> None:
    """Batch after batch, until nobody waits, or others have waited long enough.

    What a batch brought is kept before the next one is asked for.
    """
    service = sources.service(claimed.payload["service"])
    done, until = claimed.done, time.monotonic() + TURN
    while True:
        with database.read() as tx:
            waiting = _waiting(tx, service)
        try:
            answered = _ask(http, service, waiting)
        except SourceUnavailable as away:
            if not service.scattered:
                _go_on_without(database, claimed, service, waiting)
                raise
            answered = Answered(Fetched(), away=away)
        with database.write() as tx:
            jobs.hold(tx, claimed, done=(done := done + len(waiting)) or None)
            if waiting:
                _take(tx, service, waiting, answered)
            if not _waiting(tx, service):
                _end(tx, claimed, service)
                return
            if time.monotonic() > until:
                jobs.give_way(tx, claimed)
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


def _ask(http: Http, service: Service, waiting: Mapping[str, Sequence[Waiting]]) -> Answered:
    if not waiting:
        return Answered(Fetched())
    if found := already_known(http, service, [key for key, asking in waiting.items() if not asking[0].asked]):
        return Answered(Fetched(found), only=frozenset(found))
    if service.batch > 1:
        return Answered(service.fetch(http, list(waiting)))
    ((key, inquiries),) = waiting.items()
    remembering = Remembering(http, inquiries[0].validators)
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
    query = (
        sa.select(
            col(Inquiry.key), col(Inquiry.id), col(Inquiry.paper_id), col(Inquiry.validators), col(Inquiry.asked_at)
        )
        .where(*_of(service), sa.or_(col(Inquiry.not_before).is_(None), col(Inquiry.not_before) <= now()))
        .order_by(col(Inquiry.id))
        .limit(service.batch)
    )
    found: dict[str, list[Waiting]] = {}
    for row in tx.execute(query):
        found.setdefault(row.key, []).append(Waiting(row.id, row.paper_id, row.validators, row.asked_at is not None))
    return found


def _take(tx: Write, service: Service, waiting: Mapping[str, Sequence[Waiting]], answered: Answered) -> None:
    """Keeps what was said, then sees whom else to ask. A key that no answer speaks of goes on waiting."""
    if answered.away:
        _put_off(tx, waiting, answered.away)
        return
    if answered.only is not None:
        waiting = {key: waiting[key] for key in answered.only}
    papers = set()
    for key, inquiries in waiting.items():
        state, problem = _outcome(service, key, answered)
        for inquiry in inquiries:
            paper_id = survivor_of(tx, inquiry.paper_id) or inquiry.paper_id  # it may have been merged meanwhile
            papers.add(paper_id)
            if key in answered.fetched.found:
                take_answer(tx, paper_id, answered.fetched.found[key], key=key)
            elif key in answered.unchanged:
                _confirm_unchanged(tx, service, paper_id)
            values: dict[str, Any] = {"state": state, "problem": problem, "asked_at": now()}
            if answered.validators is not None:
                values["validators"] = dict(answered.validators)
            tx.execute(sa.update(Inquiry).where(col(Inquiry.id) == inquiry.id).values(values))
    ask_about(tx, papers)


def _put_off(tx: Write, waiting: Mapping[str, Sequence[Waiting]], away: SourceUnavailable) -> None:
    """One address is tried again later, ever later, and at last given up; nothing else waits for it."""
    these = col(Inquiry.id).in_([inquiry.id for inquiries in waiting.values() for inquiry in inquiries])
    rested = isinstance(away, SourceResting)  # nothing was asked
    for inquiry in tx.scalars(sa.select(Inquiry).where(these)).all():
        inquiry.tries += not rested
        inquiry.not_before = jobs.next_try(inquiry.tries, away.retry_after)
        if inquiry.tries >= jobs.MAX_ATTEMPTS:
            inquiry.state, inquiry.asked_at = "refused", now()
            inquiry.problem = GIVEN_UP.format(away.message, inquiry.tries)
    tx.flush()


def _end(tx: Write, claimed: Claimed, service: Service) -> None:
    """Done, or done until the next of those that did not answer is tried again."""
    later = tx.scalar(sa.select(sa.func.min(col(Inquiry.not_before))).where(*_of(service)))
    if later is None:
        find_later(tx)
        jobs.finish(tx, claimed)
    else:
        jobs.give_way(tx, claimed, until=later)


def _of(service: Service) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Inquiry.state) == "waiting", col(Inquiry.service) == service.name


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


def _confirm_unchanged(tx: Write, service: Service, paper_id: int) -> None:
    mine = sa.update(Record).where(
        col(Record.paper_id) == paper_id, col(Record.service) == service.name, col(Record.state) != "superseded"
    )
    tx.execute(mine.values(checked_at=now()))


def _go_on_without(
    database: Database, claimed: Claimed, service: Service, waiting: Mapping[str, Sequence[Waiting]]
) -> None:
    """While one service is away, the others are asked about the same papers."""
    with database.write() as tx:
        jobs.hold(tx, claimed)
        papers = {inquiry.paper_id for inquiries in waiting.values() for inquiry in inquiries}
        ask_about(tx, papers, resting={service.name})
