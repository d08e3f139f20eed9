"""What texts lead to stays: through new names, merges, splits and undoing; and goes with what is gone."""

import pytest
from sqlmodel import select

from readtrack.infra.models import Comment, TextReference, UndoEntry
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.library.papers.commands import NewPaper, add_papers, delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.references import index
from readtrack.library.references.resolve import get_render_context
from readtrack.library.topics.commands import TopicCreate, TopicUpdate, add_topic, edit_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts.commands import disable_person, erase_person
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate, add_comment, edit_comment
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.workspace.trash.purge import erase_papers, erase_summaries
from readtrack.workspace.trash.restore import restore_undo_entry
from tests import make


@pytest.fixture
def tx(database):
    with database.write() as tx:
        yield tx


@pytest.fixture
def me(tx):
    return make.visitor(tx, "Ada", role="admin")


@pytest.fixture
def say(tx, me):
    """Says something on a paper of its own; the comment."""
    paper = make.paper(tx, "A paper to talk on")

    def said(text):
        return add_comment(tx, me, DiscussionTarget("paper", paper.id, str(paper.id)), CommentCreate(markdown=text))

    return said


def led(tx, comment, key="name:"):
    """Where the names in a comment lead, as it is shown."""
    tx.flush()
    around = get_render_context(tx, [comment.markdown], [("comment", comment.id)])
    return {name.removeprefix(key): target.href for name, target in around.references[comment.markdown].items()}


def rename(tx, me, topic, name):
    return edit_topic(tx, me, topic.slug, TopicUpdate(name=name), version=topic.version)


def test_a_topic_renamed_twice_keeps_its_links_and_another_gets_its_old_name(tx, me, say):
    first = add_topic(tx, me, TopicCreate(name="Checkpointing"))
    old = say("See [[checkpointing]].")
    rename(tx, me, first, "Snapshots")
    rename(tx, me, first, "State saving")
    second = add_topic(tx, me, TopicCreate(name="Checkpointing of games"))
    rename(tx, me, second, "Checkpointing")
    fresh = say("And [[Checkpointing]], not [[State saving]].")
    here = f"/topics/{first.slug}"
    assert led(tx, old) == {"checkpointing": here}
    assert led(tx, fresh) == {"checkpointing": f"/topics/{second.slug}", "state saving": here}
    edit_comment(tx, me, old.id, CommentUpdate(markdown="See [[checkpointing]] again."), version=1)
    assert led(tx, old) == {"checkpointing": here}


def test_both_meanings_of_a_name_are_on_one_page(tx, me, say):
    first = add_topic(tx, me, TopicCreate(name="Gemini"))
    old = say("old [[Gemini]]")
    rename(tx, me, first, "Twins")
    second = add_topic(tx, me, TopicCreate(name="Gemini"))
    fresh = say("new [[Gemini]]")
    texts = [old.markdown, fresh.markdown]
    around = get_render_context(tx, texts, [("comment", old.id), ("comment", fresh.id)])
    assert [around.references[text]["name:gemini"].href for text in texts] == [
        f"/topics/{first.slug}",
        f"/topics/{second.slug}",
    ]


def test_a_paper_is_referenced_by_title_short_name_or_identifier(tx, me, say):
    paper = make.paper(tx, "Gemini: Fast failure recovery", identifier="arxiv:2308.00001")
    make.paper(tx, "Oobleck: Resilient training"), make.paper(tx, "Oobleck: The other one")
    said = say("[[gemini: fast failure recovery]] [[Gemini]] [[Oobleck]] [[arxiv:2308.00001]] arXiv:2308.00001")
    here = f"/papers/{paper.id}"
    names = ("name:gemini", "name:gemini: fast failure recovery", "ref:arxiv:2308.00001")
    assert led(tx, said, "") == dict.fromkeys(names, here)


def test_a_topic_takes_precedence_over_a_paper_of_that_name_and_is_found_by_alias_and_url(tx, me, say):
    make.paper(tx, "Fault tolerance")
    topic = add_topic(tx, me, TopicCreate(name="Fault tolerance", aliases=["容错"]))
    assert set(led(tx, say("[[Fault tolerance]] [[容错]] [[fault-tolerance]]")).values()) == {f"/topics/{topic.slug}"}


