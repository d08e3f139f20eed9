"""What a search costs does not grow with what it does not find, counted in steps of SQLite's own machine."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.models import Identifier, Link, Paper
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.grouping import page_groups
from readtrack.library.papers.lists import PaperFilter, list_papers
from readtrack.search import ranking, sqlite
from readtrack.workspace.saved_searches import queries
from readtrack.workspace.saved_searches.queries import ViewRow
from tests import make
from tests.depth import DEEP, some
from tests.steps import steps

pytestmark = pytest.mark.slow

FEW, MANY = 400, 4_000 if DEEP else 2_000
AT = datetime(2026, 1, 1, tzinfo=UTC)
RARE = (
    "is:inbox",
    "is:rejected",
    "host:github.com",
    "year:1999",
    "year:none",
    "kind:video",
    "updated:<2020",
    "quicksilver",
    "id:doi:10.1/x",
)
GROUPS = ("status", "topic", "venue", "year", "reader")


@pytest.fixture(scope="module")
def libraries(sqlite_files):
    """A small and a large one of papers that are alike, but for a few."""
    made = []
    for count in (FEW, MANY):
        url = sqlite_files.copy()
        database = Database(url)
        with database.write() as tx:
            me = make.visitor(tx, "Ada")
            furnish(tx, count)
            tx.execute(sa.text("ANALYZE"))
        made.append((database, me, url))
    yield made
    for database, _me, url in made:
        database.dispose()
        sqlite_files.drop(url)


def furnish(tx, count):
    search.ensure(tx)
    papers = [
        {
            "id": number,
            "title": f"Paper {number}",
            "title_key": f"paper {number:06}",
            "year": 2010 + number % 15,
            "venue": f"Venue {2010 + number % 15}",
            "updated_at": AT,
            "kind": "paper",
            "triage": "library",
            "abstract": "",
        }
        for number in range(1, count + 1)
    ]
    for number, rare in enumerate(
        ({"year": 1999}, {"year": None}, {"kind": "video"}, {"triage": "inbox"}, {"triage": "rejected"})
    ):
        papers[count // 2 + number] |= rare
    papers[count // 2]["updated_at"] = AT.replace(year=2019)
    papers[count // 2]["abstract"] = "quicksilver"
    tx.execute(sa.insert(Paper), papers)
    numbers = range(1, count + 1)
    tx.execute(sa.insert(Identifier), [{"paper_id": n, "scheme": "arxiv", "value": f"2401.{n:05}"} for n in numbers])
    tx.execute(sa.insert(Link), [{"paper_id": count // 2, "url": "https://github.com/a/b", "role": "code"}])
    search.rebuild(tx)


def cost(library, ask):
    database, me, _url = library
    with database.read() as tx:
        ask(tx, me)  # once before: what SQLite looks up only once is not counted
        with steps(tx) as counted:
            ask(tx, me)
    return counted[0]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("q", "sort"), some([(q, sort) for q in RARE for sort in ("", "title", "updated", "year")], 2 * len(RARE))
)
def test_a_rare_term_is_found_without_scanning_all_papers(libraries, q, sort):
    small, large = (
        cost(each, lambda tx, me: list_papers(tx, me, PaperFilter(q, sort), PageRequest(50))) for each in libraries
    )
    assert large < small + FEW


@pytest.mark.deep
@pytest.mark.parametrize(("q", "by"), some([(q, by) for q in RARE for by in GROUPS], 2 * len(RARE)))
def test_a_rare_term_is_grouped_without_scanning_all_papers(libraries, q, by):
    small, large = (
        cost(each, lambda tx, me: page_groups(tx, me, PaperFilter(q), PageRequest(50), by=by)) for each in libraries
    )
    assert large < small + FEW


@pytest.mark.deep
@pytest.mark.parametrize("q", ["", "year:2010..2024", "kind:paper", "updated:>2020", "paper", "is:library"])
def test_a_list_of_common_results_stops_when_its_page_is_full(libraries, q, monkeypatch):
    monkeypatch.setattr(sqlite, "MANY_HITS", 20)
    monkeypatch.setattr(ranking, "MAX_RANKED", 100)
    small, large = (
        cost(each, lambda tx, me: list_papers(tx, me, PaperFilter(q), PageRequest(50))) for each in libraries
    )
    assert large < small + FEW


def test_the_counts_next_to_saved_searches_stop_at_their_limit(libraries, monkeypatch):
    monkeypatch.setattr(queries, "MAX_COUNTED", 100)
    monkeypatch.setattr(sqlite, "MANY_HITS", 20)
    asked = ["", "year:2010..2024", "kind:paper", "is:library", "year:1999", "host:github.com", "quicksilver"]
    views = [ViewRow(n, "", q, "", "list", "", (), False, 1, AT, AT, 1, "Ada") for n, q in enumerate(asked, 1)]
    small, large = (cost(each, lambda tx, me: queries.count_papers(tx, me, views)) for each in libraries)
    assert large < small + len(views) * FEW
