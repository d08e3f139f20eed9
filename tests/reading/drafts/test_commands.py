"""Drafts: each window keeps its own, nobody else sees them, and they go when the text is saved."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, NotAllowed, NotFound, PaperMerged, StaleVersion
from readtrack.infra.models import Draft, UndoEntry
from readtrack.library.duplicates.merge import merge_papers, unmerge
from readtrack.library.topics.commands import TopicUpdate, edit_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.reading.drafts import commands, queries
from readtrack.reading.drafts.commands import MAX_DRAFT_BYTES, MAX_DRAFTS, DraftSubject, DraftUpdate
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts.commands.erase import erase_person
from readtrack.workspace.trash.purge import erase_papers, purge_trash
from readtrack.workspace.trash.restore import restore_undo_entry
from tests import make
from tests.meanwhile import begun

TAB, OTHER = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada", role="viewer"), make.visitor(tx, "Bo", role="admin")]


@pytest.fixture
def paper(database):
    with database.write() as tx:
        return DraftSubject("summary", make.paper(tx, "On Checkpoints").id)


@pytest.fixture
def topic(database):
    with database.write() as tx:
        return DraftSubject("topic", make.topic(tx, "Recovery").id)


def keep(database, me, about, text="Half a thought", tab=TAB, **said):
    with database.write() as tx:
        wanted = DraftUpdate(fields={"markdown": text}, **said)
        draft = commands.save_draft(tx, me, about, tab, data=wanted)
        return draft.id, draft.number


def texts(database, me, about=None):
    with database.read() as tx:
        found = queries.list_drafts(tx, me) if about is None else queries.list_drafts_of(tx, me, about)
        return [draft.fields["markdown"] for draft in found]


def test_a_window_saves_its_draft_repeatedly(database, people, paper):
    ada, _ = people
    draft_id, number = keep(database, ada, paper, "Half", version=5)
    assert keep(database, ada, paper, "Half a thought", version=5, number=number) == (draft_id, 2)
    with database.read() as tx:
        [draft] = queries.list_drafts(tx, ada)
    assert (draft.title, draft.version, draft.beginning) == ("On Checkpoints", 5, "Half a thought")
    assert draft.address == f"/papers/{paper.id}/summary/edit?draft={draft_id}"


def test_two_windows_have_two_drafts(database, people, paper):
    ada, _ = people
    keep(database, ada, paper, "one")
    keep(database, ada, paper, "other", tab=OTHER)
    assert sorted(texts(database, ada, paper)) == ["one", "other"]


def test_a_window_using_another_windows_id_cannot_overwrite_its_draft(database, people, paper, topic):
    _, bo = people
    keep(database, bo, paper, "first")
    for about, number in ((paper, 0), (paper, 7), (topic, 1)):
        with pytest.raises(StaleVersion):
            keep(database, bo, about, "second", number=number)
    assert texts(database, bo) == ["first"]


def test_a_client_that_missed_the_response_may_repeat_the_request(database, people, paper):
    ada, _ = people
    assert keep(database, ada, paper) == keep(database, ada, paper)


def test_the_draft_a_window_continues_is_deleted_unless_it_changed_since(database, people, paper):
    ada, _ = people
    old, number = keep(database, ada, paper, "old")
    keep(database, ada, paper, "older words, later", number=number)
    keep(database, ada, paper, "new", tab=OTHER, took=f"{old}.{number}")
    assert sorted(texts(database, ada)) == ["new", "older words, later"]
    keep(database, ada, paper, "newer", tab=OTHER, number=1, took=f"{old}.{number + 1}")
    assert texts(database, ada) == ["newer"]


def test_an_invalid_draft_id_continues_nothing(database, people, paper):
    ada, _ = people
    keep(database, ada, paper, "old")
    for number, took in enumerate(["", "x", "1", "1.1.1", "9" * 30, "-1.1"], start=1):
        keep(database, ada, paper, "new", tab=f"{number:016}", took=took)
        assert len(texts(database, ada)) == 1 + number, took


def test_nobody_else_can_see_continue_or_discard_a_draft(database, people, paper):
    ada, bo = people
    draft_id, number = keep(database, ada, paper)
    keep(database, bo, paper, "mine", took=f"{draft_id}.{number}")
    assert (texts(database, ada), texts(database, bo), texts(database, bo, paper)) == (
        ["Half a thought"],
        ["mine"],
        ["mine"],
    )
    with database.read() as tx, pytest.raises(NotFound):
        queries.get_draft(tx, bo, draft_id)
    with database.write() as tx, pytest.raises(NotFound):
        commands.discard_draft(tx, bo, draft_id)
    with database.write() as tx:
        commands.discard_draft(tx, ada, draft_id)
    assert texts(database, ada) == []


def test_saving_deletes_the_windows_draft_and_identical_ones(database, people, paper):
    ada, _ = people
    keep(database, ada, paper, "typed in this window")
    keep(database, ada, paper, "saved\n", tab=OTHER)
    keep(database, ada, paper, "something else", tab="2" * 16)
    with database.write() as tx:
        commands.delete_saved_drafts(tx, ada, paper, TAB, superseded="", saved_fields={"markdown": "saved\r\n"})
    assert texts(database, ada) == ["something else"]


def test_a_viewer_can_draft_summaries_but_not_topics(database, people, topic):
    ada, bo = people
    with pytest.raises(NotAllowed):
        keep(database, ada, topic)
    keep(database, bo, topic)
    assert texts(database, bo, topic) == ["Half a thought"]


def test_a_draft_requires_an_existing_target(database, people, paper):
    _, bo = people
    for about in (DraftSubject("summary", 999), DraftSubject("topic", 999)):
        with pytest.raises(NotFound):
            keep(database, bo, about)
    with database.write() as tx:
        other = make.paper(tx)
        merge_papers(tx, bo, paper.id, into_id=other.id)
    with pytest.raises(PaperMerged):
        keep(database, bo, paper)


def test_the_number_and_length_of_drafts_are_limited(database, people, paper):
    ada, _ = people
    with pytest.raises(ValidationError, match="250,000"):
        DraftUpdate(fields={"markdown": "é" * (MAX_DRAFT_BYTES // 2 + 1)})
    with database.write() as tx:
        tx.add_all(
            Draft(person_id=ada.id, subject="summary", subject_id=paper.id, tab=f"{number:016}")
            for number in range(MAX_DRAFTS)
        )
    with pytest.raises(Conflict, match="Limit of 100"):
        keep(database, ada, paper)
    assert keep(database, ada, paper, tab=f"{0:016}", number=1)[1] == 2


def test_drafts_follow_a_merged_paper_and_back(database, people, paper):
    ada, bo = people
    keep(database, ada, paper)
    with database.write() as tx:
        other = DraftSubject("summary", make.paper(tx).id)
    keep(database, ada, other, "of the other", tab=OTHER)
    with database.write() as tx:
        merge_papers(tx, bo, paper.id, into_id=other.id)
    assert sorted(texts(database, ada, other)) == ["Half a thought", "of the other"]
    with database.write() as tx:
        unmerge(tx, bo, 1)
    assert (texts(database, ada, paper), texts(database, ada, other)) == (["Half a thought"], ["of the other"])


def test_drafts_follow_a_merged_topic_and_back(database, people, topic):
    _, bo = people
    keep(database, bo, topic)
    with database.write() as tx:
        other = DraftSubject("topic", make.topic(tx, "Restarting").id)
    with database.write() as tx:
        deed_id = merge_topics(tx, bo, "recovery", "restarting")[1]
    assert texts(database, bo, other) == ["Half a thought"]
    with database.write() as tx:
        restore_undo_entry(tx, bo, tx.get_one(UndoEntry, deed_id))
    with database.read() as tx:
        [draft] = queries.list_drafts(tx, bo)
    assert draft.title == "Recovery"


def test_a_draft_never_overwrites_another_topic_that_has_the_same_version_number(database, people, topic):
    _, bo = people
    with database.write() as tx:
        make.topic(tx, "Restarting", markdown="What the team knows.")
        edit_topic(tx, bo, "recovery", TopicUpdate(name="Recovery", markdown="Checkpoints."), version=1)
    keep(database, bo, topic, version=2)
    with database.write() as tx:
        deed_id = merge_topics(tx, bo, "recovery", "restarting")[1]
    with database.read() as tx:
        [draft] = queries.list_drafts(tx, bo)
    assert (draft.title, draft.version) == ("Restarting", None)
    keep(database, bo, DraftSubject("topic", draft.subject_id), version=2, number=1)
    with database.write() as tx:
        restore_undo_entry(tx, bo, tx.get_one(UndoEntry, deed_id))
    with database.read() as tx:
        [draft] = queries.list_drafts(tx, bo)
    assert (draft.title, draft.version) == ("Recovery", None)


def test_a_draft_never_overwrites_my_text_on_another_paper(database, people, paper):
    ada, bo = people
    with database.write() as tx:
        other = make.paper(tx).id
        for paper_id, text in ((paper.id, "of the one"), (other, "of the other")):
            edit_summary(tx, ada, paper_id, SummaryUpdate(markdown=text), version=None)
        edit_summary(tx, ada, paper.id, SummaryUpdate(markdown="of the one, again"), version=1)
    keep(database, ada, paper, version=2)
    with database.write() as tx:
        merge_papers(tx, bo, paper.id, into_id=other)
    with database.read() as tx:
        [draft] = queries.list_drafts(tx, ada)
    with database.write() as tx, pytest.raises(StaleVersion):
        edit_summary(tx, ada, other, SummaryUpdate(markdown="Half a thought"), version=draft.version)


def test_a_draft_of_a_text_moved_by_a_merge_knows_its_base_version(database, people, paper):
    ada, bo = people
    with database.write() as tx:
        other = make.paper(tx).id
        edit_summary(tx, ada, paper.id, SummaryUpdate(markdown="of the one"), version=None)
    keep(database, ada, paper, version=1)
    with database.write() as tx:
        merge_papers(tx, bo, paper.id, into_id=other)
    with database.read() as tx:
        [draft] = queries.list_drafts(tx, ada)
    assert (draft.subject_id, draft.version) == (other, 1)


def test_an_unmerge_does_not_move_drafts_started_since(database, people, paper):
    ada, bo = people
    with database.write() as tx:
        into, elsewhere = (DraftSubject("summary", make.paper(tx).id) for _ in range(2))
    draft_id, _ = keep(database, bo, paper)
    with database.write() as tx:
        merge_papers(tx, bo, paper.id, into_id=into.id)
        commands.discard_draft(tx, bo, draft_id)
    keep(database, ada, elsewhere)
    keep(database, ada, into, tab=OTHER)
    with database.write() as tx:
        unmerge(tx, bo, 1)
    assert [len(texts(database, ada, about)) for about in (paper, into, elsewhere)] == [0, 1, 1]


def test_text_typed_while_its_topic_is_being_merged_is_not_lost(database, people, topic):
    _, bo = people
    with database.write() as tx:
        make.topic(tx, "Restarting")
    with database.write() as tx:
        merge_topics(tx, bo, "recovery", "restarting")
        typing = begun(database, lambda: keep(database, bo, topic))
    with pytest.raises(NotFound, match="Topic not found"):  # told, so the window keeps it
        typing.result()
    assert count(database) == 0


def test_a_deleted_topic_shows_no_drafts_and_they_are_deleted_after_thirty_days(database, people, topic):
    _, bo = people
    keep(database, bo, topic)
    with database.write() as tx:
        delete_topic(tx, bo, "recovery")
    assert texts(database, bo) == []
    purge_trash(database)
    assert count(database) == 1
    with time_machine.travel(now() + timedelta(days=31), tick=False):
        purge_trash(database)
    assert count(database) == 0


def test_purging_a_paper_and_erasing_a_person_delete_the_drafts(database, people, paper, topic):
    ada, bo = people
    keep(database, ada, paper)
    keep(database, bo, paper, tab=OTHER)
    keep(database, bo, topic)
    with database.write() as tx:
        erase_papers(tx, [paper.id])
    assert count(database) == 1
    with database.write() as tx:
        person = make.person(tx, "Gone", disabled_at=now())
        tx.execute(sa.update(Draft).values(person_id=person.id))
        erase_person(tx, bo, person.id)
    assert count(database) == 0


def count(database):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count(col(Draft.id))))
