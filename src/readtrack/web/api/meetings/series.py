"""Series as JSON, and the next meeting of one."""

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.commands import series as commands
from readtrack.team.meetings.queries import series as queries
from readtrack.team.meetings.schemas import NextMeeting, SeriesEdit
from readtrack.team.meetings.view_model import get_shown
from readtrack.web.api.meetings.schemas import MeetingDetailOut, SeriesList, SeriesOut, series_out, shown_out
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import patched, valid
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import Body, JsonAnswer, OnceOnly, answer_for, described_body, etag, version_wanted
from readtrack.web.routing import api_router

router = api_router("meetings")
ONE = "/series/{series_id:int}"


class ListQuery(BaseModel):
    """Which series, and which part of the list."""

    model_config = ConfigDict(extra="forbid")
    ended: bool | None = None
    limit: int | None = None
    after: str | None = None


@router.get("/series", responses={200: {"model": SeriesList}})
def list_series(request: Request, wanted: Annotated[ListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """All series, the oldest first, each with what its next meeting would be."""
    question = f"series {wanted.ended}"
    cut = cut_for(request, question, limit=wanted.limit, after=wanted.after)
    page = queries.list_series(tx, me, cut, ended=wanted.ended)
    offers, cursor = queries.offers(tx, page.items), cursor_for(request, question, page)
    items = [series_out(row, offers[row.id]) for row in page.items]
    return linked(request, answer_for(request, {"items": items, "next": cursor}), cursor)


@router.post("/series", responses={201: {"model": SeriesOut}}, openapi_extra=described_body(SeriesEdit))
def create(me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """A new series."""
    if replayed := once.replay(body):
        return replayed
    series = commands.add_series(tx, me, valid(SeriesEdit, body))
    there = {"Location": f"/api/v1/series/{series.id}", "ETag": etag(series.id or 0, series.version)}
    return once.answer(body, _out(tx, me, series.id or 0), headers=there)


@router.get(ONE, responses={200: {"model": SeriesOut}})
def show(request: Request, series_id: int, me: Me, tx: ReadTx) -> Response:
    """One series."""
    shown = _out(tx, me, series_id)
    return answer_for(request, shown, tag=etag(series_id, shown["version"]))


@router.patch(ONE, responses={200: {"model": SeriesOut}}, openapi_extra=described_body(SeriesEdit))
def edit(request: Request, series_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Changes the fields that are given (JSON merge patch); meetings that are planned stay as they are."""
    permissions.require(me, "schedule")
    row = queries.get_series(tx, me, series_id)
    version = version_wanted(request, series_id)
    now = {name: getattr(row, name) for name in SeriesEdit.model_fields}
    series = commands.edit_series(tx, me, series_id, valid(SeriesEdit, patched(now, body)), version=version)
    return JsonAnswer(_out(tx, me, series_id), headers={"ETag": etag(series_id, series.version)})


@router.delete(ONE, status_code=204)
def end(series_id: int, me: Me, tx: WriteTx) -> Response:
    """Ends a series; its meetings are kept."""
    commands.end_series(tx, me, series_id)
    return Response(status_code=204)


@router.post(f"{ONE}/resume", responses={200: {"model": SeriesOut}})
def resume(series_id: int, me: Me, tx: WriteTx) -> Response:
    """It goes on."""
    commands.resume_series(tx, me, series_id)
    return JsonAnswer(_out(tx, me, series_id))


@router.post(f"{ONE}/meetings", responses={201: {"model": MeetingDetailOut}}, openapi_extra=described_body(NextMeeting))
def plan_next(series_id: int, me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """The next meeting: on the next day of the rhythm, or on `date`, presented by whose turn it is."""
    if replayed := once.replay(body):
        return replayed
    meeting = schedule.plan_next(tx, me, series_id, valid(NextMeeting, body))
    shown = get_shown(tx, me, meeting.id or 0)
    there = {"Location": f"/api/v1/meetings/{meeting.id}", "ETag": etag(meeting.id or 0, meeting.version)}
    return once.answer(body, shown_out(shown), headers=there)


def _out(tx: Read, me: Visitor, series_id: int) -> dict[str, Any]:
    row = queries.get_series(tx, me, series_id)
    return series_out(row, queries.offers(tx, [row])[series_id])
