"""What can be done to readings. People change only their own; each change is an event that can be taken back for a day.

One module per family of verbs, all reachable from here, and so is what they take.
"""

from readtrack.readings.commands.beginning import First, begin_readings
from readtrack.readings.commands.moving import move_reading
from readtrack.readings.commands.setting import remove_reading, say, set_reading
from readtrack.readings.commands.undoing import tie, undo_batch, undo_reading
from readtrack.readings.inputs import FirstStatus, Move, Progress, ReadingSet, Status

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
