"""One person at two browsers: whatever meets at the same moment, nothing is lost and nobody waits for ever."""

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from threading import Event

import pytest
import sqlalchemy as sa

from readtrack.infra.errors import Conflict
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers import reading_queue
from readtrack.reading.readings import commands, positions
from readtrack.reading.readings.commands import QueueMove, ReadingUpdate
from readtrack.reading.readings.queries import find_my_reading
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from tests import make

HANDS, TURNS = 3, 12


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def papers(database, ada):
    with database.write() as tx:
        ids = [make.paper(tx).id for _ in range(6)]
        for said in ({"status": "to_read"}, {"reason": "for the seminar"}):  # undo may take the second back
            run_bulk_action(tx, ada, BulkRequest(papers=ids, act="reading", reading=ReadingUpdate(**said)))
    return ids


def queued(database, me):
    with database.read() as tx:
        return [line.paper.id for line in reading_queue.page_queue(tx, me, PageRequest()).items]


def all_at_once(do):
    """`do(number)` by several hands; raises what one of them raised."""
    with ThreadPoolExecutor(HANDS) as hands:
        return list(hands.map(do, range(HANDS)))


def test_concurrent_moves_bulk_actions_and_undos_leave_each_paper_in_the_queue_once(database, ada, papers, monkeypatch):
    monkeypatch.setattr(
        positions, "POSITION_GAP", 2
    )  # so that places run out, and a move gives new ones to papers of others

    def hand(number):
        chance = random.Random(number)
        for _ in repeat(None, TURNS):
            with database.write() as tx:
                turn(tx, chance)

    def turn(tx, chance):
        one, other = chance.sample(papers, 2)
        match chance.randrange(4):
            case 0:
                commands.move_reading(tx, ada, one, QueueMove(before=other))
            case 1:
                commands.move_reading(tx, ada, one, QueueMove(to="top"))
            case 2:
                said = ReadingUpdate(status="to_read", priority=chance.choice([0, 1]))
                run_bulk_action(tx, ada, BulkRequest(papers=[one, other], act="reading", reading=said))
            case _:
                try:
                    commands.undo_reading(tx, ada, one)
                except Conflict:
                    commands.set_reading(tx, ada, one, ReadingUpdate(reason=str(chance.random())))

    all_at_once(hand)
    assert sorted(queued(database, ada)) == papers


def test_undo_covers_a_concurrent_change_from_my_other_browser(database, dialect, ada, papers):
    """And not the change before it, with which that one would be gone too."""
    if dialect == "sqlite":
        pytest.skip("one change at a time, of whomever")
    asked, paper_id = Event(), papers[0]

    def note(_connection, _cursor, statement, *_):
        if "UPDATE" in statement:  # it waits for its turn
            asked.set()

    def undo():
        with database.write() as tx:
            sa.event.listen(tx.connection(), "before_cursor_execute", note)
            commands.undo_reading(tx, ada, paper_id)

    with ThreadPoolExecutor(1) as hand:
        with database.write() as tx:
            commands.set_reading(tx, ada, paper_id, ReadingUpdate(status="reading"))
            undone = hand.submit(undo)
            assert asked.wait(30)
        undone.result(30)
    with database.read() as tx:
        mine = find_my_reading(tx, ada, paper_id)
    assert mine is not None
    assert (mine.status, mine.reason) == ("to_read", "for the seminar")
