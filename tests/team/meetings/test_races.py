"""Two at the same moment: one meeting, one item, one winner, and nobody waits for the other for ever (A54)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import ReadtrackError
from readtrack.infra.models import AgendaItem, Meeting
from readtrack.library.duplicates.merge import merge_papers
from readtrack.team.meetings.commands.agendas import add_item, edit_item, remove_item
from readtrack.team.meetings.commands.candidates import propose, vote
from readtrack.team.meetings.commands.delete import delete_meeting
from readtrack.team.meetings.commands.schedule import edit_notes, plan_next
from readtrack.team.meetings.queries.series import find_meeting_suggestions, get_series
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    AgendaItemUpdate,
    CandidateCreate,
    MeetingNotesUpdate,
    NextMeetingCreate,
)
from tests import make

pytestmark = pytest.mark.slow  # threads that wait for each other
TIMES = 8


@pytest.fixture
def at_once(database) -> Callable[..., list[str]]:
    """Does all of it, each in a transaction of its own; what became of each: "done", or the name of the error."""

    def one(deed: Callable[[Any], Any], start: Barrier) -> str:
        start.wait()
        try:
            with database.write() as tx:
                deed(tx)
        except ReadtrackError as error:
            return type(error).__name__
        return "done"

    def do(*deeds: Callable[[Any], Any]) -> list[str]:
        start = Barrier(len(deeds))
        with ThreadPoolExecutor(len(deeds)) as threads:
            return sorted(one.result() for one in [threads.submit(one, deed, start) for deed in deeds])

    return do


def planned(database, team):
    with database.write() as tx:
        return plan_next(tx, team.ed, team.series, NextMeetingCreate()).id


def test_a54_only_one_of_several_concurrent_editors_plans_the_meeting(database, team, at_once):
    with database.read() as tx:
        offered = find_meeting_suggestions(tx, [get_series(tx, team.ed, team.series)])[team.series].day
    click = lambda tx: plan_next(tx, team.ed, team.series, NextMeetingCreate(), shown_day=offered)  # noqa: E731
    assert at_once(*[click] * TIMES) == [*["Conflict"] * (TIMES - 1), "done"]
    with database.read() as tx:
        assert len(tx.scalars(sa.select(col(Meeting.id))).all()) == 1


def test_a54_a_paper_added_concurrently_to_an_agenda_is_there_once(database, team, at_once):
    meeting = planned(database, team)
    click = lambda tx: add_item(tx, team.ed, meeting, AgendaItemCreate(paper=team.paper))  # noqa: E731
    assert at_once(*[click] * TIMES) == [*["Conflict"] * (TIMES - 1), "done"]
    with database.read() as tx:
        assert tx.scalars(sa.select(col(AgendaItem.position))).all() == [1]


def test_a54_a_meeting_is_either_deleted_or_gets_its_notes_and_agenda(database, team, at_once):
    for _ in range(TIMES):
        meeting = planned(database, team)
        at_once(
            lambda tx, meeting=meeting: delete_meeting(tx, team.ed, meeting),
            lambda tx, meeting=meeting: edit_notes(tx, team.ann, meeting, MeetingNotesUpdate(notes="Said."), version=1),
            lambda tx, meeting=meeting: add_item(tx, team.ed, meeting, AgendaItemCreate(paper=team.paper)),
        )
        with database.write() as tx:
            row = tx.get(Meeting, meeting)
            here = col(AgendaItem.meeting_id) == meeting
            assert row is None or row.notes == "Said."
            assert row is not None or tx.scalars(sa.select(AgendaItem).where(here)).all() == []
            tx.execute(sa.delete(AgendaItem).where(here))


@pytest.mark.deep
def test_a54_voting_and_agenda_changes_do_not_deadlock_with_a_merge(database, team, at_once):
    for _ in range(TIMES):
        with database.write() as tx:
            meeting = plan_next(tx, team.ed, team.series, NextMeetingCreate()).id or 0
            survivor, proposed, listed, off = (make.paper(tx).id for _ in range(4))
            candidate = propose(tx, team.ann, team.series, CandidateCreate(paper=proposed))[0].id
            items = [add_item(tx, team.ed, meeting, AgendaItemCreate(paper=paper)).id for paper in (listed, off)]
        deeds = [
            lambda tx, one=candidate: vote(tx, team.bo, one, 1),
            lambda tx, here=(meeting, items[0]): edit_item(tx, team.ed, *here, edit=AgendaItemUpdate(minutes=9)),
            lambda tx, here=(meeting, items[1]): remove_item(tx, team.ed, *here),
        ]
        merges = [
            lambda tx, gone=paper, into=survivor: merge_papers(tx, team.ed, gone, into_id=into)
            for paper in (proposed, listed, off)
        ]
        assert set(at_once(*deeds, *merges)) <= {"done", "PaperMerged", "NotFound"}
