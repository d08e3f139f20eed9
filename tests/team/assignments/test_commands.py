"""Asking somebody to read a paper, changing that, taking it back, and what one answers."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.action_quotas import QUOTAS, Quota
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion, TooManyRequests
from readtrack.infra.models import Assignment, Event, Notification, Reading
from readtrack.team.assignments import commands, queries
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate, AssignmentUpdate
from tests import make

SOON = clock.today() + timedelta(days=5)
ACCEPT, DECLINE = AssignmentAnswer(answer="accept"), AssignmentAnswer(answer="decline", reason="No time before May.")


@pytest.fixture
def tx(database):
    with database.write() as tx:
        yield tx


@pytest.fixture
def asker(tx):
    return make.visitor(tx, "Ada")


@pytest.fixture
def reader(tx):
    return make.visitor(tx, "Bo", role="viewer")


@pytest.fixture
def asked(tx, asker, reader):
    """Bo is asked by Ada to read a paper soon."""
    wanted = AssignmentCreate(paper=make.paper(tx).id, person=reader.id, due_on=SOON, note="Section 3.")
    return commands.make_assignment(tx, asker, wanted)


def told(tx, person):
    """What the unread notices of a person say."""
    theirs = sa.select(Notification).where(
        col(Notification.person_id) == person.id, col(Notification.read_at).is_(None)
    )
    rows = tx.scalars(theirs.order_by(col(Notification.created_at)))
    return [(row.data["what"], row.actor_id) for row in rows]


def verbs(tx):
    return list(tx.scalars(sa.select(col(Event.verb)).order_by(col(Event.id))))


def test_the_assignee_is_notified_and_their_data_is_unchanged(tx, asker, reader, asked):
    assert (asked.state, asked.due_on, asked.note) == ("proposed", SOON, "Section 3.")
    assert told(tx, reader) == [("made", asker.id)]
    assert tx.scalar(sa.select(sa.func.count()).select_from(Reading)) == 0
    assert verbs(tx) == ["assignment.made"]


def test_a_self_assignment_is_accepted_and_notifies_nobody(tx, asker):
    mine = commands.make_assignment(tx, asker, AssignmentCreate(paper=make.paper(tx).id, person=asker.id))
    assert mine.state == "accepted"
    assert told(tx, asker) == []


def test_nobody_is_assigned_the_same_paper_twice(tx, asker, asked):
    other = make.visitor(tx)
    with pytest.raises(Conflict) as refused:
        commands.make_assignment(tx, other, AssignmentCreate(paper=asked.paper_id, person=asked.person_id))
    assert refused.value.code == "assigned-already"


def test_a_person_who_declined_can_be_assigned_again(tx, asker, reader, asked):
    commands.answer_assignment(tx, reader, asked.id, DECLINE)
    again = commands.make_assignment(tx, asker, AssignmentCreate(paper=asked.paper_id, person=reader.id))
    assert (again.id != asked.id, again.state) == (True, "proposed")
    with pytest.raises(Conflict):  # and has one of them open, not both
        commands.answer_assignment(tx, reader, asked.id, ACCEPT)


@pytest.mark.parametrize("answer", [ACCEPT, DECLINE])
def test_the_assigner_is_notified_of_the_response(tx, asker, reader, asked, answer):
    held = commands.answer_assignment(tx, reader, asked.id, answer)
    assert told(tx, asker) == [(held.state, reader.id)]
    assert held.decided_at is not None
    assert verbs(tx)[-1] == f"assignment.{held.state}"


def test_a_response_can_be_changed_and_repeating_it_changes_nothing(tx, reader, asked):
    commands.answer_assignment(tx, reader, asked.id, DECLINE)
    commands.answer_assignment(tx, reader, asked.id, ACCEPT)
    held = commands.answer_assignment(tx, reader, asked.id, ACCEPT)
    assert (held.state, held.reason) == ("accepted", "")
    assert verbs(tx) == ["assignment.made", "assignment.declined", "assignment.accepted"]


def test_only_the_assignee_can_respond(tx, asker, asked):
    for other in (asker, make.visitor(tx, role="admin")):
        with pytest.raises(NotFound):
            commands.answer_assignment(tx, other, asked.id, ACCEPT)


def test_the_assigner_and_editors_can_change_it_and_others_cannot(tx, asker, reader, asked):
    later = SOON + timedelta(days=7)
    commands.edit_assignment(tx, asker, asked.id, AssignmentUpdate(due_on=later), version=1)
    held = commands.edit_assignment(
        tx, make.visitor(tx, role="editor"), asked.id, AssignmentUpdate(depth="studied"), version=2
    )
    assert (held.due_on, held.depth, held.note, held.version) == (later, "studied", "Section 3.", 3)
    assert [what for what, _ in told(tx, reader)] == ["edited"]  # one notice tells the latest
    for other in (reader, make.visitor(tx)):
        with pytest.raises(NotAllowed):
            commands.edit_assignment(tx, other, asked.id, AssignmentUpdate(note="Mine"), version=3)


def test_a_stale_version_does_not_overwrite_a_newer_one(tx, asker, asked):
    commands.edit_assignment(tx, asker, asked.id, AssignmentUpdate(note="First."), version=1)
    with pytest.raises(StaleVersion) as stale:
        commands.edit_assignment(tx, asker, asked.id, AssignmentUpdate(note="Second."), version=1)
    assert isinstance(stale.value.current, dict)
    assert (stale.value.current["note"], stale.value.current["version"]) == ("First.", 2)


def test_saving_identical_values_is_not_a_change(tx, asker, asked):
    assert commands.edit_assignment(tx, asker, asked.id, AssignmentUpdate(note="Section 3."), version=1).version == 1
    assert verbs(tx) == ["assignment.made"]


def test_a_withdrawn_assignment_stays_withdrawn(tx, asker, reader, asked):
    commands.withdraw_assignment(tx, asker, asked.id)
    held = commands.withdraw_assignment(tx, asker, asked.id)
    assert (held.state, held.open_key) == ("withdrawn", None)
    assert [what for what, _ in told(tx, reader)] == ["withdrawn"]
    assert verbs(tx) == ["assignment.made", "assignment.withdrawn"]
    with pytest.raises(Conflict):
        commands.answer_assignment(tx, reader, asked.id, ACCEPT)
    with pytest.raises(Conflict):
        commands.edit_assignment(tx, asker, asked.id, AssignmentUpdate(note="After all."), version=1)


def test_a_past_due_date_is_refused_but_an_existing_one_may_pass(tx, asker, reader, asked):
    over = clock.today() - timedelta(days=3)
    with pytest.raises(Invalid):
        commands.make_assignment(tx, asker, AssignmentCreate(paper=make.paper(tx).id, person=reader.id, due_on=over))
    asked.due_on = over
    tx.flush()
    held = commands.edit_assignment(tx, asker, asked.id, AssignmentUpdate(due_on=over, note="Late."), version=1)
    assert held.note == "Late."
    yesterday = AssignmentUpdate(due_on=clock.today() - timedelta(days=1))  # today, west of here
    assert commands.edit_assignment(tx, asker, asked.id, yesterday, version=2).due_on == yesterday.due_on


def test_a_disabled_or_unknown_person_cannot_be_assigned(tx, asker):
    paper = make.paper(tx)
    for person_id in (make.person(tx, disabled_at=clock.now()).id, 999_999):
        with pytest.raises(Invalid):
            commands.make_assignment(tx, asker, AssignmentCreate(paper=paper.id, person=person_id))


def test_an_assignment_of_a_deleted_paper_is_not_found(tx, asker, reader):
    gone = make.paper(tx, deleted_at=clock.now())
    with pytest.raises(NotFound):
        commands.make_assignment(tx, asker, AssignmentCreate(paper=gone.id, person=reader.id))
    asked = make.assignment(tx, reader.id, gone.id, created_by=asker.id)
    for command in (
        lambda: commands.answer_assignment(tx, reader, asked.id, ACCEPT),
        lambda: commands.withdraw_assignment(tx, asker, asked.id),
        lambda: queries.get_assignment(tx, reader, asked.id),
    ):
        with pytest.raises(NotFound):
            command()


def test_a66_assignments_are_limited_and_summarised_in_one_feed_item(tx, asker, reader, monkeypatch):
    monkeypatch.setitem(QUOTAS, "assignment.made", Quota(5, timedelta(hours=1)))
    for _ in range(5):
        commands.make_assignment(tx, asker, AssignmentCreate(paper=make.paper(tx).id, person=reader.id))
    with pytest.raises(TooManyRequests) as refused:
        commands.make_assignment(tx, asker, AssignmentCreate(paper=make.paper(tx).id, person=reader.id))
    assert refused.value.retry_after > 0
    assert tx.scalar(sa.select(sa.func.count()).select_from(Assignment)) == 5
