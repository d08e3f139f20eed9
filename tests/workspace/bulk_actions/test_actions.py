"""Each act on many papers: what it does to each, what it refuses, and what undoing gives back and leaves."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound
from readtrack.infra.models import Assignment, Candidate, MetadataRequest, Paper, PaperTopic, Reading, Topic
from readtrack.infra.pagination import PageRequest
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.papers.lists import PaperFilter, list_papers
from readtrack.library.topics.commands import TopicUpdate, edit_topic, link_topic, unlink_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.workspace.bulk_actions import commands
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.bulk_actions.queries import get_undo_entry, list_undo_entries
from readtrack.workspace.bulk_actions.schemas import MOST_MERGED, BulkRequest
from readtrack.workspace.bulk_actions.undo import undo_bulk_action
from tests import make
from tests.depth import DEEP

pytestmark = pytest.mark.slow


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role=role) for role in ("viewer", "member", "editor")}


@pytest.fixture
def papers(database):
    with database.write() as tx:
        return [make.paper(tx, f"Paper {number}").id for number in range(4)]


@pytest.fixture
def act(database, people):
    def act(papers, who="editor", **said):
        with database.write() as tx:
            return run_bulk_action(tx, people[who], BulkRequest(papers=papers, **said))

    return act


@pytest.fixture
def undo(database, people):
    def undo(done, who="editor"):
        with database.write() as tx:
            return undo_bulk_action(tx, people[who], done.undo_id)

    return undo


@pytest.fixture
def rows(database):
    """What a table has, as sorted tuples of some of its columns."""

    def rows(*columns, where=None):
        query = sa.select(*map(col, columns))
        with database.read() as tx:
            found = tx.execute(query if where is None else query.where(where)).all()
        return sorted(tuple(row) for row in found)

    return rows


def filed(rows):
    return rows(PaperTopic.paper_id, PaperTopic.topic_id, PaperTopic.added_by)


def test_filing_many_makes_the_topic_once_and_undo_takes_only_these_out(database, act, undo, rows, people, papers):
    with database.write() as tx:
        moe = make.topic(tx, "MoE", aliases=("experts",))
        link_topic(tx, people["member"], papers[0], moe.id)
    before = filed(rows)
    done = act(papers, act="topics", topics={"add": ["experts", "Serving"]})
    assert done.changed_count == 4
    assert len(filed(rows)) == 8
    back = undo(done)
    assert (back.papers, back.unchanged) == (papers, {})
    assert filed(rows) == before  # what another had filed before stays filed, by them


def test_a_new_topic_is_made_for_papers_that_are_there_and_not_for_none(act, rows):
    refused = act([4711, 4712], act="topics", topics={"add": ["Serving"]})
    assert ([outcome.status for outcome in refused.outcomes], rows(Topic.id)) == ([404, 404], [])


def test_a_topic_that_was_made_for_them_goes_with_undo_unless_somebody_used_it_since(
    database, act, undo, rows, people, papers
):
    alone = act(papers, "member", act="topics", topics={"add": ["Alone"]})
    used = act(papers, "member", act="topics", topics={"add": ["Used", "Written", "Above", "Noted"]})
    with database.write() as tx:
        used_id, above_id = (
            tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == slug)) for slug in ("used", "above")
        )
        link_topic(tx, people["editor"], make.paper(tx).id, "used")
        edit_topic(tx, people["editor"], "written", TopicUpdate(name="Written", markdown="What it is."), version=1)
        make.topic(tx, "Below", parent_id=above_id)
        make.entry(tx, topic_id=tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == "noted")))
    undo(alone, "member")
    undo(used, "member")
    assert [slug for (slug,) in rows(Topic.slug)] == ["above", "below", "noted", "used", "written"]
    assert [topic for _paper, topic, _by in filed(rows)] == [used_id]


def test_what_is_taken_out_of_a_topic_comes_back_as_who_filed_it(database, act, undo, rows, people, papers):
    with database.write() as tx:
        topic = make.topic(tx, "MoE")
        for paper_id in papers[:2]:
            link_topic(tx, people["member"], paper_id, topic.id)
    before = filed(rows)
    done = act(papers, act="topics", topics={"remove": ["moe"]})
    assert (done.changed_count, filed(rows)) == (2, [])
    undo(done)
    assert filed(rows) == before


def test_nothing_is_filed_under_a_later_topic_that_got_the_number_of_the_one_it_was_in(
    database, act, undo, rows, people, papers
):
    with database.write() as tx:
        link_topic(tx, people["member"], papers[0], make.topic(tx, "MoE").id)
    done = act(papers[:1], act="topics", topics={"remove": ["moe"]})
    with database.write() as tx:
        delete_topic(tx, people["editor"], "moe")
        make.topic(tx, "Routing")
    with pytest.raises(Conflict):
        undo(done)
    assert filed(rows) == []


def test_a_topic_that_somebody_changed_since_is_left_and_told(database, act, undo, rows, people, papers):
    done = act(papers[:3], act="topics", topics={"add": ["MoE"]})
    with database.write() as tx:
        unlink_topic(tx, people["member"], papers[0], "moe")
        unlink_topic(tx, people["member"], papers[1], "moe")
        link_topic(tx, people["member"], papers[1], "moe")
    back = undo(done)
    assert (back.papers, sorted(back.unchanged)) == ([papers[2]], papers[:2])
    assert "changed since" in back.unchanged[papers[1]]
    assert [row[::2] for row in filed(rows)] == [(papers[1], people["member"].id)]


def test_search_finds_many_by_their_new_topic_and_not_after_undo(database, act, undo, people, papers):
    def found():
        with database.read() as tx:
            return {row.id for row in list_papers(tx, people["viewer"], PaperFilter("quixotic"), PageRequest()).items}

    done = act(papers, act="topics", topics={"add": ["quixotic"]})
    assert found() == {*papers}
    undo(done)
    assert found() == set()


def test_many_are_deleted_and_brought_back_but_not_those_restored_meanwhile(database, act, undo, rows, people, papers):
    done = act([*papers, 4711], act="delete")
    assert [outcome.status for outcome in done.outcomes] == [200, 200, 200, 200, 404]
    assert rows(Paper.id, where=permissions.is_present(Paper)) == []
    with database.write() as tx:
        restore_paper(tx, people["editor"], papers[0])
        restore_paper(tx, people["editor"], papers[1])
        delete_paper(tx, people["editor"], papers[1])
    back = undo(done)
    assert (back.papers, sorted(back.unchanged)) == (papers[2:], papers[:2])
    assert rows(Paper.id, where=permissions.is_present(Paper)) == [(papers[0],), (papers[2],), (papers[3],)]


def test_bringing_many_back_can_be_undone_too(act, undo, rows, papers):
    act(papers, act="delete")
    done = act(papers, act="restore")
    assert done.changed_count == 4
    undo(done)
    assert rows(Paper.id, where=permissions.is_present(Paper)) == []


def test_somebody_is_asked_to_read_many_and_what_they_accepted_stays(database, act, undo, rows, people, papers):
    asked = {"person": people["viewer"].id, "depth": "read", "note": "For Friday."}
    act(papers[:1], act="assign", assign=asked)
    done = act(papers, act="assign", assign=asked)
    assert [outcome.status for outcome in done.outcomes] == [409, 200, 200, 200]
    with database.write() as tx:
        accepted = tx.scalar(sa.select(Assignment).where(col(Assignment.paper_id) == papers[1]))
        accepted.state = "accepted"
    back = undo(done)
    assert (back.papers, [*back.unchanged]) == (papers[2:], [papers[1]])
    states = rows(Assignment.paper_id, Assignment.state)
    assert [state for _, state in states] == ["proposed", "accepted", "withdrawn", "withdrawn"]


def test_many_are_proposed_for_a_series_and_taken_back(database, act, undo, rows, papers):
    with database.write() as tx:
        series = make.series(tx)
    done = act(papers, "member", act="propose", propose={"series": series.id, "reason": "Fresh."})
    assert done.changed_count == 4
    undo(done, "member")
    assert {state for _, state in rows(Candidate.paper_id, Candidate.state)} == {"withdrawn"}


def test_many_become_part_of_one_and_are_taken_apart_again(database, act, undo, rows, people, papers):
    done = act(papers, act="merge", into=papers[1])
    assert done.changed_count == 3
    assert rows(Paper.id, where=permissions.is_present(Paper)) == [(papers[1],)]
    undo(done)
    assert len(rows(Paper.id, where=permissions.is_present(Paper))) == 4
    crowd = list(range(1, MOST_MERGED + 2))
    with pytest.raises(Invalid, match="At most"):
        act(crowd, act="merge", into=papers[0])


def test_as_many_as_can_be_merged_come_apart_with_everybodys_private_readings_as_they_were(
    database, act, undo, rows, people
):
    most = MOST_MERGED if DEEP else 8
    with database.write() as tx:
        papers = [make.paper(tx).id for _ in range(most)]
        for number, paper_id in enumerate(papers):
            for step, role in enumerate(("viewer", "member")):
                said = ReadingUpdate(status="read" if number % 2 else "to_read", private=(number + step) % 5 == 0)
                set_reading(tx, people[role], paper_id, said)
    shown = (Reading.person_id, Reading.paper_id, Reading.pass_number, Reading.status, Reading.private, Reading.current)
    before = rows(*shown)
    done = act(papers, act="merge", into=papers[7])
    assert {private for *_, private, _ in rows(*shown)} == {True, False}  # private ones stay beside the shared ones
    back = undo(done)
    assert (len(back.papers), back.unchanged, rows(*shown)) == (most - 1, {}, before)


def test_the_sources_are_asked_again_about_many_and_that_is_not_undone(act, rows, papers):
    done = act(papers, act="refresh")
    assert (done.changed_count, done.undo_id) == (4, None)
    assert {paper_id for paper_id, _ in rows(MetadataRequest.paper_id, MetadataRequest.service)} == {*papers}


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("member", {"act": "delete"}),
        ("member", {"act": "restore"}),
        ("member", {"act": "merge", "into": 1}),
        ("viewer", {"act": "topics", "topics": {"add": ["MoE"]}}),
        ("viewer", {"act": "refresh"}),
        ("viewer", {"act": "assign", "assign": {"person": 1}}),
        ("viewer", {"act": "propose", "propose": {"series": 1}}),
    ],
)
def test_who_may_not_do_it_to_one_may_not_do_it_to_many(act, rows, papers, who, said):
    before = rows(Topic.id)
    with pytest.raises(NotAllowed):
        act(papers, who, **said)
    assert rows(Topic.id) == before


def test_all_that_match_are_those_of_this_moment(database, people, papers, monkeypatch):
    with database.write() as tx:
        make.filed(tx, tx.get_one(Paper, papers[0]), make.topic(tx, "MoE"))
        make.filed(tx, tx.get_one(Paper, papers[1]), tx.scalar(sa.select(Topic)))

    def change(**said):
        with database.write() as tx:
            wanted = BulkRequest(q="topic:moe", act="reading", reading={"status": "to_read"}, **said)
            return run_bulk_action(tx, people["viewer"], wanted)

    with pytest.raises(Conflict, match="2 papers match now, not the 7"):
        change(count=7)
    assert [outcome.paper_id for outcome in change(count=2).outcomes] == [papers[1], papers[0]]
    monkeypatch.setattr("readtrack.workspace.bulk_actions.queries.MAX_PAPERS", 1)
    with pytest.raises(Invalid, match="More than 1 papers match"):
        change()


def test_another_person_finds_nothing_of_what_i_did(database, people, papers, act, undo):
    done = act(papers, act="delete")
    with pytest.raises(NotFound):
        undo(done, "member")
    with database.read() as tx:
        assert list_undo_entries(tx, people["member"], PageRequest()).items == []
        [mine] = list_undo_entries(tx, people["editor"], PageRequest()).items
        assert (mine.id, mine.papers) == (done.undo_id, 4)
        with pytest.raises(NotFound):
            get_undo_entry(tx, people["member"], done.undo_id)


def test_who_lost_the_right_undoes_nothing(database, people, papers, act):
    done = act(papers, act="delete")
    now_member = permissions.CurrentUser(people["editor"].id, "Editor", "member")
    with database.write() as tx, pytest.raises(NotAllowed):
        undo_bulk_action(tx, now_member, done.undo_id)


def test_refusals_are_kept_with_the_deed_and_bounded(database, people, papers, act, monkeypatch):
    monkeypatch.setattr(commands, "MOST_TOLD", 1)
    done = act([papers[0], 4711, 4712], act="delete")
    with database.read() as tx:
        assert get_undo_entry(tx, people["editor"], done.undo_id).refused == [[4711, "There is no paper 4711."]]


def stood(rows):
    return rows(Paper.id, Paper.triage)


def test_papers_are_kept_and_rejected_and_undo_puts_each_where_it_stood(database, act, undo, rows, papers):
    act(papers[:2], act="triage", triage="inbox")
    before = stood(rows)
    done = act([*papers[:3], 4711], act="triage", triage="rejected")
    assert [outcome.status for outcome in done.outcomes] == [200, 200, 200, 404]
    assert [triage for _id, triage in stood(rows)] == ["rejected"] * 3 + ["library"]
    assert undo(done).papers == papers[:3]
    assert stood(rows) == before
    assert act(papers[:2], act="triage", triage="inbox").undo_id is None  # they are there already


def test_only_editors_reject_and_what_somebody_changed_since_stays(database, act, undo, rows, papers):
    refused = act(papers, "member", act="triage", triage="rejected")
    assert [outcome.status for outcome in refused.outcomes] == [403] * 4
    done = act(papers[:2], "member", act="triage", triage="inbox")
    act(papers[:1], act="triage", triage="rejected")
    back = undo(done, "member")
    assert (back.papers, [*back.unchanged]) == (papers[1:2], papers[:1])
    assert stood(rows)[:2] == [(papers[0], "rejected"), (papers[1], "library")]


def test_what_was_done_to_many_stays_after_thirty_days_and_is_undone_once_before(database, people, act, undo, papers):
    with time_machine.travel(now() - UNDO_PERIOD - timedelta(minutes=1), tick=False):
        old = act(papers[:2], act="topics", topics={"add": ["MoE"]})
    with time_machine.travel(now() - UNDO_PERIOD + timedelta(minutes=1), tick=False):
        new = act(papers[2:], act="topics", topics={"add": ["MoE"]})
    with pytest.raises(Conflict, match="more than 30 days ago"):
        undo(old)
    assert undo(new).papers == papers[2:]
    with pytest.raises(Conflict, match="undone already"):
        undo(new)


@pytest.mark.parametrize("said", [{"act": "triage", "triage": "inbox"}, {"act": "restore"}])
def test_what_sources_tell_of_papers_meanwhile_keeps_nothing_from_being_undone(database, act, undo, papers, said):
    if said["act"] == "restore":
        act(papers, act="delete")
    done = act(papers, **said)
    with database.write() as tx:
        paper = tx.get_one(Paper, papers[0])
        paper.title, paper.version = "As they call it", paper.version + 1
        events.record_event(tx, None, "paper.fetched", paper_id=paper.id, data={"source": "arxiv"})
    assert undo(done).papers == papers


def test_a_title_that_somebody_corrected_stays_when_the_sorting_is_undone(database, act, undo, rows, people, papers):
    done = act(papers[:1], act="triage", triage="inbox")
    with database.write() as tx:
        version = tx.get_one(Paper, papers[0]).version
        edit_paper(tx, people["member"], papers[0], PaperUpdate(title="Corrected"), version=version)
    assert undo(done).papers == papers[:1]
    assert rows(Paper.title, Paper.triage, where=col(Paper.id) == papers[0]) == [("Corrected", "library")]
