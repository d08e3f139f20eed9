"""Verbs of reading. People change only their own; each change is an event that can be taken back for a day."""

from datetime import date, timedelta
from typing import Annotated, Any, Literal, Self

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlmodel import col

from readtrack import events, policy
from readtrack.clock import now, today
from readtrack.db import Write
from readtrack.errors import Conflict, FieldError, Invalid
from readtrack.models import Event, Reading, ReadingEvent
from readtrack.papers.answers.versions import latest_version
from readtrack.policy import Visitor
from readtrack.readings import queries, states

Status = Literal["to_read", "reading", "paused", "read", "dropped"]
FirstStatus = Literal["to_read", "reading", "read", "dropped"]  # what may follow nothing
UNDO_WITHIN = timedelta(days=1)
KEPT_FIELDS = (
    "status", "depth", "progress_unit", "progress_at", "progress_of", "started_on", "finished_on", "reason",
    "version_label", "private",
)  # fmt: skip


class Progress(BaseModel):
    """How far: page 7 of 14, 50 percent, section 3."""

    model_config = ConfigDict(extra="forbid")
    unit: Literal["page", "percent", "section"]
    at: Annotated[int, Field(ge=0, le=100_000)]
    of: Annotated[int, Field(ge=1, le=100_000)] | None = None

    @model_validator(mode="after")
    def _within(self) -> Self:
        most = 100 if self.unit == "percent" else self.of
        if most is not None and self.at > most:
            message = f"{self.unit} {self.at} is past the end ({most})"
            raise ValueError(message)
        return self


