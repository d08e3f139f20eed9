"""The job that asks one service about all papers that wait for it; never the network inside a transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, sources
from readtrack.clock import now
from readtrack.db import Database, Read, Write
from readtrack.errors import SourceUnavailable
from readtrack.jobs import Claimed
from readtrack.models import Inquiry, Record
from readtrack.papers import lookups, versions
from readtrack.papers.asking import ask_about, ask_later
from readtrack.papers.records import take_answer
from readtrack.papers.remembering import Remembering, UnchangedError
from readtrack.papers.resolving import resolve_later
from readtrack.sources import Fetched, Http, Service


@dataclass(frozen=True)
class Waiting:
    """An inquiry whose turn it is."""

    id: int
    paper_id: int
    validators: Mapping[str, Any]


@jobs.handler("papers.refresh")
def refresh_papers(database: Database, http: Http, claimed: Claimed) -> None:
    """Batch after batch, until nobody waits. What a batch brought is kept before the next one is asked for."""
    service = sources.service(claimed.payload["service"])
    done = 0
    while True:
        with database.read() as tx:
            waiting = _waiting(tx, service)
        try:
            answered = _ask(http, service, waiting)
        except SourceUnavailable:
            _go_on_without(database, claimed, service, waiting)
            raise
        with database.write() as tx:
            jobs.hold(tx, claimed, done=(done := done + len(waiting)) or None)
            if waiting:
                _take(tx, service, waiting, answered)
            elif not _waiting(tx, service):
                jobs.finish(tx, claimed)
                return


def resume(tx: Write) -> None:
    """Sees to it that whatever waits is asked for: after a start, when an operator went online, when a job gave up."""
    waiting = sa.select(col(Inquiry.service)).where(col(Inquiry.state) == "waiting").distinct()
    known = {service.name for service in sources.all_services()}
    for service in tx.scalars(waiting).all():
        if service in known:
            ask_later(tx, service)
    if lookups.is_left(tx):
        resolve_later(tx)
    if versions.is_due(tx):
        versions.check_later(tx)


@dataclass(frozen=True)
class Answered:
    """What a batch brought. `unchanged`: keys of which the service says that nothing is new."""

    fetched: Fetched
    unchanged: frozenset[str] = frozenset()
    validators: Mapping[str, Any] | None = None  # of the one key that was asked


def _ask(http: Http, service: Service, waiting: Mapping[str, Sequence[Waiting]]) -> Answered:
    if not waiting:
        return Answered(Fetched())
    if service.batch > 1:
        return Answered(service.fetch(http, list(waiting)))
    ((key, inquiries),) = waiting.items()
    remembering = Remembering(http, inquiries[0].validators)
    try:
        return Answered(service.fetch(remembering, [key]), validators=remembering.seen)
    except UnchangedError:
        return Answered(Fetched(), frozenset({key}))


def _waiting(tx: Read, service: Service) -> dict[str, list[Waiting]]:
    """The next batch of keys, each with the papers that ask for it."""
    query = (
        sa.select(col(Inquiry.key), col(Inquiry.id), col(Inquiry.paper_id), col(Inquiry.validators))
        .where(col(Inquiry.state) == "waiting", col(Inquiry.service) == service.name)
        .order_by(col(Inquiry.id))
        .limit(service.batch)
    )
    found: dict[str, list[Waiting]] = {}
    for row in tx.execute(query):
        found.setdefault(row.key, []).append(Waiting(row.id, row.paper_id, row.validators))
    return found


def _take(tx: Write, service: Service, waiting: Mapping[str, Sequence[Waiting]], answered: Answered) -> None:
    """Keeps what was said, then sees whom else to ask. A key that no answer speaks of goes on waiting."""
    for key, inquiries in waiting.items():
        state, problem = _outcome(service, key, answered)
        for inquiry in inquiries:
            if key in answered.fetched.found:
                take_answer(tx, inquiry.paper_id, answered.fetched.found[key])
            elif key in answered.unchanged:
                _confirm_unchanged(tx, service, inquiry.paper_id)
            values: dict[str, Any] = {"state": state, "problem": problem, "asked_at": now()}
            if answered.validators is not None:
                values["validators"] = dict(answered.validators)
            tx.execute(sa.update(Inquiry).where(col(Inquiry.id) == inquiry.id).values(values))
    ask_about(tx, {inquiry.paper_id for inquiries in waiting.values() for inquiry in inquiries})


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
