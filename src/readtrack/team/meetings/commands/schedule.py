"""Commands of meetings: plan, plan the next of a series, edit, mark as held, cancel."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now, to_local
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, StaleVersion, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Meeting, Series
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.commands.series import get_series_for_update, require_people
from readtrack.team.meetings.queries.agendas import list_waiting_items
from readtrack.team.meetings.queries.meetings import meeting_not_found
from readtrack.team.meetings.queries.series import find_meeting_suggestions, find_names, get_series
from readtrack.team.meetings.recurrence import moment_of
from readtrack.team.meetings.schemas import MeetingCreate, MeetingUpdate, NextMeetingCreate

PLANNED, MOVED, CANCELLED, ON_AGAIN, PRESENTS = "planned", "moved", "cancelled", "on again", "presents"


def plan_meeting(tx: Write, me: CurrentUser, wanted: MeetingCreate) -> Meeting:
    """Plan a meeting on any date, in a series or on its own."""
    permissions.require(me, "schedule")
    series = None if wanted.series is None else _get_open_series(tx, wanted.series)
    if series is not None:
        _refuse_twice(tx, series, wanted.date)
    _refuse_same(tx, wanted)
    require_people(tx, [wanted.presenter] if wanted.presenter else [], "presenter")
    return _add(tx, me, wanted, series)


def plan_next(
    tx: Write, me: CurrentUser, series_id: int, wanted: NextMeetingCreate, *, offered: date | None = None
) -> Meeting:
    """Plan the next meeting of a series on its next date, with the next presenter of the rotation.

    Postponed items of earlier meetings are carried over. `offered`: the date shown on the page. Raise Conflict if a
    concurrent request has planned it.
    """
    permissions.require(me, "schedule")
    series = _get_open_series(tx, series_id)
    offer = find_meeting_suggestions(tx, [get_series(tx, me, series_id)])[series_id]
    if wanted.date is None and offered is not None and offered != offer.day:
        message = _("Somebody planned this meeting just now. Nothing was changed; look at the list of meetings.")
        raise Conflict(message, code="planned-already")
    day = wanted.date or offer.day
    if day is None:
        detail = _("This series has no rhythm: say on which day the next meeting is.")
        raise invalid_field("/date", "missing", detail)
    _refuse_twice(tx, series, day)
    fields: dict[str, Any] = {"title": series.name, "date": day, "presenter": offer.presenter_id}
    same = {name: getattr(series, name) for name in ("minutes", "time_zone", "location")}
    return _add(tx, me, MeetingCreate(**fields, **same, at=series.start_time), series)


def edit_meeting(tx: Write, me: CurrentUser, meeting_id: int, edit: MeetingUpdate, *, version: int) -> Meeting:
    """Change the time, place and presenter of a meeting.

    Raise StaleVersion after a concurrent change.
    """
    permissions.require(me, "schedule")
    meeting = get_meeting_for_update(tx, meeting_id)
    refuse_stale(meeting, version)
    if edit.presenter != meeting.presenter_id:
        require_people(tx, [edit.presenter] if edit.presenter else [], "presenter")
    before, was, presented = meeting_audit_values(meeting), _time_and_place(meeting), meeting.presenter_id
    for name, value in _columns(edit).items():
        setattr(meeting, name, value)
    if meeting_audit_values(meeting) == before:
        return meeting
    meeting.version, meeting.updated_at = meeting.version + 1, now()
    meeting.sequence += 1
    moved = _time_and_place(meeting) != was
    verb = "meeting.moved" if moved else "meeting.edited"
    events.record_event(
        tx, me, verb, data=meeting_event_data(meeting), before=before, after=meeting_audit_values(meeting)
    )
    if moved:
        notify_participants(tx, me, meeting, MOVED)
    elif meeting.presenter_id and meeting.presenter_id != presented:
        notify_presenter(tx, me, meeting, meeting.presenter_id)
    return meeting


def set_state(tx: Write, me: CurrentUser, meeting_id: int, state: str) -> Meeting:
    """Mark a meeting as held, cancelled or planned. "Held" makes its planned items discussed."""
    permissions.require(me, "schedule")
    meeting = get_meeting_for_update(tx, meeting_id)
    if meeting.state == state:
        return meeting
    before, meeting.state = meeting.state, state
    meeting.sequence, meeting.updated_at = meeting.sequence + 1, now()
    _change_items(tx, meeting, before)
    verb = {"held": "meeting.held", "cancelled": "meeting.cancelled", "planned": "meeting.resumed"}[state]
    events.record_event(
        tx, me, verb, data=meeting_event_data(meeting), before={"state": before}, after={"state": state}
    )
    if state != "held" and (before, state) != ("held", "planned"):
        notify_participants(tx, me, meeting, CANCELLED if state == "cancelled" else ON_AGAIN)
    return meeting


def get_meeting_for_update(tx: Write, meeting_id: int) -> Meeting:
    """Return the meeting, locked until the transaction ends. Raise NotFound."""
    meeting = tx.get(Meeting, meeting_id, with_for_update=True, populate_existing=True)
    if meeting is None:
        raise meeting_not_found(meeting_id)
    return meeting


def refuse_stale(meeting: Meeting, version: int) -> None:
    """Raise StaleVersion with the current values if the version is outdated."""
    if meeting.version != version:
        message = _(
            "Somebody saved version {version} of it meanwhile. Yours was not saved over it; look at both."
        ).format(version=meeting.version)
        texts = {"notes": meeting.notes, "decisions": meeting.decisions}
        raise StaleVersion(message, current={**meeting_audit_values(meeting), **texts, "version": meeting.version})


def meeting_event_data(meeting: Meeting) -> dict[str, object]:
    """Return the data of events and notifications for a meeting."""
    return {"meeting": meeting.id, "title": meeting.title, "starts_at": meeting.starts_at.isoformat()}


def meeting_audit_values(meeting: Meeting) -> dict[str, Any]:
    """Return the values for the audit trail."""
    shown = {"title", "starts_at", "minutes", "time_zone", "location", "presenter_id", "state"}
    return meeting.model_dump(mode="json", include=shown)


def notify_presenter(tx: Write, me: CurrentUser, meeting: Meeting, person_id: int) -> None:
    """Notify the presenter."""
    _notify_people(tx, me, meeting, [person_id], happened=PRESENTS)


def notify_participants(tx: Write, me: CurrentUser, meeting: Meeting, happened: str) -> None:
    """Notify the people in the rotation and the presenters."""
    people = set(_presenters(tx, meeting))
    if meeting.series_id is not None:
        people |= set(
            tx.scalar(sa.select(col(Series.presenter_order)).where(col(Series.id) == meeting.series_id)) or ()
        )
    if happened == PLANNED:
        people.discard(meeting.presenter_id or 0)  # the presenter gets a separate notification
    _notify_people(tx, me, meeting, people, happened=happened)


def _add(tx: Write, me: CurrentUser, wanted: MeetingCreate, series: Series | None) -> Meeting:
    meeting = Meeting(**_columns(wanted), series_id=series.id if series else None, created_by=me.id)
    tx.add(meeting)
    tx.flush()
    events.record_event(
        tx, me, "meeting.planned", data=meeting_event_data(meeting), after=meeting_audit_values(meeting)
    )
    if series is not None and meeting.starts_at > now():
        _carry_over_items(tx, me, meeting)
    if meeting.presenter_id:
        notify_presenter(tx, me, meeting, meeting.presenter_id)
    notify_participants(tx, me, meeting, PLANNED)
    return meeting


def _carry_over_items(tx: Write, me: CurrentUser, meeting: Meeting) -> None:
    """Add the items that earlier meetings of the series postponed or missed."""
    waiting = list_waiting_items(tx, meeting.series_id or 0)
    here = find_names(tx, [item.presenter_id for item in waiting if item.presenter_id])
    for place, item in enumerate(waiting, start=1):
        what: dict[str, Any] = {"paper_id": item.paper_id, "question_id": item.question_id}
        presenter = item.presenter_id if item.presenter_id in here else None
        kept: dict[str, Any] = {"presenter_id": presenter, "minutes": item.minutes, "note": item.note}
        tx.add(AgendaItem(meeting_id=meeting.id or 0, position=place, added_by=me.id, **what, **kept))
    tx.flush()


def _change_items(tx: Write, meeting: Meeting, before: str) -> None:
    """Mark planned items as discussed when a meeting is held, and undo that when it no longer is."""
    mine = sa.update(AgendaItem).where(col(AgendaItem.meeting_id) == meeting.id)
    if meeting.state == "held":
        tx.execute(mine.where(col(AgendaItem.state) == "planned").values(state="discussed"))
    elif before == "held":
        tx.execute(mine.where(col(AgendaItem.state) == "discussed").values(state="planned"))


def _refuse_twice(tx: Read, series: Series, day: date) -> None:
    planned = sa.select(col(Meeting.starts_at)).where(
        col(Meeting.series_id) == series.id, col(Meeting.state) != "cancelled"
    )
    if day in {to_local(moment, series.time_zone).date() for moment in tx.scalars(planned)}:
        message = _("“{name}” meets on {isoformat} already. Nothing was changed; choose another day.").format(
            name=series.name, isoformat=day.isoformat()
        )
        raise Conflict(message, code="planned-already")


def _refuse_same(tx: Read, wanted: MeetingCreate) -> None:
    """Raise Conflict for a form sent twice."""
    same = (col(Meeting.title) == wanted.title, col(Meeting.starts_at) == _columns(wanted)["starts_at"])
    if tx.scalar(sa.select(col(Meeting.id)).where(*same, col(Meeting.state) == "planned").limit(1)) is not None:
        message = _("“{title}” is planned for that time already. Nothing was changed.").format(title=wanted.title)
        raise Conflict(message, code="planned-already")


def _get_open_series(tx: Write, series_id: int) -> Series:
    series = get_series_for_update(tx, series_id)
    if series.ended_at is not None:
        message = _("“{name}” has ended. Nothing was changed; let the series go on first.").format(name=series.name)
        raise Conflict(message, code="series-ended")
    return series


def _columns(edit: MeetingUpdate) -> dict[str, Any]:
    same = {name: getattr(edit, name) for name in ("title", "minutes", "time_zone", "location")}
    return {**same, "starts_at": moment_of(edit.date, edit.at, edit.time_zone), "presenter_id": edit.presenter}


def _time_and_place(meeting: Meeting) -> tuple[object, ...]:
    return meeting.starts_at, meeting.minutes, meeting.location


def _notify_people(tx: Write, me: CurrentUser, meeting: Meeting, people: Iterable[int], *, happened: str) -> None:
    """Notify people, but not of past meetings, which may be recorded later."""
    if meeting.starts_at > now():
        data = {**meeting_event_data(meeting), "happened": happened, "presenter": meeting.presenter_id}
        once = f"{'presents' if happened == PRESENTS else 'meeting'}:{meeting.id}"
        notify(tx, me, "meeting", people, subject_ids={"meeting_id": meeting.id or 0}, group_key=once, data=data)


def _presenters(tx: Read, meeting: Meeting) -> Iterable[int]:
    of_items = sa.select(col(AgendaItem.presenter_id)).where(col(AgendaItem.meeting_id) == meeting.id)
    return [person for person in (meeting.presenter_id, *tx.scalars(of_items)) if person]
