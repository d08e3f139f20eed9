"""The order in which the team reads a topic: moved step by step, by several at once, and carried through merges."""

import threading

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import col

from readtrack.infra.errors import Conflict, NotAllowed, NotFound
from readtrack.infra.models import Event, PaperTopic, Topic
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.topics.delete import remove_from_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.library.topics.reading_order import (
    MAX_PAPERS,
    ReadingOrderMove,
    list_order,
    list_unordered_papers,
    move_in_order,
    remove_paper_from_order,
)
from readtrack.workspace.trash.restore import restore_item
from tests import make
from tests.depth import examples
from tests.tables import cases


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


@pytest.fixture
def topic(database):
    """With the papers A to E, the first three in the order."""
    with database.write() as tx:
        topic = make.topic(tx, "MoE")
        for place, title in enumerate("ABCDE", start=1):
            filed = make.filed(tx, make.paper(tx, title), topic)
            filed.position = place * 10 if place < 4 else None
        return topic


def shown(tx, me, topic):
    return "".join(row.title for row in list_order(tx, me, topic.id))


@cases(
    ("paper", "step", "then"),
    [
        (1, ReadingOrderMove(to="down"), "BAC"),
        (1, ReadingOrderMove(to="up"), "ABC"),
        (3, ReadingOrderMove(to="up"), "ACB"),
        (3, ReadingOrderMove(to="top"), "CAB"),
        (1, ReadingOrderMove(to="bottom"), "BCA"),
        (3, ReadingOrderMove(before=1), "CAB"),
        (1, ReadingOrderMove(after=2), "BAC"),
        (2, ReadingOrderMove(after=2), "ABC"),
        (4, ReadingOrderMove(to="bottom"), "ABCD"),
        (5, ReadingOrderMove(to="top"), "EABC"),
        (5, ReadingOrderMove(to="up"), "ABEC"),
        (5, ReadingOrderMove(before=2), "AEBC"),
    ],
)
def test_a_paper_moves_to_its_new_position_and_an_unordered_one_enters_the_order(
    database, me, topic, paper, step, then
):
    with database.write() as tx:
        moved = move_in_order(tx, me, "moe", paper, step=step)
        assert shown(tx, me, topic) == then
        assert moved == (then != "ABC")
        told = tx.scalars(sa.select(col(Event.verb)).where(col(Event.paper_id) == paper)).all()
        assert told == ["topic.ordered"] * moved
        tx.rollback()  # the next one finds the order as it was


def test_an_unfiled_or_missing_paper_cannot_be_moved_in_the_order(database, me, topic):
    with database.write() as tx:
        other, gone = make.paper(tx), make.paper(tx, deleted_at=me and topic.created_at)
        with pytest.raises(Conflict, match="isn't directly in this topic"):
            move_in_order(tx, me, "moe", other.id, step=ReadingOrderMove(to="top"))
        with pytest.raises(NotFound):
            move_in_order(tx, me, "moe", gone.id, step=ReadingOrderMove(to="top"))
        with pytest.raises(Conflict, match="Paper 4 isn't in the reading order"):
            move_in_order(tx, me, "moe", 1, step=ReadingOrderMove(after=4))
        with pytest.raises(NotFound, match="Topic “nowhere” not found"):
            move_in_order(tx, me, "nowhere", 1, step=ReadingOrderMove(to="top"))
        with pytest.raises(NotAllowed):
            move_in_order(tx, make.visitor(tx, role="viewer"), "moe", 1, step=ReadingOrderMove(to="top"))


def test_a_paper_is_removed_from_the_order_and_put_back_in_its_position(database, me, topic):
    for paper, without in ((1, "BC"), (2, "AC"), (3, "AB")):
        with database.write() as tx:
            deed = remove_paper_from_order(tx, me, "moe", paper)
            assert shown(tx, me, topic) == without
            assert remove_paper_from_order(tx, me, "moe", paper) is None
            assert paper in {row.id for row in list_unordered_papers(tx, topic.id)}
            assert restore_item(tx, me, "others", deed or 0) == "/topics/moe#order"
            assert shown(tx, me, topic) == "ABC"


def test_undo_appends_a_paper_if_its_predecessor_left_and_fails_if_the_topic_is_gone(database, me, topic):
    with database.write() as tx:
        deed, other = (remove_paper_from_order(tx, me, "moe", paper) for paper in (2, 1))
        restore_item(tx, me, "others", deed or 0)
        assert shown(tx, me, topic) == "CB"
        merge_topics(tx, me, "moe", make.topic(tx, "All").slug)
        with pytest.raises(Conflict, match="topic no longer exists"):
            restore_item(tx, me, "others", other or 0)


