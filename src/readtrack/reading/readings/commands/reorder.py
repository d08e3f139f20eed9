"""Reordering of the user's queue. Order and changes are visible only to the user."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, Reading
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.reading.readings import positions
from readtrack.reading.readings.history import ReadingChange, lock_my_reading, record_change, snapshot
from readtrack.reading.readings.queries import IN_QUEUE_ORDER
from readtrack.reading.readings.schemas import QueueMove

QueuePositions = Mapping[int, int | None]  # by paper, in queue order


def move_reading(tx: Write, me: CurrentUser, paper_id: int, move: QueueMove) -> tuple[Reading, bool]:
    """Move a paper within the user's queue. Return False if it is already there.

    Next to a paper of another priority, it gets that priority. Raise Conflict if one of them is not in the queue.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    reading = lock_my_reading(tx, me, paper_id)
    if reading is None or reading.status != "to_read":
        raise Conflict(_not_queued(paper_id), code="not-in-queue")
    old_state, old_positions = snapshot(reading) or {}, _queue_positions(tx, me, reading.priority)
    reading.priority = _target_priority(tx, me, reading, move.before or move.after)
    new_positions = (
        old_positions if reading.priority == old_state["priority"] else _queue_positions(tx, me, reading.priority)
    )
    queue = _move_in_queue(list(new_positions), paper_id, move)
    if queue == list(old_positions):
        return reading, False
    _renumber(tx, me, queue, new_positions, moved=paper_id)
    tx.refresh(reading)
    previous = {"behind": _previous_in_queue(list(old_positions), paper_id)}
    record_change(tx, me, paper_id, ReadingChange("moved", old_state | previous, snapshot(reading), reading.private))
    return reading, True


def restore_position(tx: Write, me: CurrentUser, reading: Reading, previous_id: int | None) -> None:
    """Move a paper back after the given one (None: to the top), if that one is still in the queue."""
    queue_positions = _queue_positions(tx, me, reading.priority)
    if previous_id is None or previous_id in queue_positions:
        queue = positions.move_next_to(list(queue_positions), reading.paper_id, after=previous_id)
        _renumber(tx, me, queue, queue_positions, moved=reading.paper_id)
        tx.refresh(reading)


def _queue_positions(tx: Write, me: CurrentUser, priority: int) -> QueuePositions:
    tx.flush()
    query = sa.select(col(Reading.paper_id), col(Reading.position)).join(Paper, col(Paper.id) == col(Reading.paper_id))
    query = query.where(*_queued_conditions(me), col(Reading.priority) == priority, is_listed(Paper)).order_by(
        *IN_QUEUE_ORDER
    )
    return {row.paper_id: row.position for row in tx.execute(query)}


def _queued_conditions(me: CurrentUser) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Reading.person_id) == me.id, col(Reading.current).is_(True), col(Reading.status) == "to_read"


def _target_priority(tx: Write, me: CurrentUser, reading: Reading, neighbour_id: int | None) -> int:
    if neighbour_id is None or neighbour_id == reading.paper_id:
        return reading.priority
    query = sa.select(col(Reading.priority)).join(Paper, col(Paper.id) == col(Reading.paper_id))
    priority = tx.scalar(query.where(*_queued_conditions(me), col(Reading.paper_id) == neighbour_id, is_listed(Paper)))
    if priority is None:
        raise Conflict(_not_queued(neighbour_id), code="not-in-queue")
    return priority


def _move_in_queue(queue: Sequence[int], paper_id: int, move: QueueMove) -> list[int]:
    if paper_id in {move.before, move.after}:
        return list(queue)
    if move.to is None:
        return positions.move_next_to(queue, paper_id, before=move.before, after=move.after)
    if paper_id not in queue:  # a paper that the team rejected
        raise Conflict(_not_queued(paper_id), code="not-in-queue")
    return positions.move_by_step(queue, paper_id, move.to)


def _previous_in_queue(queue: Sequence[int], paper_id: int) -> int | None:
    index = queue.index(paper_id) if paper_id in queue else 0
    return queue[index - 1] if index else None


def _renumber(tx: Write, me: CurrentUser, queue: Sequence[int], queue_positions: QueuePositions, *, moved: int) -> None:
    statement = sa.update(Reading).where(*_queued_conditions(me), col(Reading.paper_id) == sa.bindparam("of"))
    changes = positions.new_positions(queue, queue_positions, moved_item=moved)
    rows = [{"of": paper_id, "position": position} for paper_id, position in changes.items()]
    tx.connection().execute(statement.values(position=sa.bindparam("position")), rows)


def _not_queued(paper_id: int) -> str:
    template = _("Paper {number} isn't in your queue.")
    return template.format(number=paper_id)
