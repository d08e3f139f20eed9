"""Undo of the user's own changes within a day, for one paper or a batch."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Reading, ReadingEvent
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.readings import queries
from readtrack.reading.readings.commands.reorder import restore_position
from readtrack.reading.readings.history import (
    ReadingChange,
    State,
    lock_my_reading,
    lock_readings,
    record_change,
    restore_snapshot,
    snapshot,
)

UNDO_WITHIN = timedelta(days=1)
UNDOABLE = frozenset({"set", "removed", "moved"})
NOTHING = N_("Nothing to undo. Only your last change can be undone, within a day.")


def undo_reading(tx: Write, me: CurrentUser, paper_id: int) -> Reading | None:
    """Undo the user's last change of a paper within a day.

    Return the reading, None if there is none any more.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    # Before the history is read: otherwise a concurrent change would be lost.
    current = lock_my_reading(tx, me, paper_id)
    last_event = queries.find_last_event(tx, me, paper_id)
    if last_event is None or not _is_undoable(last_event):
        raise Conflict(_(NOTHING), code="nothing-to-undo")
    old_state = snapshot(current)
    restored = _restore(tx, me, paper_id, current=current, state=last_event.before)
    remaining = restored or current
    change = ReadingChange("undone", old_state, snapshot(restored), bool(remaining and remaining.private))
    record_change(tx, me, paper_id, change)
    return restored


def group_into_batch(tx: Write, events: Sequence[int]) -> int | None:
    """Group the user's changes into a batch that is undone as a whole.

    Return its number, None without changes.
    """
    if not events:
        return None
    statement = sa.update(ReadingEvent).where(col(ReadingEvent.id).in_(events))
    tx.bulk_execute(statement.values(batch=events[0]))
    return events[0]


def undo_batch(tx: Write, me: CurrentUser, batch: int, papers: Iterable[int]) -> dict[int, bool]:
    """Undo the user's batch for these papers. Return by paper whether it was undone.

    A paper that was changed again since is not undone.
    """
    permissions.require(me, "keep")
    lock_readings(tx, me)
    return {paper_id: _undo_one_of(tx, me, paper_id, batch) for paper_id in sorted(papers)}


def _undo_one_of(tx: Write, me: CurrentUser, paper_id: int, batch: int) -> bool:
    last = queries.find_last_event(tx, me, paper_id)
    if last is None or last.batch != batch or not _is_undoable(last):
        return False
    try:
        with savepoint(tx):
            undo_reading(tx, me, paper_id)
    except NotFound:  # deleted or merged
        return False
    return True


def _is_undoable(last: ReadingEvent) -> bool:
    return last.verb in UNDOABLE and last.created_at >= now() - UNDO_WITHIN


def _restore(
    tx: Write, me: CurrentUser, paper_id: int, *, current: Reading | None, state: State | None
) -> Reading | None:
    """Restore the state of a snapshot: the same pass, an earlier one, or no reading."""
    number = state["pass"] if state else None
    if current is not None and current.pass_number != number:
        tx.delete(current)
        tx.flush()
        current = None
    if state is None:
        return None
    reading = current or _find_or_create_pass(tx, me, paper_id, state["pass"])
    restore_snapshot(reading, state)
    reading.current = True
    tx.flush()
    if "behind" in state:
        restore_position(tx, me, reading, state["behind"])
    return reading


def _find_or_create_pass(tx: Write, me: CurrentUser, paper_id: int, number: int) -> Reading:
    query = sa.select(Reading).where(col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id)
    reading = tx.scalar(query.where(col(Reading.pass_number) == number))
    if reading is None:
        reading = Reading(person_id=me.id, paper_id=paper_id, pass_number=number, status="to_read")
        tx.add(reading)
    return reading