def test_the_length_of_a_reading_order_is_limited(database, me):
    with database.write() as tx:
        topic = make.topic(tx, "Long")
        for place in range(MAX_PAPERS + 1):
            make.filed(tx, make.paper(tx), topic).position = place + 1 if place < MAX_PAPERS else None
        last = list_unordered_papers(tx, topic.id)[0].id
        with pytest.raises(Conflict, match="at most 100 papers"):
            move_in_order(tx, me, "long", last, step=ReadingOrderMove(to="top"))


def test_deleted_and_rejected_papers_are_skipped(database, me, topic):
    with database.write() as tx:
        hidden = make.paper(tx, "X", triage="rejected")
        make.filed(tx, hidden, topic).position = 15
        assert shown(tx, me, topic) == "ABC"
        move_in_order(tx, me, "moe", 2, step=ReadingOrderMove(to="up"))
        assert shown(tx, me, topic) == "BAC"


def test_two_concurrent_moves_are_both_applied(database, me, topic):
    start = threading.Barrier(2)

    def move(paper, step):
        start.wait()
        with database.write() as tx:
            move_in_order(tx, me, "moe", paper, step=step)

    threads = [
        threading.Thread(target=move, args=each)
        for each in ((3, ReadingOrderMove(to="top")), (4, ReadingOrderMove(after=1)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        assert shown(tx, me, topic) == "CADB"


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.integers(1, 5), st.sampled_from(["up", "down", "top", "bottom", "out"])), min_size=1, max_size=25
    )
)
def test_any_move_leaves_each_paper_in_the_order_once_and_moves_no_other(database, steps):
    with database.write() as tx:
        me, topic = make.visitor(tx, role="editor"), make.topic(tx)
        papers = {number: make.paper(tx).id for number in range(1, 6)}
        for paper in papers.values():
            tx.add(PaperTopic(paper_id=paper, topic_id=topic.id))
        known: list[int] = []
        for number, to in steps:
            paper = papers[number]
            if to == "out":
                remove_paper_from_order(tx, me, topic.slug, paper)
            else:
                move_in_order(tx, me, topic.slug, paper, step=ReadingOrderMove(to=to))
            now = [row.id for row in list_order(tx, me, topic.id)]
            assert [one for one in now if one != paper] == [one for one in known if one != paper]
            assert (paper in now) == (to != "out")
            assert to not in {"top", "bottom"} or now[{"top": 0, "bottom": -1}[to]] == paper
            known = now


def test_removing_a_paper_from_the_topic_and_undoing_it_leaves_the_order_unchanged(database, me, topic):
    with database.write() as tx:
        deed = remove_from_topic(tx, me, 2, "moe")
        assert shown(tx, me, topic) == "AC"
        restore_item(tx, me, "others", deed or 0)
        assert shown(tx, me, topic) == "ABC"


def test_orders_of_merged_topics_are_concatenated_and_restored_on_unmerge(database, me, topic):
    with database.write() as tx:
        other = make.topic(tx, "Experts")
        for title, place in (("Z", 1), ("Y", 2)):
            make.filed(tx, make.paper(tx, title), other).position = place
        for paper, place in ((4, 3), (1, 4)):
            tx.add(PaperTopic(paper_id=paper, topic_id=other.id, position=place))
        tx.flush()
        assert shown(tx, me, other) == "ZYDA"
        _kept, deed = merge_topics(tx, me, "experts", "moe")
        assert shown(tx, me, topic) == "ABCZYD"
        address = restore_item(tx, me, "others", deed or 0)
        assert shown(tx, me, topic) == "ABC"
        back = tx.scalars(sa.select(Topic).where(col(Topic.slug) == address.removeprefix("/topics/"))).one()
        assert shown(tx, me, back) == "ZYDA"


def test_a_merged_paper_gives_its_position_to_the_survivor(database, me, topic):
    with database.write() as tx:
        new = make.paper(tx, "N")
        merge_papers(tx, me, 2, into_id=new.id)
        assert shown(tx, me, topic) == "ANC"
        merge_papers(tx, me, 3, into_id=4)
        assert shown(tx, me, topic) == "AND"


def test_my_status_is_shown_next_to_each_paper(database, me, topic):
    with database.write() as tx:
        make.reading(tx, me.id, 2, "read")
        make.reading(tx, make.person(tx).id, 1, "read")
        assert [row.my.status if row.my else None for row in list_order(tx, me, topic.id)] == [None, "read", None]
