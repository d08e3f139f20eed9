"""Commands of assignments: create, edit, withdraw, accept and decline."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.infra import clock, events, permissions, quotas
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import Conflict, FieldError, Invalid, NotFound, StaleVersion
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Assignment, Paper, Person
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.reading.readings.completion import OPEN
from readtrack.team.assignments import queries
from readtrack.team.assignments.schemas import AssignmentAnswer, AssignmentCreate, AssignmentUpdate

ANSWERED = {"accept": ("accepted", "assignment.accepted"), "decline": ("declined", "assignment.declined")}
TWICE = N_(
    "This person is asked to read this paper already. Nothing was changed; change or withdraw what stands there."
)
WITHDRAWN = N_("This assignment was withdrawn. Nothing was changed; ask anew if it should be read after all.")
STALE = N_("Somebody changed this assignment meanwhile. Nothing of yours was saved; look at it again.")


def make_assignment(tx: Write, me: CurrentUser, wanted: AssignmentCreate) -> Assignment:
    """Assign a paper to a person.

    Assigning oneself accepts at once. Raise Conflict if an open assignment exists.
    """
    permissions.require(me, "discuss")
    quotas.require(tx, me, "assignment.made")
    permissions.lock_present_paper(tx, wanted.paper)
    _require_reader(tx, wanted.person)
    _require_ahead(wanted)
    state = "accepted" if wanted.person == me.id else "proposed"
    given = wanted.model_dump(include={"due_on", "depth", "note"})
    made = Assignment(paper_id=wanted.paper, person_id=wanted.person, state=state, created_by=me.id, **given)
    _open(tx, made)
    events.record_event(
        tx, me, "assignment.made", paper_id=wanted.paper, data=_event_data(made), after=_audit_values(made)
    )
    _notify_person(tx, me, made, whom=made.person_id, what="made")
    return made


def edit_assignment(
    tx: Write, me: CurrentUser, assignment_id: int, change: AssignmentUpdate, *, version: int
) -> Assignment:
    """Change date, depth or note, as the creator or an editor.

    Raise StaleVersion after a concurrent change.
    """
    held = _get_as_asker_for_update(tx, me, assignment_id)
    if held.version != version:
        current = queries.get_assignment(tx, me, assignment_id)
        raise StaleVersion(_(STALE), current={"id": current.id, "version": current.version, **_audit_values(held)})
    _refuse_closed(held)
    before, given = _audit_values(held), change.model_dump(include=change.model_fields_set)
    if given.get("due_on", held.due_on) != held.due_on:
        _require_ahead(change)
    _set(held, given)
    if _audit_values(held) == before:
        return held
    held.version += 1
    tx.flush()
    events.record_event(
        tx,
        me,
        "assignment.edited",
        paper_id=held.paper_id,
        data=_event_data(held),
        before=before,
        after=_audit_values(held),
    )
    _notify_person(tx, me, held, whom=held.person_id, what="edited")
    return held


def withdraw_assignment(tx: Write, me: CurrentUser, assignment_id: int) -> Assignment:
    """Withdraw an assignment, as the creator or an editor.

    No change if it is withdrawn or declined.
    """
    held = _get_as_asker_for_update(tx, me, assignment_id)
    if held.state in OPEN:
        _close(tx, held, "withdrawn")
        events.record_event(tx, me, "assignment.withdrawn", paper_id=held.paper_id, data=_event_data(held))
        _notify_person(tx, me, held, whom=held.person_id, what="withdrawn")
    return held


def answer_assignment(tx: Write, me: CurrentUser, assignment_id: int, said: AssignmentAnswer) -> Assignment:
    """Accept or decline one's own assignment.

    The answer can be changed until the assignment is withdrawn.
    """
    permissions.require(me, "keep")
    held = _get_for_update(tx, assignment_id)
    if held.person_id != me.id:
        raise NotFound(_("You are not asked to read this, so there is no answer of yours. Nothing was changed."))
    _refuse_withdrawn(held)
    after, verb = ANSWERED[said.answer]
    if (held.state, held.reason) == (after, said.reason):
        return held
    before = held.state
    if after == "declined":
        _close(tx, held, after, reason=said.reason)
    else:
        _open(tx, held, state=after, reason=said.reason, decided_at=clock.now())
    was, told = {"state": before}, _event_data(held)
    events.record_event(tx, me, verb, paper_id=held.paper_id, data=told, before=was, after=_audit_values(held))
    if held.created_by:
        _notify_person(tx, me, held, whom=held.created_by, what=after)
    return held


def require_asker(me: CurrentUser, created_by: int | None) -> None:
    """Raise NotAllowed unless the user created the assignment or is an editor."""
    permissions.require(me, "discuss" if created_by == me.id else "schedule")


def _require_reader(tx: Write, person_id: int) -> None:
    here = sa.select(col(Person.id)).where(col(Person.id) == person_id, col(Person.disabled_at).is_(None))
    if tx.scalar(here) is None:
        detail = _("Nobody active on the team has this name. Look at the list of people.")
        problem = FieldError("/person", "unknown", detail)
        raise Invalid(_("There is no such person to ask. Nothing was changed."), [problem])


def _require_ahead(wanted: AssignmentUpdate) -> None:
    """Raise Invalid for a past due date. Yesterday is allowed, because of time zones."""
    if wanted.due_on is not None and wanted.due_on < clock.today() - timedelta(days=1):
        problem = FieldError("/due_on", "past", _("This day is over. Choose a later one, or none."))
        raise Invalid(
            _("{due_on} is over. Nothing was changed; choose a later day, or none.").format(due_on=wanted.due_on),
            [problem],
        )


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


def _close(tx: Write, held: Assignment, state: str, *, reason: str = "") -> None:
    _set(held, {"state": state, "open_key": None, "decided_at": clock.now(), "reason": reason})
    tx.flush()


def _set(row: Assignment, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _get_for_update(tx: Write, assignment_id: int) -> Assignment:
    """Return the assignment, locked with its paper until the transaction ends. Raise NotFound.

    The paper is locked first, in the same order as a merge.
    """
    of_paper = sa.select(col(Paper.id)).join(Assignment, col(Assignment.paper_id) == col(Paper.id))
    paper_id = tx.scalar(of_paper.where(col(Assignment.id) == assignment_id, is_present(Paper)))
    if paper_id is None:
        raise queries.assignment_not_found(assignment_id)
    permissions.lock_present_paper(tx, paper_id)
    mine = sa.select(Assignment).where(col(Assignment.id) == assignment_id, col(Assignment.paper_id) == paper_id)
    held = tx.scalar(mine.with_for_update().execution_options(populate_existing=True))
    if held is None:  # moved to another paper at this moment
        raise queries.assignment_not_found(assignment_id)
    return held


def _get_as_asker_for_update(tx: Write, me: CurrentUser, assignment_id: int) -> Assignment:
    permissions.require(me, "discuss")  # first, so that existence is not revealed
    held = _get_for_update(tx, assignment_id)
    require_asker(me, held.created_by)
    return held


def _refuse_closed(held: Assignment) -> None:
    _refuse_withdrawn(held)
    if held.state not in OPEN:
        raise Conflict(_("This assignment was declined. Nothing was changed; ask somebody else, or anew."))


def _refuse_withdrawn(held: Assignment) -> None:
    if held.state == "withdrawn":
        raise Conflict(_(WITHDRAWN))


def _audit_values(row: Assignment) -> Mapping[str, Any]:
    due_on = row.due_on.isoformat() if row.due_on else None
    return {"state": row.state, "due_on": due_on, "depth": row.depth, "note": row.note, "reason": row.reason}


def _event_data(row: Assignment) -> Mapping[str, Any]:
    return {"assignment": row.id, "person": row.person_id, "due_on": row.due_on.isoformat() if row.due_on else None}


def _notify_person(tx: Write, me: CurrentUser, row: Assignment, *, whom: int, what: str) -> None:
    """Notify a person. One unread notification has only the latest event of the assignment."""
    about = {"paper_id": row.paper_id, "assignment_id": row.id or 0}
    notify(tx, me, "assignment", [whom], subject_ids=about, group_key=f"assignment:{row.id}", data={"what": what})