class ReadingSet(BaseModel):
    """What I say about my reading. A field that is not given stays as it is; null clears it."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    status: Status | None = None
    depth: Literal["", "skimmed", "read", "studied"] | None = None
    progress: Progress | None = None
    started_on: date | None = None
    finished_on: date | None = None
    reason: Annotated[str, Field(max_length=500)] | None = None
    version: Annotated[str, Field(pattern=r"^(v[1-9]\d{0,2}|published)?$")] | None = None  # which one: v2, published
    private: bool | None = None


def set_reading(
    tx: Write, me: Visitor, paper_id: int, change: ReadingSet, *, on: date | None = None
) -> tuple[Reading, bool]:
    """Changes my reading of a paper; True when it was not on my list before.

    `on` is the day that a start or an end gets when none is given: today unless said otherwise, and `date.min` for none
    at all (what notes state happened on no known day). Raises Conflict for a refused transition, Invalid for dates that
    do not fit.
    """
    policy.require(me, "keep")
    policy.hold_present(tx, paper_id)
    present = _present(tx, me, paper_id)
    before = present.status if present else None
    after = change.status or before
    if after is None:
        message = "This paper is not on your list yet. Say a status first. Nothing was changed."
        raise Conflict(message, allowed=states.allowed(None))
    if after != before and not states.may_follow(before, after):
        raise Conflict(states.refusal(before, after), code="refused-transition", allowed=states.allowed(before))
    _check_finished(change, after)
    snapshot = _snapshot(present)
    reading = _row(tx, me, paper_id, present=present, after=after)
    _apply(reading, change, before=before, on=on or today())
    if reading.status != before and "version" not in change.model_fields_set:
        reading.version_label = reading.version_label or _version_read(tx, reading)
    _check_dates(reading)
    if _snapshot(reading) != snapshot:  # what is said again is no change that could be taken back
        reading.updated_at = now()
        tx.flush()
        _remember(tx, me, reading, verb="set", before=snapshot, private=reading.private)
    return reading, present is None


def remove_reading(tx: Write, me: Visitor, paper_id: int) -> None:
    """Takes a paper off my list; possible while it is only to be read. Raises Conflict otherwise."""
    policy.require(me, "keep")
    policy.hold_present(tx, paper_id)
    reading = _present(tx, me, paper_id)
    if reading is None:
        return
    if not states.may_follow(reading.status, None) or reading.pass_number > 1:
        why = states.refusal(reading.status, None, again=reading.pass_number > 1)
        raise Conflict(why, code="refused-transition", allowed=states.allowed(reading.status))
    _remember(tx, me, reading, verb="removed", before=_snapshot(reading), gone=True, private=reading.private)
    tx.delete(reading)
    tx.flush()


def undo_reading(tx: Write, me: Visitor, paper_id: int) -> Reading | None:
    """Takes back my last change on a paper, within a day; what stands then, None when it is off my list again."""
    policy.require(me, "keep")
    policy.hold_present(tx, paper_id)
    last = queries.find_last_event(tx, me, paper_id)
    if last is None or last.verb not in {"set", "removed"} or last.at < now() - UNDO_WITHIN:
        message = "There is nothing to take back: undo reaches your last change, for one day."
        raise Conflict(message, code="nothing-to-undo")
    present = _present(tx, me, paper_id)
    snapshot = _snapshot(present)
    restored = _restore(tx, me, paper_id, present=present, state=last.before)
    events_of = restored or present
    private = bool(events_of and events_of.private)
    tx.add(_event(me, paper_id, verb="undone", before=snapshot, after=_snapshot(restored)))
    events.record(tx, me, "reading.undone", paper_id=paper_id, private=private)
    _keep_privacy(tx, me, paper_id, private=private)
    return restored


def _present(tx: Write, me: Visitor, paper_id: int) -> Reading | None:
    mine = sa.select(Reading).where(
        col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id, col(Reading.current)
    )
    return tx.scalar(mine.with_for_update())


def _row(tx: Write, me: Visitor, paper_id: int, *, present: Reading | None, after: str) -> Reading:
    """The row that the change goes to: the present pass, or the next one."""
    if present is not None and not states.opens_next_pass(present.status, after):
        return present
    number = 1
    if present is not None:
        present.current = False
        number = present.pass_number + 1
    reading = Reading(
        person_id=me.id, paper_id=paper_id, pass_number=number, status=after, private=bool(present and present.private)
    )
    tx.add(reading)
    return reading


def _apply(reading: Reading, change: ReadingSet, *, before: str | None, on: date) -> None:
    given = change.model_fields_set
    if change.status:
        reading.status = change.status
    if change.private is not None:
        reading.private = change.private
    for name in given & {"depth", "reason"}:
        setattr(reading, name, getattr(change, name) or "")
    for name in given & {"started_on", "finished_on"}:
        setattr(reading, name, getattr(change, name))
    if "version" in given:
        reading.version_label = change.version or ""
    if "progress" in given:
        _set_progress(reading, change.progress)
    if reading.status != before:
        _date(reading, given, on)


def _version_read(tx: Write, reading: Reading) -> str:
    """The latest version that there was on the day; blank when nobody is at it, or on a day that nobody told."""
    day = {"reading": reading.started_on, "read": reading.finished_on}.get(reading.status)
    return latest_version(tx, reading.paper_id, by=day) if day else ""


def _set_progress(reading: Reading, progress: Progress | None) -> None:
    reading.progress_unit = progress.unit if progress else ""
    reading.progress_at = progress.at if progress else None
    reading.progress_of = progress.of if progress else None


def _date(reading: Reading, given: set[str], on: date) -> None:
    """The day of a change that the person makes now is known; that of any other is left blank."""
    day = None if on == date.min else on
    if reading.status == "reading" and reading.started_on is None and "started_on" not in given:
        reading.started_on = day
    if reading.status == "read" and "finished_on" not in given:
        reading.finished_on = day
    if reading.status in {"to_read", "reading", "paused"} and "finished_on" not in given:
        reading.finished_on = None
    if reading.status != "dropped" and "reason" not in given:
        reading.reason = ""
    if reading.status != "read":
        reading.depth = ""


def _check_finished(change: ReadingSet, after: str) -> None:
    wrong = [name for name in ("depth", "finished_on") if getattr(change, name) and after != "read"]
    if wrong:
        detail = f"Only a finished reading has a depth and an end; this one is “{states.WORDS[after]}”."
        problems = [FieldError(f"/{name}", "not-finished", detail) for name in wrong]
        raise Invalid(f"{detail} Nothing was changed.", problems)


def _check_dates(reading: Reading) -> None:
    start, end = reading.started_on, reading.finished_on
    if start and end and start > end:
        message = f"The reading would end ({end}) before it starts ({start}). Nothing was changed."
        raise Invalid(message, code="dates")
    if max(start or date.min, end or date.min) > today() + timedelta(days=1):  # their today may be ours tomorrow
        message = "A reading cannot start or end in the future. Nothing was changed."
        raise Invalid(message, code="dates")


def _snapshot(reading: Reading | None) -> dict[str, Any] | None:
    if reading is None:
        return None
    kept = {name: getattr(reading, name) for name in KEPT_FIELDS}
    plain = {name: value.isoformat() if isinstance(value, date) else value for name, value in kept.items()}
    return {**plain, "pass": reading.pass_number}


def _restore(
    tx: Write, me: Visitor, paper_id: int, *, present: Reading | None, state: dict[str, Any] | None
) -> Reading | None:
    """Brings back the state of a snapshot: the same pass, an earlier one, or no reading at all."""
    number = state["pass"] if state else None
    if present is not None and present.pass_number != number:
        tx.delete(present)
        tx.flush()
        present = None
    if state is None:
        return None
    reading = present or _pass(tx, me, paper_id, state["pass"])
    for name in KEPT_FIELDS:
        value = state.get(name, "")  # an older state did not tell which version
        setattr(reading, name, date.fromisoformat(value) if name.endswith("_on") and value else value)
    reading.current, reading.updated_at = True, now()
    tx.flush()
    return reading


def _pass(tx: Write, me: Visitor, paper_id: int, number: int) -> Reading:
    mine = sa.select(Reading).where(col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id)
    reading = tx.scalar(mine.where(col(Reading.pass_number) == number))
    if reading is None:
        reading = Reading(person_id=me.id, paper_id=paper_id, pass_number=number, status="to_read")
        tx.add(reading)
    return reading


def _remember(
    tx: Write,
    me: Visitor,
    reading: Reading,
    *,
    verb: str,
    before: dict[str, Any] | None,
    private: bool,
    gone: bool = False,
) -> None:
    after = None if gone else _snapshot(reading)
    tx.add(_event(me, reading.paper_id, verb=verb, before=before, after=after))
    status = after["status"] if after else None
    events.record(tx, me, f"reading.{verb}", paper_id=reading.paper_id, data={"status": status}, private=private)
    _keep_privacy(tx, me, reading.paper_id, private=private)


def _keep_privacy(tx: Write, me: Visitor, paper_id: int, *, private: bool) -> None:
    """All passes are private, or none; and what became private leaves no trace for others, not even of what it was."""
    tx.flush()
    passes = sa.update(Reading).where(col(Reading.person_id) == me.id, col(Reading.paper_id) == paper_id)
    tx.execute(passes.where(col(Reading.private) != private).values(private=private))
    if not private:
        return
    mine = sa.update(Event).where(col(Event.person_id) == me.id, col(Event.paper_id) == paper_id)
    tx.execute(mine.where(col(Event.verb).startswith("reading.")).values(private=True))


def _event(
    me: Visitor, paper_id: int, *, verb: str, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> ReadingEvent:
    return ReadingEvent(
        person_id=me.id,
        paper_id=paper_id,
        pass_number=(after or before or {"pass": 1})["pass"],
        verb=verb,
        from_status=before["status"] if before else None,
        to_status=after["status"] if after else None,
        before=before,
        after=after,
        token_id=me.token_id,
    )
