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
from readtrack.workspace.bulk_actions.actions import MAX_MERGED, BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.bulk_actions.messages import result_message
from readtrack.workspace.bulk_actions.queries import get_undo_entry, list_undo_entries
from readtrack.workspace.bulk_actions.undo import SINCE, nothing_to_undo_error, undo_bulk_action
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


def test_filing_many_creates_the_topic_once_and_undo_removes_only_these(database, act, undo, rows, people, papers):
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


def test_a_new_topic_is_created_only_for_existing_papers(act, rows):
    refused = act([4711, 4712], act="topics", topics={"add": ["Serving"]})
    assert ([outcome.status for outcome in refused.outcomes], rows(Topic.id)) == ([404, 404], [])


def test_undo_deletes_the_topic_it_created_unless_somebody_used_it_since(database, act, undo, rows, people, papers):
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


def test_undoing_a_removal_from_a_topic_restores_who_filed_it(database, act, undo, rows, people, papers):
    with database.write() as tx:
        topic = make.topic(tx, "MoE")
        for paper_id in papers[:2]:
            link_topic(tx, people["member"], paper_id, topic.id)
    before = filed(rows)
    done = act(papers, act="topics", topics={"remove": ["moe"]})
    assert (done.changed_count, filed(rows)) == (2, [])
    undo(done)
    assert filed(rows) == before


def test_undo_files_nothing_under_a_later_topic_with_a_reused_id(database, act, undo, rows, people, papers):
    with database.write() as tx:
        link_topic(tx, people["member"], papers[0], make.topic(tx, "MoE").id)
    done = act(papers[:1], act="topics", topics={"remove": ["moe"]})
    with database.write() as tx:
        delete_topic(tx, people["editor"], "moe")
        make.topic(tx, "Routing")
    with pytest.raises(Conflict):
        undo(done)
    assert filed(rows) == []


def test_undo_skips_a_topic_changed_since_and_says_so(database, act, undo, rows, people, papers):
    done = act(papers[:3], act="topics", topics={"add": ["MoE"]})
    with database.write() as tx:
        unlink_topic(tx, people["member"], papers[0], "moe")
        unlink_topic(tx, people["member"], papers[1], "moe")
        link_topic(tx, people["member"], papers[1], "moe")
    back = undo(done)
    assert (back.papers, sorted(back.unchanged)) == ([papers[2]], papers[:2])
    assert "changed later" in back.unchanged[papers[1]]
    assert [row[::2] for row in filed(rows)] == [(papers[1], people["member"].id)]


def test_search_finds_many_by_their_new_topic_and_not_after_undo(database, act, undo, people, papers):
    def found():
        with database.read() as tx:
            return {row.id for row in list_papers(tx, people["viewer"], PaperFilter("quixotic"), PageRequest()).items}

    done = act(papers, act="topics", topics={"add": ["quixotic"]})
    assert found() == {*papers}
    undo(done)
    assert found() == set()


def test_many_papers_are_deleted_and_restored_except_those_restored_meanwhile(
    database, act, undo, rows, people, papers
):
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


def test_restoring_many_can_be_undone_too(act, undo, rows, papers):
    act(papers, act="delete")
    done = act(papers, act="restore")
    assert done.changed_count == 4
    undo(done)
    assert rows(Paper.id, where=permissions.is_present(Paper)) == []


def test_many_papers_are_assigned_and_accepted_assignments_survive_undo(database, act, undo, rows, people, papers):
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


def test_many_papers_are_proposed_for_a_series_and_the_proposals_undone(database, act, undo, rows, papers):
    with database.write() as tx:
        series = make.series(tx)
    done = act(papers, "member", act="propose", propose={"series": series.id, "reason": "Fresh."})
    assert done.changed_count == 4
    undo(done, "member")
    assert {state for _, state in rows(Candidate.paper_id, Candidate.state)} == {"withdrawn"}


def test_many_papers_are_merged_into_one_and_unmerged(database, act, undo, rows, people, papers):
    done = act(papers, act="merge", into=papers[1])
    assert (done.changed_count, result_message(done, "merge")) == (3, "Merged 4 papers.")
    assert rows(Paper.id, where=permissions.is_present(Paper)) == [(papers[1],)]
    undo(done)
    assert len(rows(Paper.id, where=permissions.is_present(Paper))) == 4
    crowd = list(range(1, MAX_MERGED + 2))
    with pytest.raises(Invalid, match=f"up to {MAX_MERGED} papers at once"):
        act(crowd, act="merge", into=papers[0])


@pytest.mark.deep
def test_the_maximum_number_of_merges_is_undone_with_private_readings_intact(database, act, undo, rows, people):
    most = MAX_MERGED if DEEP else 8
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


@pytest.mark.parametrize(
    ("reasons", "message"),
    [
        ((SINCE, SINCE), "Can't undo: these papers were all changed later."),
        (("Paper 1 is in the trash.",), "Paper 1 is in the trash."),
        ((SINCE, "Paper 1 is in the trash."), "This can't be undone."),
        ((), "This can't be undone."),
    ],
)
def test_an_undo_without_effect_says_why(reasons, message):
    assert nothing_to_undo_error(reasons).message == message


def test_many_papers_are_refreshed_and_that_cannot_be_undone(act, rows, papers):
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
def test_permission_for_one_paper_is_required_for_many(act, rows, papers, who, said):
    before = rows(Topic.id)
    with pytest.raises(NotAllowed):
        act(papers, who, **said)
    assert rows(Topic.id) == before


