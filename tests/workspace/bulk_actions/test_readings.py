"""Many readings changed at once: each paper with its own outcome, in one transaction, and one undo for all."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.models import Event, Paper, Reading
from readtrack.library.duplicates.merge import merge_papers
from readtrack.reading.readings import commands
from readtrack.reading.readings.commands import ReadingUpdate
from readtrack.workspace.bulk_actions.actions import MAX_PAPERS, BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.bulk_actions.undo import undo_bulk_action
from tests import make


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="viewer")


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Eve", role="editor")


@pytest.fixture
def papers(database, ada):
    """Four papers: on nobody's list, to read, read, and one that Ada keeps to herself."""
    with database.write() as tx:
        ids = [make.paper(tx).id for _ in range(4)]
        make.reading(tx, ada.id, ids[1], "to_read")
        make.reading(tx, ada.id, ids[2], "read", depth="studied")
        make.reading(tx, ada.id, ids[3], "to_read", private=True)
        return ids


@pytest.fixture
def change(database, ada):
    def change(papers, **said):
        with database.write() as tx:
            act = {"act": "reading", "reading": ReadingUpdate(**said)} if said else {"act": "off"}
            return run_bulk_action(tx, ada, BulkRequest(papers=papers, **act))

    return change


@pytest.fixture
def undo(database, ada):
    def undo(deed, me=ada):
        with database.write() as tx:
            back = undo_bulk_action(tx, me, deed)
        return len(back.papers), len(back.unchanged)

    return undo


@pytest.fixture
def stands(database, ada):
    """Status by paper, as Ada left it."""

    def stands():
        mine = sa.select(col(Reading.paper_id), col(Reading.status)).where(
            col(Reading.person_id) == ada.id, col(Reading.current)
        )
        with database.read() as tx:
            return {row.paper_id: row.status for row in tx.execute(mine)}

    return stands


def test_each_paper_has_its_own_outcome_in_the_requested_order(papers, change, stands):
    new, waiting, done, _ = papers
    before = stands()
    outcome = change([done, 4711, new, waiting, new], status="to_read")
    assert [(one.paper_id, one.status) for one in outcome.outcomes] == [
        (done, 409),
        (4711, 404),
        (new, 200),
        (waiting, 200),
    ]
    assert outcome.changed_count == 1  # what was to be read already is no change
    assert stands() == {**before, new: "to_read"}


def test_one_undo_reverts_all_of_it(papers, change, undo, stands):
    before = stands()
    done = change(papers, status="dropped", reason="not for us")
    assert stands() == before | dict.fromkeys([papers[0], papers[1], papers[3]], "dropped")
    assert undo(done.undo_id) == (3, 0)
    assert stands() == before
    with pytest.raises(Conflict, match="Already undone"):
        undo(done.undo_id)


def test_later_changes_survive_undo(papers, change, undo, stands, database, ada):
    done = change(papers[:2], status="reading")
    with database.write() as tx:
        commands.set_reading(tx, ada, papers[0], ReadingUpdate(status="read"))
    assert undo(done.undo_id) == (1, 1)
    assert (stands()[papers[0]], stands()[papers[1]]) == ("read", "to_read")


def test_a_paper_deleted_meanwhile_does_not_prevent_undo(papers, change, undo, stands, database):
    done = change(papers[:2], status="reading")
    with database.write() as tx:
        tx.get_one(Paper, papers[0]).deleted_at = now()
    assert undo(done.undo_id) == (1, 1)
    assert stands()[papers[1]] == "to_read"


def test_many_papers_are_removed_from_my_list_and_put_back(papers, change, undo, stands):
    before = stands()
    done = change(papers)
    assert [one.status for one in done.outcomes] == [200, 200, 409, 200]
    assert stands() == {papers[2]: "read"}
    assert undo(done.undo_id) == (2, 0)
    assert stands() == before


