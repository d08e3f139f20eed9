"""Readings as JSON: mine to change, others' to see when shared."""

from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.errors import NotFound
from readtrack.papers.queries import get_row
from readtrack.readings import commands, queries
from readtrack.readings.commands import Progress, ReadingSet, Status
from readtrack.readings.queries import ReadingFilter
from readtrack.web.answers import Body, JsonAnswer, answer_for, described_body
from readtrack.web.cursors import cursor_for, cut_for, linked
from readtrack.web.forms import valid
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(prefix="/api/v1", tags=["readings"])


class ReadingOut(BaseModel):
    """One person's present pass through a paper."""

    paper: int
    person: str
    pass_number: int
    status: Status
    depth: str
    progress: Progress | None
    started_on: date | None
    finished_on: date | None
    reason: str
    version: str
    private: bool
    updated_at: datetime


class ReadingList(BaseModel):
    """A page of readings; `next` is the cursor to the rest."""

    items: list[ReadingOut]
    next: str | None


def _in_utc(moment: datetime) -> datetime:
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise ValueError("This moment lies beyond the calendar") from None


class ReadingQuery(BaseModel):
    """Which readings."""

    model_config = ConfigDict(extra="forbid")
    person: int | None = None
    status: Status | None = None
    since: Annotated[datetime, AfterValidator(_in_utc)] | None = None
    limit: int | None = None
    after: str | None = None


@router.get("/papers/{paper_id}/reading", responses={200: {"model": ReadingOut}})
def show(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """My reading of a paper; 404 when it is not on my list."""
    get_row(tx, me, paper_id)
    reading = queries.find_my_reading(tx, me, paper_id)
    if reading is None:
        message = "This paper is not on your list."
        raise NotFound(message)
    return answer_for(request, _out(reading, me.name))


@router.put(
    "/papers/{paper_id}/reading", responses={200: {"model": ReadingOut}}, openapi_extra=described_body(ReadingSet)
)
def change(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Changes my reading; 201 when the paper was not on my list, 409 with the possible statuses for a refused one."""
    wanted = valid(ReadingSet, body)
    reading, created = commands.set_reading(tx, me, paper_id, wanted)
    return JsonAnswer(_out(reading, me.name), 201 if created else 200)


@router.delete("/papers/{paper_id}/reading", status_code=204)
def remove(paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes a paper off my list, from to_read only."""
    commands.remove_reading(tx, me, paper_id)
    return Response(status_code=204)


@router.get("/papers/{paper_id}/readings", responses={200: {"model": list[ReadingOut]}})
def list_of_paper(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Everybody's present readings of a paper, private ones of others left out."""
    get_row(tx, me, paper_id)
    found = queries.list_readings(tx, me, paper_id)
    return answer_for(request, {"items": [_out(reading, reading.person) for reading in found]})


@router.get("/readings", responses={200: {"model": ReadingList}})
def list_all(request: Request, wanted: Annotated[ReadingQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """A page of present readings over all papers, the latest change first."""
    asked = ReadingFilter(wanted.person, wanted.status, wanted.since)
    cut = cut_for(request, asked.question, limit=wanted.limit, after=wanted.after)
    page = queries.page_readings(tx, me, asked, cut)
    items = [_out(reading, reading.person) | {"title": reading.title} for reading in page.items]
    cursor = cursor_for(request, asked.question, page)
    return linked(request, answer_for(request, {"items": items, "next": cursor}), cursor)


def _out(reading: Any, person: str) -> dict[str, Any]:  # noqa: ANN401 - a row or the object just written
    progress = None
    if reading.progress_unit:
        progress = {"unit": reading.progress_unit, "at": reading.progress_at, "of": reading.progress_of}
    plain = ("pass_number", "status", "depth", "started_on", "finished_on", "reason", "private", "updated_at")
    named = {name: getattr(reading, name) for name in plain}
    version = {"version": reading.version_label}
    return {"paper": reading.paper_id, "person": person, **named, **version, "progress": progress}
