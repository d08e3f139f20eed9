"""Commands of meetings and of their series.

A series is added, edited, ended and resumed. A meeting is planned, also as the next of a series, edited, marked as held
or cancelled, and gets minutes: its notes and decisions.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now, to_local
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotFound, StaleVersion, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Meeting, Series
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.queries.agendas import list_waiting_items
from readtrack.team.meetings.queries.meetings import meeting_not_found
from readtrack.team.meetings.queries.series import find_meeting_suggestions, find_names, get_series
from readtrack.team.meetings.recurrence import moment_of
from readtrack.team.meetings.schemas import (
    MeetingCreate,
    MeetingNotesUpdate,
    MeetingUpdate,
    NextMeetingCreate,
    SeriesFields,
)

PLANNED, MOVED, CANCELLED, ON_AGAIN, PRESENTS = "planned", "moved", "cancelled", "on again", "presents"


def add_series(tx: Write, me: CurrentUser, data: SeriesFields, *, meeting_id: int | None = None) -> Series:
    """Add a series. Its meetings are planned one by one.

    `meeting_id`: a single meeting that becomes its first one. Raise Conflict if it is in a series.
    """
    permissions.require(me, "schedule")
    require_people(tx, data.presenter_order, "presenter_order")
    meeting = None if meeting_id is None else get_meeting_for_update(tx, meeting_id)
    if meeting is not None and meeting.series_id is not None:
        raise Conflict(_("This meeting is already part of a series."), code="in-a-series")
    series = Series(**data.model_dump(), created_by=me.id)
    tx.add(series)
    tx.flush()
    if meeting is not None:
        meeting.series_id = series.id
    events.record_event(
        tx, me, "series.added", data={"series": series.id, "name": series.name}, after=_series_audit_values(series)
    )
    return series


def edit_series(tx: Write, me: CurrentUser, series_id: int, edit: SeriesFields, *, version: int) -> Series:
    """Change a series, but not its planned meetings.

    Raise StaleVersion after a concurrent change.
    """
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.version != version:
        message = _("Someone else edited this. Reload and try again.")
        raise StaleVersion(message, current={**_series_audit_values(series), "version": series.version})
    require_people(
        tx, [person for person in edit.presenter_order if person not in series.presenter_order], "presenter_order"
    )
    before = _series_audit_values(series)
    for name, value in edit.model_dump().items():
        setattr(series, name, value)
    series.version += 1
    data = {"series": series.id, "name": series.name}
    events.record_event(tx, me, "series.edited", data=data, before=before, after=_series_audit_values(series))
    return series


def end_series(tx: Write, me: CurrentUser, series_id: int) -> None:
    """End a series: no further meetings can be planned. No change if it has ended."""
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.ended_at is None:
        series.ended_at = now()
        events.record_event(tx, me, "series.ended", data={"series": series.id, "name": series.name})


def resume_series(tx: Write, me: CurrentUser, series_id: int) -> None:
    """Resume a series. No change if it has not ended."""
    permissions.require(me, "schedule")
    series = get_series_for_update(tx, series_id)
    if series.ended_at is not None:
        series.ended_at = None
        events.record_event(tx, me, "series.resumed", data={"series": series.id, "name": series.name})


def get_series_for_update(tx: Write, series_id: int) -> Series:
    """Return the series, locked until the transaction ends. Raise NotFound."""
    series = tx.get(Series, series_id, with_for_update=True, populate_existing=True)
    if series is None:
        message = _("Series {series_id} not found.").format(series_id=series_id)
        raise NotFound(message)
    return series


def require_people(tx: Write, people: list[int], field: str) -> None:
    """Raise Invalid if a person does not exist or is disabled."""
    unknown_ids = sorted({*people} - find_names(tx, people).keys())
    if unknown_ids:
        detail = _("No such member: {list}.").format(list=", ".join(map(str, unknown_ids)))
        raise invalid_field(f"/{field}", "unknown-person", detail)


def _series_audit_values(series: Series) -> dict[str, object]:
    return series.model_dump(mode="json", include={*SeriesFields.model_fields})


def plan_meeting(tx: Write, me: CurrentUser, data: MeetingCreate) -> Meeting:
    """Plan a meeting on any date, in a series or on its own."""
    permissions.require(me, "schedule")
    series = None if data.series is None else _get_open_series(tx, data.series)
    if series is not None:
        _refuse_twice(tx, series, data.date)
    _refuse_same(tx, data)
    require_people(tx, [data.presenter] if data.presenter else [], "presenter")
    return _add_meeting(tx, me, data, series)


def plan_next(
    tx: Write, me: CurrentUser, series_id: int, data: NextMeetingCreate, *, shown_day: date | None = None
) -> Meeting:
    """Plan the next meeting of a series on its next date, with the next presenter of the rotation.

    Postponed items of earlier meetings are carried over. `shown_day`: the date shown on the page. Raise Conflict if a
    concurrent request has planned it.
    """
    permissions.require(me, "schedule")
    series = _get_open_series(tx, series_id)
    suggestion = find_meeting_suggestions(tx, [get_series(tx, me, series_id)])[series_id]
    if data.date is None and shown_day is not None and shown_day != suggestion.day:
        message = _("This meeting is already scheduled.")
        raise Conflict(message, code="planned-already")
    day = data.date or suggestion.day
    if day is None:
        detail = _("Choose a date.")
        raise invalid_field("/date", "missing", detail)
    _refuse_twice(tx, series, day)
    fields: dict[str, Any] = {"title": series.name, "date": day, "presenter": suggestion.presenter_id}
    series_fields = {name: getattr(series, name) for name in ("minutes", "time_zone", "location")}
    return _add_meeting(tx, me, MeetingCreate(**fields, **series_fields, at=series.start_time), series)


def edit_meeting(tx: Write, me: CurrentUser, meeting_id: int, edit: MeetingUpdate, *, version: int) -> Meeting:
    """Change the time, place and presenter of a meeting.

    Raise StaleVersion after a concurrent change.
    """
    permissions.require(me, "schedule")
    meeting = get_meeting_for_update(tx, meeting_id)
    refuse_stale(meeting, version)
    if edit.presenter != meeting.presenter_id:
        require_people(tx, [edit.presenter] if edit.presenter else [], "presenter")
    before, old_schedule, old_presenter = meeting_audit_values(meeting), _time_and_place(meeting), meeting.presenter_id
    for name, value in _columns(edit).items():
        setattr(meeting, name, value)
    if meeting_audit_values(meeting) == before:
        return meeting
    meeting.version, meeting.updated_at = meeting.version + 1, now()
    meeting.sequence += 1
    is_moved = _time_and_place(meeting) != old_schedule
    verb = "meeting.moved" if is_moved else "meeting.edited"
    events.record_event(
        tx, me, verb, data=meeting_event_data(meeting), before=before, after=meeting_audit_values(meeting)
    )
    if is_moved:
        notify_participants(tx, me, meeting, MOVED)
    elif meeting.presenter_id and meeting.presenter_id != old_presenter:
        notify_presenter(tx, me, meeting, meeting.presenter_id)
    return meeting


def set_state(tx: Write, me: CurrentUser, meeting_id: int, state: str) -> Meeting:
    """Mark a meeting as held, cancelled or planned. "Held" makes its planned items discussed."""
    permissions.require(me, "schedule")
    meeting = get_meeting_for_update(tx, meeting_id)
    if meeting.state == state:
        return meeting
    old_state, meeting.state = meeting.state, state
    meeting.sequence, meeting.updated_at = meeting.sequence + 1, now()
    _change_items(tx, meeting, old_state)
    verb = {"held": "meeting.held", "cancelled": "meeting.cancelled", "planned": "meeting.resumed"}[state]
    events.record_event(
        tx, me, verb, data=meeting_event_data(meeting), before={"state": old_state}, after={"state": state}
    )
    if state != "held" and (old_state, state) != ("held", "planned"):
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
        message = _("Someone else edited this. Reload and try again.")
        texts = {"notes": meeting.notes, "decisions": meeting.decisions}
        raise StaleVersion(message, current={**meeting_audit_values(meeting), **texts, "version": meeting.version})


def meeting_event_data(meeting: Meeting) -> dict[str, object]:
    """Return the data of events and notifications for a meeting."""
    return {"meeting": meeting.id, "title": meeting.title, "starts_at": meeting.starts_at.isoformat()}


def meeting_audit_values(meeting: Meeting) -> dict[str, Any]:
    """Return the values for the audit trail."""
    fields = {"title", "starts_at", "minutes", "time_zone", "location", "presenter_id", "state"}
    return meeting.model_dump(mode="json", include=fields)


def notify_presenter(tx: Write, me: CurrentUser, meeting: Meeting, person_id: int) -> None:
    """Notify the presenter."""
    _notify_people(tx, me, meeting, [person_id], change=PRESENTS)


def notify_participants(tx: Write, me: CurrentUser, meeting: Meeting, change: str) -> None:
    """Notify the people in the rotation and the presenters."""
    people = set(_presenters(tx, meeting))
    if meeting.series_id is not None:
        people |= set(
            tx.scalar(sa.select(col(Series.presenter_order)).where(col(Series.id) == meeting.series_id)) or ()
        )
    if change == PLANNED:
        people.discard(meeting.presenter_id or 0)  # the presenter gets a separate notification
    _notify_people(tx, me, meeting, people, change=change)


def _add_meeting(tx: Write, me: CurrentUser, data: MeetingCreate, series: Series | None) -> Meeting:
    meeting = Meeting(**_columns(data), series_id=series.id if series else None, created_by=me.id)
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
    waiting_items = list_waiting_items(tx, meeting.series_id or 0)
    active_names = find_names(tx, [item.presenter_id for item in waiting_items if item.presenter_id])
    for position, item in enumerate(waiting_items, start=1):
        subject: dict[str, Any] = {"paper_id": item.paper_id, "question_id": item.question_id}
        presenter = item.presenter_id if item.presenter_id in active_names else None
        fields: dict[str, Any] = {"presenter_id": presenter, "minutes": item.minutes, "note": item.note}
        tx.add(AgendaItem(meeting_id=meeting.id or 0, position=position, added_by=me.id, **subject, **fields))
    tx.flush()


def _change_items(tx: Write, meeting: Meeting, old_state: str) -> None:
    """Mark planned items as discussed when a meeting is held, and undo that when it no longer is."""
    statement = sa.update(AgendaItem).where(col(AgendaItem.meeting_id) == meeting.id)
    if meeting.state == "held":
        tx.execute(statement.where(col(AgendaItem.state) == "planned").values(state="discussed"))
    elif old_state == "held":
        tx.execute(statement.where(col(AgendaItem.state) == "discussed").values(state="planned"))


def _refuse_twice(tx: Read, series: Series, day: date) -> None:
    query = sa.select(col(Meeting.starts_at)).where(
        col(Meeting.series_id) == series.id, col(Meeting.state) != "cancelled"
    )
    if day in {to_local(start, series.time_zone).date() for start in tx.scalars(query)}:
        message = _("“{name}” already has a meeting on {isoformat}. Choose another date.").format(
            name=series.name, isoformat=day.isoformat()
        )
        raise Conflict(message, code="planned-already")


def _refuse_same(tx: Read, data: MeetingCreate) -> None:
    """Raise Conflict for a form sent twice."""
    conditions = (col(Meeting.title) == data.title, col(Meeting.starts_at) == _columns(data)["starts_at"])
    if tx.scalar(sa.select(col(Meeting.id)).where(*conditions, col(Meeting.state) == "planned").limit(1)) is not None:
        message = _("This meeting is already scheduled.")
        raise Conflict(message, code="planned-already")


def _get_open_series(tx: Write, series_id: int) -> Series:
    series = get_series_for_update(tx, series_id)
    if series.ended_at is not None:
        message = _("“{name}” has ended. Resume it first.").format(name=series.name)
        raise Conflict(message, code="series-ended")
    return series


def _columns(edit: MeetingUpdate) -> dict[str, Any]:
    fields = {name: getattr(edit, name) for name in ("title", "minutes", "time_zone", "location")}
    return {**fields, "starts_at": moment_of(edit.date, edit.at, edit.time_zone), "presenter_id": edit.presenter}


def _time_and_place(meeting: Meeting) -> tuple[object, ...]:
    return meeting.starts_at, meeting.minutes, meeting.location


def _notify_people(tx: Write, me: CurrentUser, meeting: Meeting, people: Iterable[int], *, change: str) -> None:
    """Notify people, but not of past meetings, which may be recorded later."""
    if meeting.starts_at > now():
        data = {**meeting_event_data(meeting), "happened": change, "presenter": meeting.presenter_id}
        group_key = f"{'presents' if change == PRESENTS else 'meeting'}:{meeting.id}"
        notify(tx, me, "meeting", people, subject_ids={"meeting_id": meeting.id or 0}, group_key=group_key, data=data)


def _presenters(tx: Read, meeting: Meeting) -> Iterable[int]:
    query = sa.select(col(AgendaItem.presenter_id)).where(col(AgendaItem.meeting_id) == meeting.id)
    return [person for person in (meeting.presenter_id, *tx.scalars(query)) if person]


def edit_notes(tx: Write, me: CurrentUser, meeting_id: int, edit: MeetingNotesUpdate, *, version: int) -> Meeting:
    """Save both texts as the next version.

    Raise StaleVersion with the current ones after a concurrent change.
    """
    permissions.require(me, "discuss")
    meeting = get_meeting_for_update(tx, meeting_id)
    refuse_stale(meeting, version)
    before = _minutes(meeting)
    if edit.model_dump() == before:
        return meeting
    meeting.notes, meeting.decisions = edit.notes, edit.decisions
    meeting.version, meeting.updated_at = meeting.version + 1, now()
    events.record_event(
        tx, me, "meeting.noted", data=meeting_event_data(meeting), before=before, after=_minutes(meeting)
    )
    return meeting


def _minutes(meeting: Meeting) -> dict[str, str]:
    return {"notes": meeting.notes, "decisions": meeting.decisions}
