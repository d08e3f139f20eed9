"""Input of the assignment commands, for both forms and JSON."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import OneLine

MAX_NOTE_CHARS = 500
Depth = Literal["", "skimmed", "read", "studied"]
Remark = Annotated[str, Field(max_length=MAX_NOTE_CHARS), OneLine]


class AssignmentUpdate(TrimmedModel):
    """Due date, depth and note. Fields that are not given are unchanged; null clears the date."""

    due_on: date | None = None
    depth: Depth = ""
    note: Remark = ""


class AssignmentCreate(AssignmentUpdate):
    """The id of the paper, and who should read it."""

    paper: int
    person: int


class AssignmentAnswer(TrimmedModel):
    """The assignee's answer. The reason is visible to others."""

    answer: Literal["accept", "decline"]
    reason: Remark = ""
