"""API endpoints for readings, with their schemas."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel, Timestamp
from readtrack.library.papers import reading_queue
from readtrack.library.papers.lists import get_row
from readtrack.library.papers.reading_queue import QueuedPaper
from readtrack.reading.readings import commands, queries
from readtrack.reading.readings.commands import QueueMove, ReadingProgress, ReadingUpdate, Status
from readtrack.reading.readings.queries import ReadingFilter
from readtrack.web.api.papers.papers import PaperRead, paper_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    JsonResponse,
    ResponseModel,
    conditional_response,
    page_response,
)
from readtrack.web.routing import api_router

_PLAIN = (
    "person_id", "pass_number", "status", "depth", "recommendation", "started_on", "finished_on", "reason", "private",
    "updated_at",
)  # fmt: skip


class ReadingRead(ResponseModel):
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


class ListedReadingRead(ReadingRead):
    """A person's reading, with the title of its paper."""

    title: str


class ReadingList(ResponseModel):
    """A page of readings; `next` is the cursor of the next page."""

    items: list[ListedReadingRead]
    next: str | None


class PaperReadings(ResponseModel):
    """All readings of a paper. `recommended`: people by recommendation."""

    items: list[ReadingRead]
    recommended: dict[str, list[str]]


class ReadingUndo(ResponseModel):
    """The restored reading; null if the paper is no longer on my list."""

    reading: ReadingRead | None


class QueuePosition(ResponseModel):
    """`moved`: whether the position changed; `priority`: the new priority."""

    paper: int
    moved: bool
    priority: int


class QueueItem(ResponseModel):
    """A paper in my queue."""

    paper: PaperRead
    priority: int
    since: datetime


class ReadingQueue(ResponseModel):
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


router = api_router("readings")


class ReadingQuery(PageQuery):
    """The filter of readings, with pagination."""

    person: int | None = None
    status: Status | None = None
    since: Timestamp | None = None


class PassesQuery(StrictModel):
    """`all`: include earlier passes, latest first, after the current ones."""

    all: bool = False


class QueueQuery(PageQuery):
    """Pagination of the queue."""


@router.get("/papers/{paper_id:int}/reading", responses={200: {"model": ReadingRead}})
def get_reading(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Get my reading of a paper.

    404 if the paper is not on my list.
    """
    get_row(tx, me, paper_id)
    reading = queries.find_my_reading(tx, me, paper_id)
    if reading is None:
        message = _("This paper isn't on your list.")
        raise NotFound(message)
    return conditional_response(request, reading_json(me, reading))


@router.put(
    "/papers/{paper_id:int}/reading",
    responses={200: {"model": ReadingRead}, 201: {"model": ReadingRead}},
    openapi_extra=request_body_schema(ReadingUpdate, {"status": "reading"}),
)
def update_reading(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update my reading of a paper.

    201 if the paper was not on my list, 409 with the possible statuses if the new one is not allowed.
    """
    data = validate_input(ReadingUpdate, body)
    reading, created = commands.set_reading(tx, me, paper_id, data)
    return JsonResponse(reading_json(me, reading), 201 if created else 200)


@router.delete("/papers/{paper_id:int}/reading", status_code=204)
def remove_reading(paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove a paper from my list.

    Only if its status is to_read.
    """
    commands.remove_reading(tx, me, paper_id)
    return Response(status_code=204)


@router.post("/papers/{paper_id:int}/reading/undo", responses={200: {"model": ReadingUndo}})
def undo_reading(paper_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Undo my last change of a paper, including its position in my queue.

    Responds 409 if it is over a day old.
    """
    reading = commands.undo_reading(tx, me, paper_id)
    return once.answer({"reading": reading and reading_json(me, reading)}, status=200)


@router.put(
    "/papers/{paper_id:int}/reading/position",
    responses={200: {"model": QueuePosition}},
    openapi_extra=request_body_schema(QueueMove, {"to": "top"}),
)
def set_queue_position(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Move a paper within my queue.

    409 if it is not in the queue. Nobody else sees the order.
    """
    reading, is_moved = commands.move_reading(tx, me, paper_id, validate_input(QueueMove, body))
    return JsonResponse({"paper": paper_id, "moved": is_moved, "priority": reading.priority})


@router.get("/queue", responses={200: {"model": ReadingQueue}})
def list_queue(request: Request, wanted: Annotated[QueueQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List my queue.

    In my order.
    """
    page_request = read_page_request(request, reading_queue.QUESTION, limit=wanted.limit, after=wanted.after)
    page = reading_queue.page_queue(tx, me, page_request)
    return page_response(request, reading_queue.QUESTION, page, queue_json(page.items))


@router.get("/papers/{paper_id:int}/readings", responses={200: {"model": PaperReadings}})
def list_paper_readings(
    request: Request, paper_id: int, wanted: Annotated[PassesQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the readings of a paper.

    Everyone's current readings, with their recommendations; without private readings of others.
    """
    get_row(tx, me, paper_id)
    current_readings, earlier_readings = queries.list_readings(tx, me, paper_id), queries.list_earlier(tx, me, paper_id)
    selected = [*current_readings, *earlier_readings] if wanted.all else current_readings
    items = [reading_json(me, reading, reading.person) for reading in selected]
    return conditional_response(
        request, {"items": items, "recommended": queries.group_recommendations(current_readings, earlier_readings)}
    )


@router.get("/readings", responses={200: {"model": ReadingList}})
def list_readings(request: Request, wanted: Annotated[ReadingQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List readings of all papers.

    Latest change first.
    """
    reading_filter = ReadingFilter(wanted.person, wanted.status, wanted.since)
    page_request = read_page_request(request, reading_filter.question, limit=wanted.limit, after=wanted.after)
    page = queries.page_readings(tx, me, reading_filter, page_request)
    items = [reading_json(me, reading, reading.person) | {"title": reading.title} for reading in page.items]
    return page_response(request, reading_filter.question, page, items)
