"""Part of a topic goes elsewhere: told before, done whole, put together again as far as nobody changed it since."""

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlmodel import col

from readtrack import search
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound
from readtrack.infra.models import PaperTopic, TextReference, Topic, TopicAlias, TopicVersion
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.lists import PaperFilter, list_papers
from readtrack.library.topics import queries
from readtrack.library.topics.commands import (
    MAX_ALIASES,
    TopicCreate,
    TopicUpdate,
    add_topic,
    edit_topic,
    link_topic,
    list_topic_paper_ids,
    unlink_topic,
)
from readtrack.library.topics.links import TopicLinkFields, add_link
from readtrack.library.topics.merge import merge_topics
from readtrack.library.topics.reading_order import list_order
from readtrack.library.topics.split import TopicSplit, list_filed_papers, plan_split, split_topic
from readtrack.markdown.references import key_of
from readtrack.workspace.trash.restore import restore_item
from tests import make
from tests.depth import examples
from tests.tables import cases

pytestmark = pytest.mark.slow


@pytest.fixture
def me(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="editor")


@pytest.fixture
def moe(database):
    """Under Models, with papers A to D of which A and B are read in this order, two aliases and two topics below."""
    with database.write() as tx:
        models = make.topic(tx, "Models")
        moe = make.topic(tx, "MoE", aliases=("mixture", "门控"), parent_id=models.id)
        for name in ("Routing", "Gating"):
            make.topic(tx, name, parent_id=moe.id)
        for place, title in enumerate("ABCD", start=1):
            make.filed(tx, make.paper(tx, title), moe).position = place if place < 3 else None
        search.update_papers(tx, [1, 2, 3, 4])
        return moe


@pytest.fixture
def deeper(database, moe):
    with database.write() as tx:
        return make.topic(tx, "Deeper", parent_id=queries.get_id(tx, "routing"))


def titles(tx, slug):
    topic_id = queries.get_id(tx, slug)
    return "".join(sorted(paper.title for paper in list_filed_papers(tx, topic_id, PageRequest()).items))


def order(tx, me, slug):
    return "".join(row.title for row in list_order(tx, me, queries.get_id(tx, slug)))


def names(tx, slug):
    detail = queries.get_topic(tx, me_of(tx), slug)
    return [detail.row.name, *detail.aliases]


def me_of(tx):
    return make.visitor(tx)


def found(tx, me, q):
    return "".join(sorted(row.title for row in list_papers(tx, me, PaperFilter(q), PageRequest()).items))


def split(tx, me, into="Routers", **what):
    return split_topic(tx, me, "moe", TopicSplit(into=into, **what))


def test_selected_items_move_to_a_new_sibling_topic(database, me, moe):
    with database.write() as tx:
        into, _deed = split(tx, me, papers=[2, 3], aliases=["门控"], below=["gating"])
        assert (titles(tx, "moe"), titles(tx, into.slug)) == ("AD", "BC")
        assert (order(tx, me, "moe"), order(tx, me, into.slug)) == ("A", "B")
        assert names(tx, "moe") == ["MoE", "mixture"]
        assert names(tx, "routers") == ["Routers", "门控"]
        detail = queries.get_topic(tx, me, "routers")
        assert (detail.line, [row.slug for row in detail.subtopics]) == ([("models", "Models")], ["gating"])
        assert (found(tx, me, "topic:门控"), found(tx, me, "topic:mixture")) == ("BC", "AD")


def test_the_new_topic_may_be_a_subtopic_of_the_original(database, me, moe):
    with database.write() as tx:
        split(tx, me, papers=[1], under=True)
        assert queries.get_topic(tx, me, "routers").line == [("models", "Models"), ("moe", "MoE")]


def test_an_alias_becomes_a_topic_of_its_own(database, me, moe):
    with database.write() as tx:
        into, deed = split(tx, me, "Mixture", papers=[1], aliases=["mixture", "门控"])
        assert (names(tx, "moe"), names(tx, into.slug)) == (["MoE"], ["Mixture", "门控"])
        restore_item(tx, me, "others", deed)
        assert sorted(names(tx, "moe")) == ["MoE", "mixture", "门控"]
        assert queries.find_slug(tx, "mixture") == "moe"


def test_items_moved_to_an_existing_topic_come_after_its_own(database, me, moe):
    with database.write() as tx:
        ddp = make.topic(tx, "DDP", aliases=("data parallel",))
        make.filed(tx, make.paper(tx, "X"), ddp).position = 5
        tx.add(PaperTopic(paper_id=2, topic_id=ddp.id))
        into, deed = split(tx, me, "data parallel", papers=[1, 2, 3])
        assert (into.id, titles(tx, "ddp"), order(tx, me, "ddp")) == (ddp.id, "ABCX", "XAB")
        assert titles(tx, "moe") == "D"
        restore_item(tx, me, "others", deed)
        assert (titles(tx, "ddp"), order(tx, me, "ddp")) == ("BX", "X")
        assert (titles(tx, "moe"), order(tx, me, "moe")) == ("ABCD", "AB")


