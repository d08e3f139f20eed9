"""Verbs of topics: names are unique, nothing is its own parent, filing is said once."""

import threading
from datetime import timedelta

import pytest
from pydantic import ValidationError
from sqlmodel import select

from readtrack.infra.action_quotas import QUOTAS, Quota
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion, TooManyRequests
from readtrack.infra.models import Event, Paper, TopicAlias
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.lists import PaperFilter, list_papers
from readtrack.library.topics import commands, queries
from readtrack.library.topics.commands import TopicCreate, TopicUpdate
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from tests import make
from tests.meanwhile import begun


def add(tx, me, name, **fields):
    return commands.add_topic(tx, me, TopicCreate(name=name, **fields))


def edited(topic, **fields):
    return TopicUpdate(**{"name": topic.name, "markdown": topic.markdown} | fields)


def test_the_id_of_a_deleted_topic_is_never_reused(database):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        gone = add(tx, me, "A").id
        delete_topic(tx, me, "a")
        assert add(tx, me, "B").id > gone


def found(tx, me, q):
    return [row.id for row in list_papers(tx, me, PaperFilter(q), PageRequest()).items]


def test_each_of_several_names_finds_the_topic(database):
    with database.write() as tx:
        me = make.visitor(tx)
        topic = add(tx, me, "Checkpointing", aliases=["ckpt", "チェックポイント", "检查点"])
        for name in ("checkpointing", "CKPT", "ﾁｪｯｸﾎﾟｲﾝﾄ", " 检查点 "):
            assert commands.find_or_add_topic(tx, me, name) == topic.id
        assert queries.find_aliases(tx, [topic.id]) == {topic.id: ["ckpt", "チェックポイント", "检查点"]}


def test_a66_new_topics_by_hand_are_limited_but_existing_ones_can_always_be_used(database, monkeypatch):
    monkeypatch.setitem(QUOTAS, "topic.added", Quota(2, timedelta(hours=1)))
    with database.write() as tx:
        me = make.visitor(tx)
        add(tx, me, "One")
        assert commands.get_or_add_topic(tx, me, "two") == commands.get_or_add_topic(tx, me, "Two")
        for more in (commands.get_or_add_topic, add):
            with pytest.raises(TooManyRequests, match=r"Limit reached \(2 in 60 minutes\)"):
                more(tx, me, "Three")
        assert commands.get_or_add_topic(tx, me, "one")
        assert commands.find_or_add_topic(tx, me, "Of an import")


def test_a_repeated_name_counts_once():
    wanted = TopicCreate(name="DDP", aliases=["ddp", "Data parallel", "data  PARALLEL"])
    assert wanted.names == ["DDP", "Data parallel"]


@pytest.mark.parametrize("name", ["ckpt", "CHECKPOINTING", "ﾁｪｯｸﾎﾟｲﾝﾄ"])
def test_a_topic_is_refused_if_another_has_one_of_its_names(database, name):
    with database.write() as tx:
        me = make.visitor(tx)
        add(tx, me, "Checkpointing", aliases=["ckpt", "チェックポイント"])
        with pytest.raises(Conflict, match="already used by the topic “Checkpointing”"):
            add(tx, me, name)
        with pytest.raises(Conflict, match="already used by the topic “Checkpointing”"):
            add(tx, me, "Something else", aliases=[name])


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": " \n\t"},
        {"name": "x" * 121},
        {"name": "x", "aliases": [f"alias {n}" for n in range(51)]},
        {"name": "x", "aliases": [""]},
        {"name": "x", "markdown": "é" * 50_001},
        {"name": "x", "version": 7},
        {"name": "x", "id": 1},
    ],
)
def test_an_invalid_topic_is_refused(fields):
    with pytest.raises(ValidationError):
        TopicCreate(**fields)


def test_names_are_single_lines_of_storable_characters():
    assert TopicCreate(name="  Fault\n tolerance\0 ").name == "Fault tolerance\ufffd"


def test_similar_names_get_numbered_slugs(database):
    with database.write() as tx:
        me = make.visitor(tx)
        slugs = [add(tx, me, name).slug for name in ("C", "C++", "C#", "3D parallel", "分散学習", "+++")]
    assert slugs == ["c", "c-2", "c-3", "3d-parallel", "分散学習", "topic"]


def test_a_heading_longer_than_a_name_is_truncated_consistently(database):
    heading = "A heading that goes on and on " * 10
    with database.write() as tx:
        me = make.visitor(tx)
        one, other = (commands.find_or_add_topic(tx, me, heading) for _ in range(2))
        assert one == other
        with pytest.raises(Invalid, match="Enter a topic name"):
            commands.find_or_add_topic(tx, me, " \u3000 ")


