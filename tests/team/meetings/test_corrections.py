"""What goes wrong with meetings and is set right: plans made by mistake, people who leave, papers that go."""

from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, NotAllowed, NotFound
from readtrack.infra.models import Event, Meeting, Notification, Person, Question
from readtrack.infra.pagination import PageRequest
from readtrack.team.meetings.commands.agendas import add_item, edit_item, move_item, remove_item
from readtrack.team.meetings.commands.candidates import propose, vote
from readtrack.team.meetings.commands.delete import delete_meeting
from readtrack.team.meetings.commands.schedule import add_series, edit_notes, plan_meeting, plan_next, set_state
from readtrack.team.meetings.queries.agendas import find_agenda_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import find_next
from readtrack.team.meetings.queries.series import find_meeting_suggestions, get_series
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    AgendaItemUpdate,
    CandidateCreate,
    MeetingCreate,
    MeetingNotesUpdate,
    NextMeetingCreate,
    SeriesFields,
)
from readtrack.team.notifications.messages import build_notification_text
from readtrack.team.notifications.queries import NotificationFilter, list_notifications
from tests import make

pytestmark = pytest.mark.slow  # many requests


@pytest.fixture
def tx(database, team):
    with database.write() as tx:
        yield tx


def next_one(tx, team, **fields):
    return plan_next(tx, team.ed, team.series, NextMeetingCreate(**fields))


def agenda(tx, meeting):
    return [item.display_title for item in find_agenda_items(tx, [meeting.id]).get(meeting.id, [])]


def inbox(tx, me):
    return [
        build_notification_text(row).sentence
        for row in list_notifications(tx, me, NotificationFilter(), PageRequest()).items
    ]


def test_a_meeting_planned_by_mistake_is_deleted_and_notified_people_are_told(tx, team):
    meeting = next_one(tx, team)
    delete_meeting(tx, team.ed, meeting.id)
    assert tx.scalars(sa.select(col(Meeting.id))).all() == []
    assert inbox(tx, team.bo) == ["Ed canceled a meeting: Reading group (Wed 2 Dec 2026, 06:00)"]
    last = tx.scalars(sa.select(Event).order_by(col(Event.id).desc())).first()
    assert (last.verb, last.data["name"]) == ("meeting.deleted", "Reading group")
    again = next_one(tx, team)
    assert again.starts_at == datetime(2026, 12, 2, 6, tzinfo=UTC)
    assert again.id > meeting.id  # calendars, notices and addresses know the other by its number


def test_items_of_a_deleted_meeting_wait_and_are_proposed_again(tx, team):
    first = next_one(tx, team)
    late = add_item(tx, team.ed, first.id, AgendaItemCreate(paper=team.paper))
    edit_item(tx, team.ed, first.id, late.id or 0, edit=AgendaItemUpdate(state="postponed"))
    wanted = make.paper(tx, "Wanted").id
    propose(tx, team.ann, team.series, CandidateCreate(paper=wanted))
    mistaken = next_one(tx, team)
    add_item(tx, team.ed, mistaken.id, AgendaItemCreate(paper=wanted))
    delete_meeting(tx, team.ed, mistaken.id)
    assert [row.title for row in list_candidates(tx, team.ann, team.series)] == ["Wanted"]
    assert agenda(tx, next_one(tx, team)) == ["Just-in-Time Checkpointing"]


@pytest.mark.deep
def test_a_discussed_paper_proposed_again_is_open_again_when_removed_from_the_agenda(tx, team):
    once = next_one(tx, team)
    add_item(tx, team.ed, once.id, AgendaItemCreate(paper=team.paper))
    set_state(tx, team.ed, once.id, "held")
    propose(tx, team.ann, team.series, CandidateCreate(paper=team.paper))
    again = next_one(tx, team)
    item = add_item(tx, team.ed, again.id, AgendaItemCreate(paper=team.paper))
    assert list_candidates(tx, team.ann, team.series) == []
    remove_item(tx, team.ed, again.id, item.id or 0)
    assert [row.paper_id for row in list_candidates(tx, team.ann, team.series)] == [team.paper]


def test_a_meeting_with_recorded_content_cannot_be_deleted(tx, team):
    held, noted, discussed = (next_one(tx, team) for _ in range(3))
    set_state(tx, team.ed, held.id, "held")
    edit_notes(tx, team.ann, noted.id, MeetingNotesUpdate(decisions="Go."), version=1)
    item = add_item(tx, team.ed, discussed.id, AgendaItemCreate(paper=team.paper))
    edit_item(tx, team.ed, discussed.id, item.id or 0, edit=AgendaItemUpdate(state="discussed"))
    for meeting in (held, noted, discussed):
        with pytest.raises(Conflict, match="Cancel it instead"):
            delete_meeting(tx, team.ed, meeting.id)
    with pytest.raises(NotAllowed):
        delete_meeting(tx, team.ann, held.id)
    with pytest.raises(NotFound):
        delete_meeting(tx, team.ed, 99)


def test_cancelling_and_then_deleting_a_meeting_notifies_once(tx, team):
    meeting = next_one(tx, team)
    set_state(tx, team.ed, meeting.id, "cancelled")
    tx.execute(sa.update(Notification).values(read_at=now(), group_key=None))
    delete_meeting(tx, team.ed, meeting.id)
    assert inbox(tx, team.bo) == []


def test_a_form_sent_twice_plans_one_meeting(tx, team):
    for series in (None, team.series):
        wanted = MeetingCreate(title="Visit", date=date(2026, 12, 11 if series else 12), series=series)
        plan_meeting(tx, team.ed, wanted)
        with pytest.raises(Conflict, match="already scheduled"):
            plan_meeting(tx, team.ed, wanted)


