"""Commands of assignments: create, edit, withdraw, accept and decline; with their input for both forms and JSON."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.infra import action_quotas, clock, events, permissions
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import Conflict, NotFound, StaleVersion, invalid_field
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Assignment, Paper, Person
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.reading.readings.completion import OPEN
from readtrack.team.assignments import queries

MAX_NOTE_CHARS = 500
Depth = Literal["", "skimmed", "read", "studied"]
Remark = Annotated[str, Field(max_length=MAX_NOTE_CHARS), OneLine]
ANSWERED = {"accept": ("accepted", "assignment.accepted"), "decline": ("declined", "assignment.declined")}
TWICE = N_("Already assigned to this person.")
CLOSED = N_("This assignment was withdrawn or declined.")
STALE = N_("Someone else edited this. Reload and try again.")


class AssignmentUpdate(TrimmedModel):
    """Due date, depth and note. Fields that are not given are unchanged; null clears the date."""

    due_on: date | None = None
    depth: Depth = ""
    note: Remark = ""


class AssignmentCreate(AssignmentUpdate):
    """The id of the paper, and who should read it."""

    paper: int
    person: int


class AssignmentAnswer(TrimmedModel):
    """The assignee's answer. The reason is visible to others."""

    answer: Literal["accept", "decline"]
    reason: Remark = ""


def make_assignment(tx: Write, me: CurrentUser, data: AssignmentCreate) -> Assignment:
    """Assign a paper to a person.

    Assigning oneself accepts at once. Raise Conflict if an open assignment exists.
    """
    permissions.require(me, "discuss")
    action_quotas.require(tx, me, "assignment.made")
    permissions.lock_present_paper(tx, data.paper)
    _require_reader(tx, data.person)
    _require_ahead(data)
    state = "accepted" if data.person == me.id else "proposed"
    fields = data.model_dump(include={"due_on", "depth", "note"})
    assignment = Assignment(paper_id=data.paper, person_id=data.person, state=state, created_by=me.id, **fields)
    _open(tx, assignment)
    events.record_event(
        tx, me, "assignment.made", paper_id=data.paper, data=_event_data(assignment), after=_audit_values(assignment)
    )
    _notify_person(tx, me, assignment, person_id=assignment.person_id, change="made")
    return assignment


def edit_assignment(
    tx: Write, me: CurrentUser, assignment_id: int, change: AssignmentUpdate, *, version: int
) -> Assignment:
    """Change date, depth or note, as the creator or an editor.

    Raise StaleVersion after a concurrent change.
    """
    assignment = _get_as_asker_for_update(tx, me, assignment_id)
    if assignment.version != version:
        current = queries.get_assignment(tx, me, assignment_id)
        raise StaleVersion(
            _(STALE), current={"id": current.id, "version": current.version, **_audit_values(assignment)}
        )
    _refuse_closed(assignment)
    before, fields = _audit_values(assignment), change.model_dump(include=change.model_fields_set)
    if fields.get("due_on", assignment.due_on) != assignment.due_on:
        _require_ahead(change)
    _set(assignment, fields)
    if _audit_values(assignment) == before:
        return assignment
    assignment.version += 1
    tx.flush()
    events.record_event(
        tx,
        me,
        "assignment.edited",
        paper_id=assignment.paper_id,
        data=_event_data(assignment),
        before=before,
        after=_audit_values(assignment),
    )
    _notify_person(tx, me, assignment, person_id=assignment.person_id, change="edited")
    return assignment


def withdraw_assignment(tx: Write, me: CurrentUser, assignment_id: int) -> Assignment:
    """Withdraw an assignment, as the creator or an editor.

    No change if it is withdrawn or declined.
    """
    assignment = _get_as_asker_for_update(tx, me, assignment_id)
    if assignment.state in OPEN:
        _close(tx, assignment, "withdrawn")
        events.record_event(tx, me, "assignment.withdrawn", paper_id=assignment.paper_id, data=_event_data(assignment))
        _notify_person(tx, me, assignment, person_id=assignment.person_id, change="withdrawn")
    return assignment


