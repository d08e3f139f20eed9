"""What can be done to readings. People change only their own; each change is an event that can be taken back for a day.

One module per family of verbs, all reachable from here, and so is what they take.
"""

from readtrack.readings.commands.many import Done, Outcome, change_many
from readtrack.readings.commands.moving import move_reading
from readtrack.readings.commands.setting import remove_reading, say, set_reading
from readtrack.readings.commands.undoing import TakenBack, undo_many, undo_reading
from readtrack.readings.inputs import Bulk, FirstStatus, Move, Progress, ReadingSet, Status

__all__ = [
    "Bulk",
    "Done",
    "FirstStatus",
    "Move",
    "Outcome",
    "Progress",
    "ReadingSet",
    "Status",
    "TakenBack",
    "change_many",
    "move_reading",
    "remove_reading",
    "say",
    "set_reading",
    "undo_many",
    "undo_reading",
]
