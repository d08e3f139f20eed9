"""Questions about papers: every order, page after page, while others write; and a constant number of statements."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.errors import NotFound
from readtrack.infra.models import Identifier
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers import lists, lookup
from readtrack.library.papers.lists import PaperFilter
from readtrack.reading.readings.queries import count_mine
from tests import make
from tests.depth import examples

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

SORTS = [f"{name}{way}" for name in ("added", "updated", "year", "title") for way in ("", "-asc", "-desc")]
TITLES = st.sampled_from(["a", "A", "b", "Ä", "中文", "10", "z z", ""])


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


def page_by_page(database, me, wanted, limit, meanwhile=lambda: None):
    """All ids in the order of the pages, `meanwhile` called between them."""
    seen, after = [], None
    while True:
        with database.read() as tx:
            page = lists.list_papers(tx, me, wanted, PageRequest(limit, after))
        seen += [row.id for row in page.items]
        if page.next is None:
            return seen
        value, last = page.next
        after = (value if isinstance(value, int | str) else str(value), last)  # as a cursor carries it
        meanwhile()


@pytest.mark.deep
@pytest.mark.parametrize("sort", ["added", "updated", "year", "title"])
def test_no_paper_is_skipped_or_repeated_while_others_are_added(database, ada, sort):
    paper = st.tuples(TITLES, st.none() | st.integers(2019, 2021))

    @settings(max_examples=examples(6))
    @given(before=st.lists(paper, min_size=1, max_size=9), added=paper, limit=st.integers(1, 4))
    def walk(before, added, limit):
        with database.write() as tx:
            for title, year in before:
                make.paper(tx, title, year=year)

        def meanwhile():
            with database.write() as tx:
                make.paper(tx, added[0], year=added[1])

        for way in ("", "-asc", "-desc"):
            wanted = PaperFilter(sort=sort + way)
            with database.read() as tx:
                there = [row.id for row in lists.list_papers(tx, ada, wanted, PageRequest(10_000)).items]
            budget = iter(range(3))  # enough to disturb, and to end
            seen = page_by_page(
                database,
                ada,
                wanted,
                limit + len(there) // 4,
                lambda left=budget: next(left, None) is None or meanwhile(),
            )
            assert len(seen) == len(set(seen))
            assert [paper_id for paper_id in seen if paper_id in set(there)] == there

    walk()


@pytest.mark.deep
@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_order_is_stable(database, ada, sort):
    with database.write() as tx:
        for number in (3, 1, 2):
            make.paper(tx, f"Paper {number}", year=2000 + number)
    with database.read() as tx:
        titles = [row.title[-1] for row in lists.list_papers(tx, ada, PaperFilter(sort=sort), PageRequest()).items]
        asked = [row.title[-1] for row in lists.list_papers(tx, ada, PaperFilter(f"sort:{sort}"), PageRequest()).items]
    by_time = ["2", "1", "3"]
    newest_first = by_time if sort.partition("-")[0] in {"added", "updated"} else ["3", "2", "1"]
    descending = sort.endswith("desc") or sort in {"added", "updated", "year"}
    assert titles == asked == (newest_first if descending else newest_first[::-1])


def test_a_row_shows_what_the_team_and_i_did(database, ada):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
        paper = make.paper(tx, "Attention", identifier="arxiv:2305.15778")
        make.filed(tx, paper, make.topic(tx, "Training"))
        for me, private in ((ada, True), (bob, False), (make.visitor(tx, "Eve"), True)):
            make.reading(tx, me.id, paper.id or 0, "read", private=private, progress_unit="page", progress_at=7)
            make.summary(tx, me.id, paper.id or 0, private=private)
    with database.read() as tx:
        [row] = lists.add_team_columns(tx, ada, [lists.get_row(tx, ada, paper.id or 0)])
    assert (row.label, row.url, row.host) == ("arXiv 2305.15778", "https://arxiv.org/abs/2305.15778", "arxiv.org")
    assert (row.readers, row.summaries, row.topics) == (("Ada", "Bob"), 2, (("training", "Training"),))
    assert row.my
    assert (row.my.status, row.my.progress_unit, row.my.progress_at) == ("read", "page", 7)


def test_a_deleted_or_merged_paper_is_not_listed(database, ada):
    with database.write() as tx:
        kept = make.paper(tx)
        gone = make.paper(tx, merged_into=kept.id)
    with database.read() as tx:
        assert lists.count_papers(tx, ada, PaperFilter()) == 1
        with pytest.raises(NotFound):
            lists.get_row(tx, ada, gone.id or 0)


def test_lookup_accepts_any_spelling_and_finds_no_deleted_paper(database, ada):
    with database.write() as tx:
        paper = make.paper(tx, identifier="arxiv:2305.15778")
        tx.add(Identifier(paper_id=paper.id or 0, scheme="doi", value="10.1145/1"))
        tx.flush()
    with database.read() as tx:
        assert lookup.find_by_text(tx, "https://arxiv.org/pdf/2305.15778v3") == ("arxiv:2305.15778", paper.id)
        assert lookup.find_by_text(tx, "2401.00001") == ("arxiv:2401.00001", None)
        assert lookup.find_by_text(tx, "nothing") == (None, None)


@pytest.mark.parametrize(
    ("unit", "at", "of", "said"),
    [("page", 7, 14, "page 7 of 14"), ("page", 7, None, "page 7"), ("percent", 50, None, "50%"), ("", 1, 2, "")],
)
def test_progress_in_words(unit, at, of, said):
    assert lists.format_progress(unit, at, of) == said


def test_a_facet_counts_exactly_the_papers_its_link_shows(database, ada):
    with database.write() as tx:
        for fields in ({}, {"deleted_at": make.person(tx).created_at}):
            make.reading(tx, ada.id, make.paper(tx, **fields).id or 0, "to_read")
    with database.read() as tx:
        mine = count_mine(tx, ada)
        assert lists.count_papers(tx, ada, PaperFilter("status:to_read")) == mine["to_read"] == 1
