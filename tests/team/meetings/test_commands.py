"""Verbs of meetings: what is planned, moved and called off, what comes along, who is told, and what is refused."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import to_local
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, PaperMerged, StaleVersion
from readtrack.infra.models import Event, Notification, Person, Vote
from readtrack.library.papers.lists import find_discussion_dates
from readtrack.team.meetings.commands.agendas import MAX_ITEMS, add_item, edit_item, move_item, remove_item
from readtrack.team.meetings.commands.candidates import propose, vote, withdraw
from readtrack.team.meetings.commands.schedule import (
    add_series,
    edit_meeting,
    edit_notes,
    edit_series,
    end_series,
    plan_meeting,
    plan_next,
    set_state,
)
from readtrack.team.meetings.queries.agendas import find_agenda_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import find_next, get_meeting
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    AgendaItemUpdate,
    CandidateCreate,
    MeetingCreate,
    MeetingNotesUpdate,
    MeetingUpdate,
    NextMeetingCreate,
    SeriesFields,
)
from tests import make

pytestmark = pytest.mark.slow  # many requests


@pytest.fixture
def tx(database, team):
    with database.write() as tx:
        yield tx


def next_one(tx, team, **fields):
    return plan_next(tx, team.ed, team.series, NextMeetingCreate(**fields))


def told(tx):
    """Who has which notice: (name, what happened)."""
    query = sa.select(col(Person.name), col(Notification.data)).join(
        Notification, col(Notification.person_id) == col(Person.id)
    )
    query = query.order_by(col(Notification.created_at), col(Notification.person_id))
    return [(name, data["happened"]) for name, data in tx.execute(query)]


def verbs(tx):
    return list(tx.scalars(sa.select(col(Event.verb)).order_by(col(Event.id))))


def agenda(tx, meeting):
    return [(item.display_title, item.state) for item in find_agenda_items(tx, [meeting.id]).get(meeting.id, [])]


def as_it_is(meeting, **fields):
    begins = to_local(meeting.starts_at, meeting.time_zone)
    said = {"title": meeting.title, "date": begins.date(), "at": f"{begins:%H:%M}", "minutes": meeting.minutes}
    rest = {"time_zone": meeting.time_zone, "location": meeting.location, "presenter": meeting.presenter_id}
    return MeetingUpdate(**{**said, **rest, **fields})


def test_the_next_meeting_follows_the_schedule_and_the_presenter_rotation(tx, team):
    first, second, third, fourth = (next_one(tx, team) for _ in range(4))
    assert [first.starts_at, second.starts_at] == [
        datetime(2026, 12, 2, 6, tzinfo=UTC),
        datetime(2026, 12, 9, 6, tzinfo=UTC),
    ]
    turns = [meeting.presenter_id for meeting in (first, second, third, fourth)]
    assert turns == [team.ann.id, team.bo.id, team.cy.id, team.ann.id]
    assert (first.title, first.location, first.minutes, first.time_zone) == (
        "Reading group",
        "Room 3",
        60,
        "Asia/Tokyo",
    )


@pytest.mark.deep
@pytest.mark.parametrize(
    ("zone", "starts", "shift"),
    [
        ("Europe/Berlin", date(2027, 3, 24), timedelta(hours=-1)),
        ("America/New_York", date(2027, 3, 10), timedelta(hours=-1)),
        ("Australia/Lord_Howe", date(2027, 3, 31), timedelta(minutes=30)),
        ("Asia/Tokyo", date(2026, 12, 30), timedelta()),  # and a year ends
    ],
)
def test_meetings_keep_their_local_time_across_daylight_saving_changes(tx, team, zone, starts, shift):
    edit = SeriesFields(name="Thursdays", weekday=3, start_time="10:00", time_zone=zone, starts_on=starts)
    series = add_series(tx, team.ed, edit)
    before, after = (plan_next(tx, team.ed, series.id or 0, NextMeetingCreate()) for _ in range(2))
    assert after.starts_at - before.starts_at == timedelta(days=7) + shift
    assert [f"{to_local(meeting.starts_at, zone):%a %H:%M}" for meeting in (before, after)] == ["Thu 10:00"] * 2


@pytest.mark.deep
def test_former_members_are_skipped_and_the_presenter_of_a_cancelled_meeting_is_next_again(tx, team):
    first = next_one(tx, team)
    set_state(tx, team.ed, first.id, "cancelled")
    assert next_one(tx, team).presenter_id == team.ann.id
    tx.get(Person, team.bo.id).disabled_at = datetime(2026, 11, 1, tzinfo=UTC)
    assert next_one(tx, team).presenter_id == team.cy.id


def test_a_series_has_at_most_one_meeting_per_day(tx, team):
    meeting = next_one(tx, team)
    for refused in ({"date": date(2026, 12, 2)}, {"offered": date(2026, 12, 2)}):
        offered = refused.pop("offered", None)
        with pytest.raises(Conflict):
            plan_next(tx, team.ed, team.series, NextMeetingCreate(**refused), shown_day=offered)
    set_state(tx, team.ed, meeting.id, "cancelled")
    assert next_one(tx, team, date=date(2026, 12, 2)).state == "planned"


def test_without_a_schedule_a_date_is_required(tx, team):
    series = add_series(tx, team.ed, SeriesFields(name="Now and then", interval_weeks=0))
    with pytest.raises(Invalid, match="Choose a date"):
        plan_next(tx, team.ed, series.id or 0, NextMeetingCreate())
    assert plan_next(tx, team.ed, series.id or 0, NextMeetingCreate(date=date(2026, 12, 24))).presenter_id is None


def test_an_ended_series_has_no_next_meeting_and_accepts_no_proposals(tx, team):
    end_series(tx, team.ed, team.series)
    for verb in (lambda: next_one(tx, team), lambda: propose(tx, team.ann, team.series, CandidateCreate(paper=1))):
        with pytest.raises(Conflict, match="has ended"):
            verb()


def test_postponed_and_cancelled_items_move_to_the_next_meeting_once(tx, team):
    first = next_one(tx, team)
    late = add_item(tx, team.ed, first.id, AgendaItemCreate(paper=team.paper, presenter=team.bo.id))
    done = add_item(tx, team.ed, first.id, AgendaItemCreate(paper=make.paper(tx, "Done").id))
    edit_item(tx, team.ed, first.id, late.id or 0, edit=AgendaItemUpdate(state="postponed", presenter=team.bo.id))
    set_state(tx, team.ed, first.id, "held")
    assert done.state == "discussed"
    second = next_one(tx, team)
    assert agenda(tx, second) == [("Just-in-Time Checkpointing", "planned")]
    set_state(tx, team.ed, second.id, "cancelled")
    third = next_one(tx, team)
    assert agenda(tx, third) == [("Just-in-Time Checkpointing", "planned")]
    assert agenda(tx, next_one(tx, team)) == []


def test_everybody_concerned_is_notified_except_of_their_own_actions(tx, team):
    meeting = next_one(tx, team)
    assert sorted(told(tx)) == [("Ann", "presents"), ("Bo", "planned"), ("Cy", "planned")]
    add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=team.paper, presenter=team.vi.id))
    edit_meeting(tx, team.ed, meeting.id, as_it_is(meeting, at="16:00"), version=1)
    asked = [("Ann", "presents"), ("Vi", "presents")]
    assert sorted(told(tx)) == sorted([*asked, *((name, "moved") for name in ("Ann", "Bo", "Cy", "Vi"))])
    set_state(tx, team.ed, meeting.id, "cancelled")
    assert {happened for _, happened in told(tx)} == {"cancelled", "presents"}


def test_nobody_is_notified_of_a_meeting_long_past(tx, team):
    plan_meeting(tx, team.ed, MeetingCreate(title="Then", date=date(2025, 1, 8), series=team.series))
    assert told(tx) == []


def test_each_change_increases_the_calendars_sequence_number(tx, team):
    meeting = next_one(tx, team)
    edit_meeting(tx, team.ed, meeting.id, as_it_is(meeting, location="Room 9"), version=1)
    edit_meeting(tx, team.ed, meeting.id, as_it_is(meeting), version=2)  # nothing changed
    set_state(tx, team.ed, meeting.id, "cancelled")
    set_state(tx, team.ed, meeting.id, "planned")
    set_state(tx, team.ed, meeting.id, "planned")
    assert meeting.sequence == 3


def test_a_newer_version_is_never_overwritten(tx, team):
    meeting = next_one(tx, team)
    edit_notes(tx, team.ann, meeting.id, MeetingNotesUpdate(notes="Hers."), version=1)
    for verb in (
        lambda: edit_notes(tx, team.bo, meeting.id, MeetingNotesUpdate(notes="His."), version=1),
        lambda: edit_meeting(tx, team.ed, meeting.id, as_it_is(meeting), version=1),
        lambda: edit_series(tx, team.ed, team.series, SeriesFields(name="Other"), version=9),
    ):
        with pytest.raises(StaleVersion) as stale:
            verb()
        current: Any = stale.value.current
        assert current["version"] in {1, 2}
    assert get_meeting(tx, team.vi, meeting.id).notes == "Hers."
    edit_notes(tx, team.ann, meeting.id, MeetingNotesUpdate(notes="Hers."), version=2)
    assert meeting.version == 2


def test_items_keep_their_order_and_move_step_by_step(tx, team):
    meeting = next_one(tx, team)
    papers = [make.paper(tx, title) for title in "abc"]
    a, _, c = (add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=paper.id)) for paper in papers)
    move_item(tx, team.ed, meeting.id, c.id or 0, direction="up")
    move_item(tx, team.ed, meeting.id, a.id or 0, direction="up")
    assert [title for title, _ in agenda(tx, meeting)] == ["a", "c", "b"]
    move_item(tx, team.ed, meeting.id, a.id or 0, direction="down")
    assert [title for title, _ in agenda(tx, meeting)] == ["c", "a", "b"]


def test_an_agenda_has_each_item_once_and_is_limited(tx, team):
    meeting = next_one(tx, team)
    add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=team.paper))
    with pytest.raises(Conflict, match="Already on the agenda"):
        add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=team.paper))
    for _ in range(MAX_ITEMS - 1):
        add_item(tx, team.ed, meeting.id, AgendaItemCreate(question=make.question(tx).id))
    with pytest.raises(Conflict, match="at most"):
        add_item(tx, team.ed, meeting.id, AgendaItemCreate(question=make.question(tx).id))


def test_missing_items_cannot_be_put_on_an_agenda(tx, team):
    meeting, other = next_one(tx, team), next_one(tx, team)
    gone = make.paper(tx, deleted_at=datetime(2026, 1, 1, tzinfo=UTC))
    part = make.paper(tx, merged_into=team.paper)
    item = add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=team.paper))
    for wanted, error in (
        (AgendaItemCreate(paper=gone.id), NotFound),
        (AgendaItemCreate(paper=part.id), PaperMerged),
        (AgendaItemCreate(question=99), Invalid),
        (AgendaItemCreate(paper=make.paper(tx).id, presenter=99), Invalid),
    ):
        with pytest.raises(error):
            add_item(tx, team.ed, meeting.id, wanted)
    with pytest.raises(NotFound):  # an item of one meeting by the address of another
        remove_item(tx, team.ed, other.id, item.id or 0)
    with pytest.raises(NotFound):
        set_state(tx, team.ed, 99, "held")


def test_a_deleted_paper_is_on_no_agenda_until_it_is_restored(tx, team):
    meeting = next_one(tx, team)
    paper = make.paper(tx, "Comes and goes")
    add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=paper.id))
    paper.deleted_at = datetime(2026, 11, 1, tzinfo=UTC)
    tx.flush()
    assert (agenda(tx, meeting), getattr(find_next(tx, team.vi), "items", None)) == ([], 0)
    paper.deleted_at = None
    tx.flush()
    assert agenda(tx, meeting) == [("Comes and goes", "planned")]


def test_votes_rank_candidates_and_the_chosen_one_is_removed(tx, team):
    papers = [make.paper(tx, title).id for title in ("first", "second", "third")]
    ids = [propose(tx, team.ann, team.series, CandidateCreate(paper=paper))[0].id or 0 for paper in papers]
    for candidate, voter, value in ((1, team.ann, 1), (1, team.bo, 1), (0, team.ann, -1), (2, team.cy, 1)):
        vote(tx, voter, ids[candidate], value)
    shown = list_candidates(tx, team.bo, team.series)
    assert [(row.title, row.score, row.mine) for row in shown] == [("second", 2, 1), ("third", 1, 0), ("first", -1, 0)]
    vote(tx, team.bo, ids[1], 0)
    assert tx.scalar(sa.select(sa.func.count()).select_from(Vote).where(col(Vote.value) == 0)) == 1
    meeting = next_one(tx, team)
    add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=papers[1]))
    assert [row.title for row in list_candidates(tx, team.bo, team.series)] == ["third", "first"]
    with pytest.raises(Conflict, match="Voting on this paper is closed"):
        vote(tx, team.bo, ids[1], 1)
    with pytest.raises(Conflict, match="agenda"):
        propose(tx, team.bo, team.series, CandidateCreate(paper=papers[1]))


def test_a_proposal_is_withdrawn_by_its_author_or_an_editor_and_can_be_repeated(tx, team):
    candidate, created = propose(tx, team.ann, team.series, CandidateCreate(paper=team.paper, reason="Mine"))
    assert created
    assert propose(tx, team.bo, team.series, CandidateCreate(paper=team.paper))[1] is False
    vote(tx, team.bo, candidate.id or 0, 1)
    with pytest.raises(NotAllowed):
        withdraw(tx, team.bo, candidate.id or 0)
    withdraw(tx, team.ann, candidate.id or 0)
    again, created = propose(tx, team.bo, team.series, CandidateCreate(paper=team.paper))
    assert (again.id, created, again.proposed_by) == (candidate.id, True, team.bo.id)
    [row] = list_candidates(tx, team.ann, team.series)
    assert row.in_favour == ["Bo"]
    withdraw(tx, team.ed, candidate.id or 0)


def test_lists_show_which_papers_were_discussed(tx, team):
    edit = SeriesFields(name="Early", weekday=2, start_time="08:00", time_zone="Asia/Tokyo")  # in UTC the day before
    meeting = plan_next(tx, team.ed, add_series(tx, team.ed, edit).id or 0, NextMeetingCreate())
    add_item(tx, team.ed, meeting.id or 0, AgendaItemCreate(paper=team.paper))
    assert find_discussion_dates(tx, [team.paper]) == {}
    set_state(tx, team.ed, meeting.id or 0, "held")
    assert find_discussion_dates(tx, [team.paper, 99]) == {team.paper: date(2026, 12, 2)}


def test_scheduling_requires_permission_and_a_viewer_can_neither_vote_nor_take_notes(tx, team):
    meeting, candidate = next_one(tx, team), make.candidate(tx, team.series, team.paper)
    item = add_item(tx, team.ed, meeting.id, AgendaItemCreate(question=make.question(tx).id))
    for verb in (
        lambda me: plan_next(tx, me, team.series, NextMeetingCreate()),
        lambda me: plan_meeting(tx, me, MeetingCreate(title="x", date=date(2026, 12, 3))),
        lambda me: edit_meeting(tx, me, meeting.id, as_it_is(meeting), version=1),
        lambda me: set_state(tx, me, meeting.id, "held"),
        lambda me: add_item(tx, me, meeting.id, AgendaItemCreate(paper=team.paper)),
        lambda me: edit_item(tx, me, meeting.id, item.id or 0, edit=AgendaItemUpdate()),
        lambda me: move_item(tx, me, meeting.id, item.id or 0, direction="up"),
        lambda me: remove_item(tx, me, meeting.id, item.id or 0),
        lambda me: add_series(tx, me, SeriesFields(name="x")),
        lambda me: edit_series(tx, me, team.series, SeriesFields(name="x"), version=1),
        lambda me: end_series(tx, me, team.series),
    ):
        with pytest.raises(NotAllowed):
            verb(team.ann)
    for mine in (
        lambda: vote(tx, team.vi, candidate.id, 1),
        lambda: propose(tx, team.vi, team.series, CandidateCreate(paper=team.paper)),
        lambda: withdraw(tx, team.vi, candidate.id),
        lambda: edit_notes(tx, team.vi, meeting.id, MeetingNotesUpdate(notes="x"), version=1),
    ):
        with pytest.raises(NotAllowed):
            mine()


def test_every_change_creates_an_event_and_non_changes_do_not(tx, team):
    meeting = next_one(tx, team)
    item = add_item(tx, team.ed, meeting.id, AgendaItemCreate(paper=team.paper))
    edit_item(tx, team.ed, meeting.id, item.id or 0, edit=AgendaItemUpdate())
    move_item(tx, team.ed, meeting.id, item.id or 0, direction="down")
    edit_item(tx, team.ed, meeting.id, item.id or 0, edit=AgendaItemUpdate(minutes=5))
    edit_notes(tx, team.ann, meeting.id, MeetingNotesUpdate(), version=1)
    edit_notes(tx, team.ann, meeting.id, MeetingNotesUpdate(notes="x"), version=1)
    remove_item(tx, team.ed, meeting.id, item.id or 0)
    expected = ["meeting.planned", "agenda.added", "agenda.edited", "meeting.noted", "agenda.removed"]
    assert verbs(tx) == expected
