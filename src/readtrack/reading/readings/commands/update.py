"""Commands to update or remove the user's reading of a paper, and to begin readings of imported papers in bulk."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import count
from typing import Any, NamedTuple

from readtrack.infra import permissions
from readtrack.infra.clock import now, today_of
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, FieldError, Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Reading
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.paper_facts import latest_version
from readtrack.reading.readings import positions, queries, status_transitions
from readtrack.reading.readings.history import (
    ReadingChange,
    added_snapshot,
    lock_my_reading,
    lock_readings,
    record_change,
    record_first_changes,
    snapshot,
)
from readtrack.reading.readings.schemas import ReadingProgress, ReadingUpdate

EARLIEST = date(1900, 1, 1)  # earlier dates are typing errors: browsers accept 24 as the year 24
_OF_FINISHED = N_("Only papers marked as read can have a reading depth, finish date or recommendation.")
_OF_QUEUED = N_("Only papers in your queue can have a priority.")
ONLY_OF = {  # field: the only status that allows it, and the message for others
    "depth": ("read", _OF_FINISHED),
    "finished_on": ("read", _OF_FINISHED),
    "recommendation": ("read", _OF_FINISHED),
    "priority": ("to_read", _OF_QUEUED),
}
BLANKS: Mapping[str, tuple[str, Any]] = {  # field: its column, and the value when it is cleared
    "depth": ("depth", ""),
    "recommendation": ("recommendation", ""),
    "reason": ("reason", ""),
    "version": ("version_label", ""),
    "priority": ("priority", 0),
}


def set_reading(
    tx: Write, me: CurrentUser, paper_id: int, change: ReadingUpdate, *, changed_on: date | None = None
) -> tuple[Reading, bool]:
    """Change the user's reading of a paper. Return it, and True if it is new.

    `changed_on`: the start or end date if none is given, by default today in the user's time zone; `date.min` for no
    date, because notes do not state it. Raise Conflict for a status transition that is not allowed, Invalid for
    inconsistent dates.
    """
    reading, is_new, _ = update_reading(tx, me, paper_id, change, changed_on=changed_on)
    return reading, is_new


def update_reading(
    tx: Write, me: CurrentUser, paper_id: int, change: ReadingUpdate, *, changed_on: date | None = None
) -> tuple[Reading, bool, int | None]:
    """Change the user's reading as set_reading does.

    Also return the id of the event, None if nothing changed.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    current = lock_my_reading(tx, me, paper_id)
    old_status = current.status if current else None
    new_status = _status_after(old_status, change)
    _check_fields(change, new_status)
    old_state = snapshot(current)
    reading = _reading_for_change(tx, me, paper_id, current=current, new_status=new_status)
    priority = reading.priority
    apply_change(reading, change, old_status=old_status, changed_on=changed_on or today_of(me.time_zone))
    if reading.status == "to_read" and (old_status != "to_read" or reading.priority != priority):
        reading.position = queries.last_position(tx, me, reading.priority) + positions.POSITION_GAP
    if reading.status != old_status and "version" not in change.model_fields_set:
        reading.version_label = reading.version_label or _version_read(tx, reading)
    _check_dates(reading, change, latest=_latest_day(me))
    return (
        reading,
        current is None,
        _finish_change(tx, me, reading, ReadingChange("set", old_state, snapshot(reading), reading.private)),
    )


def remove_reading(tx: Write, me: CurrentUser, paper_id: int) -> int | None:
    """Remove a paper from the user's list.

    Return the id of the event, None if it was not on the list. Only a first reading with the status "to read" can be
    removed. Raise Conflict otherwise.
    """
    permissions.require(me, "keep")
    permissions.lock_present_paper(tx, paper_id)
    reading = lock_my_reading(tx, me, paper_id)
    if reading is None:
        return None
    if not status_transitions.can_follow(reading.status, None) or reading.pass_number > 1:
        message = status_transitions.refusal_message(reading.status, None, is_reread=reading.pass_number > 1)
        raise Conflict(message, code="refused-transition", allowed=status_transitions.allowed(reading.status))
    old_state = {**(snapshot(reading) or {}), **added_snapshot(reading)}
    number = record_change(tx, me, paper_id, ReadingChange("removed", old_state, None, reading.private))
    tx.delete(reading)
    tx.flush()
    return number


def _status_after(old_status: str | None, change: ReadingUpdate) -> str:
    new_status = change.status or old_status
    if new_status is None:
        message = _("Set a status first.")
        raise Conflict(message, allowed=status_transitions.allowed(None))
    if new_status != old_status and not status_transitions.can_follow(old_status, new_status):
        raise Conflict(
            status_transitions.refusal_message(old_status, new_status),
            code="refused-transition",
            allowed=status_transitions.allowed(old_status),
        )
    return new_status


def _finish_change(tx: Write, me: CurrentUser, reading: Reading, change: ReadingChange) -> int | None:
    """Record the change, unless nothing changed.

    A change of the queue only is recorded as a move.
    """
    if not change.changed_fields:
        return None
    if change.is_queue_only:
        change = change._replace(verb="moved")
    else:
        reading.updated_at = now()
    tx.flush()
    return record_change(tx, me, reading.paper_id, change)