def test_all_matches_are_those_at_the_time_of_the_action(database, people, papers, monkeypatch):
    with database.write() as tx:
        make.filed(tx, tx.get_one(Paper, papers[0]), make.topic(tx, "MoE"))
        make.filed(tx, tx.get_one(Paper, papers[1]), tx.scalar(sa.select(Topic)))

    def change(**said):
        with database.write() as tx:
            wanted = BulkRequest(q="topic:moe", act="reading", reading={"status": "to_read"}, **said)
            return run_bulk_action(tx, people["viewer"], wanted)

    with pytest.raises(Conflict, match="search results have changed"):
        change(count=7)
    assert [outcome.paper_id for outcome in change(count=2).outcomes] == [papers[1], papers[0]]
    monkeypatch.setattr("readtrack.workspace.bulk_actions.queries.MAX_PAPERS", 1)
    with pytest.raises(Invalid, match="More than 1 papers match"):
        change()


def test_another_person_cannot_see_my_actions(database, people, papers, act, undo):
    done = act(papers, act="delete")
    with pytest.raises(NotFound):
        undo(done, "member")
    with database.read() as tx:
        assert list_undo_entries(tx, people["member"], PageRequest()).items == []
        [mine] = list_undo_entries(tx, people["editor"], PageRequest()).items
        assert (mine.id, mine.papers) == (done.undo_id, 4)
        with pytest.raises(NotFound):
            get_undo_entry(tx, people["member"], done.undo_id)


def test_a_person_who_lost_permission_cannot_undo(database, people, papers, act):
    done = act(papers, act="delete")
    now_member = permissions.CurrentUser(people["editor"].id, "Editor", "member")
    with database.write() as tx, pytest.raises(NotAllowed):
        undo_bulk_action(tx, now_member, done.undo_id)


def test_refusals_are_stored_in_the_undo_entry_and_limited(database, people, papers, act, monkeypatch):
    monkeypatch.setattr(commands, "MAX_STORED_REFUSALS", 1)
    done = act([papers[0], 4711, 4712], act="delete")
    with database.read() as tx:
        assert get_undo_entry(tx, people["editor"], done.undo_id).refused == [[4711, "Paper 4711 not found."]]


def stood(rows):
    return rows(Paper.id, Paper.triage)


def test_papers_are_kept_or_rejected_and_undo_restores_their_triage(database, act, undo, rows, papers):
    act(papers[:2], act="triage", triage="inbox")
    before = stood(rows)
    done = act([*papers[:3], 4711], act="triage", triage="rejected")
    assert [outcome.status for outcome in done.outcomes] == [200, 200, 200, 404]
    assert [triage for _id, triage in stood(rows)] == ["rejected"] * 3 + ["library"]
    assert undo(done).papers == papers[:3]
    assert stood(rows) == before
    assert act(papers[:2], act="triage", triage="inbox").undo_id is None  # they are there already


def test_undoing_a_triage_gives_back_the_time_of_the_last_edit(act, undo, rows, papers):
    with time_machine.travel(now() + timedelta(hours=1), tick=False):
        before = rows(Paper.id, Paper.updated_at, Paper.updated_by)
        done = act(papers[:2], act="triage", triage="rejected")
        assert rows(Paper.id, Paper.updated_at, Paper.updated_by) != before
        undo(done)
    assert rows(Paper.id, Paper.updated_at, Paper.updated_by) == before


def test_only_editors_can_reject_and_later_changes_survive_undo(database, act, undo, rows, papers):
    refused = act(papers, "member", act="triage", triage="rejected")
    assert [outcome.status for outcome in refused.outcomes] == [403] * 4
    done = act(papers[:2], "member", act="triage", triage="inbox")
    act(papers[:1], act="triage", triage="rejected")
    back = undo(done, "member")
    assert (back.papers, [*back.unchanged]) == (papers[1:2], papers[:1])
    assert stood(rows)[:2] == [(papers[0], "rejected"), (papers[1], "library")]


def test_undo_entries_expire_after_thirty_days_and_are_used_once(database, people, act, undo, papers):
    with time_machine.travel(now() - UNDO_PERIOD - timedelta(minutes=1), tick=False):
        old = act(papers[:2], act="topics", topics={"add": ["MoE"]})
    with time_machine.travel(now() - UNDO_PERIOD + timedelta(minutes=1), tick=False):
        new = act(papers[2:], act="topics", topics={"add": ["MoE"]})
    with pytest.raises(Conflict, match="after 30 days"):
        undo(old)
    assert undo(new).papers == papers[2:]
    with pytest.raises(Conflict, match="Already undone"):
        undo(new)


@pytest.mark.parametrize("said", [{"act": "triage", "triage": "inbox"}, {"act": "restore"}])
def test_metadata_arriving_meanwhile_does_not_prevent_undo(database, act, undo, papers, said):
    if said["act"] == "restore":
        act(papers, act="delete")
    done = act(papers, **said)
    with database.write() as tx:
        paper = tx.get_one(Paper, papers[0])
        paper.title, paper.version = "As they call it", paper.version + 1
        events.record_event(tx, None, "paper.fetched", paper_id=paper.id, data={"source": "arxiv"})
    assert undo(done).papers == papers


def test_a_title_corrected_since_survives_undoing_the_triage(database, act, undo, rows, people, papers):
    done = act(papers[:1], act="triage", triage="inbox")
    with database.write() as tx:
        version = tx.get_one(Paper, papers[0]).version
        edit_paper(tx, people["member"], papers[0], PaperUpdate(title="Corrected"), version=version)
    assert undo(done).papers == papers[:1]
    assert rows(Paper.title, Paper.triage, where=col(Paper.id) == papers[0]) == [("Corrected", "library")]
