"""Pages for meeting series: show, edit, end, and plan the next meeting."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import clock, permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.team.accounts.queries import find_person
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.commands import schedule as commands
from readtrack.team.meetings.queries import series as queries
from readtrack.team.meetings.queries.agendas import find_agenda_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import MeetingFilter, MeetingRow, get_meeting, list_meetings
from readtrack.team.meetings.queries.series import SeriesRow
from readtrack.team.meetings.recurrence import DAYS, format_interval
from readtrack.team.meetings.schemas import NextMeetingCreate, SeriesFields
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, parse_int, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
ONE = "/meetings/series/{series_id:int}"
MEETINGS_PER_PAGE = 10  # meetings on the page of their series


@router.get("/meetings/series/new")
def new_page(request: Request, me: Me, tx: ReadTx, meeting: str = "") -> Response:
    """Show the form with common defaults: weekly, everyone in turn. `meeting`: the single meeting to make recurring."""
    permissions.require(me, "schedule")
    all_names = "\n".join(name for _, name in queries.list_presenters(tx))
    typed = {
        "interval_weeks": "1",
        "weekday": "2",
        "start_time": "15:00",
        "minutes": "60",
        "time_zone": me.time_zone or "UTC",
    }
    first: Mapping[str, str] = {}
    if meeting:
        with suppress(NotFound):  # deleted meanwhile, or a mistyped address: the form has the defaults
            first = _first_meeting_fields(get_meeting(tx, me, parse_int(meeting)).row)
    return _form(request, typed={**typed, "presenter_order": all_names, **first}, errors={})


@router.post("/meetings/series")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create a series, of a single meeting if `meeting` is given; show the form again (422) on errors."""
    form_result = _validate_series(tx, fields)
    if form_result.value is None:
        return _form(request, typed=form_result.raw_values, errors=form_result.errors, status=422)
    meeting_id = parse_int(fields.get("meeting")) or None
    series = commands.add_series(tx, me, form_result.value, meeting_id=meeting_id)
    return redirect_with_flash(
        request,
        f"/meetings/series/{series.id}",
        _("Series created"),
    )


@router.get(ONE)
def show_page(request: Request, series_id: int, me: Me, tx: ReadTx) -> Response:
    """Show a series: next meeting, candidates, and meetings."""
    row = queries.get_series(tx, me, series_id)
    upcoming = list_meetings(tx, me, MeetingFilter("upcoming", series_id), PageRequest(MEETINGS_PER_PAGE)).items
    past = list_meetings(tx, me, MeetingFilter("past", series_id), PageRequest(MEETINGS_PER_PAGE)).items
    context: dict[str, Any] = {
        "row": row,
        "offer": queries.find_meeting_suggestions(tx, [row])[series_id],
        "presenter_order": _rota_names(tx, row),
        "candidates": list_candidates(tx, me, series_id),
        "upcoming": upcoming,
        "past": past,
        "items": find_agenda_items(tx, [meeting.id for meeting in (*upcoming, *past)]),
    }
    return render(request, "meetings/series.html", **context)