def test_a_reference_to_something_created_later_is_resolved_permanently(tx, me, say):
    early = say("[[Bamboo]] and [[Elastic training]]")
    assert led(tx, early) == {}
    (paper_id,) = add_papers(tx, me, [NewPaper((), {"title": "Bamboo: Making preemptible instances resilient"})])
    topic = add_topic(tx, me, TopicCreate(name="Training that grows", aliases=["Elastic training"]))
    edit_paper(tx, me, paper_id, PaperUpdate(title="Preemptible instances"), version=1)
    edit_topic(tx, me, topic.slug, TopicUpdate(name="Growing"), version=1)
    assert led(tx, early) == {"bamboo": f"/papers/{paper_id}", "elastic training": f"/topics/{topic.slug}"}


def test_links_follow_a_merged_paper_and_back(tx, me, say):
    gone, kept = make.paper(tx, "The preprint"), make.paper(tx, "The published one")
    before = say("[[The preprint]]")
    merge_papers(tx, me, gone.id, into_id=kept.id)
    after = say("still [[The preprint]]")
    assert led(tx, before) == led(tx, after) == {"the preprint": f"/papers/{kept.id}"}
    unmerge(tx, me, list_merges(tx, kept.id)[0].id)
    assert led(tx, before) == {"the preprint": f"/papers/{gone.id}"}


def test_items_in_the_trash_are_not_linked(tx, me, say):
    paper = make.paper(tx, "Here and gone")
    said = say("[[Here and gone]]")
    delete_paper(tx, me, paper.id)
    meanwhile = say("then [[Here and gone]]")
    assert led(tx, said) == led(tx, meanwhile) == {}
    restore_paper(tx, me, paper.id)
    assert led(tx, said) == led(tx, meanwhile) == {"here and gone": f"/papers/{paper.id}"}


def test_links_follow_a_merged_topic_and_back(tx, me, say):
    gone = add_topic(tx, me, TopicCreate(name="Snapshots", markdown="of [[Recovery]]"))
    kept = add_topic(tx, me, TopicCreate(name="Checkpointing"))
    said, other = say("[[Snapshots]]"), say("[[Checkpointing]]")
    _kept, deed = merge_topics(tx, me, gone.slug, kept.slug)
    assert led(tx, said) == {"snapshots": f"/topics/{kept.slug}"}
    assert [row.subject_id for row in of_topics(tx)] == [kept.id]
    restore_undo_entry(tx, me, tx.get_one(UndoEntry, deed))
    assert led(tx, said) == {"snapshots": "/topics/snapshots"}
    assert led(tx, other) == {"checkpointing": f"/topics/{kept.slug}"}
    assert [row.subject_id for row in of_topics(tx)] != [kept.id]


def of_topics(tx):
    tx.flush()
    return tx.scalars(select(TextReference).where(TextReference.subject == "topic")).all()


def test_a_deleted_topic_is_not_linked_until_it_is_restored(tx, me, say):
    topic = add_topic(tx, me, TopicCreate(name="Brief", markdown="of [[Nothing]]"))
    said = say("[[Brief]]")
    deed = delete_topic(tx, me, topic.slug)
    assert led(tx, said) == {}
    assert not of_topics(tx)
    restore_undo_entry(tx, me, tx.get_one(UndoEntry, deed))
    assert led(tx, said) == {"brief": "/topics/brief"}
    assert len(of_topics(tx)) == 1


def test_a_restored_topic_is_linked_by_the_name_it_had_before_renaming(tx, me, say):
    topic = add_topic(tx, me, TopicCreate(name="Checkpointing"))
    said = say("See [[checkpointing]].")
    rename(tx, me, topic, "Snapshots")
    deed = delete_topic(tx, me, topic.slug)
    assert led(tx, said) == {}
    restore_undo_entry(tx, me, tx.get_one(UndoEntry, deed))
    assert led(tx, said) == {"checkpointing": "/topics/snapshots"}