def test_a_split_preview_is_shown_and_changes_nothing(database, me, moe, statements):
    wanted = TopicSplit(into="mixture", papers=[3, 1], aliases=["MIXTURE", "门控"], below=["routing"])
    with database.read() as tx, statements() as asked:
        plan = plan_split(tx, me, "moe", wanted)
    assert (plan.into_id, plan.target, plan.new_name) == (None, ("", "mixture"), "mixture")
    assert [paper.title for paper in plan.papers] == ["C", "A"]
    assert (plan.aliases, [row.name for row in plan.subtopics], set(plan.shared)) == (["门控"], ["Routing"], set())
    assert not [one for one in asked if not one.startswith(("SELECT", "WITH"))]


@cases(
    ("what", "pointer", "why"),
    [
        ({}, "/papers", "Select papers"),
        ({"papers": [99]}, "/papers", "Paper 99 isn't directly in this topic"),
        ({"aliases": ["DDP"]}, "/aliases", "“DDP” doesn't belong to this topic"),
        ({"aliases": ["MoE"]}, "/aliases", "“MoE” doesn't belong to this topic"),
        ({"below": ["models"]}, "/below", "doesn't belong to this topic"),
        ({"into": "moe", "papers": [1]}, "/into", "Choose a different topic"),
        ({"into": "routing", "below": ["routing"]}, "/below", "can't be placed under itself"),
        ({"into": "Deeper", "below": ["routing"]}, "/below", "can't be placed under itself"),
    ],
)
def test_items_that_cannot_move_are_rejected_with_a_pointer(database, me, deeper, what, pointer, why):
    with database.write() as tx, pytest.raises(Invalid, match=why) as refused:
        split(tx, me, **what)
    assert refused.value.errors[0].pointer == pointer


@pytest.mark.parametrize("fields", [{"into": ""}, {"into": "x", "papers": [1] * 501}, {"into": "x", "all": True}])
def test_an_invalid_split_is_refused(fields):
    with pytest.raises(ValidationError):
        TopicSplit(**fields)


def test_a_split_without_permission_or_beyond_the_limit_is_refused(database, me, moe):
    with database.write() as tx:
        member = make.visitor(tx)
        with pytest.raises(NotAllowed):
            split(tx, member, papers=[1])
        with pytest.raises(NotFound):
            split_topic(tx, me, "nowhere", TopicSplit(into="x", papers=[1]))
        make.topic(tx, "Full", aliases=tuple(f"name {number}" for number in range(MAX_ALIASES)))
        with pytest.raises(Conflict, match="51 aliases"):
            split(tx, me, "Full", aliases=["mixture"])


def test_undoing_a_split_deletes_the_new_topic(database, me, moe):
    with database.write() as tx:
        _into, deed = split(tx, me, papers=[2, 3], aliases=["门控"], below=["gating"])
        assert restore_item(tx, me, "others", deed) == "/topics/moe"
        assert queries.find_slug(tx, "routers") is None
        assert (titles(tx, "moe"), order(tx, me, "moe")) == ("ABCD", "AB")
        assert sorted(names(tx, "moe")) == ["MoE", "mixture", "门控"]
        assert [row.slug for row in queries.get_topic(tx, me, "moe").subtopics] == ["gating", "routing"]
        assert found(tx, me, "topic:门控") == "ABCD"


def test_the_new_topic_stays_when_somebody_used_it_since(database, me, moe):
    with database.write() as tx:
        into, deed = split(tx, me, papers=[2, 3], aliases=["门控"])
        link_topic(tx, me, make.paper(tx, "New").id, into.id)
        restore_item(tx, me, "others", deed)
        assert (titles(tx, "routers"), titles(tx, "moe")) == ("New", "ABCD")
        _into, deed = split(tx, me, "Written", papers=[1])
        edit_topic(tx, me, "written", TopicUpdate(name="Written", markdown="Text."), version=1)
        restore_item(tx, me, "others", deed)
        assert queries.get_topic(tx, me, "written").markdown == "Text."
        _into, deed = split(tx, me, "Linked", papers=[1])
        add_link(tx, me, "linked", TopicLinkFields(url="https://example.org"))
        restore_item(tx, me, "others", deed)
        assert (titles(tx, "linked"), titles(tx, "moe")) == ("", "ABCD")


def test_items_moved_or_filed_since_stay_where_they_are(database, me, moe):
    with database.write() as tx:
        into, deed = split(tx, me, papers=[1, 2, 3])
        unlink_topic(tx, me, 1, into.id)
        link_topic(tx, me, 2, "moe")
        restore_item(tx, me, "others", deed)
        assert titles(tx, "moe") == "BCD"
        assert queries.find_slug(tx, "routers") is None


