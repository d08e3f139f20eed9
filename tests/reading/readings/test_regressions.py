"""What reviewers found in readings: what is private for all passes, and what is said twice."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import NotFound
from readtrack.infra.models import Event, Reading
from readtrack.library.papers.detail import list_events
from readtrack.reading.readings import commands
from readtrack.reading.readings.commands import ReadingUpdate
from readtrack.reading.readings.queries import list_readers
from tests import make


@pytest.fixture
def people(database):
    with database.write() as tx:
        return make.visitor(tx, "Ken"), make.visitor(tx, "Bo")


@pytest.fixture
def paper_id(database):
    with database.write() as tx:
        return make.paper(tx).id


@pytest.fixture
def change(database, people, paper_id):
    def change(**said):
        with database.write() as tx:
            commands.set_reading(tx, people[0], paper_id, ReadingUpdate(**said))

    return change


def test_a_reading_made_private_leaves_no_trace_of_its_shared_time(database, people, paper_id, change):
    change(status="reading")
    change(private=True)
    with database.read() as tx:
        assert list_events(tx, people[1], paper_id) == []
        assert len(list_events(tx, people[0], paper_id)) == 2


def test_undoing_a_publication_leaves_no_trace_either(database, people, paper_id, change):
    change(status="reading", private=True)
    change(private=False)
    with database.write() as tx:
        commands.undo_reading(tx, people[0], paper_id)
    with database.read() as tx:
        assert list_events(tx, people[1], paper_id) == []


def test_a_reader_who_makes_a_second_pass_private_is_hidden_from_others(database, people, paper_id, change):
    change(status="read")
    change(status="reading", private=True)
    ken, bo = people
    with database.read() as tx:
        assert list_readers(tx, bo, [paper_id]) == {}
        assert list_readers(tx, ken, [paper_id]) == {paper_id: ["Ken"]}
    change(private=False)
    with database.read() as tx:
        assert list_readers(tx, bo, [paper_id]) == {paper_id: ["Ken"]}


def test_repeating_a_change_is_not_a_change_and_undo_reverts_the_one_before(database, people, paper_id, change):
    change(status="reading")
    said = {"status": "read", "depth": "skimmed"}
    change(**said)
    with database.read() as tx:
        changed_at = tx.scalar(sa.select(col(Reading.updated_at)))
    change(**said)
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Event)) == 2
        assert tx.scalar(sa.select(col(Reading.updated_at))) == changed_at
    with database.write() as tx:
        restored = commands.undo_reading(tx, people[0], paper_id)
        assert restored is not None
        assert restored.status == "reading"


def test_a_merged_paper_cannot_be_read(database, people, paper_id):
    with database.write() as tx:
        gone = make.paper(tx, merged_into=paper_id).id
    with pytest.raises(NotFound, match=f"Paper {gone} was merged into paper {paper_id}"), database.write() as tx:
        commands.set_reading(tx, people[0], gone, ReadingUpdate(status="read"))


def test_readings_of_all_papers_are_paged(database, people, sign_in):
    ken, _ = people
    with database.write() as tx:
        for _ in range(5):
            make.reading(tx, ken.id, make.paper(tx).id, "reading")
    browser, seen, address = sign_in(ken), [], "/api/v1/readings?status=reading&limit=2"
    while address:
        answer = browser.get(address)
        seen += [item["paper"] for item in answer.json()["items"]]
        assert ("Link" in answer.headers) == (answer.json()["next"] is not None)
        address = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == 5
