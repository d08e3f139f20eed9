"""One change of many readings: in one transaction, each paper with its own outcome, and one undo for all."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import policy
from readtrack.db import Write, savepoint
from readtrack.errors import Conflict, Invalid, NotFound, ReadtrackError
from readtrack.models import Reading, ReadingEvent
from readtrack.policy import Visitor
from readtrack.readings.commands.setting import remove_reading, say
from readtrack.readings.inputs import Bulk, ReadingSet


class Outcome(NamedTuple):
    """What became of one paper: its reading now (None: not on my list), or why it stays as it was."""

    paper_id: int
    status: int  # as the API would have answered for it alone
    reading: Reading | None = None
    problem: ReadtrackError | None = None
    event_id: int | None = None


class Done(NamedTuple):
    """Each paper's outcome, in the order asked. `batch` takes all of it back; None when nothing is another now."""

    outcomes: list[Outcome]
    batch: int | None

    @property
    def changed(self) -> int:
        return sum(outcome.event_id is not None for outcome in self.outcomes)


def change_many(tx: Write, me: Visitor, wanted: Bulk) -> Done:
    """Says the same of many papers. What one of them refuses keeps none of the others from being changed."""
    policy.require(me, "keep")
    asked = list(dict.fromkeys(wanted.papers))
    outcomes = {paper_id: _one(tx, me, paper_id, wanted) for paper_id in sorted(asked)}  # as locks are taken in order
    events = [outcome.event_id for outcome in outcomes.values() if outcome.event_id is not None]
    if events:
        together = sa.update(ReadingEvent).where(col(ReadingEvent.id).in_(events))
        tx.execute(together.values(batch=events[0]).execution_options(synchronize_session=False))
    return Done([outcomes[paper_id] for paper_id in asked], events[0] if events else None)


def _one(tx: Write, me: Visitor, paper_id: int, wanted: Bulk) -> Outcome:
    try:
        with savepoint(tx):
            return _remove(tx, me, paper_id) if wanted.change is None else _say(tx, me, paper_id, wanted.change)
    except (Conflict, Invalid, NotFound) as problem:
        return Outcome(paper_id, problem.status, problem=problem)


def _say(tx: Write, me: Visitor, paper_id: int, change: ReadingSet) -> Outcome:
    reading, created, event_id = say(tx, me, paper_id, change)
    return Outcome(paper_id, 201 if created else 200, reading, event_id=event_id)


def _remove(tx: Write, me: Visitor, paper_id: int) -> Outcome:
    return Outcome(paper_id, 204, event_id=remove_reading(tx, me, paper_id))