def _reading_for_change(
    tx: Write, me: CurrentUser, paper_id: int, *, current: Reading | None, new_status: str
) -> Reading:
    """Return the row to change: the current pass, or a new one."""
    if current is not None and not status_transitions.opens_next_pass(current.status, new_status):
        return current
    number = 1
    if current is not None:
        current.current = False
        number = current.pass_number + 1
    reading = Reading(
        person_id=me.id,
        paper_id=paper_id,
        pass_number=number,
        status=new_status,
        private=bool(current and current.private),
        added_on=today_of(me.time_zone),
    )
    tx.add(reading)
    return reading


def apply_change(reading: Reading, change: ReadingUpdate, *, old_status: str | None, changed_on: date) -> None:
    field_names = change.model_fields_set
    if change.status:
        reading.status = change.status
    if change.private is not None:
        reading.private = change.private
    for name in field_names & {"started_on", "finished_on"}:
        setattr(reading, name, getattr(change, name))
    for name in field_names & BLANKS.keys():
        setattr(reading, BLANKS[name][0], getattr(change, name) or BLANKS[name][1])
    if "progress" in field_names:
        _set_progress(reading, change.progress)
    if reading.status != old_status:
        _set_dates(reading, field_names, changed_on)
        _clear_fields(reading, field_names)


def _version_read(tx: Write, reading: Reading) -> str:
    """Return the latest version on the start or end date, "" without such a date."""
    day = {"reading": reading.started_on, "read": reading.finished_on}.get(reading.status)
    return latest_version(tx, reading.paper_id, day=day) if day else ""


def _set_progress(reading: Reading, progress: ReadingProgress | None) -> None:
    reading.progress_unit = progress.unit if progress else ""
    reading.progress_at = progress.at if progress else None
    reading.progress_of = progress.of if progress else None


def _set_dates(reading: Reading, field_names: set[str], changed_on: date) -> None:
    """Set the dates of a status change. They stay blank for a change on an unknown day."""
    day = None if changed_on == date.min else changed_on
    if reading.status == "reading" and reading.started_on is None and "started_on" not in field_names:
        reading.started_on = day
    if reading.status == "read" and "finished_on" not in field_names:
        # may be before the start after a flight from east to west
        reading.finished_on = day and max(day, reading.started_on or day)
    if reading.status in {"to_read", "reading", "paused"} and "finished_on" not in field_names:
        reading.finished_on = None


def _clear_fields(reading: Reading, field_names: set[str]) -> None:
    """Clear the fields that the new status does not have."""
    if reading.status != "dropped" and "reason" not in field_names:
        reading.reason = ""
    if reading.status != "read":
        reading.depth = reading.recommendation = ""
    if reading.status != "to_read":
        reading.priority, reading.position = 0, None


def _check_fields(change: ReadingUpdate, new_status: str) -> None:
    invalid_fields = [
        name for name, (status, _why) in ONLY_OF.items() if getattr(change, name) and new_status != status
    ]
    if invalid_fields:
        detail = _(ONLY_OF[invalid_fields[0]][1])
        problems = [FieldError(f"/{name}", _code(name), detail) for name in invalid_fields]
        raise Invalid(detail, problems)


def _code(name: str) -> str:
    return "not-finished" if ONLY_OF[name][0] == "read" else "not-in-queue"


def _latest_day(me: CurrentUser) -> date:
    """Return the latest allowed date: today, or tomorrow for an unknown time zone."""
    return today_of(me.time_zone) + timedelta(days=not me.time_zone)


def _check_dates(reading: Reading, change: ReadingUpdate, *, latest: date) -> None:
    start, end = reading.started_on, reading.finished_on
    if start and end and start > end:
        message = _("The finish date ({end}) is before the start date ({start}).")
        raise Invalid(message.format(end=end, start=start), code="dates")
    given_days = [day for day in (change.started_on, change.finished_on) if day]
    if given_days and max(given_days) > latest:
        message = _("The date can't be in the future.")
        raise Invalid(message, code="dates")
    if given_days and min(given_days) < EARLIEST:
        message = _("Invalid year: {year}. Enter all four digits.")
        raise Invalid(message.format(year=min(given_days).year), code="dates")


class FirstReading(NamedTuple):
    """The first reading of a paper. `status`: any but `paused`; `on`: as in `set_reading`."""

    paper_id: int
    status: str
    version: str
    on: date


def begin_readings(tx: Write, me: CurrentUser, first_readings: Sequence[FirstReading]) -> None:
    """Add readings of papers that this transaction has added.

    Papers to read go to the end of the queue.
    """
    permissions.require(me, "keep")
    if not first_readings:
        return
    lock_readings(tx, me)
    last_position = (
        queries.last_position(tx, me, 0) if any(first.status == "to_read" for first in first_readings) else 0
    )
    readings = list(_readings(me, first_readings, last_position))
    tx.add_all(readings)
    tx.flush()
    record_first_changes(
        tx, me, {reading.paper_id: ReadingChange("set", None, snapshot(reading), private=False) for reading in readings}
    )


def _readings(me: CurrentUser, first_readings: Sequence[FirstReading], last_position: int) -> Iterator[Reading]:
    queue_positions, today = (
        count(last_position + positions.POSITION_GAP, positions.POSITION_GAP),
        today_of(me.time_zone),
    )
    for first in first_readings:
        optional_fields = {"version": first.version} if first.version else {}
        reading = Reading(person_id=me.id, paper_id=first.paper_id, status=first.status, added_on=today)
        apply_change(
            reading,
            ReadingUpdate.model_validate({"status": first.status, **optional_fields}),
            old_status=None,
            changed_on=first.on,
        )
        if first.status == "to_read":
            reading.position = next(queue_positions)
        yield reading