def test_a_split_cannot_be_undone_when_one_of_the_topics_is_gone(database, me, moe):
    with database.write() as tx:
        _into, deed = split(tx, me, papers=[1])
        merge_topics(tx, me, "routers", "models")
        with pytest.raises(Conflict, match="topic no longer exists"):
            restore_item(tx, me, "others", deed)


def led(tx, of):
    """To which topics the texts of these topics lead, by what they say."""
    rows = tx.scalars(sa.select(TextReference).where(col(TextReference.subject) == "topic"))
    by_id = {row.id: row.name for row in tx.execute(sa.select(col(Topic.id), col(Topic.name)))}
    return {row.key: by_id.get(row.topic_id) for row in rows if by_id[row.subject_id] in of}


def test_references_follow_a_moved_name_and_return_with_it(database, me, moe):
    with database.write() as tx:
        add_topic(tx, me, TopicCreate(name="Notes", markdown="[[mixture]], [[门控]] and [[MoE]]."))
        assert {*led(tx, ["Notes"]).values()} == {"MoE"}
        _, deed_id = split_topic(tx, me, "moe", TopicSplit(into="门控", aliases=["mixture"]))
    with database.write() as tx:
        assert {*led(tx, ["Notes"]).items()} == {
            (key_of("mixture"), "门控"),
            (key_of("门控"), "门控"),
            (key_of("MoE"), "MoE"),
        }
        add_topic(tx, me, TopicCreate(name="More", markdown="[[mixture]]"))
        restore_item(tx, me, "others", deed_id)
        assert {*led(tx, ["Notes", "More"]).values()} == {"MoE"}


def test_references_to_a_merged_topic_written_since_link_to_it_after_it_is_restored(database, me, moe):
    with database.write() as tx:
        kept = add_topic(tx, me, TopicCreate(name="Experts"))
        add_topic(tx, me, TopicCreate(name="Before", markdown="[[mixture]] [[Experts]]"))
        _, deed_id = merge_topics(tx, me, "moe", kept.slug)
        add_topic(tx, me, TopicCreate(name="Since", markdown="[[MoE]] [[Experts]]"))
        assert {*led(tx, ["Before", "Since"]).values()} == {"Experts"}
    with database.write() as tx:
        restore_item(tx, me, "others", deed_id)
        assert led(tx, ["Before"]) == {key_of("mixture"): "MoE", key_of("Experts"): "Experts"}
        assert led(tx, ["Since"]) == {key_of("MoE"): "MoE", key_of("Experts"): "Experts"}


def test_moving_names_creates_a_new_version_of_both_topics(database, me, moe):
    with database.write() as tx:
        into, _deed = split(tx, me, papers=[1], aliases=["门控"])
        kept = sa.select(col(TopicVersion.topic_id), col(TopicVersion.aliases)).order_by(col(TopicVersion.id))
        assert [tuple(row) for row in tx.execute(kept)][-2:] == [(moe.id, ["mixture"]), (into.id, ["门控"])]


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    papers=st.sets(st.integers(0, 5)),
    there=st.sets(st.integers(0, 5)),
    aliases=st.sets(st.integers(0, 2)),
    below=st.sets(st.integers(0, 1)),
    new=st.booleans(),
)
def test_a_split_loses_nothing_and_its_undo_restores_the_previous_state(database, papers, there, aliases, below, new):
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, role="editor")
        topic, other = make.topic(tx, "Whole", aliases=("a0", "a1", "a2")), make.topic(tx, "Other")
        lower = [make.topic(tx, f"low{number}", parent_id=topic.id) for number in range(2)]
        ids = [make.paper(tx).id for _ in range(6)]
        for place, paper in enumerate(ids):
            tx.add(PaperTopic(paper_id=paper, topic_id=topic.id, position=place + 1 if place % 2 else None))
        for number in there:
            tx.add(PaperTopic(paper_id=ids[number], topic_id=other.id, position=9 - number if number > 2 else None))
        tx.flush()
        before = everything(tx)
        what = {"aliases": [f"a{n}" for n in aliases], "below": [lower[n].slug for n in below]}
        wanted = TopicSplit(into="New" if new else "Other", papers=[ids[number] for number in papers], **what)
        if papers or aliases or below:
            into, deed = split_topic(tx, me, "whole", wanted)
            assert {*list_topic_paper_ids(tx, topic), *list_topic_paper_ids(tx, into)} >= {*ids}
            restore_item(tx, me, "others", deed)
        assert everything(tx) == before
        tx.rollback()


def everything(tx):
    tx.expire_all()
    said = (
        (PaperTopic.paper_id, PaperTopic.topic_id, PaperTopic.position),
        (TopicAlias.topic_id, TopicAlias.alias, TopicAlias.is_canonical),
        (Topic.id, Topic.name, Topic.parent_id),
    )
    return [{tuple(row) for row in tx.execute(sa.select(*map(col, columns)))} for columns in said]
