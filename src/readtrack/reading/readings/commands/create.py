"""Bulk creation of readings from imported notes."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import count
from typing import NamedTuple

from readtrack.infra import permissions
from readtrack.infra.clock import today_of
from readtrack.infra.db import Write
from readtrack.infra.models import Reading
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.readings import positions, queries
from readtrack.reading.readings.commands.update import apply_change
from readtrack.reading.readings.history import ReadingChange, lock_readings, record_first_changes, snapshot
from readtrack.reading.readings.schemas import ReadingUpdate


class FirstReading(NamedTuple):
    """The first reading of a paper. `status`: any but `paused`; `on`: as in `set_reading`."""

    paper_id: int
    status: str
    version: str
    on: date


def begin_readings(tx: Write, me: CurrentUser, first_readings: Sequence[FirstReading]) -> None:
    """Add readings of papers that this transaction has added.

    Papers to read go to the end of the queue.
    """
    permissions.require(me, "keep")
    if not first_readings:
        return
    lock_readings(tx, me)
    last_position = (
        queries.last_position(tx, me, 0) if any(first.status == "to_read" for first in first_readings) else 0
    )
    readings = list(_readings(me, first_readings, last_position))
    tx.add_all(readings)
    tx.flush()
    record_first_changes(
        tx, me, {reading.paper_id: ReadingChange("set", None, snapshot(reading), private=False) for reading in readings}
    )


def _readings(me: CurrentUser, first_readings: Sequence[FirstReading], last_position: int) -> Iterator[Reading]:
    queue_positions, today = (
        count(last_position + positions.POSITION_GAP, positions.POSITION_GAP),
        today_of(me.time_zone),
    )
    for first in first_readings:
        optional_fields = {"version": first.version} if first.version else {}
        reading = Reading(person_id=me.id, paper_id=first.paper_id, status=first.status, added_on=today)
        apply_change(
            reading,
            ReadingUpdate.model_validate({"status": first.status, **optional_fields}),
            old_status=None,
            changed_on=first.on,
        )
        if first.status == "to_read":
            reading.position = next(queue_positions)
        yield reading
