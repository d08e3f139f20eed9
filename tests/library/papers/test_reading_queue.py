"""My queue: by priority, then as I put it; the order is nobody else's business, and each move can be taken back."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.models import Event, Paper, Reading
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers import reading_queue
from readtrack.reading.readings import commands
from readtrack.reading.readings.commands import QueueMove, ReadingUpdate
from readtrack.reading.readings.queries import find_my_reading
from readtrack.team.activity.queries import EventFilter, list_activity
from tests import make
from tests.tables import cases

pytestmark = pytest.mark.slow  # many requests

TITLES = "ABCDE"


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="viewer")


@pytest.fixture
def papers(database, ada):
    """Five papers that Ada wants to read, by title."""
    with database.write() as tx:
        made = {title: make.paper(tx, title).id for title in TITLES}
        for paper_id in made.values():
            commands.set_reading(tx, ada, paper_id, ReadingUpdate(status="to_read"))
    return made


@pytest.fixture
def move(database, ada, papers):
    def move(title, **where):
        said = {name: papers.get(there, there) for name, there in where.items()}
        with database.write() as tx:
            return commands.move_reading(tx, ada, papers[title], QueueMove(**said))[1]

    return move


@pytest.fixture
def say(database, ada, papers):
    def say(title, **said):
        with database.write() as tx:
            commands.set_reading(tx, ada, papers[title], ReadingUpdate(**said))

    return say


@pytest.fixture
def undo(database, ada, papers):
    def undo(title):
        with database.write() as tx:
            commands.undo_reading(tx, ada, papers[title])

    return undo


@pytest.fixture
def order(database, ada):
    def order():
        with database.read() as tx:
            return "".join(line.paper.title for line in reading_queue.page_queue(tx, ada, PageRequest()).items)

    return order


def test_later_additions_are_further_down(order, papers):
    assert order() == "ABCDE"


@cases(
    ("title", "where", "then"),
    [
        ("C", {"to": "up"}, "ACBDE"),
        ("C", {"to": "down"}, "ABDCE"),
        ("C", {"to": "top"}, "CABDE"),
        ("C", {"to": "bottom"}, "ABDEC"),
        ("E", {"before": "B"}, "AEBCD"),
        ("A", {"after": "D"}, "BCDAE"),
    ],
)
def test_a_move_and_its_undo(move, undo, order, title, where, then):
    assert move(title, **where)
    assert order() == then
    undo(title)
    assert order() == "ABCDE"


@cases(("title", "where"), [("A", "up"), ("A", "top"), ("E", "down"), ("E", "bottom")])
def test_a_move_past_the_end_of_the_queue_changes_nothing_and_creates_no_undo_entry(
    database, move, order, title, where
):
    with database.read() as tx:
        before = tx.scalar(sa.select(sa.func.count()).select_from(Event))
    assert not move(title, to=where)
    assert order() == "ABCDE"
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Event)) == before


def test_moves_accumulate_and_new_papers_still_come_last(database, ada, move, order):
    for title, where in (("E", "top"), ("A", "down"), ("D", "up"), ("B", "bottom")):
        move(title, to=where)
    with database.write() as tx:
        commands.set_reading(tx, ada, make.paper(tx, "F").id, ReadingUpdate(status="to_read"))
    assert order() == "EADCBF"


def test_priorities_come_before_positions(move, say, order):
    move("C", to="top")
    say("D", priority=1)
    say("A", priority=-1)
    say("E", priority=1)
    assert order() == "DECBA"
    move("E", to="up")
    assert order() == "EDCBA"
    assert not move("C", to="up")  # it is the first of its priority
    assert order() == "EDCBA"


def test_moving_next_to_a_paper_of_another_priority_takes_it_and_undo_restores_its_own(
    database, ada, papers, move, say, undo, order
):
    say("D", priority=1)
    move("B", before="D")
    assert order() == "BDACE"
    with database.read() as tx:
        mine = find_my_reading(tx, ada, papers["B"])
    assert mine is not None
    assert mine.priority == 1
    undo("B")
    assert order() == "DABCE"


def test_undoing_a_priority_change_restores_the_exact_position(move, say, undo, order):
    move("C", to="up")
    say("B", priority=-1)
    assert order() == "ACDEB"
    undo("B")
    assert order() == "ACBDE"


def test_a_started_paper_leaves_the_queue_and_returns_to_the_end_or_by_undo_to_its_position(say, undo, order, move):
    move("B", to="top")
    say("B", status="reading")
    assert order() == "ACDE"
    undo("B")
    assert order() == "BACDE"
    for status in ("reading", "to_read"):
        say("B", status=status)
    assert order() == "ACDEB"


def test_undoing_a_move_finds_its_position_after_others_left(move, say, undo, order):
    move("D", to="top")
    say("A", status="dropped")
    undo("D")
    assert order() == "BCDE"


def test_papers_that_are_not_to_read_are_not_in_the_queue(database, ada, papers, say, move):
    say("C", status="reading")
    with pytest.raises(Conflict, match="isn't in your queue"):
        move("C", to="top")
    with pytest.raises(Conflict, match="isn't in your queue"):
        move("A", before="C")
    with pytest.raises(Invalid, match="Only papers in your queue can have a priority"):
        say("C", priority=1)
    with pytest.raises(NotFound), database.write() as tx:
        commands.move_reading(tx, ada, make.paper(tx, deleted_at=now()).id, QueueMove(to="top"))


def test_rejected_and_deleted_papers_are_skipped(database, papers, move, order):
    with database.write() as tx:
        tx.get_one(Paper, papers["B"]).triage = "rejected"
        tx.get_one(Paper, papers["C"]).deleted_at = now()
    assert order() == "ADE"
    move("D", to="up")
    assert order() == "DAE"


def test_the_queue_order_is_private_and_creates_no_reading_events(database, ada, papers, move, say, undo):
    news = sa.select(col(Reading.paper_id), col(Reading.updated_at)).order_by(col(Reading.id))
    with database.read() as tx:
        before = tx.execute(news).all()
        last = tx.scalar(sa.select(sa.func.max(col(Event.id))))
    move("C", to="top")
    undo("C")
    say("B", priority=1)
    undo("B")
    with database.read() as tx:
        assert tx.execute(news).all() == before
        since = tx.execute(sa.select(col(Event.verb), col(Event.private)).where(col(Event.id) > last)).all()
        first = tx.scalars(sa.select(col(Event.private)).where(col(Event.id) <= last)).all()
    assert sorted({tuple(row) for row in since}) == [("reading.moved", True)]
    assert set(first) == {False}  # of the reading itself, others may know


def test_moves_in_my_queue_do_not_fill_my_feed(database, ada, papers, move, say, undo):
    def feed(of=""):
        with database.read() as tx:
            return [
                (event.verb, event.paper_id) for event in list_activity(tx, ada, EventFilter(of), PageRequest()).items
            ]

    before = feed()
    move("C", to="top")
    say("B", priority=1)
    undo("C")
    assert feed() == feed("readings") == before
    assert feed("reading.moved") == [("reading.moved", papers[title]) for title in "CBC"]


@pytest.mark.deep
def test_every_person_has_their_own_queue(database, papers, move, order):
    with database.write() as tx:
        bo = make.visitor(tx, "Bo")
        for title in "BA":
            commands.set_reading(tx, bo, papers[title], ReadingUpdate(status="to_read"))
    move("E", to="top")
    with database.read() as tx:
        assert [line.paper.title for line in reading_queue.page_queue(tx, bo, PageRequest()).items] == ["B", "A"]
    assert order() == "EABCD"


def test_the_queue_is_paged_without_gaps_or_repeats(database, ada, papers, move, say):
    say("E", priority=1)
    move("C", to="up")
    seen, after = "", None
    with database.read() as tx:
        for _ in range(3):
            page = reading_queue.page_queue(tx, ada, PageRequest(2, after))
            seen, after = seen + "".join(line.paper.title for line in page.items), page.next
    assert seen == "EACBD"
    assert after is None


def test_a_page_of_the_queue_takes_the_same_statements_for_any_queue_length(database, ada, papers, statements):
    def cost(limit):
        with database.read() as tx, statements() as seen:
            reading_queue.page_queue(tx, ada, PageRequest(limit))
        return len(seen)

    assert cost(1) == cost(5)
