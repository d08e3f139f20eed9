"""The job that asks one service about all identifiers that wait for it; never the network inside a transaction."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, sources
from readtrack.clock import now
from readtrack.db import Database, Read, Write
from readtrack.jobs import Claimed
from readtrack.models import Identifier
from readtrack.papers.commands import ask_later
from readtrack.papers.records import apply_metadata, note_unknown
from readtrack.sources import Fetched, Http, Source


@jobs.handler("papers.refresh")
def refresh_papers(database: Database, http: Http, claimed: Claimed) -> None:
    """Batch after batch, until nobody waits. What a batch brought is kept before the next one is asked for."""
    source = sources.by_name(claimed.payload["scheme"])
    done = 0
    while True:
        with database.read() as tx:
            waiting = _waiting(tx, source)
        fetched = source.fetch(http, list(waiting)) if waiting and source.fetch else Fetched()
        with database.write() as tx:
            jobs.hold(tx, claimed, done=(done := done + len(waiting)) or None)
            if waiting:
                _take(tx, source, waiting, fetched)
            elif not _waiting(tx, source):
                jobs.finish(tx, claimed)
                return


def resume(tx: Write) -> None:
    """Sees to it that whatever waits is asked for: after a start, when an operator went online, when a job gave up."""
    waiting = sa.select(col(Identifier.scheme)).where(col(Identifier.fetch_state) == "waiting").distinct()
    for scheme in tx.scalars(waiting).all():
        if sources.by_name(scheme).fetch:
            ask_later(tx, scheme)


def _waiting(tx: Read, source: Source) -> dict[str, tuple[int, int]]:
    """The next batch: key -> (identifier, paper)."""
    query = (
        sa.select(col(Identifier.value), col(Identifier.id), col(Identifier.paper_id))
        .where(col(Identifier.fetch_state) == "waiting", col(Identifier.scheme) == source.name)
        .order_by(col(Identifier.id))
        .limit(source.batch)
    )
    return {row.value: (row.id, row.paper_id) for row in tx.execute(query)}


def _take(tx: Write, source: Source, waiting: Mapping[str, tuple[int, int]], fetched: Fetched) -> None:
    for key, said in fetched.found.items():
        if key in waiting:
            apply_metadata(tx, waiting[key][1], said)
    known = [waiting[key][0] for key in fetched.found if key in waiting]
    tx.execute(sa.update(Identifier).where(col(Identifier.id).in_(known)).values(_answered()))
    for key in fetched.missing & waiting.keys():
        note_unknown(
            tx,
            [waiting[key][0]],
            "unknown",
            f"{source.label(key)} is not known there. Check the number; the paper is kept.",
        )
    for key, sentence in fetched.refused.items():
        if key in waiting:
            note_unknown(tx, [waiting[key][0]], "refused", sentence)


def _answered() -> dict[str, Any]:
    return {"fetch_state": "fetched", "asked_at": now(), "problem": ""}
