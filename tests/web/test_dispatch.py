"""Every address finds its door: the same that the framework would have found by trying one route after the other."""

import re

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from readtrack.web.dispatch import Dispatch

SAMPLES = {"int": "7", "path": "a/b.css", "str": "some-word"}


def address(path: str) -> str:
    return re.sub(r"\{(\w+)(?::(\w+))?\}", lambda part: SAMPLES[part[2] or "str"], path)


@pytest.fixture
def small():
    """Routes that overlap, in routers within routers; each answers with its own name and what stood in the address."""
    app, outer, inner = FastAPI(redirect_slashes=False), APIRouter(), APIRouter(prefix="/papers")
    inner.get("/new")(lambda: "new")
    inner.get("/{number:int}")(lambda number: f"one {number}")
    inner.get("/{number:int}.bib")(lambda number: f"bib {number}")
    inner.get("/{word}")(lambda word: f"word {word}")
    inner.post("/{number:int}")(lambda number: f"changed {number}")
    outer.include_router(inner)
    app.include_router(outer)
    app.get("/files/{name:path}")(lambda name: f"file {name}")
    app.router.middleware_stack = Dispatch(app.router.middleware_stack, app.routes)
    return TestClient(app)


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("GET", "/papers/new", "new"),
        ("GET", "/papers/12", "one 12"),
        ("GET", "/papers/12a", "word 12a"),
        ("POST", "/papers/12", "changed 12"),
        ("GET", "/papers/12.bib", "bib 12"),
        ("GET", "/papers/caf%C3%A9", "word café"),
        ("GET", "/files/a/b.css", "file a/b.css"),
    ],
)
def test_the_first_route_that_fits_answers(small, method, path, said):
    assert small.request(method, path).json() == said


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/papers", 404), ("GET", "/papers/12/more", 404), ("PUT", "/papers/12", 405), ("POST", "/files/x", 405)],
)
def test_what_has_no_door_is_told_as_ever(small, method, path, status):
    assert small.request(method, path).status_code == status


def test_every_route_of_readtrack_is_found_by_its_own_address(app):
    inner = app._app  # noqa: SLF001 - the envelope holds it
    dispatch = inner.router.middleware_stack
    assert isinstance(dispatch, Dispatch)
    for route in iter_route_contexts(inner.routes):
        for method in route.methods or ():
            scope = {"method": method, "path": address(route.path or "")}
            found = dispatch._find(scope)  # noqa: SLF001
            assert found is not None, (method, route.path)
            assert found.path == route.path, (method, route.path)
