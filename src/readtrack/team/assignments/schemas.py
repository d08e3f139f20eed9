"""What the commands about assignments are given; forms and JSON fill the same models."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import OneLine

LONGEST = 500
Depth = Literal["", "skimmed", "read", "studied"]
Remark = Annotated[str, Field(max_length=LONGEST), OneLine]


class AssignmentUpdate(TrimmedModel):
    """By when, how deep, and what to look at. A field that is not given stays as it is; null clears the day."""

    due_on: date | None = None
    depth: Depth = ""
    note: Remark = ""


class AssignmentCreate(AssignmentUpdate):
    """Which paper, by its id, and who should read it."""

    paper: int
    person: int


class AssignmentAnswer(TrimmedModel):
    """What the person says whom it is for. A reason is for the others to read."""

    answer: Literal["accept", "decline"]
    reason: Remark = ""
