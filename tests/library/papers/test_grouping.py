"""Lists in groups: every paper in each of its groups once, page after page, whatever others write meanwhile."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.models import STATUSES
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.grouping import group_rows, page_groups
from readtrack.library.papers.lists import PaperFilter
from tests import make
from tests.depth import examples

pytestmark = pytest.mark.both_databases

WAYS = ("status", "topic", "venue", "year", "reader")
SORTS = ("", "title", "year-asc", "updated")


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo")]


def asked(database, me, by, cut=None, wanted=None):
    with database.read() as tx:
        return page_groups(tx, me, wanted or PaperFilter(), cut or PageRequest(10_000), by=by)


def pairs(rows):
    return [(row.value, row.paper.id) for row in rows]


def carried(place):
    """A place as a cursor carries it."""
    if place is None:
        return None
    (stage, key, value), row_id = place
    return [stage, key, value if isinstance(value, int | str) else str(value)], row_id


def forward(database, me, by, limit, wanted, meanwhile=lambda: None):
    seen, after = [], None
    while True:
        page = asked(database, me, by, PageRequest(limit, after), wanted)
        seen.append(page)
        if page.next is None:
            return seen
        after = carried(page.next)
        meanwhile()


def some_papers(tx, people, shapes):
    topics = [make.topic(tx), make.topic(tx)]
    for status, filed, venue, year, read in shapes:
        paper = make.paper(tx, venue=venue, year=year)
        if status:
            make.reading(tx, people[0].id, paper.id, status)
        for number in filed:
            make.filed(tx, paper, topics[number])
        if read:
            make.reading(tx, people[1].id, paper.id, "read", current=False)
            make.reading(tx, people[1].id, paper.id, "read", pass_number=2)


SHAPE = st.tuples(
    st.sampled_from(["", *STATUSES]),
    st.sampled_from([(), (0,), (0, 1)]),
    st.sampled_from(["", "OSDI", "nsdi", "万卡"]),
    st.none() | st.integers(2019, 2021),
    st.booleans(),
)


@pytest.mark.parametrize("by", WAYS)
def test_paging_forth_and_back_equals_the_whole_list_while_others_write(database, people, by):
    @settings(max_examples=examples(5))
    @given(
        st.lists(SHAPE, min_size=1, max_size=8), st.lists(SHAPE, max_size=2), st.integers(1, 4), st.sampled_from(SORTS)
    )
    def walk(before, added, limit, sort):
        wanted = PaperFilter(sort=sort)
        with database.write() as tx:
            some_papers(tx, people, before)
        whole = pairs(asked(database, people[0], by, wanted=wanted).items)
        assert len(whole) == len(set(whole))
        waiting = list(added)

        def meanwhile():
            if waiting:
                with database.write() as tx:
                    some_papers(tx, people, [waiting.pop()])

        limit += len(whole) // 4
        pages = forward(database, people[0], by, limit, wanted, meanwhile)
        seen = [pair for page in pages for pair in pairs(page.items)]
        assert [pair for pair in seen if pair in set(whole)] == whole
        assert len(seen) == len(set(seen))
        calm = forward(database, people[0], by, limit, wanted)
        for earlier, later in itertools.pairwise(calm):
            back = asked(database, people[0], by, PageRequest(limit, carried(later.first), back=True), wanted)
            assert pairs(back.items) == pairs(earlier.items)

    walk()


def test_groups_are_in_order_and_ungrouped_papers_last(database, people):
    with database.write() as tx:
        for year in (2020, None, 2022, 2020):
            make.paper(tx, year=year)
    page = asked(database, people[0], "year")
    assert [(group.text, len(group.papers), group.filter_term) for group in group_rows(page.items, "year")] == [
        ("2022", 1, "year:2022"),
        ("2020", 2, "year:2020"),
        ("", 1, "year:none"),
    ]


def test_a_paper_in_two_groups_is_complete_in_the_first_only(database, people):
    with database.write() as tx:
        paper = make.paper(tx)
        for name in ("Zero", "Alpha"):
            make.filed(tx, paper, make.topic(tx, name))
    first, second = group_rows(asked(database, people[0], "topic").items, "topic")
    assert [(group.text, sorted(group.repeated_ids)) for group in (first, second)] == [
        ("Alpha", []),
        ("Zero", [paper.id]),
    ]


def test_grouping_by_reader_does_not_reveal_a_private_reading(database, people):
    ada, bo = people
    with database.write() as tx:
        make.reading(tx, bo.id, make.paper(tx).id, "read", private=True)
    assert [row.text for row in asked(database, ada, "reader").items] == [""]
    assert [row.text for row in asked(database, bo, "reader").items] == ["Bo"]


@pytest.mark.deep
@pytest.mark.parametrize("by", WAYS)
def test_the_number_of_statements_does_not_grow(database, people, statements, by):
    def ask():
        with statements() as seen:
            asked(database, people[0], by, PageRequest(20))
        return len(seen)

    with database.write() as tx:
        some_papers(tx, people, [("read", (0,), "OSDI", 2020, True)])
    before = ask()
    with database.write() as tx:
        some_papers(tx, people, [("read", (0, 1), "OSDI", 2020, True)] * 30)
    assert ask() <= before
