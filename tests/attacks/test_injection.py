"""A43: signs that other languages give a meaning, in every parameter, path and field of every door: letters here."""

from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute

from readtrack import search
from readtrack.web.app import all_routes
from tests import make
from tests.client import AppClient
from tests.depth import DEEP, one_in
from tests.parameters import query_names
from tests.sample_library import every_route
from tests.web.sent import BODIES, FORMS, NOW

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # every door of a whole application

CORPUS = ["'; DROP TABLE paper; -- a\0b%_\u202e", '" OR 1=1 {{7*7}}'][: None if DEEP else 1]


def routes():
    """Method, address and the names of parameters of each door."""
    known = {
        (method, route.path): query_names(route)
        for route in all_routes()
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    return [(method, path, known.get((method, path), ())) for method, path in every_route()]


def spoilt_paths(library, path):
    """The address with each sign in place of one of its parts."""
    for name, value in library.of.items():
        if f"{{{name}" in path:
            there = library.address(path)
            yield from (there.replace(f"/{value}", f"/{quote(text, safe='')}", 1) for text in CORPUS)


@pytest.fixture
def admin(library, sign_in) -> AppClient:
    return sign_in(library.admin)


def test_a43_hostile_query_parameters_and_paths_cause_no_server_error(app, library, admin):
    asked = 0
    for method, path, names in routes():
        if method != "GET" or path == "/readyz":  # which tells that no worker runs here
            continue
        tried = [library.address(path) + f"?{name}={quote(text)}" for name in (*names, "q") for text in CORPUS]
        paths = [each for each in spoilt_paths(library, path) if one_in(2, each)]
        for address in dict.fromkeys([*(each for each in tried if one_in(16, each)), *paths]):
            assert admin.get(address).status_code < 500, address
            asked += 1
    assert asked > 90


def test_a43_hostile_field_values_are_stored_as_plain_text(library, admin):
    for door, body in BODIES.items():
        method, path = door.split()
        for field in (field for field in body if one_in(4, door, field)):
            for text in CORPUS:
                answer = admin.request(method, library.address(path), json={**body, field: text}, headers=NOW)
                assert answer.status_code < 500, (door, field, text, answer.text)
    for path, fields in FORMS.items():
        for field in (field for field in fields if one_in(2, path, field)):
            for text in CORPUS:
                answer = admin.post(library.address(path), data={**fields, field: text})
                assert answer.status_code < 500, (path, field, text)


def test_a43_a_search_for_sql_characters_matches_them_literally(library, admin, database):
    titles = ["100% sparse", "100 x sparse", "under_score", "underXscore", "it's OR 1=1--", "its other"]
    with database.write() as tx:
        ids = {title: make.paper(tx, title).id for title in titles}
        search.update_papers(tx, ids.values())
    found = {
        '"100% sparse"': ["100% sparse"],
        "under_score": ["under_score"],
        '"it\'s OR 1=1--"': ["it's OR 1=1--"],
        "%": [],
        "_": [],
        "title:%": [],
        '"\' OR 1=1--"': ["it's OR 1=1--"],
    }
    for q, expected in found.items():
        items = admin.get("/api/v1/papers", params={"q": q}).json()["items"]
        assert [item["title"] for item in items if item["id"] in ids.values()] == expected, q