def test_references_are_deleted_with_their_texts(tx, me):
    paper, other = make.paper(tx, "On recovery"), make.paper(tx, "On queues")
    mine = edit_summary(tx, me, paper.id, SummaryUpdate(markdown="[[On queues]]"), version=None)
    assert [row.paper_id for row in of(tx, "summary", mine.id)] == [other.id]
    edit_summary(tx, me, paper.id, SummaryUpdate(markdown="[[On trees]]"), version=1)
    assert [row.key for row in of(tx, "summary", mine.id)] == ["name:on trees"]
    erase_summaries(tx, [mine.id or 0])
    assert not of(tx, "summary", mine.id)


def of(tx, subject, number):
    tx.flush()
    here = select(TextReference).where(TextReference.subject == subject, TextReference.subject_id == number)
    return tx.scalars(here.order_by(TextReference.key)).all()


def test_erasing_a_person_deletes_references_of_their_private_texts(tx, me):
    bo, paper = make.visitor(tx, "Bo"), make.paper(tx, "On recovery")
    mine = edit_summary(tx, bo, paper.id, SummaryUpdate(markdown="[[Secret]]", private=True), version=None)
    shared = make.paper(tx, "On queues")
    told = edit_summary(tx, bo, shared.id, SummaryUpdate(markdown="[[On recovery]]"), version=None)
    disable_person(tx, me, bo.id)
    erase_person(tx, me, bo.id)
    assert not of(tx, "summary", mine.id)
    assert len(of(tx, "summary", told.id)) == 1


def test_a_purged_paper_is_no_longer_linked(tx, me, say):
    paper, other = make.paper(tx, "Once here"), make.paper(tx, "On queues")
    said = say("[[Once here]]")
    edit_summary(tx, me, paper.id, SummaryUpdate(markdown="[[On queues]]"), version=None)
    erase_papers(tx, [paper.id])
    assert [row.paper_id for row in of(tx, "comment", said.id)] == [None]
    assert not tx.scalars(select(TextReference).where(TextReference.paper_id == other.id)).all()


def test_a_combined_summary_references_what_both_referenced(tx, me):
    gone, kept = make.paper(tx, "The preprint"), make.paper(tx, "The published one")
    edit_summary(tx, me, gone.id, SummaryUpdate(markdown="[[One]]"), version=None)
    mine = edit_summary(tx, me, kept.id, SummaryUpdate(markdown="[[Two]]"), version=None)
    merge_papers(tx, me, gone.id, into_id=kept.id)
    assert [row.key for row in of(tx, "summary", mine.id)] == ["name:one", "name:two"]


def test_an_older_library_gets_its_reference_index_at_the_next_start(tx, me):
    paper, topic = make.paper(tx, "On recovery"), make.topic(tx, "Recovery", markdown="see [[On recovery]]")
    make.summary(tx, me.id, paper.id, "on [[Recovery]]")
    make.comment(tx, me.id, "see arXiv:2305.15778", paper_id=paper.id)
    make.comment(tx, me.id, "nothing", paper_id=paper.id)
    index.index_missing_references(tx)
    told = {(row.subject, row.key, row.paper_id, row.topic_id) for row in tx.scalars(select(TextReference))}
    assert told == {
        ("topic", "name:on recovery", paper.id, None),
        ("summary", "name:recovery", None, topic.id),
        ("comment", "ref:arxiv:2305.15778", None, None),
    }
    tx.add(Comment(person_id=me.id, paper_id=paper.id, markdown="[[Recovery]]"))
    index.index_missing_references(tx)
    assert len(tx.scalars(select(TextReference)).all()) == 3


@pytest.mark.deep
def test_the_texts_of_a_page_take_a_fixed_number_of_statements(database, me, tx, say, statements):
    def counted(most):
        texts = [said.markdown for said in comments[:most]]
        with statements() as seen:
            get_render_context(tx, texts, [("comment", said.id) for said in comments[:most]])
        return len(seen)

    make.paper(tx, "Zero", identifier="arxiv:2308.00001"), make.topic(tx, "One")
    comments = [say(f"{number} [[Zero]] [[One]] [[Nothing {number}]] arXiv:2308.00001") for number in range(30)]
    tx.flush()
    assert counted(1) == counted(30) <= 8
