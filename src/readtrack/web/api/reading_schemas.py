"""Schemas of readings, the same for all endpoints, and their conversion to JSON."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from pydantic import BaseModel

from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.reading_queue import QueuedPaper
from readtrack.reading.readings.commands import ReadingProgress, Status
from readtrack.web.api.papers.schemas import PaperRead, paper_json

_PLAIN = (
    "person_id", "pass_number", "status", "depth", "recommendation", "started_on", "finished_on", "reason", "private",
    "updated_at",
)  # fmt: skip


class ReadingRead(BaseModel):
    """A person's reading of a paper. `priority`: in my own queue; null for other people's readings."""

    paper: int
    person: str
    person_id: int
    pass_number: int
    status: Status
    depth: str
    recommendation: str
    progress: ReadingProgress | None
    started_on: date | None
    finished_on: date | None
    reason: str
    version: str
    private: bool
    priority: int | None
    updated_at: datetime


class ReadingList(BaseModel):
    """A page of readings; `next` is the cursor of the next page."""

    items: list[ReadingRead]
    next: str | None


class PaperReadings(BaseModel):
    """All readings of a paper. `recommended`: people by recommendation."""

    items: list[ReadingRead]
    recommended: dict[str, list[str]]


class ReadingUndo(BaseModel):
    """The restored reading; null if the paper is no longer on my list."""

    reading: ReadingRead | None


class QueuePosition(BaseModel):
    """`moved`: whether the position changed; `priority`: the new priority."""

    paper: int
    moved: bool
    priority: int


class QueueItem(BaseModel):
    """A paper in my queue."""

    paper: PaperRead
    priority: int
    since: datetime


class ReadingQueue(BaseModel):
    """A page of my queue in order; `next` is the cursor of the next page."""

    items: list[QueueItem]
    next: str | None


def reading_json(me: CurrentUser, reading: Any, person: str = "") -> dict[str, Any]:  # noqa: ANN401 - a row or the object just written
    """Return a reading as JSON. `person`: name of the reader, if it is not me."""
    progress = None
    if reading.progress_unit:
        progress = {"unit": reading.progress_unit, "at": reading.progress_at, "of": reading.progress_of}
    return {
        "paper": reading.paper_id,
        "person": person or me.name,
        **{name: getattr(reading, name) for name in _PLAIN},
        "version": reading.version_label,
        "progress": progress,
        "priority": reading.priority if reading.person_id == me.id else None,
    }


def queue_json(items: Sequence[QueuedPaper]) -> list[dict[str, Any]]:
    """Return queue rows as JSON."""
    return [{"paper": paper_json(line.paper), "priority": line.priority, "since": line.added_at} for line in items]