def test_papers_put_back_on_my_list_keep_their_original_date(papers, change, undo, database, ada):
    since = now() - timedelta(days=40)
    with database.write() as tx:
        reading = tx.scalar(sa.select(Reading).where(col(Reading.paper_id) == papers[1]))
        reading.created_at, reading.added_on = since, since.date()
    undo(change(papers[1:2]).undo_id)
    with database.read() as tx:
        back = tx.scalar(sa.select(Reading).where(col(Reading.paper_id) == papers[1]))
    assert (back.created_at, back.added_on) == (since, since.date())


def test_undo_reads_only_these_papers_however_long_my_history_is(papers, change, undo, database, statements):
    done = change(papers[:1], status="reading")
    with statements() as seen:
        assert undo(done.undo_id) == (1, 0)
    asked = [said for said in seen if "FROM reading_event" in said]
    assert asked
    assert all("reading_event.paper_id = " in said for said in asked)


def test_without_a_change_there_is_nothing_to_undo(papers, change, undo):
    assert change(papers[1:2], status="to_read").undo_id is None
    with pytest.raises(NotFound):
        undo(4711)


def test_nobody_can_undo_another_persons_change_or_any_after_a_day(papers, change, undo, database, stands):
    with time_machine.travel(now() - timedelta(days=1, minutes=1), tick=False):
        old = change(papers[:1], status="reading")
    new = change(papers[1:2], status="reading")
    with database.write() as tx:
        bo = make.visitor(tx, "Bo")
    with pytest.raises(NotFound):
        undo(new.undo_id, bo)
    with pytest.raises(Conflict, match="only be undone within a day"):
        undo(old.undo_id)
    assert stands()[papers[0]] == stands()[papers[1]] == "reading"


def test_dates_refused_for_one_paper_leave_it_unchanged(papers, change, database, ada, stands):
    """The refusal comes after the object was touched: nothing of it may reach the database."""
    before = stands()
    outcome = change(papers[:2], status="read", started_on="2024-03-02", finished_on="2024-03-01")
    assert [one.status for one in outcome.outcomes] == [422, 422]
    assert stands() == before


def test_every_change_has_its_own_event_and_private_ones_stay_private(papers, change, database, ada):
    change([papers[0], papers[3]], status="reading")
    told = sa.select(col(Event.paper_id), col(Event.private)).where(col(Event.verb) == "reading.set")
    with database.read() as tx:
        assert {row.paper_id: row.private for row in tx.execute(told)} == {papers[0]: False, papers[3]: True}


@pytest.mark.parametrize(
    "body",
    [
        {"papers": [], "act": "off"},
        {"papers": [1]},
        {"papers": [1], "q": "a", "act": "off"},
        {"act": "off"},
        {"papers": [1], "act": "off", "reading": {"status": "read"}},
        {"papers": [1], "act": "reading"},
        {"papers": [1], "act": "topics", "topics": {}},
        {"papers": list(range(1, MAX_PAPERS + 2)), "act": "off"},
        {"papers": [0], "act": "off"},
        {"papers": [2**40], "act": "off"},
    ],
)
def test_an_invalid_bulk_change_is_refused(body):
    with pytest.raises(ValueError, match="Bulk"):
        BulkRequest.model_validate(body)


def test_papers_merged_meanwhile_stay_unchanged(papers, change, undo, stands, database, editor):
    done = change(papers[:2], status="reading")
    with database.write() as tx:
        merge_papers(tx, editor, papers[0], into_id=papers[1])
    before = stands()
    with pytest.raises(Conflict, match="all changed later"):
        undo(done.undo_id)
    assert stands() == before
    [gone, there] = change(papers[:2], status="paused").outcomes
    assert (gone.status, gone.problem.code, there.status) == (404, "merged", 200)
    assert f"merged into paper {papers[1]}" in gone.problem.message


def test_undoing_a_bulk_change_to_private_shares_again_without_revealing_the_past(papers, change, undo, database, ada):
    change(papers[:2], status="reading")
    done = change(papers[:2], private=True)
    assert undo(done.undo_id) == (2, 0)
    with database.read() as tx:
        assert not tx.scalars(
            sa.select(col(Reading.id)).where(col(Reading.private), col(Reading.paper_id).in_(papers[:2]))
        ).all()
        assert set(tx.scalars(sa.select(col(Event.private)).where(col(Event.verb) == "reading.set"))) == {True}