@router.get(f"{ONE}/edit")
def edit_page(request: Request, series_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    permissions.require(me, "schedule")
    row = queries.get_series(tx, me, series_id)
    return _form(request, typed=_series_fields(tx, row), errors={}, series=row)


@router.post(f"{ONE}/edit")
def edit(request: Request, series_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form; show it again (409) if the series was changed meanwhile."""
    row = queries.get_series(tx, me, series_id)
    form_result = _validate_series(tx, fields)
    if form_result.value is None:
        return _form(request, typed=form_result.raw_values, errors=form_result.errors, series=row, status=422)
    try:
        commands.edit_series(tx, me, series_id, form_result.value, version=parse_int(fields.get("version")))
    except StaleVersion:
        return _form(
            request,
            typed=form_result.raw_values,
            errors={},
            series=row,
            status=409,
            current_fields=_series_fields(tx, row),
        )
    return redirect_with_flash(
        request, f"/meetings/series/{series_id}", _("Saved. Meetings already scheduled don't change.")
    )


@router.post(f"{ONE}/next")
def plan_next(request: Request, series_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Plan the next meeting, on another day if one is given."""
    form_result = validate_form(NextMeetingCreate, fields.values)
    if form_result.value is None:
        message = " ".join(form_result.errors.values())
        return redirect_with_flash(request, f"/meetings/series/{series_id}", message, kind="bad")
    shown_day = fields.get("offered")
    day = (
        date.fromisoformat(shown_day)
        if validate_form(NextMeetingCreate, {"date": shown_day}).value and shown_day
        else None
    )
    meeting = schedule.plan_next(tx, me, series_id, form_result.value, shown_day=day)
    return redirect_with_flash(request, f"/meetings/{meeting.id}", _("Meeting created"))


@router.post(f"{ONE}/end")
def end(request: Request, series_id: int, me: Me, tx: WriteTx) -> Response:
    """End the series."""
    commands.end_series(tx, me, series_id)
    address = f"/meetings/series/{series_id}"
    return redirect_with_flash(request, address, _("Series ended"), undo=(_("Undo"), f"{address}/resume"))


@router.post(f"{ONE}/resume")
def resume(request: Request, series_id: int, me: Me, tx: WriteTx) -> Response:
    """Resume the series."""
    commands.resume_series(tx, me, series_id)
    return redirect_with_flash(request, f"/meetings/series/{series_id}", _("Series resumed"))


def _form(
    request: Request,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    series: SeriesRow | None = None,
    status: int = 200,
    current_fields: Mapping[str, str] | None = None,
) -> Response:
    days = [(str(number), _(name)) for number, name in enumerate(DAYS)]
    intervals = [(str(weeks), format_interval(weeks)) for weeks in (*range(1, 13), 0)]
    choices: dict[str, Any] = {"series": series, "theirs": current_fields or {}, "days": days, "turns": intervals}
    context = {**choices, "zones": clock.zones()}
    return render(request, "meetings/series_edit.html", status, typed=typed, errors=errors, **context)


def _validate_series(tx: Read, fields: Fields) -> FormResult[SeriesFields]:
    """Validate the form; the rotation is given as names, one per line, of active people."""
    people_by_name = {
        name: find_person(tx, name) for line in fields.get("presenter_order").splitlines() if (name := line.strip())
    }
    people = [person.id for person in people_by_name.values() if person is not None and person.disabled_at is None]
    form_result = validate_form(SeriesFields, {**fields.values, "presenter_order": people})
    unknown_names = [
        name for name, person in people_by_name.items() if person is None or person.disabled_at is not None
    ]
    if not unknown_names:
        return FormResult(form_result.value, form_result.errors, dict(fields.values))
    message = _("No such member: {list}.").format(list=", ".join(f"“{name[:60]}”" for name in unknown_names[:5]))
    return FormResult(None, {**form_result.errors, "presenter_order": message}, dict(fields.values))


def _first_meeting_fields(row: MeetingRow) -> dict[str, str]:
    """Return the fields of a weekly series that begins with this meeting."""
    return {
        "meeting": str(row.id),
        "name": row.title,
        "weekday": str(row.date.weekday()),
        "start_time": row.local_time,
        "minutes": str(row.minutes),
        "time_zone": row.time_zone,
        "starts_on": row.date.isoformat(),
        "location": row.location,
    }


def _series_fields(tx: Read, row: SeriesRow) -> dict[str, str]:
    fields = {
        name: str(getattr(row, name))
        for name in ("name", "interval_weeks", "weekday", "start_time", "minutes", "time_zone")
    }
    starts_on = row.starts_on.isoformat() if row.starts_on else ""
    presenter_names = "\n".join(_rota_names(tx, row))
    return {
        **fields,
        "starts_on": starts_on,
        "location": row.location,
        "presenter_order": presenter_names,
        "version": str(row.version),
    }


def _rota_names(tx: Read, row: SeriesRow) -> list[str]:
    """Return the names in the rotation in order, without former members."""
    names = queries.find_names(tx, row.presenter_order)
    return [names[person] for person in row.presenter_order if person in names]