def test_four_weekly_meetings_are_four_weeks_apart_whenever_the_series_was_created(tx, team):
    series = add_series(tx, team.ed, SeriesFields(name="Monthly", interval_weeks=4, weekday=1))
    series.created_at = now() - timedelta(days=100)
    tx.flush()
    for day in (date(2026, 11, 3), date(2026, 12, 1)):
        plan_next(tx, team.ed, series.id or 0, NextMeetingCreate(date=day))
    assert find_meeting_suggestions(tx, [get_series(tx, team.vi, series.id or 0)])[series.id or 0].day == date(
        2026, 12, 29
    )


@pytest.mark.parametrize(("zone", "day"), [("Asia/Tokyo", 9), ("America/New_York", 2), ("Europe/Berlin", 2)])
def test_today_is_not_proposed_if_the_time_has_passed(tx, team, zone, day):
    series = add_series(tx, team.ed, SeriesFields(name="Wednesdays", weekday=2, start_time="15:00", time_zone=zone))
    with time_machine.travel(datetime(2026, 12, 2, 6, 0, 30, tzinfo=UTC), tick=False):  # 15:00 in Tokyo
        assert find_meeting_suggestions(tx, [get_series(tx, team.vi, series.id or 0)])[series.id or 0].day == date(
            2026, 12, day
        )


def test_a_past_meeting_is_not_the_next_one(tx, team):
    next_one(tx, team)
    later = next_one(tx, team)
    with time_machine.travel(datetime(2026, 12, 2, 7, 5, tzinfo=UTC)):
        assert getattr(find_next(tx, team.vi), "id", None) == later.id


def test_items_discussed_before_the_cancelled_meeting_do_not_wait(tx, team):
    called_off = next_one(tx, team, date=date(2026, 12, 16))
    add_item(tx, team.ed, called_off.id, AgendaItemCreate(paper=team.paper))
    set_state(tx, team.ed, called_off.id, "cancelled")
    instead = next_one(tx, team, date=date(2026, 12, 9))
    set_state(tx, team.ed, instead.id, "held")
    assert agenda(tx, next_one(tx, team, date=date(2026, 12, 23))) == []


def test_answered_questions_and_former_presenters_are_not_carried_over(tx, team):
    first = next_one(tx, team)
    answered, still = (make.question(tx, text) for text in ("Answered?", "Still open?"))
    for question in (answered, still):
        item = add_item(tx, team.ed, first.id, AgendaItemCreate(question=question.id, presenter=team.cy.id))
        edit_item(tx, team.ed, first.id, item.id or 0, edit=AgendaItemUpdate(state="postponed", presenter=team.cy.id))
    tx.get(Question, answered.id).state = "answered"
    tx.get(Person, team.cy.id).disabled_at = now()
    tx.flush()
    [left] = find_agenda_items(tx, [next_one(tx, team).id]).popitem()[1]
    assert (left.title, left.presenter_id) == ("Still open?", None)


def test_a_meeting_recorded_afterwards_takes_no_waiting_items_and_has_discussed_its_own(tx, team):
    first = next_one(tx, team)
    item = add_item(tx, team.ed, first.id, AgendaItemCreate(paper=team.paper))
    edit_item(tx, team.ed, first.id, item.id or 0, edit=AgendaItemUpdate(state="postponed"))
    past = plan_meeting(tx, team.ed, MeetingCreate(title="Then", date=date(2025, 1, 8), series=team.series))
    assert agenda(tx, past) == []
    set_state(tx, team.ed, past.id or 0, "held")
    assert add_item(tx, team.ed, past.id or 0, AgendaItemCreate(paper=make.paper(tx).id)).state == "discussed"
    assert agenda(tx, next_one(tx, team)) == ["Just-in-Time Checkpointing"]


def test_moving_up_skips_a_deleted_paper_which_cannot_be_changed(tx, team):
    meeting = next_one(tx, team)
    papers = [make.paper(tx, title) for title in "abc"]
    a, b, c = (add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=paper.id)) for paper in papers)
    papers[1].deleted_at = now()
    tx.flush()
    move_item(tx, team.ed, meeting.id, c.id or 0, direction="up")
    assert agenda(tx, meeting) == ["c", "a"]
    for verb in (
        lambda: move_item(tx, team.ed, meeting.id, b.id or 0, direction="up"),
        lambda: remove_item(tx, team.ed, meeting.id, b.id or 0),
        lambda: edit_item(tx, team.ed, meeting.id, b.id or 0, edit=AgendaItemUpdate(minutes=1)),
    ):
        with pytest.raises(NotFound):
            verb()
    papers[1].deleted_at = None
    tx.flush()
    assert agenda(tx, meeting) == ["c", "a", "b"]
    move_item(tx, team.ed, meeting.id, a.id or 0, direction="down")
    assert agenda(tx, meeting) == ["c", "b", "a"]


def test_only_votes_of_active_members_count(tx, team):
    candidate, _ = propose(tx, team.ann, team.series, CandidateCreate(paper=team.paper))
    for voter in (team.ann, team.bo):
        vote(tx, voter, candidate.id or 0, 1)
    tx.get(Person, team.bo.id).disabled_at = now()
    tx.flush()
    [row] = list_candidates(tx, team.ann, team.series)
    assert (row.in_favour, row.score) == (["Ann"], 1)


def test_an_agenda_change_is_visible_to_calendars(tx, team):
    meeting = next_one(tx, team)
    with time_machine.travel(datetime(2026, 12, 1, tzinfo=UTC), tick=False):
        add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=team.paper))
        assert meeting.updated_at == now()
