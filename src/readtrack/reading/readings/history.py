"""History of readings: snapshots before each change for undo, and the public data of events."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Event, Person, Reading, ReadingEvent
from readtrack.infra.permissions import CurrentUser

State = Mapping[str, Any]  # the snapshot of a reading, with its pass number
KEPT: Mapping[str, Any] = {  # field: its value in older snapshots without it
    "status": "to_read", "depth": "", "recommendation": "", "progress_unit": "", "progress_at": None,
    "progress_of": None, "started_on": None, "finished_on": None, "reason": "", "version_label": "", "private": False,
    "priority": 0, "position": None,
}  # fmt: skip
OF_MY_QUEUE = frozenset({"priority", "position", "behind"})  # private, even for a shared reading

MY_QUEUE = "reading.moved"  # frequent, and private


class ReadingChange(NamedTuple):
    """A change: the states before and after; None where there is no reading."""

    verb: str
    before: State | None
    after: State | None
    private: bool

    @property
    def changed_fields(self) -> set[str]:
        """The names of the changed fields, without the moment of the change."""
        before, after = self.before or {}, self.after or {}
        return {name for name in {*before, *after} - {"updated_at"} if before.get(name) != after.get(name)}

    @property
    def is_queue_only(self) -> bool:
        """True if only the user's queue changed."""
        return bool(self.before and self.after) and self.changed_fields <= OF_MY_QUEUE


def lock_readings(tx: Write, me: CurrentUser) -> None:
    """Lock all of the user's readings until the transaction ends.

    Reordering the queue updates other rows too; row locks alone could deadlock with another change.
    """
    tx.execute(sa.select(col(Person.id)).where(col(Person.id) == me.id).with_for_update(key_share=True))


def lock_my_reading(tx: Write, me: CurrentUser, paper_id: int) -> Reading | None:
    """Return the user's current pass, locked until the transaction ends, or None."""
    lock_readings(tx, me)
    query = sa.select(Reading).where(
        col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id, col(Reading.current)
    )
    return tx.scalar(query.with_for_update())


def snapshot(reading: Reading | None) -> dict[str, Any] | None:
    """Return the whole state as JSON values."""
    if reading is None:
        return None
    values = {name: getattr(reading, name) for name in KEPT}
    json_values = {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}
    return {**json_values, "pass": reading.pass_number, "updated_at": reading.updated_at.isoformat()}


def added_snapshot(reading: Reading) -> dict[str, str]:
    """Return the dates of creation, which only the snapshot of a removed reading needs."""
    return {"added_on": reading.added_on.isoformat(), "created_at": reading.created_at.isoformat()}


def restore_snapshot(reading: Reading, state: State) -> None:
    """Set a reading to the state of a snapshot, with the moment of its last change."""
    reading.updated_at = datetime.fromisoformat(state["updated_at"]) if "updated_at" in state else now()
    if "created_at" in state:
        reading.added_on = date.fromisoformat(state["added_on"])
        reading.created_at = datetime.fromisoformat(state["created_at"])
    for name, default in KEPT.items():
        value = state.get(name, default)
        setattr(reading, name, date.fromisoformat(value) if name.endswith("_on") and value else value)


def record_change(tx: Write, me: CurrentUser, paper_id: int, change: ReadingChange) -> int:
    """Record the change in the user's history and the feed. Return the id in the history."""
    event = _event(me, paper_id, change)
    tx.add(event)
    is_private = change.private or change.is_queue_only
    verb = "moved" if change.is_queue_only else change.verb  # undoing a move is a move
    events.record_event(
        tx, me, f"reading.{verb}", paper_id=paper_id, data=_public_event_data(change), private=is_private
    )
    tx.flush()
    if not change.is_queue_only and (change.private or (change.before and change.before["private"])):
        _keep_privacy(tx, me, paper_id, private=change.private)
    return event.id or 0


def record_first_changes(tx: Write, me: CurrentUser, changes: Mapping[int, ReadingChange]) -> None:
    """Record first, public readings by paper id in bulk."""
    tx.add_all(_event(me, paper_id, change) for paper_id, change in changes.items())
    event_data = ((paper_id, _public_event_data(change)) for paper_id, change in changes.items())
    events.record_events(tx, me, "reading.set", event_data)


def _event(me: CurrentUser, paper_id: int, change: ReadingChange) -> ReadingEvent:
    return ReadingEvent(
        person_id=me.id,
        paper_id=paper_id,
        pass_number=(change.after or change.before or {"pass": 1})["pass"],
        verb=change.verb,
        from_status=change.before["status"] if change.before else None,
        to_status=change.after["status"] if change.after else None,
        before=None if change.before is None else dict(change.before),
        after=None if change.after is None else dict(change.after),
        token_id=me.token_id,
    )


def _public_event_data(change: ReadingChange) -> dict[str, Any]:
    """Event data visible to others: the new status and the names of changed fields.

    If the reading was private before, only the new status.
    """
    if change.verb == "undone":
        return {}
    status = {"status": change.after["status"] if change.after else None}
    if change.before is None or change.after is None or change.before["private"]:
        return status
    return status | {"changed": sorted(change.changed_fields - OF_MY_QUEUE - {"private", "pass"})}


def _keep_privacy(tx: Write, me: CurrentUser, paper_id: int, *, private: bool) -> None:
    """Make all passes private or public. If private, hide all earlier events too."""
    pass_statement = sa.update(Reading).where(col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id)
    tx.execute(pass_statement.where(col(Reading.private) != private).values(private=private))
    if not private:
        return
    event_statement = sa.update(Event).where(col(Event.person_id) == me.id, col(Event.paper_id) == paper_id)
    tx.execute(event_statement.where(col(Event.verb).startswith("reading.")).values(private=True))
