"""Commands of readings, all exported here. People change only their own.

Each change is an event that can be undone for a day.
"""

from readtrack.reading.readings.commands.reorder import move_reading
from readtrack.reading.readings.commands.undo import group_into_batch, undo_batch, undo_reading
from readtrack.reading.readings.commands.update import (
    FirstReading,
    begin_readings,
    remove_reading,
    set_reading,
    update_reading,
)
from readtrack.reading.readings.schemas import FirstStatus, QueueMove, ReadingProgress, ReadingUpdate, Status

__all__ = [
    "FirstReading",
    "FirstStatus",
    "QueueMove",
    "ReadingProgress",
    "ReadingUpdate",
    "Status",
    "begin_readings",
    "group_into_batch",
    "move_reading",
    "remove_reading",
    "set_reading",
    "undo_batch",
    "undo_reading",
    "update_reading",
]
