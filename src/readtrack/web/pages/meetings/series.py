"""Pages for meeting series: show, edit, end, and plan the next meeting."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import clock, i18n, permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.team.accounts.queries import find_person
from readtrack.team.meetings.commands import schedule
from readtrack.team.meetings.commands import series as commands
from readtrack.team.meetings.queries import series as queries
from readtrack.team.meetings.queries.agendas import find_agenda_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import MeetingFilter, list_meetings
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
def new_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the form with common defaults: weekly, everyone in turn."""
    permissions.require(me, "schedule")
    everybody = "\n".join(name for _, name in queries.list_presenters(tx))
    typed = {
        "interval_weeks": "1",
        "weekday": "2",
        "start_time": "15:00",
        "minutes": "60",
        "time_zone": me.time_zone or "UTC",
    }
    return _form(request, typed={**typed, "presenter_order": everybody}, errors={})


@router.post("/meetings/series")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create a series; show the form again (422) on errors."""
    checked = _validate_series(tx, fields)
    if checked.value is None:
        return _form(request, typed=checked.typed, errors=checked.errors, status=422)
    series = commands.add_series(tx, me, checked.value)
    return redirect_with_flash(
        request,
        f"/meetings/series/{series.id}",
        _("“{name}” is a series now. Plan its next meeting.").format(name=series.name),
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
        "items": find_agenda_items(tx, [each.id for each in (*upcoming, *past)]),
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
    checked = _validate_series(tx, fields)
    if checked.value is None:
        return _form(request, typed=checked.typed, errors=checked.errors, series=row, status=422)
    try:
        commands.edit_series(tx, me, series_id, checked.value, version=parse_int(fields.get("version")))
    except StaleVersion:
        return _form(request, typed=checked.typed, errors={}, series=row, status=409, theirs=_series_fields(tx, row))
    return redirect_with_flash(
        request, f"/meetings/series/{series_id}", _("Saved. Meetings that are planned stay as they are.")
    )


@router.post(f"{ONE}/next")
def plan_next(request: Request, series_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Plan the next meeting, on another day if one is given."""
    checked = validate_form(NextMeetingCreate, fields.values)
    if checked.value is None:
        said = _("{list} Nothing was planned.").format(list=" ".join(checked.errors.values()))
        return redirect_with_flash(request, f"/meetings/series/{series_id}", said, kind="bad")
    offered = fields.get("offered")
    day = date.fromisoformat(offered) if validate_form(NextMeetingCreate, {"date": offered}).value and offered else None
    meeting = schedule.plan_next(tx, me, series_id, checked.value, offered=day)
    begins = clock.to_local(meeting.starts_at, meeting.time_zone)
    said = _("Planned for {days} {day}.").format(days=_(DAYS[begins.weekday()]), day=i18n.format_day(begins.date()))
    return redirect_with_flash(request, f"/meetings/{meeting.id}", said)


@router.post(f"{ONE}/end")
def end(request: Request, series_id: int, me: Me, tx: WriteTx) -> Response:
    """End the series."""
    commands.end_series(tx, me, series_id)
    address = f"/meetings/series/{series_id}"
    return redirect_with_flash(
        request, address, _("Ended. Its meetings are kept."), undo=(_("Let it go on"), f"{address}/resume")
    )


@router.post(f"{ONE}/resume")
def resume(request: Request, series_id: int, me: Me, tx: WriteTx) -> Response:
    """Resume the series."""
    commands.resume_series(tx, me, series_id)
    return redirect_with_flash(request, f"/meetings/series/{series_id}", _("The series goes on."))


def _form(
    request: Request,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    series: SeriesRow | None = None,
    status: int = 200,
    theirs: Mapping[str, str] | None = None,
) -> Response:
    days = [(str(number), _(name)) for number, name in enumerate(DAYS)]
    turns = [(str(weeks), format_interval(weeks)) for weeks in (*range(1, 13), 0)]
    shown: dict[str, Any] = {"series": series, "theirs": theirs or {}, "days": days, "turns": turns}
    context = {**shown, "zones": clock.zones()}
    return render(request, "meetings/series_edit.html", status, typed=typed, errors=errors, **context)


def _validate_series(tx: Read, fields: Fields) -> FormResult[SeriesFields]:
    """Validate the form; the rotation is given as names, one per line, of active people."""
    found = {
        name: find_person(tx, name) for line in fields.get("presenter_order").splitlines() if (name := line.strip())
    }
    people = [person.id for person in found.values() if person is not None and person.disabled_at is None]
    checked = validate_form(SeriesFields, {**fields.values, "presenter_order": people})
    unknown = [name for name, person in found.items() if person is None or person.disabled_at is not None]
    if not unknown:
        return FormResult(checked.value, checked.errors, dict(fields.values))
    said = _("Nobody active here is called {list}.").format(list=", ".join(f"“{name[:60]}”" for name in unknown[:5]))
    return FormResult(None, {**checked.errors, "presenter_order": said}, dict(fields.values))


def _series_fields(tx: Read, row: SeriesRow) -> dict[str, str]:
    plain = {
        name: str(getattr(row, name))
        for name in ("name", "interval_weeks", "weekday", "start_time", "minutes", "time_zone")
    }
    begins = row.starts_on.isoformat() if row.starts_on else ""
    rota = "\n".join(_rota_names(tx, row))
    return {
        **plain,
        "starts_on": begins,
        "location": row.location,
        "presenter_order": rota,
        "version": str(row.version),
    }


def _rota_names(tx: Read, row: SeriesRow) -> list[str]:
    """Return the names in the rotation in order, without former members."""
    names = queries.find_names(tx, row.presenter_order)
    return [names[person] for person in row.presenter_order if person in names]
