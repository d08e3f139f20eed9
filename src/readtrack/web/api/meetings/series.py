"""API endpoints for meeting series."""

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.commands import schedule as commands
from readtrack.team.meetings.queries import series as queries
from readtrack.team.meetings.schemas import NextMeetingCreate, SeriesFields
from readtrack.team.meetings.view_model import get_meeting_view
from readtrack.web.api.meetings.schemas import MeetingDetailRead, SeriesList, SeriesRead, meeting_view_json, series_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    JsonResponse,
    conditional_response,
    etag,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router

router = api_router("meetings")
ONE = "/series/{series_id:int}"


class SeriesListQuery(PageQuery):
    """The filter of series, with pagination."""

    ended: bool | None = None


@router.get("/series", responses={200: {"model": SeriesList}})
def list_series(request: Request, wanted: Annotated[SeriesListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List series of meetings.

    Oldest first, each with its next meeting.
    """
    cursor_context = f"series {wanted.ended}"
    page_request = read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    page = queries.list_series(tx, me, page_request, ended=wanted.ended)
    suggestions = queries.find_meeting_suggestions(tx, page.items)
    items = [series_json(row, suggestions[row.id]) for row in page.items]
    return page_response(request, cursor_context, page, items)


@router.post(
    "/series",
    responses={201: {"model": SeriesRead}},
    openapi_extra=request_body_schema(SeriesFields, {"name": "Systems"}),
)
def create_series(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Create a series."""
    series = commands.add_series(tx, me, validate_input(SeriesFields, body))
    headers = {"Location": f"/api/v1/series/{series.id}", "ETag": etag(series.id or 0, series.version)}
    return once.answer(_get_series_json(tx, me, series.id or 0), headers=headers)


@router.get(ONE, responses={200: {"model": SeriesRead}})
def get_series(request: Request, series_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a series of meetings."""
    payload = _get_series_json(tx, me, series_id)
    return conditional_response(request, payload, tag=etag(series_id, payload["version"]))


@router.patch(
    ONE,
    responses={200: {"model": SeriesRead}},
    openapi_extra=request_body_schema(SeriesFields, {"name": "Systems"}, merge_patch=True),
)
def update_series(series_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a series of meetings.

    Only the given fields change (JSON merge patch). Planned meetings stay as they are.
    """
    permissions.require(me, "schedule")
    row = queries.get_series(tx, me, series_id)
    version = parse_if_match(if_match, series_id)
    now = {name: getattr(row, name) for name in SeriesFields.model_fields}
    series = commands.edit_series(
        tx, me, series_id, validate_input(SeriesFields, apply_merge_patch(now, body)), version=version
    )
    return JsonResponse(_get_series_json(tx, me, series_id), headers={"ETag": etag(series_id, series.version)})


@router.delete(ONE, status_code=204)
def end_series(series_id: int, me: Me, tx: WriteTx) -> Response:
    """End a series of meetings.

    Its meetings are kept.
    """
    commands.end_series(tx, me, series_id)
    return Response(status_code=204)


@router.post(f"{ONE}/resume", responses={200: {"model": SeriesRead}})
def resume_series(series_id: int, me: Me, tx: WriteTx) -> Response:
    """Resume a series of meetings."""
    commands.resume_series(tx, me, series_id)
    return JsonResponse(_get_series_json(tx, me, series_id))


@router.post(
    f"{ONE}/meetings",
    responses={201: {"model": MeetingDetailRead}},
    openapi_extra=request_body_schema(NextMeetingCreate, {}),
)
def plan_next_meeting(series_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Plan the next meeting of a series.

    It is on the next day of the rhythm or on `date`, and the next person in the rotation presents.
    """
    meeting = schedule.plan_next(tx, me, series_id, validate_input(NextMeetingCreate, body))
    view = get_meeting_view(tx, me, meeting.id or 0)
    headers = {"Location": f"/api/v1/meetings/{meeting.id}", "ETag": etag(meeting.id or 0, meeting.version)}
    return once.answer(meeting_view_json(view), headers=headers)


def _get_series_json(tx: Read, me: CurrentUser, series_id: int) -> dict[str, Any]:
    row = queries.get_series(tx, me, series_id)
    return series_json(row, queries.find_meeting_suggestions(tx, [row])[series_id])
