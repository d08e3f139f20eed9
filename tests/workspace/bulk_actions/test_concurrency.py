"""Acts on many papers that meet: both are done whole, one after the other, whatever order the papers are named in."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import Conflict
from readtrack.infra.models import Paper, PaperTopic, Topic
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.bulk_actions.undo import undo_bulk_action
from tests import make

pytestmark = pytest.mark.slow  # many transactions that wait for each other
HANDS = 4
TURNS = 6


@pytest.fixture
def editors(database):
    with database.write() as tx:
        return [make.visitor(tx, f"Editor {number}", role="editor") for number in range(HANDS)]


@pytest.fixture
def papers(database):
    with database.write() as tx:
        make.topic(tx, "MoE")
        return [make.paper(tx).id for _ in range(12)]


@pytest.mark.deep
def test_concurrent_filing_and_removal_of_the_same_papers_do_not_deadlock(database, editors, papers):
    def hand(number):
        mine = papers if number % 2 else papers[::-1]
        for turn in range(TURNS):
            said = {"add": ["MoE"]} if (turn + number) % 2 else {"remove": ["MoE"]}
            with database.write() as tx:
                done = run_bulk_action(tx, editors[number], BulkRequest(papers=mine, act="topics", topics=said))
            assert not any(outcome.problem for outcome in done.outcomes)

    with ThreadPoolExecutor(HANDS) as hands:
        list(hands.map(hand, range(HANDS)))
    with database.read() as tx:
        filed = tx.scalars(sa.select(col(PaperTopic.paper_id))).all()
    assert sorted(filed) in ([], papers)


@pytest.mark.deep
def test_concurrent_deletes_restores_readings_and_undos_leave_every_paper_consistent(database, editors, papers):
    acts = [
        {"act": "delete"},
        {"act": "restore"},
        {"act": "reading", "reading": {"status": "to_read"}},
        {"act": "topics", "topics": {"add": ["MoE"]}},
    ]

    def hand(number):
        for turn in range(TURNS):
            wanted = BulkRequest(papers=papers if turn % 2 else papers[::-1], **acts[(turn + number) % len(acts)])
            with database.write() as tx:
                done = run_bulk_action(tx, editors[number], wanted)
            try:
                with database.write() as tx:
                    if done.undo_id and turn % 3 == 0:
                        undo_bulk_action(tx, editors[number], done.undo_id)
            except Conflict:
                continue  # others changed all of it since

    with ThreadPoolExecutor(HANDS) as hands:
        list(hands.map(hand, range(HANDS)))
    with database.read() as tx:
        assert len({deleted is None for deleted in tx.scalars(sa.select(col(Paper.deleted_at)))}) == 1


def test_undo_deleting_a_topic_while_another_person_files_there_loses_no_filing(database, editors, papers):
    def file_and_undo(name):
        with database.write() as tx:
            done = run_bulk_action(tx, editors[0], BulkRequest(papers=papers[:2], act="topics", topics={"add": [name]}))
        with database.write() as tx:
            undo_bulk_action(tx, editors[0], done.undo_id or 0)

    def file(name):
        with database.write() as tx:
            return run_bulk_action(
                tx, editors[1], BulkRequest(papers=papers[2:4], act="topics", topics={"add": [name]})
            )

    with ThreadPoolExecutor(2) as hands:
        for turn in range(TURNS):
            going = hands.submit(file_and_undo, f"New {turn}")
            done = hands.submit(file, f"New {turn}").result()
            going.result()
            there = sa.select(col(PaperTopic.paper_id)).join(Topic, col(Topic.id) == col(PaperTopic.topic_id))
            with database.read() as tx:
                filed = {*tx.scalars(there.where(col(Topic.name) == f"New {turn}"))}
            assert filed == {outcome.paper_id for outcome in done.outcomes if not outcome.problem}
