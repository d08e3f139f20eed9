"""The order of what is found: the best first, every paper once, whatever happens between two pages."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack import search
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.lists import SORTS, PaperFilter, list_papers
from readtrack.search import ranking
from tests import make
from tests.depth import examples

pytestmark = pytest.mark.both_databases


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def me(library):
    with library.write() as tx:
        return make.visitor(tx)


def pages(database, me, q, *, sort="", limit=2):
    """The ids of each page, one after the other."""
    after = None
    while True:
        with database.read() as tx:
            page = list_papers(tx, me, PaperFilter(q, sort), PageRequest(limit, after))
        yield [row.id for row in page.items]
        if page.next is None:
            return
        value, row_id = page.next
        after = (str(value) if isinstance(value, date) else value, row_id)


def listed(database, me, q, **how):
    return [row for page in pages(database, me, q, **how) for row in page]


@pytest.fixture
def ranked(library, me):
    """Papers with the word in other places, from the worst to the best."""
    with library.write() as tx:
        ids = {
            "title": make.paper(tx, "On zigzag schedules").id,
            "author": make.paper(tx, "Else", authors=["Zigzag, A."]).id,
            "abstract": make.paper(tx, "Else", abstract="It goes zigzag.").id,
            "venue": make.paper(tx, "Else", venue="Zigzag 2024").id,
            "summary": make.paper(tx, "Else").id,
            "no": make.paper(tx, "Else").id,
        }
        summary = make.summary(tx, me.id, ids["summary"], "Zigzag, again.")
        search.update_papers(tx, ids.values())
        search.update_summaries(tx, [summary.id])
    return ids


def test_title_matches_rank_before_authors_then_other_fields_then_summaries(library, me, ranked):
    best = [ranked[name] for name in ("title", "author", "venue", "abstract", "summary")]
    for q in ("zigzag", "zigzag sort:relevance", "zigzag OR nowhere", "zigzag -nowhere"):
        assert listed(library, me, q) == best
    assert listed(library, me, "zigzag sort:relevance-asc") == best[::-1]
    assert listed(library, me, "zigzag sort:added") == sorted(best, reverse=True)
    assert listed(library, me, "zigzag in:title,summary") == [ranked["title"], ranked["summary"]]


def test_only_the_newest_matches_are_ranked_and_older_ones_follow(library, me, ranked, monkeypatch):
    monkeypatch.setattr(ranking, "MAX_RANKED", 2)
    expected = [ranked[name] for name in ("author", "venue", "abstract", "summary", "title")]
    assert [listed(library, me, "zigzag", limit=limit) for limit in (1, 2, 9)] == [expected] * 3
    assert listed(library, me, "zigzag sort:relevance-asc") == expected[::-1]


def test_without_words_the_newest_come_first(library, me, ranked):
    newest = sorted(ranked.values(), reverse=True)
    assert listed(library, me, "sort:relevance") == listed(library, me, "") == newest
    assert listed(library, me, "-zigzag") == [ranked["no"]]


SORTED = [f"{name}{direction}" for name in SORTS for direction in ("", "-asc", "-desc")]
WORDS = st.sampled_from(["zigzag", "ring", "tree"])
PAPERS = st.lists(st.tuples(WORDS, WORDS, st.integers(2020, 2022)), min_size=1, max_size=9)


@pytest.mark.deep
@pytest.mark.slow  # it lists a library many times
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    q=st.sampled_from(["zigzag", "zigzag OR ring", ""]), sort=st.sampled_from(SORTED), papers=PAPERS, few=st.booleans()
)
def test_pages_have_every_paper_once_and_in_order_while_others_are_added(library, me, q, sort, papers, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "MAX_RANKED", 2 if few else 1_000)
        before = added(library, papers, me)
        whole = [row for row in listed(library, me, q, sort=sort, limit=200) if row in before]
        seen = []
        for page in pages(library, me, q, sort=sort):
            seen += [row for row in page if row in before]
            added(library, [("zigzag", "ring", 2021)] if len(seen) < len(papers) // 2 else [], me)
        assert seen == whole
    with library.write() as tx:
        tx.connection().exec_driver_sql("UPDATE paper SET deleted_at = created_at")


def added(library, papers, me):
    with library.write() as tx:
        ids = [
            make.paper(tx, f"On {title}", abstract=f"With {abstract}", year=year, updated_at=DAY).id
            for title, abstract, year in papers
        ]
        search.update_papers(tx, ids)
        for paper_id in ids[::2]:
            make.reading(tx, me.id, paper_id, "read" if paper_id % 3 else "reading")
        for paper_id in ids[1::2]:
            make.assignment(tx, me.id, paper_id, due_on=date(2026, 1, 1 + paper_id % 3))
    return set(ids)


DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.deep
def test_private_data_of_others_does_not_affect_the_ranking(library, me, ranked):
    orders = [f"sort:{sort}" for sort in SORTED] + ["zigzag"]
    before = [listed(library, me, q) for q in orders]
    with library.write() as tx:
        mei = make.visitor(tx)
        for paper_id in (ranked["no"], ranked["abstract"]):
            make.reading(tx, mei.id, paper_id, "read", private=True)
            search.update_summaries(tx, [make.summary(tx, mei.id, paper_id, "zigzag", private=True).id])
    assert [listed(library, me, q) for q in orders] == before
