"""What a page costs: the same number of statements for one row and for many."""

import pytest

from readtrack import search
from tests import make
from tests.sample_library import fill

pytestmark = pytest.mark.slow

WHOLE = "/api/v1/export?format=json"  # All that there is about papers: one statement for each table, of many papers.
LISTS = [
    "/papers",
    "/papers?q=paper+year:2020..2030",
    "/topics",
    "/notes",
    "/imports",
    "/jobs",
    "/people",
    "/activity",
    "/assignments?of=all",
    "/notifications",
    "/api/v1/assignments",
    "/api/v1/notifications",
    "/api/v1/events",
    "/api/v1/papers?include=reading,topics,total",
    "/api/v1/topics",
    "/api/v1/notes",
    "/api/v1/people",
    "/api/v1/readings",
    "/api/v1/jobs",
    "/api/v1/sources",
    "/api/v1/imports/progress",
    WHOLE,
]
MOST = 12


@pytest.fixture
def database_url(sqlite_files):
    """On SQLite alone: statements are counted, not what they cost."""
    url = sqlite_files.copy()
    yield url
    sqlite_files.drop(url)


@pytest.mark.deep
def test_a_list_takes_the_same_statements_for_one_row_and_fifty(database, sign_in, statements):
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, "Ada", role="admin")
    browser = sign_in(me)

    def costs():
        counted = {}
        for address in LISTS:
            with statements() as seen:
                assert browser.get(address).status_code == 200, address
            counted[address] = len(seen)
        return counted

    fill(database, me, 1)
    one = costs()
    fill(database, me, 49)
    assert costs() == one
    assert {address: count for address, count in one.items() if count > MOST and address != WHOLE} == {}
