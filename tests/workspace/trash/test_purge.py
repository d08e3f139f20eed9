"""Thirty days after something was deleted its texts are really gone: from every table, and from search."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import SQLModel, col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import Comment, Entry, Event, Paper, Person, Reading, SavedSearch, Summary, Token, UndoEntry
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.commands import PaperCreate, add_by_text, delete_paper
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.commands import TopicCreate, TopicUpdate, add_topic, edit_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.metadata.types import Metadata, Ref
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.team.discussion.commands import CommentUpdate, delete_comment, edit_comment
from readtrack.team.meetings.commands.agendas import add_item, edit_item
from readtrack.team.meetings.commands.delete import delete_meeting
from readtrack.team.meetings.schemas import AgendaItemCreate, AgendaItemUpdate
from readtrack.team.questions.commands import QuestionUpdate, delete_question, edit_question
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.saved_searches.commands import SavedSearchFields, delete_view, make_feed, save_view
from readtrack.workspace.trash import purge
from readtrack.workspace.trash.purge import erase_papers, purge_trash
from readtrack.workspace.trash.restore import restore_item
from tests import make

WORD = "zanzibar"  # in every text that has to go
LONG_AGO = timedelta(days=30, minutes=1)


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Eve", role="editor")


@pytest.fixture
def member(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


def holding(database, word=WORD):
    """The tables in which that word stands anywhere, those of search among them."""
    found = set()
    with database.read() as tx:
        tables = [table.name for table in SQLModel.metadata.sorted_tables]
        for name in [*tables, "search_paper", "search_summary", "search_comment"]:
            rows = tx.connection().exec_driver_sql(f'SELECT * FROM "{name}"').all()
            if any(word in str(value).lower() for row in rows for value in row):
                found.add(name)
    return found


def furnish(tx, editor, member):
    """A paper on which there is one of everything, and another that is part of it."""
    about: dict[str, Any] = {"title": f"On {WORD}", "authors": [f"{WORD} A."], "abstract": WORD, "venue": WORD}
    paper = make.paper(tx, identifier="arxiv:2401.00001", **about)
    part, other = make.paper(tx, f"{WORD} again"), make.paper(tx, "Another")
    merge_papers(tx, editor, part.id, into_id=paper.id)
    make.reading(tx, member.id, paper.id, "read", reason=WORD)
    edit_summary(tx, member, paper.id, SummaryUpdate(markdown=WORD, tldr=WORD), version=None)
    first = make.comment(tx, member.id, WORD, paper_id=paper.id)
    make.comment(tx, editor.id, WORD, paper_id=paper.id, parent_id=first.id)
    make.notice(tx, editor.id, "reply", paper_id=paper.id, comment_id=first.id)
    asked = make.assignment(tx, editor.id, paper.id, note=WORD)
    make.notice(tx, editor.id, assignment_id=asked.id)
    make.candidate(tx, make.series(tx).id, paper.id, reason=WORD)
    make.item(tx, make.meeting(tx, now()).id, paper_id=paper.id, note=WORD)
    make.filed(tx, paper, make.topic(tx))
    add_relation(tx, editor, other.id, RelationCreate(to=paper.id, kind="cites", note=WORD))
    store_record(tx, paper.id, Metadata(Ref("arxiv", "2401.00001"), title=f"{WORD} again and again", authors=(WORD,)))
    add_candidate(tx, paper.id, other.id, likeness=80, evidence=WORD)
    question = make.question(tx, "Why?", paper_id=paper.id)
    entry = make.entry(tx, "a line", kind="paper", paper_id=paper.id)
    search.rebuild(tx)
    return paper.id, part.id, other.id, question.id, entry.id


@pytest.mark.both_databases
def test_a_purged_paper_loses_all_its_data_and_keeps_its_identifier(database, editor, member):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        paper_id, part_id, other_id, question_id, entry_id = furnish(tx, editor, member)
        delete_paper(tx, editor, paper_id)
    assert len(holding(database)) > 10
    assert purge_trash(database) >= 1
    assert holding(database) == set()
    with database.read() as tx:
        assert search.check(tx) == []
        husk, part = tx.get_one(Paper, paper_id), tx.get_one(Paper, part_id)
        assert (husk.title, husk.authors, part.merged_into) == ("", [], paper_id)
        assert tx.get_one(Entry, entry_id).paper_id == paper_id  # the line of the notes still knows what it became
        assert tx.get_one(Paper, other_id).title == "Another"
        assert tx.scalar(sa.text("SELECT paper_id FROM question WHERE id = :id"), {"id": question_id}) is None
    assert purge_trash(database) == 0


@pytest.mark.deep
def test_adding_a_purged_paper_again_reuses_its_id_and_refreshes_its_metadata(database, editor, member):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        paper_id, *_ = furnish(tx, editor, member)
        delete_paper(tx, editor, paper_id)
    purge_trash(database)
    with database.write() as tx:
        again, created = add_by_text(tx, editor, PaperCreate(identifier="arxiv:2401.00001"))
        assert (again, created) == (paper_id, False)
        paper = tx.get_one(Paper, paper_id)
        assert (paper.deleted_at, paper.purged_at) == (None, None)
        assert tx.scalar(sa.text("SELECT count(*) FROM metadata_request WHERE paper_id = :id"), {"id": paper_id}) > 0


def test_items_deleted_later_are_unchanged(database, editor, member):
    with time_machine.travel(now() - LONG_AGO + timedelta(minutes=2), tick=False), database.write() as tx:
        paper_id, *_ = furnish(tx, editor, member)
        run_bulk_action(tx, editor, BulkRequest(papers=[paper_id], act="delete"))
    before = holding(database)
    assert purge_trash(database) == 0
    assert holding(database) == before


def test_purged_summaries_and_comments_lose_their_text_and_the_thread_keeps_its_shape(database, editor, member):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        paper = make.paper(tx)
        summary = edit_summary(tx, member, paper.id, SummaryUpdate(markdown=WORD), version=None)
        edit_summary(tx, member, paper.id, SummaryUpdate(markdown=f"{WORD} twice"), version=1)
        delete_summary(tx, member, paper.id)
        comment = make.comment(tx, member.id, "Hm.", paper_id=paper.id)
        edit_comment(tx, member, comment.id, CommentUpdate(markdown=WORD), version=1)
        answer = make.comment(tx, editor.id, "Answered.", paper_id=paper.id, parent_id=comment.id)
        delete_comment(tx, member, comment.id)
    purge_trash(database)
    assert holding(database) == set()
    with database.read() as tx:
        assert tx.get_one(Comment, answer.id).parent_id == comment.id
        assert tx.get_one(Summary, summary.id).markdown == ""
    with database.write() as tx:
        assert edit_summary(tx, member, paper.id, SummaryUpdate(markdown="Anew."), version=None).markdown == "Anew."


def test_texts_of_purged_topics_and_questions_are_removed_from_the_audit_trail_too(database, editor):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        add_topic(tx, editor, TopicCreate(name="MoE", markdown=WORD))
        edit_topic(tx, editor, "moe", TopicUpdate(name="MoE", markdown=f"More {WORD}"), version=1)
        delete_topic(tx, editor, "moe")
        question = make.question(tx, "Why?", created_by=editor.id)
        edit_question(tx, editor, question.id, QuestionUpdate(text=f"Why {WORD}?"), version=1)
        delete_question(tx, editor, question.id)
    with database.write() as tx:
        add_topic(tx, editor, TopicCreate(name="MoE", markdown="Another text"))
        edit_topic(tx, editor, "moe", TopicUpdate(name="MoE", markdown="A third"), version=1)
    purge_trash(database)
    assert holding(database) == set()
    assert "event" in holding(database, "another text")  # of the topic that has the name now
    with database.read() as tx:
        assert tx.scalars(sa.select(UndoEntry)).all() == []


def test_purging_a_saved_search_removes_its_feeds_and_start_pages(database, member):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        view_id = save_view(tx, member, SavedSearchFields(name=WORD))
        make_feed(tx, member, view_id)
        tx.get_one(Person, member.id).start = f"view:{view_id}"
        delete_view(tx, member, view_id)
    purge_trash(database)
    with database.read() as tx:
        assert tx.scalars(sa.select(SavedSearch)).all() == []
        [token] = tx.scalars(sa.select(Token)).all()
        assert (token.view_id, token.revoked_at is None) == (None, False)
        assert tx.get_one(Person, member.id).start == ""


@pytest.mark.deep
def test_many_items_are_purged_in_batches(database, editor, member, monkeypatch):
    monkeypatch.setattr(purge, "BATCH_SIZE", 2)
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        for _ in range(5):
            paper = make.paper(tx, WORD)
            make.reading(tx, member.id, paper.id, "read")
            delete_paper(tx, editor, paper.id)
    assert purge_trash(database) == 5
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Reading.id))).all() == []
    assert holding(database) == set()


@pytest.mark.both_databases
def test_an_item_that_cannot_be_purged_stops_no_others(database, editor, monkeypatch):
    monkeypatch.setattr(purge, "BATCH_SIZE", 3)
    with database.write() as tx:
        papers = [make.paper(tx, f"{WORD} {number}").id for number in range(8)]
        for paper_id in papers:
            delete_paper(tx, editor, paper_id)
            tx.add(UndoEntry(person_id=editor.id, verb="question.deleted", undo={"was": paper_id}))
        tx.execute(sa.update(UndoEntry).where(col(UndoEntry.undo)["was"].as_integer() == papers[4]).values(undo={}))

    def empty(tx, ids):
        if {*papers[1:3]} & {*ids}:
            raise RecursionError
        erase_papers(tx, ids)

    monkeypatch.setattr(purge, "erase_papers", empty)
    with time_machine.travel(now() + LONG_AGO), pytest.raises(ExceptionGroup) as raised:
        purge_trash(database)
    assert [type(problem) for problem in raised.value.exceptions] == [RecursionError, RecursionError, KeyError]
    with database.read() as tx:
        swept = sa.select(col(Paper.id)).where(col(Paper.purged_at).is_not(None))
        assert {*tx.scalars(swept)} == {*papers} - {*papers[1:3]}
        assert [deed.undo for deed in tx.scalars(sa.select(UndoEntry))] == [{}]


@pytest.mark.both_databases
def test_an_item_restored_during_a_purge_keeps_all_its_text(database, editor):
    with database.write() as tx:
        old, late = ([make.paper(tx, WORD).id for _ in range(8)] for _ in range(2))
        search.rebuild(tx)
    for ago, papers in ((LONG_AGO, old), (timedelta(days=29), late)):
        with time_machine.travel(now() - ago, tick=False), database.write() as tx:
            for paper_id in papers:
                delete_paper(tx, editor, paper_id)

    def bring_all_back(papers):
        with database.write() as tx:
            run_bulk_action(tx, editor, BulkRequest(papers=papers, act="restore"))

    with ThreadPoolExecutor(3) as hands:
        waiting = [hands.submit(purge_trash, database)]
        waiting += [hands.submit(bring_all_back, papers) for papers in ([*old, *late], [*late, *old][::-1])]
        for each in waiting:
            each.result()
    purge_trash(database)
    with database.read() as tx:
        left = tx.execute(sa.select(col(Paper.id), col(Paper.deleted_at).is_(None)).where(col(Paper.title) == WORD))
        assert {*left} == {(paper_id, True) for paper_id in late}
        assert search.check(tx) == []


def test_a_purged_meeting_leaves_no_text_of_itself_or_its_agenda(database, editor):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        meeting = make.meeting(tx, now() + timedelta(days=7), title=WORD)
        item = add_item(tx, editor, meeting.id, AgendaItemCreate(paper=make.paper(tx).id, note=WORD))
        edit_item(tx, editor, meeting.id, item.id or 0, edit=AgendaItemUpdate(note=f"{WORD} twice"))
        delete_meeting(tx, editor, meeting.id)
    purge_trash(database)
    with database.read() as tx:
        told = tx.execute(sa.select(col(Event.before), col(Event.after)).where(col(Event.verb).startswith("agenda.")))
        assert {*told} == {(None, None)}
        assert tx.scalar(sa.select(col(Event.before)).where(col(Event.verb) == "meeting.deleted")) is None


def test_undone_changes_keep_their_history_when_the_undo_entry_expires(database, editor):
    with time_machine.travel(now() - LONG_AGO, tick=False), database.write() as tx:
        add_topic(tx, editor, TopicCreate(name="MoE", markdown="First"))
        edit_topic(tx, editor, "moe", TopicUpdate(name="MoE", markdown=WORD), version=1)
        restore_item(tx, editor, "others", delete_topic(tx, editor, "moe"))
    purge_trash(database)
    assert "event" in holding(database)
    with database.read() as tx:
        assert tx.scalars(sa.select(UndoEntry)).all() == []


@pytest.mark.both_databases
def test_events_of_purged_items_are_found_with_an_index(database):
    """As many as tell a text are looked at, and not all that ever happened."""
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL takes no index of an empty table")
    asked = []
    with database.write() as tx:
        sa.event.listen(tx.connection(), "before_cursor_execute", lambda *said: asked.append(said[2:4]))
        purge.erase_events(tx, col(Event.data)["comment"].as_integer().in_([1, 2]), "comment")
        ((statement, values),) = asked
        plan = tx.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
    assert any("ix_event_telling" in row[-1] for row in plan), plan