def answer_assignment(tx: Write, me: CurrentUser, assignment_id: int, answer: AssignmentAnswer) -> Assignment:
    """Accept or decline one's own assignment.

    The answer can be changed until the assignment is withdrawn.
    """
    permissions.require(me, "keep")
    assignment = _get_for_update(tx, assignment_id)
    if assignment.person_id != me.id:
        raise NotFound(_("This paper isn't assigned to you."))
    _refuse_withdrawn(assignment)
    new_state, verb = ANSWERED[answer.answer]
    if (assignment.state, assignment.reason) == (new_state, answer.reason):
        return assignment
    old_state = assignment.state
    if new_state == "declined":
        _close(tx, assignment, new_state, reason=answer.reason)
    else:
        _open(tx, assignment, state=new_state, reason=answer.reason, decided_at=clock.now())
    old_values, data = {"state": old_state}, _event_data(assignment)
    events.record_event(
        tx, me, verb, paper_id=assignment.paper_id, data=data, before=old_values, after=_audit_values(assignment)
    )
    if assignment.created_by:
        _notify_person(tx, me, assignment, person_id=assignment.created_by, change=new_state)
    return assignment


def require_asker(me: CurrentUser, created_by: int | None) -> None:
    """Raise NotAllowed unless the user created the assignment or is an editor."""
    permissions.require(me, "discuss" if created_by == me.id else "schedule")


def _require_reader(tx: Write, person_id: int) -> None:
    query = sa.select(col(Person.id)).where(col(Person.id) == person_id, col(Person.disabled_at).is_(None))
    if tx.scalar(query) is None:
        detail = _("No such member.")
        raise invalid_field("/person", "unknown", detail)


def _require_ahead(data: AssignmentUpdate) -> None:
    """Raise Invalid for a past due date. Yesterday is allowed, because of time zones."""
    if data.due_on is not None and data.due_on < clock.today() - timedelta(days=1):
        raise invalid_field("/due_on", "past", _("Choose a date that isn't in the past."))


def _open(tx: Write, assignment: Assignment, **values: Any) -> None:  # noqa: ANN401 - of its columns
    """Store an open assignment.

    A unique key allows only one per person and paper, also for concurrent requests.
    """
    try:
        with savepoint(tx):
            assignment.open_key = f"{assignment.person_id}:{assignment.paper_id}"
            _set(assignment, values)
            tx.add(assignment)
    except IntegrityError as error:
        raise Conflict(_(TWICE), code="assigned-already") from error


def _close(tx: Write, assignment: Assignment, state: str, *, reason: str = "") -> None:
    _set(assignment, {"state": state, "open_key": None, "decided_at": clock.now(), "reason": reason})
    tx.flush()


def _set(row: Assignment, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _get_for_update(tx: Write, assignment_id: int) -> Assignment:
    """Return the assignment, locked with its paper until the transaction ends. Raise NotFound.

    The paper is locked first, in the same order as a merge.
    """
    query = sa.select(col(Paper.id)).join(Assignment, col(Assignment.paper_id) == col(Paper.id))
    paper_id = tx.scalar(query.where(col(Assignment.id) == assignment_id, is_present(Paper)))
    if paper_id is None:
        raise queries.assignment_not_found(assignment_id)
    permissions.lock_present_paper(tx, paper_id)
    locked_query = sa.select(Assignment).where(
        col(Assignment.id) == assignment_id, col(Assignment.paper_id) == paper_id
    )
    assignment = tx.scalar(locked_query.with_for_update().execution_options(populate_existing=True))
    if assignment is None:  # moved to another paper at this moment
        raise queries.assignment_not_found(assignment_id)
    return assignment


def _get_as_asker_for_update(tx: Write, me: CurrentUser, assignment_id: int) -> Assignment:
    permissions.require(me, "discuss")  # first, so that existence is not revealed
    assignment = _get_for_update(tx, assignment_id)
    require_asker(me, assignment.created_by)
    return assignment


def _refuse_closed(assignment: Assignment) -> None:
    if assignment.state not in OPEN:
        raise Conflict(_(CLOSED))


def _refuse_withdrawn(assignment: Assignment) -> None:
    if assignment.state == "withdrawn":
        raise Conflict(_(CLOSED))


def _audit_values(row: Assignment) -> Mapping[str, Any]:
    due_on = row.due_on.isoformat() if row.due_on else None
    return {"state": row.state, "due_on": due_on, "depth": row.depth, "note": row.note, "reason": row.reason}


def _event_data(row: Assignment) -> Mapping[str, Any]:
    return {"assignment": row.id, "person": row.person_id, "due_on": row.due_on.isoformat() if row.due_on else None}


def _notify_person(tx: Write, me: CurrentUser, row: Assignment, *, person_id: int, change: str) -> None:
    """Notify a person. One unread notification has only the latest event of the assignment."""
    subject = {"paper_id": row.paper_id, "assignment_id": row.id or 0}
    notify(
        tx, me, "assignment", [person_id], subject_ids=subject, group_key=f"assignment:{row.id}", data={"what": change}
    )
