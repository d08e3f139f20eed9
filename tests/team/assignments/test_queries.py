"""Which assignments there are, in which order, and that "done" tells nobody of a private reading."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra import clock
from readtrack.infra.models import Person
from readtrack.infra.pagination import PageRequest
from readtrack.team.assignments import queries
from readtrack.team.assignments.queries import AssignmentFilter, group_by_week
from tests import make

TODAY = clock.today()


@pytest.fixture
def tx(database):
    with database.write() as tx:
        yield tx


@pytest.fixture
def reader(tx):
    return make.visitor(tx, "Bo")


@pytest.fixture
def other(tx):
    return make.visitor(tx, "Cy")


def found(tx, me, cut=None, **wanted):
    page = queries.list_assignments(tx, me, AssignmentFilter(**wanted), cut or PageRequest(50))
    return [row.id for row in page.items]


def in_days(count):
    return TODAY + timedelta(days=count)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("asked", "finished", "done"),
    [
        ("", "skimmed", True),
        ("", "", True),
        ("read", "skimmed", False),
        ("read", "read", True),
        ("read", "studied", True),
        ("studied", "read", False),
        ("studied", "", True),
    ],
)
def test_it_is_done_when_the_person_has_read_it_as_deeply_as_requested(tx, reader, asked, finished, done):
    paper = make.paper(tx)
    make.reading(tx, reader.id, paper.id, "read", depth=finished)
    row = make.assignment(tx, reader.id, paper.id, depth=asked)
    assert queries.get_assignment(tx, reader, row.id).done is done


@pytest.mark.parametrize("status", ["to_read", "reading", "paused", "dropped"])
def test_only_a_finished_pass_completes_it(tx, reader, status):
    paper = make.paper(tx)
    make.reading(tx, reader.id, paper.id, status)
    assert not queries.get_assignment(tx, reader, make.assignment(tx, reader.id, paper.id).id).done


def test_another_persons_reading_does_not_complete_it(tx, reader, other):
    paper = make.paper(tx)
    make.reading(tx, other.id, paper.id, "read")
    assert not queries.get_assignment(tx, reader, make.assignment(tx, reader.id, paper.id).id).done


def test_a_private_reading_completes_it_for_its_reader_only(tx, reader, other):
    paper = make.paper(tx)
    make.reading(tx, reader.id, paper.id, "read", private=True)
    row = make.assignment(tx, reader.id, paper.id, due_on=in_days(-9))
    assert [found(tx, reader, which=which) for which in ("open", "done", "overdue")] == [[], [row.id], []]
    everybody_else = [found(tx, other, which=which) for which in ("open", "done", "overdue")]
    assert everybody_else == [[row.id], [], [row.id]]
    (shown,) = queries.list_for_paper(tx, other, paper.id)
    assert (shown.done, shown.overdue) == (False, True)


def test_the_nearest_due_date_comes_first_and_those_without_one_last(tx, reader):
    days = [in_days(3), None, in_days(-2), in_days(40), None]
    ids = [make.assignment(tx, reader.id, make.paper(tx).id, due_on=day).id for day in days]
    assert found(tx, reader) == [ids[2], ids[0], ids[3], ids[1], ids[4]]
    assert found(tx, reader, which="overdue") == [ids[2]]
    assert found(tx, reader, which="all") == [ids[4], ids[1], ids[3], ids[0], ids[2]]


def test_pages_follow_without_gaps_or_repeats(tx, reader):
    days = [in_days(3), None, in_days(3), in_days(-2), None, in_days(40), in_days(3)]
    for day in days:
        make.assignment(tx, reader.id, make.paper(tx).id, due_on=day)
    for which in ("open", "all"):
        page = queries.list_assignments(tx, reader, AssignmentFilter(which=which), PageRequest(2))
        seen = [row.id for row in page.items]
        while page.next:
            after = (str(page.next[0]), page.next[1])
            page = queries.list_assignments(tx, reader, AssignmentFilter(which=which), PageRequest(2, after))
            seen += [row.id for row in page.items]
        assert seen == found(tx, reader, which=which)
        assert len({*seen}) == len(days)


def test_lists_show_assignee_assigner_and_paper(tx, reader, other):
    paper = make.paper(tx)
    mine = make.assignment(tx, reader.id, paper.id, created_by=other.id)
    theirs = make.assignment(tx, other.id, paper.id, created_by=reader.id)
    declined = make.assignment(tx, reader.id, make.paper(tx).id, "declined")
    assert found(tx, reader, person=reader.id) == [mine.id]
    assert found(tx, reader, by=reader.id) == [theirs.id]
    assert found(tx, reader, paper=paper.id) == [mine.id, theirs.id]
    assert found(tx, reader, which="declined") == [declined.id]
    assert found(tx, reader, which="withdrawn") == []


def test_deleted_papers_are_in_no_list(tx, reader):
    gone, here = make.paper(tx, deleted_at=clock.now()), make.paper(tx)
    merged = make.paper(tx, merged_into=here.id)
    for paper in (gone, merged):
        make.assignment(tx, reader.id, paper.id)
    assert found(tx, reader, which="all") == []


def test_assignments_of_former_members_are_not_listed(tx, reader, other):
    paper = make.paper(tx)
    row = make.assignment(tx, reader.id, paper.id, due_on=in_days(-9))
    person = tx.get_one(Person, reader.id)
    person.disabled_at = clock.now()
    tx.flush()
    assert [found(tx, other, which=which) for which in ("open", "overdue", "all")] == [[], [], [row.id]]
    assert queries.list_for_paper(tx, other, paper.id) == []
    shown = queries.get_assignment(tx, other, row.id)
    assert (shown.open, shown.overdue) == (False, False)
    person.disabled_at = None
    tx.flush()
    assert found(tx, other, which="overdue") == [row.id]


class Due:
    def __init__(self, due_on, overdue):
        self.due_on, self.overdue = due_on, overdue


def test_weeks_have_labels_and_start_on_mondays():
    today = date(2026, 11, 25)  # a Wednesday
    days = [date(2026, 11, 23), date(2026, 11, 25), date(2026, 11, 29), date(2026, 11, 30), date(2026, 12, 8), None]
    rows = [Due(day, day is not None and day < today) for day in days]
    words = [(word, len(same)) for word, same in group_by_week(rows, today)]
    assert words == [("Overdue", 1), ("This week", 2), ("Next week", 1), ("Week of 7 Dec 2026", 1), ("No due date", 1)]


@given(st.lists(st.none() | st.dates()), st.dates())
def test_every_assignment_is_under_one_week(days, today):
    rows = [Due(day, day is not None and day < today) for day in days]
    assert [row for _, same in group_by_week(rows, today) for row in same] == rows
