"""What can be done to readings. People change only their own; each change is an event that can be taken back for a day.

One module per family of verbs, all reachable from here, and so is what they take.
"""

from readtrack.reading.readings.commands.create import First, begin_readings
from readtrack.reading.readings.commands.reorder import move_reading
from readtrack.reading.readings.commands.undo import tie, undo_batch, undo_reading
from readtrack.reading.readings.commands.update import remove_reading, say, set_reading
from readtrack.reading.readings.schemas import FirstStatus, Move, Progress, ReadingSet, Status

__all__ = [
    "First",
    "FirstStatus",
    "Move",
    "Progress",
    "ReadingSet",
    "Status",
    "begin_readings",
    "move_reading",
    "remove_reading",
    "say",
    "set_reading",
    "tie",
    "undo_batch",
    "undo_reading",
]
