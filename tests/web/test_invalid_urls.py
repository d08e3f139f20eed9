"""Addresses that are not quite right: pages are shown all the same and say what they left out; programs are told."""

import re
from collections.abc import Iterator
from itertools import cycle
from zlib import crc32

import pytest
from fastapi.routing import APIRoute

from readtrack.web.app import all_routes
from tests.depth import DEEP
from tests.parameters import path_numbers, query_names
from tests.sample_library import Library

pytestmark = pytest.mark.slow

ODD = ("bogus", "-1", "99999999999999999999", "<b>", "1 or 1=1")
USUAL = (
    *("after", "before", "sort", "view", "group", "display", "columns", "kind", "state", "show", "of", "page"),
    *("paper", "topic", "person", "year", "weeks", "from", "to", "status", "depth", "limit", "who"),
)
OF_ONE_THING = {  # a version, a draft, a paper to merge with, who may look: without it something else would be shown
    *("compare", "draft", "template", "into", "token", "revision", "line"),
}
STRICT = {"/imports/{import_id:int}", "/progress/{figure}.csv"}  # `after` is a line of the note; a file has no notices


def routes() -> list[APIRoute]:
    return [route for route in all_routes() if isinstance(route, APIRoute)]


def pages() -> list[APIRoute]:
    return [
        route
        for route in routes()
        if "GET" in (route.methods or ()) and not route.path.startswith(("/api/", "/static"))
    ]


@pytest.fixture
def ada(library: Library, sign_in):
    browser = sign_in(library.admin)
    browser.follow_redirects = True
    return browser


def tried(path: str, own: set[str]) -> Iterator[dict[str, str]]:
    """Each of its parameters with each odd value, and all at once; a deep run aside, each with one of the values."""
    turn = cycle(ODD[crc32(path.encode()) % len(ODD) :] + ODD[: crc32(path.encode()) % len(ODD)])
    for name in sorted(own):
        yield from ({name: odd} for odd in (ODD if DEEP else [next(turn)]))
    yield from (dict.fromkeys((own | set(USUAL)) - {"q"}, odd) for odd in (ODD if DEEP else [next(turn)]))


@pytest.mark.deep
@pytest.mark.slow  # each page with each of its parameters
def test_an_invalid_parameter_never_leads_to_an_error_page(ada, library):
    broken = set()
    for route in pages():
        path = library.address(route.path)
        if route.path in STRICT or ada.get(path).status_code != 200:
            continue
        own = set(query_names(route)) - OF_ONE_THING
        for given in tried(route.path, own):
            if ada.get(path, params=given).status_code != 200:
                broken.add((route.path, str(given)[:80]))
    assert broken == set()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/papers?sort=bogus", "sort=bogus"),
        ("/papers?sort=title-up", "sort=title-up"),
        ("/papers?view=x", "view=x"),
        ("/papers?view=999999", "view=999999"),
        ("/papers?display=cube", "display=cube"),
        ("/papers?group=moon", "group=moon"),
        ("/papers?columns=title,moon", "columns=moon"),
        ("/papers?sort=%3Cb%3E", "sort=&lt;b&gt;"),
        ("/papers/facets?sort=bogus", None),
        ("/papers?after=bogus", "Showing the first page"),
        ("/people?after=bogus", "Showing the first page"),
        ("/board?view=x", "view=x"),
        ("/board?group=moon", "group=moon"),
        ("/unresolved?topic=moon", "topic=moon"),
        ("/progress?topic=moon", "topic=moon"),
    ],
)
def test_a_list_ignores_unknown_values_and_says_so(ada, address, said):
    ada.follow_redirects = False
    answer = ada.get(address)
    assert answer.status_code == 200
    assert said is None or said in answer.text


def test_a_page_ignores_an_invalid_number(ada, library):
    there = library.address("/notes/{note_id:int}")
    ada.follow_redirects = False
    answer = ada.get(f"{there}?line=moon&q=1")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{there}?q=1")
    assert "line=moon" in ada.get(answer.headers["location"]).text


@pytest.mark.parametrize(
    ("address", "there"),
    [
        ("/papers/", "/papers"),
        ("/papers///", "/papers"),
        ("/papers/?q=a%20b&sort=title", "/papers?q=a%20b&sort=title"),
        ("/topics/", "/topics"),
        ("/papers/{paper_id:int}/", "/papers/{paper_id:int}"),
        ("/topics/caf%C3%A9/", "/topics/caf%C3%A9"),
        ("/topics/%0d%0ax:y/", "/topics/%0D%0Ax%3Ay"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_trailing_slash_redirects_to_the_page_without(ada, library, method, address, there):
    ada.follow_redirects = False
    answer = ada.request(method, library.address(address))
    assert (answer.status_code, answer.headers["location"]) == (308, library.address(there))


@pytest.mark.deep
@pytest.mark.parametrize(
    "address",
    ["//evil.example/", "//evil.example/papers/", "/%2Fevil.example/", "/\\evil.example/", "/nowhere/", "//papers/"],
)
def test_a_trailing_slash_redirects_nowhere_else(ada, address):
    ada.follow_redirects = False
    assert ada.get(f"http://127.0.0.1:8000{address}").status_code == 404


def test_api_clients_get_an_error_and_no_redirect(ada):
    ada.follow_redirects = False
    assert ada.get("/api/v1/papers/").status_code == 404
    assert ada.get("/api/v1/papers?sort=bogus").status_code == 422
    assert ada.get("/api/v1/papers?view=x").status_code == 422
    assert ada.get("/api/v1/papers?after=bogus").status_code == 400
    assert ada.post("/papers/", data={"text": "A title"}).status_code == 404


@pytest.mark.deep
def test_every_numeric_path_parameter_is_an_integer_in_its_pattern():
    """So all answer alike to what is no number: there is nothing at that address."""
    plain = {
        (route.path, name)
        for route in routes()
        for name in path_numbers(route)
        if "{" + name + ":int}" not in route.path
    }
    assert plain == set()


@pytest.mark.deep
def test_a_non_numeric_id_is_not_found(ada, library):
    found, none = {}, ("x", "1.5", "-1", "1" * 40, "१")
    turn = cycle(none)
    for route in routes():
        if route.path.startswith("/api/v1") and path_numbers(route):
            for odd in none if DEEP else [next(turn)]:
                path = library.address(re.sub(r"\{\w+:int\}", odd, route.path))
                answer = ada.request(min(route.methods or ()), path, json={})
                found[route.path, odd] = answer.status_code
    other = {path for path, status in found.items() if status != 404}
    assert len(found) > 100
    assert other == set()
