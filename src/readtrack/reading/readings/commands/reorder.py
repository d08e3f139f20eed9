"""Putting one's queue into an order of one's own. Nobody else sees it, nor that it was changed."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, Reading
from readtrack.infra.permissions import Visitor, listed
from readtrack.reading.readings import positions
from readtrack.reading.readings.history import Change, hold_mine, remember, snapshot
from readtrack.reading.readings.queries import IN_QUEUE_ORDER
from readtrack.reading.readings.schemas import Move

Places = Mapping[int, int | None]  # by paper, in their order


def move_reading(tx: Write, me: Visitor, paper_id: int, move: Move) -> tuple[Reading, bool]:
    """Moves a paper within my queue; False when it stands there already.

    Beside a paper of another priority it gets that priority. Raises Conflict when one of them is not in my queue.
    """
    permissions.require(me, "keep")
    permissions.hold_present(tx, paper_id)
    reading = hold_mine(tx, me, paper_id)
    if reading is None or reading.status != "to_read":
        raise Conflict(_not_queued(paper_id), code="not-in-queue")
    was, here = snapshot(reading) or {}, _places(tx, me, reading.priority)
    reading.priority = _priority_there(tx, me, reading, move.before or move.after)
    there = here if reading.priority == was["priority"] else _places(tx, me, reading.priority)
    queue = _moved(list(there), paper_id, move)
    if queue == list(here):
        return reading, False
    _renumber(tx, me, queue, there, moved=paper_id)
    tx.refresh(reading)
    behind = {"behind": _before(list(here), paper_id)}
    remember(tx, me, paper_id, Change("moved", was | behind, snapshot(reading), reading.private))
    return reading, True


def put_back(tx: Write, me: Visitor, reading: Reading, behind: int | None) -> None:
    """Puts a paper where it stood, behind that one (none: at the top), if that one is in my queue still."""
    places = _places(tx, me, reading.priority)
    if behind is None or behind in places:
        queue = positions.beside(list(places), reading.paper_id, after=behind)
        _renumber(tx, me, queue, places, moved=reading.paper_id)
        tx.refresh(reading)


def _places(tx: Write, me: Visitor, priority: int) -> Places:
    tx.flush()
    mine = sa.select(col(Reading.paper_id), col(Reading.place)).join(Paper, col(Paper.id) == col(Reading.paper_id))
    mine = mine.where(*_queued(me), col(Reading.priority) == priority, listed(Paper)).order_by(*IN_QUEUE_ORDER)
    return {row.paper_id: row.place for row in tx.execute(mine)}


def _queued(me: Visitor) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Reading.person_id) == me.id, col(Reading.current).is_(True), col(Reading.status) == "to_read"


def _priority_there(tx: Write, me: Visitor, reading: Reading, other: int | None) -> int:
    if other is None or other == reading.paper_id:
        return reading.priority
    mine = sa.select(col(Reading.priority)).join(Paper, col(Paper.id) == col(Reading.paper_id))
    priority = tx.scalar(mine.where(*_queued(me), col(Reading.paper_id) == other, listed(Paper)))
    if priority is None:
        raise Conflict(_not_queued(other), code="not-in-queue")
    return priority


def _moved(queue: Sequence[int], paper_id: int, move: Move) -> list[int]:
    if paper_id in {move.before, move.after}:
        return list(queue)
    if move.to is None:
        return positions.beside(queue, paper_id, before=move.before, after=move.after)
    if paper_id not in queue:  # as the team rejected it
        raise Conflict(_not_queued(paper_id), code="not-in-queue")
    return positions.stepped(queue, paper_id, move.to)


def _before(queue: Sequence[int], paper_id: int) -> int | None:
    at = queue.index(paper_id) if paper_id in queue else 0
    return queue[at - 1] if at else None


def _renumber(tx: Write, me: Visitor, queue: Sequence[int], places: Places, *, moved: int) -> None:
    there = sa.update(Reading).where(*_queued(me), col(Reading.paper_id) == sa.bindparam("of"))
    changed = positions.new_places(queue, places, moved=moved)
    rows = [{"of": paper_id, "place": place} for paper_id, place in changed.items()]
    tx.connection().execute(there.values(place=sa.bindparam("place")), rows)


def _not_queued(paper_id: int) -> str:
    told = _("Paper {number} is not in your queue: only what is to be read stands in it. Nothing was changed.")
    return told.format(number=paper_id)
