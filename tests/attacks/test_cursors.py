"""A42: cursors that nobody gave: flipped, of another list, of another secret, huge, with SQL in their place."""

import base64
import json
import re
from itertools import cycle, islice
from typing import Any

import pytest
from fastapi.routing import APIRoute

from readtrack.infra.pagination import Cursors
from readtrack.web.app import all_routes
from tests import make
from tests.depth import DEEP
from tests.parameters import query_names

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # every list of a whole application

SQL = "1' OR 1=1; DROP TABLE paper; --"
PLACES: list[Any] = [(SQL, 1), ([1, SQL, "x"], 1), (None, 2**70), ({"$ne": 1}, "1"), (float(10**9), -1)]

NUMBERED = {
    "/api/v1/imports/{import_id:int}/entries",
    "/imports/{import_id:int}",
}  # these go on behind a plain number
NEEDED = {"/api/v1/papers/groups": {"by": "topic"}, "/trash": {"of": "papers"}}


def unsigned(place):
    return base64.urlsafe_b64encode(b"\0" * 16 + json.dumps(place).encode()).rstrip(b"=").decode()


def forgeries(settings):
    """Cursors of no list: without a signature, of another secret, and well signed for another list."""
    secret, ours = Cursors("another secret"), Cursors(settings.secret_key)
    for place in PLACES:
        yield unsigned(place)
        yield secret.write("papers\0\0", place)
        yield ours.write("another list", place)
    yield from ("x", "====", "é", "\ud7ff", "a\0b", "'", "A" * 20_000, secret.write("", (1, 1))[:-3])


def lists():
    """Address and parameter of every list that goes on by a cursor."""
    for route in all_routes():
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
            yield from ((route.path, name) for name in query_names(route) if name in {"after", "before"})
    yield from (("/questions", "after"), ("/papers/{paper_id}", "talk"))


def test_a42_a_forged_cursor_is_rejected(settings, library, sign_in):
    browser, asked = sign_in(library.admin), sorted({*lists()})
    assert len(asked) > 30
    forged = cycle(forgeries(settings))  # one at each list, all of them at some; in a deep run all at each
    for path, name in asked:
        there = library.address(path)
        for_programs, for_people = (422, 303) if path in NUMBERED else (400, 200)  # a page begins with its first row
        refused = for_programs if path.startswith("/api/") else for_people
        answers = {
            cursor[:40]: browser.get(there, params={**NEEDED.get(path, {}), name: cursor}).status_code
            for cursor in (forgeries(settings) if DEEP else islice(forged, 1))
        }
        assert set(answers.values()) == {refused}, (path, name, answers)


@pytest.fixture
def papers(library, database):
    with database.write() as tx:
        return [make.paper(tx, f"Paper {number}").id for number in range(3)]


def rows(page):
    return re.findall(r'href="/papers/(\d+)"', page.text)


def first_cursor(browser, q="sort:status"):
    return browser.get("/api/v1/papers", params={"q": q, "limit": 1}).json()["next"]


@pytest.mark.usefixtures("papers")
def test_a42_changing_any_byte_of_a_cursor_makes_it_invalid(library, sign_in):
    browser = sign_in(library.admin)
    raw = base64.urlsafe_b64decode(first_cursor(browser) + "==")
    for place in range(len(raw)):
        flipped = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        asked = {"q": "sort:status", "after": base64.urlsafe_b64encode(flipped).rstrip(b"=").decode()}
        assert browser.get("/api/v1/papers", params=asked).status_code == 400, place


@pytest.mark.deep
@pytest.mark.usefixtures("papers")
@pytest.mark.parametrize("other", ["", "sort:due", "sort:status-desc", "paper", "paper sort:status"])
def test_a42_a_cursor_is_valid_only_for_its_own_search(library, sign_in, other):
    browser = sign_in(library.admin)
    cursor = first_cursor(browser)
    for asked in ({"q": other}, {"q": "sort:status", "sort": "title"}):
        assert browser.get("/api/v1/papers", params={**asked, "after": cursor}).status_code == 400
        page = browser.get("/papers", params={**asked, "before": cursor})
        assert "Invalid page link" in page.text
        assert rows(page) == rows(browser.get("/papers", params=asked))


def test_a42_another_persons_cursor_reveals_none_of_their_data(library, sign_in, database, papers):
    """It says where a list goes on, as links to comments do that people give each other; whose list is who asks."""
    with database.write() as tx:
        make.reading(tx, library.editor.id, papers[0], "reading", private=True)
    cursor = first_cursor(sign_in(library.editor))
    shown = sign_in(library.member).get("/api/v1/papers", params={"q": "sort:status", "after": cursor}).json()["items"]
    whole = sign_in(library.member).get("/api/v1/papers", params={"q": "sort:status"}).json()["items"]
    assert [paper for paper in whole if paper in shown] == shown