def test_two_concurrent_additions_of_one_topic_give_the_same_topic(database):
    with database.write() as tx:
        me = make.visitor(tx)
    ids, start = [], threading.Barrier(4)

    def add_it():
        start.wait()
        with database.write() as tx:
            ids.append(commands.find_or_add_topic(tx, me, "Elastic training"))

    threads = [threading.Thread(target=add_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 4
    assert len(set(ids)) == 1


def test_saving_a_stale_version_is_refused_and_both_texts_stay(database):
    with database.write() as tx:
        me = make.visitor(tx)
        topic = add(tx, me, "MoE", markdown="one")
        commands.edit_topic(tx, me, "moe", edited(topic, markdown="two", aliases=["mixture"]), version=1)
    with database.write() as tx, pytest.raises(StaleVersion) as stale:
        commands.edit_topic(tx, me, "moe", edited(topic, markdown="three"), version=1)
    assert stale.value.current == {
        "version": 2,
        "yours": 1,
        "name": "MoE",
        "aliases": ["mixture"],
        "parent": None,
        "markdown": "two",
        "base": {"version": 1, "name": "MoE", "aliases": [], "markdown": "one", "parent": None},
    }
    with database.read() as tx:
        kept = tx.scalars(select(Event.before).where(Event.verb == "topic.edited")).all()
    assert [before["markdown"] for before in kept] == ["one"]


def test_the_url_stays_when_a_topic_is_renamed(database):
    with database.write() as tx:
        me = make.visitor(tx)
        topic = add(tx, me, "DDP")
        commands.edit_topic(tx, me, "ddp", edited(topic, name="Data parallelism", aliases=["DDP"]), version=1)
        assert queries.get_topic(tx, me, "ddp").row.name == "Data parallelism"
        assert queries.find_slug(tx, "data-parallelism") == "ddp"
        assert queries.find_slug(tx, "unheard-of") is None


def test_names_can_be_swapped_and_a_removed_name_reused(database):
    with database.write() as tx:
        me = make.visitor(tx)
        topic = add(tx, me, "One", aliases=["two"])
        commands.edit_topic(tx, me, "one", edited(topic, name="two", aliases=["One"]), version=1)
        commands.edit_topic(tx, me, "one", edited(topic, name="two", aliases=[]), version=2)
        assert add(tx, me, "One").slug == "one-2"


def test_a_topic_cannot_become_its_own_descendant(database):
    with database.write() as tx:
        me = make.visitor(tx)
        a = add(tx, me, "A")
        add(tx, me, "B", parent="a")
        add(tx, me, "C", parent="b")
        for parent in ("a", "b", "c"):
            with pytest.raises(Invalid, match="can't be placed under itself"):
                commands.edit_topic(tx, me, "a", edited(a, parent=parent), version=1)
        with pytest.raises(Invalid, match="Topic “nowhere” not found"):
            add(tx, me, "D", parent="nowhere")
        assert queries.get_topic(tx, me, "c").line == [("a", "A"), ("b", "B")]


def test_two_concurrent_moves_of_topics_under_each_other_create_no_cycle(database):
    with database.write() as tx:
        me = make.visitor(tx)
        topics = {"a": add(tx, me, "A"), "b": add(tx, me, "B")}
    start, refused = threading.Barrier(2), []

    def move(slug, parent):
        start.wait()
        try:
            with database.write() as tx:
                commands.edit_topic(tx, me, slug, edited(topics[slug], parent=parent), version=1)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must be one of ours
            refused.append(error)

    threads = [threading.Thread(target=move, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        lines = [queries.get_topic(tx, me, slug).line for slug in ("a", "b")]
    assert sorted(map(len, lines)) == [0, 1]
    assert len(refused) == 1


def test_two_topics_that_start_referencing_each_other_do_not_deadlock(database):
    with database.write() as tx:
        me = make.visitor(tx)
        one, other = add(tx, me, "One"), add(tx, me, "Other")

    def name_it():
        with database.write() as tx:
            return commands.edit_topic(tx, me, "other", edited(other, markdown="Unlike [[One]]."), version=1).version

    with database.write() as tx:
        commands.get_topic_for_update(tx, "one")
        naming = begun(database, name_it)
        commands.edit_topic(tx, me, "one", edited(one, markdown="Unlike [[Other]]."), version=1)
    assert naming.result() == 2


def test_filing_a_paper_twice_files_it_once_and_search_finds_it_by_any_name(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper = make.paper(tx)
        topic = add(tx, me, "Checkpointing", aliases=["ckpt"])
        commands.link_topic(tx, me, paper.id, "checkpointing")
        commands.link_topic(tx, me, paper.id, topic.id)
        assert queries.find_paper_topics(tx, [paper.id]) == {paper.id: [("checkpointing", "Checkpointing")]}
        assert found(tx, me, "topic:ckpt") == found(tx, me, "ckpt") == [paper.id]
        commands.edit_topic(tx, me, "checkpointing", edited(topic, aliases=["snapshots"]), version=1)
        assert (found(tx, me, "ckpt"), found(tx, me, "snapshots")) == ([], [paper.id])
        commands.unlink_topic(tx, me, paper.id, "checkpointing")
        commands.unlink_topic(tx, me, paper.id, "checkpointing")
        assert found(tx, me, "topic:checkpointing") == []


def test_filing_a_missing_paper_or_topic_is_an_error(database):
    with database.write() as tx:
        me = make.visitor(tx)
        paper, gone = make.paper(tx), make.paper(tx)
        gone.deleted_at = gone.created_at
        add(tx, me, "MoE")
        for paper_id, slug in ((paper.id, "nowhere"), (paper.id, 999), (999_999, "moe"), (gone.id, "moe")):
            with pytest.raises(NotFound):
                commands.link_topic(tx, me, paper_id, slug)
            with pytest.raises(NotFound):
                commands.unlink_topic(tx, me, paper_id, slug)


def test_a_topic_with_papers_or_subtopics_cannot_be_deleted(database):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        paper = make.paper(tx)
        add(tx, me, "A")
        add(tx, me, "B", parent="a", markdown="what I know")
        commands.link_topic(tx, me, paper.id, "b")
        for slug, said in (("a", "in use: 1 subtopic"), ("b", "in use: 1 paper")):
            with pytest.raises(Conflict, match=said):
                delete_topic(tx, me, slug)
        commands.unlink_topic(tx, me, paper.id, "b")
        delete_topic(tx, me, "b")
        delete_topic(tx, me, "a")
        kept = tx.scalars(select(Event.before).where(Event.verb == "topic.deleted")).first()
        assert kept == {"name": "B", "markdown": "what I know"}
        with pytest.raises(NotFound):
            delete_topic(tx, me, "b")


def test_a_line_of_notes_survives_the_deletion_of_its_topic(database):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        kept, gone = add(tx, me, "A"), add(tx, me, "B")
        entry = make.entry(tx, topic_id=gone.id)
        merge_topics(tx, me, "b", "a")
        tx.refresh(entry)
        assert entry.topic_id == kept.id
        delete_topic(tx, me, "a")
        tx.refresh(entry)
        assert entry.topic_id is None


def test_merging_loses_no_paper_name_or_text(database):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        papers = [make.paper(tx) for _ in range(3)]
        add(tx, me, "Snapshots", aliases=["snap"], markdown="Theirs.")
        kept = add(tx, me, "Checkpointing", markdown="Ours.")
        add(tx, me, "In memory", parent="snapshots")
        for paper, slug in zip(
            [*papers, papers[0]], ["snapshots", "snapshots", "checkpointing", "checkpointing"], strict=True
        ):
            commands.link_topic(tx, me, paper.id, slug)
        merge_topics(tx, me, "snapshots", "checkpointing")
        topic = queries.get_topic(tx, me, "checkpointing")
        assert (topic.row.papers, topic.markdown, topic.version) == (3, "Ours.\n\nTheirs.", 2)
        assert sorted(topic.aliases) == ["Snapshots", "snap"]
        assert [below.slug for below in topic.subtopics] == ["in-memory"]
        assert queries.find_slug(tx, "snapshots") == kept.slug
        assert sorted(found(tx, me, "snap")) == sorted(paper.id for paper in papers)
        with pytest.raises(Invalid):
            merge_topics(tx, me, "checkpointing", "checkpointing")


def test_merging_a_topic_into_its_descendant_leaves_no_cycle(database):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for name, parent in (("Top", None), ("A", "top"), ("B", "a"), ("C", "b")):
            add(tx, me, name, parent=parent)
        merge_topics(tx, me, "a", "c")
        assert queries.get_topic(tx, me, "b").line == [("top", "Top"), ("c", "C")]


def test_a_person_who_may_not_edit_changes_no_topic(database):
    with database.write() as tx:
        paper = make.paper(tx)
        make.topic(tx, "MoE")
        viewer, member = make.visitor(tx, role="viewer"), make.visitor(tx)
        for attempt in (
            lambda: add(tx, viewer, "New"),
            lambda: commands.find_or_add_topic(tx, viewer, "MoE"),
            lambda: commands.edit_topic(tx, viewer, "moe", TopicUpdate(name="X"), version=1),
            lambda: commands.link_topic(tx, viewer, paper.id, "moe"),
            lambda: commands.unlink_topic(tx, viewer, paper.id, "moe"),
            lambda: delete_topic(tx, member, "moe"),
            lambda: merge_topics(tx, member, "moe", "moe"),
        ):
            with pytest.raises(NotAllowed):
                attempt()
        assert tx.scalars(select(TopicAlias.alias)).all() == ["MoE"]
        assert tx.get(Paper, paper.id).version == 1


def test_only_a_change_of_aliases_updates_the_search_index(database, statements):
    with database.write() as tx:
        me = make.visitor(tx)
        topic = add(tx, me, "DDP", aliases=["data parallel", "DP"])
        commands.link_topic(tx, me, make.paper(tx).id, "ddp")
        same = {"aliases": ["data parallel", "DP"]}
        with statements() as for_text:
            commands.edit_topic(tx, me, "ddp", edited(topic, markdown="two", **same), version=1)
        with statements() as for_names:
            commands.edit_topic(tx, me, "ddp", edited(topic, aliases=["DP"]), version=2)
        assert queries.find_aliases(tx, [topic.id]) == {topic.id: ["DP"]}
    assert not [said for said in for_text if "search_paper" in said or said.startswith("DELETE FROM topic_alias")]
    assert [said for said in for_names if "search_paper" in said]
