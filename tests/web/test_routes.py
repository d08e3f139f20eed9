"""What holds for every route there is, now and later: each test walks through all of them."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import cycle

import pytest
from lxml import html

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.jobs.scheduler import record_heartbeat
from readtrack.team.accounts import commands as people
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.middleware.security_headers import HEADERS
from readtrack.web.pages.moved import MOVED
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS
from tests.depth import DEEP, one_in
from tests.sample_library import SAFE, content, every_route
from tests.web.permissions import FEED, OPEN, plain, rows
from tests.web.sent import NOW

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

PIECES = {"/views/counts", "/papers/named"}  # of a page that has asked for it, perhaps for nothing
ASKED_IN_FULL = (  # what says nothing without them
    "/api/v1/export?format=json",
    "/api/v1/papers/groups?by=status",
    "/api/v1/papers/lookup?identifier=2305.15778",
    "/api/v1/references/complete?q=recovery",
    "/bulk?do=export&paper=1",
    "/bulk/export?format=csv&paper=1",
)
STRICTER = {  # a picture runs, loads and frames nothing, whatever a browser takes it for
    "/images/{image}": {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox"}
}
ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "Origin": ADDRESS},
    {"Origin": "null"},
    {"Origin": "https://evil.example"},
    {"Origin": f"{ADDRESS}.evil.example"},
    {"Origin": "http://127.0.0.1:8001"},
    {},
]


def program(app, database, visitor, *scopes):
    """A client with a token of the person, without any cookie."""
    with database.write() as tx:
        _, secret = people.create_token(tx, visitor, TokenCreate(name="ci", scopes=list(scopes)))
    return AppClient(app, ADDRESS, headers={"Authorization": f"Bearer {secret}"})


def not_for_viewers() -> Iterator[str]:
    """Pages that show nothing to who may not do what they are for."""
    for row in rows():
        least = {permissions.ACTS[act][0] for act in row.needs.split(", ") if act in permissions.ACTS}
        if row.method == "GET" and least - {"viewer"}:
            yield row.path


def unsafe(app):
    return [(method, path) for method, path in every_route() if method not in SAFE]


def test_the_route_walk_includes_every_part_of_the_application(app):
    routes = every_route()
    assert len(routes) > 100
    assert {("POST", "/papers"), ("GET", "/api/v1/jobs"), ("PUT", "/api/v1/papers/{paper_id:int}/reading")} < {*routes}


@pytest.mark.deep
def test_cross_site_requests_change_nothing(app, library, sign_in, database):
    browser = sign_in(library.admin)
    browser.headers = {}
    before = content(database)
    for (method, path), headers in zip(unsafe(app), cycle(ELSEWHERE)):  # some of them at each door, at many doors each
        form = browser.request(method, library.address(path), data={"status": "read"}, headers=headers)
        text = {**headers, "Content-Type": "text/plain"}
        json = browser.request(method, library.address(path), content='{"status": "read"}', headers=text)
        assert (form.status_code, json.status_code) == (403, 403), (method, path, headers)
    assert content(database) == before


def test_a_form_cannot_override_the_method(library, sign_in, database):
    browser, before = sign_in(library.admin), content(database)
    address = library.address("/api/v1/papers/{paper_id}")
    for headers in ({"X-HTTP-Method-Override": "DELETE"}, {"X-HTTP-Method": "DELETE"}, {"X-Method-Override": "DELETE"}):
        assert browser.post(address, data={"_method": "DELETE"}, headers=headers).status_code == 405
        assert browser.get(f"{address}?_method=DELETE", headers=headers).status_code == 422
    assert content(database) == before


@pytest.mark.deep
def test_anonymous_requests_are_asked_to_sign_in(app, library, client, database):
    before = content(database)
    everybodys = {(row.method, row.path) for row in rows() if row.needs.startswith((OPEN, FEED))}
    for method, path in every_route():
        if (method, plain(path)) in everybodys:
            continue
        answer = client.request(method, library.address(path), json={}, headers=NOW)
        if path.startswith("/api/v1/"):
            assert (answer.status_code, answer.json()["code"]) == (401, "not-signed-in"), (method, path)
            assert answer.headers["www-authenticate"].startswith("Bearer")
        elif method == "GET" and not path.startswith("/api/"):
            assert (answer.status_code, answer.headers["location"][:14]) == (303, "/sign-in?next="), path
        else:
            assert answer.status_code == 401, (method, path)
    assert content(database) == before


def test_an_invalid_token_is_refused_even_on_public_pages(app, library, client):
    for wrong in ("Bearer nonsense", "Basic YWRhOmFkYQ==", "Bearer ", "nonsense"):
        answer = client.get("/api/v1/papers", headers={"Authorization": wrong})
        assert (answer.status_code, answer.json()["code"]) == (401, "bad-token")


def test_a_read_only_token_cannot_change_anything_through_forms(app, library, database):
    token = program(app, database, library.admin, "read")
    token.get("/papers")  # the first use of a token is noted, once an hour
    before = content(database)
    for method, path in unsafe(app):
        if not path.startswith("/api/") and one_in(3, method, path):
            token.request(method, library.address(path), data={"status": "read", "name": "x", "then": "more"})
    assert content(database) == before


def titles(answer):
    found = re.search("<title>(.*?)</title>", answer.text, re.DOTALL)
    return found and found[1].strip().removesuffix("· readtrack").strip()


def walk(browser, addresses, *, follow=True):
    """Every page that these lead to, each once, with each thing that links say of it once: {address: answer}.

    In a deep run; else no more than one thing of each path.
    """
    seen, said, left = {}, set[tuple[str, str]](), list(addresses)
    often = Counter[str]()
    while left:
        address = left.pop()
        path, _, question = address.partition("?")
        says = {(path, part) for part in question.split("&")}
        known = "?q=" in address or says <= said or (often[path] and not DEEP)  # such things combine without end
        if address in seen or (known and address not in addresses):
            continue
        said |= says
        often[path] += 1
        seen[address] = answer = browser.get(address)
        if (
            follow
            and answer.status_code == 200
            and answer.text
            and "text/html" in answer.headers.get("content-type", "")
        ):
            left += [
                href.partition("#")[0] for href in html.fromstring(answer.text).xpath("//a/@href") if href[0] == "/"
            ]
    return seen


@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_get_requests_change_nothing_and_every_page_has_a_title(app, library, sign_in, database, role):
    browser = sign_in(getattr(library, role))
    record_heartbeat(database)
    before = content(database)
    start = {library.address(path) for method, path in every_route() if method == "GET"}
    further = {"/papers?q=status:", "/papers?q=nothing+like+it", "/imports/new?sample=1"}
    follow = DEEP or role == "admin"  # others are led to some of the same pages
    seen = walk(browser, {*start, *further, *ASKED_IN_FULL}, follow=follow)
    assert content(database) == before
    for address, answer in seen.items():
        assert answer.status_code < 500, address
        if "text/html" in answer.headers.get("content-type", ""):
            assert address in PIECES or titles(answer), address
    pages = {address: answer.status_code for address, answer in seen.items() if address in start}
    wrong = {address for address, status in pages.items() if status not in {200, 303}}
    expected = {
        a for a in start if a.startswith(("/invitations/accept/", "/setup/", "/static/")) or a.endswith("/reading")
    }
    expected |= {a for a in start if a.endswith(("/summary", "/summary/versions"))}  # the viewer wrote none
    in_full = {address.partition("?")[0]: seen[address].status_code for address in ASKED_IN_FULL}
    expected |= set(in_full)  # without what they must be asked
    expected |= {library.address(old) for old in MOVED}
    expected |= {"/bulk/1", "/api/v1/bulk/1"}  # nobody did anything to many papers
    expected |= {"/metrics"}  # these browsers have no address
    refused = {address for address, status in pages.items() if status == 403}
    others = "/views/{view_id}/edit"  # of somebody else
    assert refused == (set(map(library.address, [*not_for_viewers(), others])) if role == "viewer" else set())
    assert wrong - refused <= expected
    assert {address for address, status in in_full.items() if status != 200} <= refused


def test_an_empty_library_shows_every_page(app, database, sign_in):
    with database.write() as tx:
        search.ensure(tx)
        someone = make.visitor(tx, "Ada", role="admin")
    record_heartbeat(database)
    pages = {path for method, path in every_route() if method == "GET" and "{" not in path} - {"/metrics"}
    for address, answer in walk(sign_in(someone), pages, follow=DEEP).items():
        assert answer.status_code in {200, 301, 303, 422} or "/static" in address, (address, answer.text)


@pytest.mark.deep
def test_every_response_has_the_security_headers(app, library, sign_in, client):
    browser = sign_in(library.admin)
    turn = cycle((browser, browser, client))
    for method, path in every_route():
        if method != "GET" and path != "/sign-in":
            continue
        for who in (browser, client) if DEEP else (next(turn),):
            answer = who.request(method, library.address(path))
            stricter = STRICTER.get(path, {}) if answer.status_code == 200 else {}
            assert {name: answer.headers[name] for name in HEADERS} == {**HEADERS, **stricter}, path
            assert answer.headers["x-request-id"]
            private = "public" not in answer.headers["cache-control"]
            assert private, path
            assert "access-control-allow-origin" not in answer.headers
