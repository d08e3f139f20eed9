"""Questions about topics: order, depth, numbers, and what private readings must not show."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from readtrack.infra.errors import NotFound
from readtrack.infra.models import Paper, PaperTopic, Topic, TopicAlias
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics import queries
from readtrack.library.topics.commands import find_or_add_topic
from readtrack.library.topics.coverage import SMALL_BRANCH_PAPERS
from tests import make
from tests.depth import examples

pytestmark = pytest.mark.both_databases


def shown(nodes):
    return [(node.row.name, shown(node.children)) for node in nodes]


def test_the_tree_shows_three_levels_and_mentions_deeper_ones(database):
    with database.write() as tx:
        me = make.visitor(tx)
        parent = None
        for name in ("One", "Two", "Three", "Four", "Five"):
            parent = make.topic(tx, name, parent_id=parent.id if parent else None)
        make.topic(tx, "Alone")
        nodes = queries.topic_tree(tx, me, PageRequest()).items
        assert shown(nodes) == [("Alone", []), ("One", [("Two", [("Three", [])])])]
        assert nodes[1].children[0].children[0].row.children == 1


def test_counts_include_each_paper_once_however_many_subtopics_it_is_in(database):
    with database.write() as tx:
        me = make.visitor(tx)
        top = make.topic(tx, "Training")
        low = make.topic(tx, "Checkpointing", parent_id=top.id)
        papers = [make.paper(tx) for _ in range(4)]
        for paper, topic in ((0, low), (1, low), (0, top), (2, top), (3, low)):
            make.filed(tx, papers[paper], topic)
        papers[3].deleted_at = papers[3].created_at
        make.reading(tx, me.id, papers[0].id, "read")
        make.reading(tx, make.person(tx).id, papers[0].id, "read")
        make.reading(tx, me.id, papers[2].id, "reading")
        tx.flush()
        rows = {
            row.name: (row.papers, row.read, row.parent, row.children)
            for row in queries.list_topics(tx, me, PageRequest()).items
        }
    assert rows == {"Training": (3, 1, None, 1), "Checkpointing": (2, 1, "training", 0)}


@pytest.mark.deep
def test_a_branch_with_very_many_papers_is_counted_the_same_way(database):
    with database.write() as tx:
        me, other = make.visitor(tx), make.visitor(tx)
        top = make.topic(tx, "Training")
        low = make.topic(tx, "Checkpointing", parent_id=top.id)
        papers: list[Any] = [Paper(title=f"{number}") for number in range(SMALL_BRANCH_PAPERS + 2)]
        tx.add_all(papers)
        tx.flush()
        tx.add_all(PaperTopic(paper_id=paper.id, topic_id=low.id) for paper in papers)
        tx.add_all(PaperTopic(paper_id=paper.id, topic_id=top.id) for paper in papers[:5])
        papers[0].merged_into, papers[1].triage = papers[2].id, "rejected"
        for place in (0, 1, 2, 3):
            make.reading(tx, other.id, papers[place].id, "read", private=place == 3)
        make.reading(tx, me.id, papers[4].id, "dropped")
        make.reading(tx, me.id, make.paper(tx).id, "read")
        for person, read in ((me, 1), (other, 2)):
            rows = queries.list_topics(tx, person, PageRequest()).items
            assert {(row.papers, row.read) for row in rows} == {(SMALL_BRANCH_PAPERS, read)}


def test_a_private_reading_counts_for_its_reader_only(database):
    with database.write() as tx:
        me, other = make.visitor(tx), make.visitor(tx)
        paper, topic = make.paper(tx), make.topic(tx, "MoE")
        make.filed(tx, paper, topic)
        make.reading(tx, me.id, paper.id, "read", private=True)
        assert queries.get_topic(tx, me, "moe").row.read == 1
        assert queries.get_topic(tx, other, "moe").row.read == 0


def test_topics_of_the_newest_papers_are_suggested_the_most_frequent_first(database, monkeypatch):
    monkeypatch.setattr(queries, "MAX_RECENT_PAPERS", 5)
    with database.write() as tx:
        often, seldom, long_ago = (make.topic(tx, name) for name in ("Often", "Seldom", "Long ago"))
        for topics in ((long_ago,), (long_ago,), (seldom,), (often,), (often, long_ago), (often,)):
            paper = make.paper(tx)
            for topic in topics:
                make.filed(tx, paper, topic)
        assert [row.name for row in queries.list_recent_topics(tx)] == ["Often", "Seldom", "Long ago"]
        assert [tuple(row) for row in queries.list_recent_topics(tx, limit=1)] == [("often", "Often")]


def test_a_second_pass_leaves_the_paper_counted_as_read(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper, topic = make.paper(tx), make.topic(tx, "MoE")
        make.filed(tx, paper, topic)
        make.reading(tx, me.id, paper.id, "read", current=False)
        make.reading(tx, me.id, paper.id, "reading", pass_number=2)
        assert queries.get_topic(tx, me, "moe").row.read == 1


@pytest.mark.parametrize("ask", [queries.list_topics, queries.topic_tree])
def test_topics_are_paged_in_order_each_once(database, ask):
    with database.write() as tx:
        me = make.visitor(tx)
        for number in range(25):
            make.topic(tx, f"Topic of page {number}")
        whole = [row_of(item).slug for item in ask(tx, me, PageRequest(limit=200)).items]
        parts, after = [], None
        while True:
            page = ask(tx, me, PageRequest(limit=7, after=after))
            parts += [row_of(item).slug for item in page.items]
            after = page.next
            if after is None:
                break
    assert parts == whole
    assert len(set(whole)) == 25


def row_of(item):
    return getattr(item, "row", item)


@pytest.mark.deep
def test_the_index_takes_as_many_statements_for_many_topics_as_for_one(database, statements):
    def asked(number):
        with database.write() as tx:
            me = make.visitor(tx)
            for _ in range(number):
                top = make.topic(tx)
                make.filed(tx, make.paper(tx), make.topic(tx, parent_id=top.id))
        with database.read() as tx, statements() as seen:
            queries.topic_tree(tx, me, PageRequest())
            queries.list_topics(tx, me, PageRequest())
        return len(seen)

    assert asked(1) == asked(20) == 9


def test_topics_of_papers_take_one_statement_and_are_sorted_by_name(database, statements):
    with database.write() as tx:
        papers = [make.paper(tx) for _ in range(3)]
        for name in ("b", "A", "c"):
            make.filed(tx, papers[0], make.topic(tx, name))
        make.filed(tx, papers[1], make.topic(tx, "d"))
    with database.read() as tx, statements() as seen:
        topics = queries.find_paper_topics(tx, [paper.id for paper in papers])
    assert topics == {papers[0].id: [("a", "A"), ("b", "b"), ("c", "c")], papers[1].id: [("d", "d")]}
    assert len(seen) == 1


def test_autocompletion_suggests_topics_by_any_name(database):
    with database.write() as tx:
        make.topic(tx, "Checkpointing", aliases=("ckpt", "100% safe"))
        make.topic(tx, "Check_points")
        assert queries.suggest_topics(tx, "CKP") == [("checkpointing", "Checkpointing")]
        assert queries.suggest_topics(tx, "100%") == [("checkpointing", "Checkpointing")]
        assert queries.suggest_topics(tx, "check_") == [("check_points", "Check_points")]
        assert queries.suggest_topics(tx, " ") == []


def test_an_unknown_topic_is_not_found(database):
    nobody = CurrentUser(0, "", "viewer")
    with database.read() as tx, pytest.raises(NotFound, match="Topic “nowhere” not found"):
        queries.get_topic(tx, nobody, "nowhere")


def test_a_cycle_in_old_data_breaks_no_query(database):
    with database.write() as tx:
        me = make.visitor(tx)
        a = make.topic(tx, "A")
        b = make.topic(tx, "B", parent_id=a.id)
        a.parent_id = b.id
        tx.flush()
        assert queries.get_topic(tx, me, "a").row.papers == 0
        assert {row.id for row in queries.list_ancestors(tx, a.id)} == {a.id, b.id}


NAMES = st.lists(st.text(min_size=1, max_size=12).filter(lambda text: text.strip()), max_size=6)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=NAMES)
def test_no_sequence_of_actions_gives_two_topics_one_name(database, wanted):
    with database.write() as tx:
        me = make.visitor(tx)
        ids = {name: find_or_add_topic(tx, me, name) for name in wanted}
        assert ids == {name: find_or_add_topic(tx, me, name) for name in wanted}
        keys = tx.scalars(select(TopicAlias.alias_key)).all()
        slugs = tx.scalars(select(Topic.slug)).all()
        assert len(set(keys)) == len(keys)
        assert len(set(slugs)) == len(slugs)
        tx.rollback()
