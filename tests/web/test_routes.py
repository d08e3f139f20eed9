"""What holds for every route there is, now and later: each test walks through all of them."""

import pytest
from lxml import html
from starlette.testclient import TestClient

from readtrack import search
from readtrack.people import commands as people
from readtrack.people.inputs import TokenCreate
from readtrack.web.envelope import HEADERS
from tests import make
from tests.conftest import ADDRESS
from tests.library import SAFE, content, every_route

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

OPEN = {  # to whom nobody knows; every other route asks who it is
    ("GET", "/meetings.ics"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/static/{digest}/{name:path}"),
    ("GET", "/sign-in"),
    ("POST", "/sign-in"),
    ("POST", "/sign-out"),
    ("GET", "/sign-in/code"),
    ("POST", "/sign-in/code"),
    ("POST", "/sign-in/provider"),
    ("GET", "/sign-in/provider/answer"),
    ("POST", "/join/{code}/provider"),
    ("POST", "/join/{code}/proxy"),
    ("GET", "/set-up/{code}"),
    ("POST", "/set-up/{code}"),
    ("GET", "/join/{code}"),
    ("POST", "/join/{code}"),
    ("GET", "/forgotten"),
    ("POST", "/forgotten"),
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
FORMS = {
    "/assignments/{assignment_id}/edit",
    "/meetings/new",
    "/meetings/series/new",
    "/meetings/{meeting_id}/edit",
    "/meetings/{meeting_id}/notes",
    "/meetings/series/{series_id}/edit",
    "/imports/new",
    "/papers/new",
    "/papers/{paper_id}/edit",
    "/papers/{paper_id}/merge",
    "/topics/{slug}/edit",
    "/comments/{comment_id}/reply",
    "/comments/{comment_id}/edit",
    "/questions/{question_id}/edit",
}  # not for viewers
ADMINS = {  # for admins alone
    "/people/invitations",
    "/people/{person_id:int}/erase",
    "/admin/audit",
    "/api/v1/invitations",
    "/api/v1/audit",
}
EDIT = {"title": "Other"}
DOORS = {  # unsafe route of the API: (scope of a token, least role, body)
    ("PATCH", "/api/v1/me"): ("write", "viewer", {"theme": "dark"}),
    ("POST", "/api/v1/tokens"): (None, "viewer", {"name": "ci", "scopes": ["read"]}),
    ("DELETE", "/api/v1/tokens/{token_id}"): (None, "viewer", None),
    ("DELETE", "/api/v1/sessions/{session_id:int}"): (None, "viewer", None),
    ("DELETE", "/api/v1/sessions"): (None, "viewer", None),
    ("POST", "/api/v1/invitations"): (None, "admin", {"role": "viewer"}),
    ("DELETE", "/api/v1/invitations/{invitation_id:int}"): ("admin", "admin", None),
    ("POST", "/api/v1/people/{person_id:int}/link"): (None, "admin", {}),
    ("PATCH", "/api/v1/people/{person_id:int}"): ("admin", "admin", {"role": "viewer"}),
    ("DELETE", "/api/v1/people/{person_id:int}"): ("admin", "admin", None),
    ("POST", "/api/v1/papers"): ("write", "member", {"identifier": "2402.00001"}),
    ("PATCH", "/api/v1/papers/{paper_id:int}"): ("write", "member", EDIT),
    ("DELETE", "/api/v1/papers/{paper_id:int}"): ("write", "editor", None),
    ("POST", "/api/v1/papers/{paper_id:int}/restore"): ("write", "editor", None),
    ("POST", "/api/v1/papers/{paper_id:int}/refresh"): ("write", "member", None),
    ("POST", "/api/v1/refresh"): ("write", "member", {"q": "nothing like it"}),
    ("POST", "/api/v1/papers/{paper_id:int}/records/{record_id:int}"): ("write", "member", {"decision": "refuse"}),
    ("PUT", "/api/v1/papers/{paper_id:int}/fields/{field}"): ("write", "member", {"record": 1}),
    ("DELETE", "/api/v1/papers/{paper_id:int}/fields/{field}"): ("write", "member", None),
    ("POST", "/api/v1/papers/{paper_id:int}/relations"): ("write", "member", {"to": 3, "kind": "cites"}),
    ("DELETE", "/api/v1/papers/{paper_id:int}/relations"): ("write", "member", {"to": 3, "kind": "cites"}),
    ("POST", "/api/v1/papers/{paper_id:int}/merge"): ("write", "editor", {"into": 999}),
    ("POST", "/api/v1/papers/{paper_id:int}/unmerge"): ("write", "editor", None),
    ("POST", "/api/v1/duplicates/{duplicate_id:int}"): ("write", "member", {"decision": "distinct"}),
    ("POST", "/api/v1/proposals/{proposal_id:int}"): ("write", "member", {"decision": "reject"}),
    ("PATCH", "/api/v1/leads/{lead_id:int}"): ("write", "member", {"state": "dropped"}),
    ("POST", "/api/v1/closed-hosts"): ("write", "editor", {"host": "example.org"}),
    ("DELETE", "/api/v1/closed-hosts/{host_id}"): ("write", "editor", None),
    ("PUT", "/api/v1/papers/{paper_id}/reading"): ("write", "viewer", {"status": "reading"}),
    ("DELETE", "/api/v1/papers/{paper_id}/reading"): ("write", "viewer", None),
    ("POST", "/api/v1/papers/{paper_id}/reading/undo"): ("write", "viewer", None),
    ("PUT", "/api/v1/papers/{paper_id}/reading/place"): ("write", "viewer", {"to": "top"}),
    ("POST", "/api/v1/readings/bulk"): ("write", "viewer", {"papers": [1], "change": {"status": "reading"}}),
    ("POST", "/api/v1/readings/bulk/{batch}/undo"): ("write", "viewer", None),
    ("PUT", "/api/v1/papers/{paper_id:int}/summary"): ("write", "viewer", {"markdown": "Text."}),
    ("DELETE", "/api/v1/papers/{paper_id:int}/summary"): ("write", "viewer", None),
    ("POST", "/api/v1/render"): ("read", "viewer", {"markdown": "*a*"}),
    ("POST", "/api/v1/papers/{paper_id:int}/comments"): ("write", "member", {"markdown": "Why?"}),
    ("POST", "/api/v1/topics/{slug}/comments"): ("write", "member", {"markdown": "Why?"}),
    ("POST", "/api/v1/questions/{question_id:int}/comments"): ("write", "member", {"markdown": "Why?"}),
    ("POST", "/api/v1/papers/{paper_id:int}/seen"): ("write", "viewer", {"comment": 1}),
    ("POST", "/api/v1/topics/{slug}/seen"): ("write", "viewer", {"comment": 1}),
    ("POST", "/api/v1/questions/{question_id:int}/seen"): ("write", "viewer", {"comment": 1}),
    ("PATCH", "/api/v1/comments/{comment_id:int}"): ("write", "admin", {"markdown": "So."}),  # its author's alone
    ("DELETE", "/api/v1/comments/{comment_id:int}"): ("write", "admin", None),  # likewise
    ("POST", "/api/v1/comments/{comment_id:int}/restore"): ("write", "member", None),
    ("POST", "/api/v1/comments/{comment_id:int}/hide"): ("write", "admin", None),
    ("POST", "/api/v1/comments/{comment_id:int}/show"): ("write", "admin", None),
    ("POST", "/api/v1/comments/{comment_id:int}/resolve"): ("write", "member", None),
    ("POST", "/api/v1/comments/{comment_id:int}/reopen"): ("write", "member", None),
    ("POST", "/api/v1/questions"): ("write", "member", {"text": "Why is it slow?"}),
    ("PATCH", "/api/v1/questions/{question_id:int}"): ("write", "member", {"text": "Why?"}),
    ("DELETE", "/api/v1/questions/{question_id:int}"): ("write", "member", None),
    ("POST", "/api/v1/topics"): ("write", "member", {"name": "New"}),
    ("PATCH", "/api/v1/topics/{slug}"): ("write", "member", {"markdown": "Text."}),
    ("DELETE", "/api/v1/topics/{slug}"): ("write", "editor", None),
    ("POST", "/api/v1/topics/{slug}/merge"): ("write", "editor", {"into": "nowhere"}),
    ("PUT", "/api/v1/papers/{paper_id:int}/topics/{slug}"): ("write", "member", None),
    ("DELETE", "/api/v1/papers/{paper_id:int}/topics/{slug}"): ("write", "member", None),
    ("POST", "/api/v1/imports"): ("import", "member", {"text": "2403.00001"}),
    ("PATCH", "/api/v1/imports/{import_id}/entries/{position}"): ("import", "editor", {"decision": "skip"}),
    ("POST", "/api/v1/imports/{import_id}/entries/{position}/split"): ("import", "editor", None),
    ("POST", "/api/v1/imports/{import_id}/entries/{position}/reset"): ("import", "editor", None),
    ("POST", "/api/v1/imports/{import_id}/join"): ("import", "editor", {"entries": [1, 2]}),
    ("POST", "/api/v1/imports/{import_id}/decide"): ("import", "editor", {"decision": "skip"}),
    ("POST", "/api/v1/imports/{import_id}/commit"): ("import", "editor", {}),
    ("POST", "/api/v1/imports/rules"): (
        "import",
        "member",
        {"pattern": "heading", "value": "Infos", "says": "no_topic"},
    ),
    ("DELETE", "/api/v1/imports/rules/{rule_id}"): ("import", "member", None),
    ("POST", "/api/v1/assignments"): ("write", "member", {"paper": 1, "person": 1}),
    ("PATCH", "/api/v1/assignments/{assignment_id:int}"): ("write", "member", {"note": "Other."}),
    ("POST", "/api/v1/assignments/{assignment_id:int}/answer"): ("write", "viewer", {"answer": "accept"}),
    ("DELETE", "/api/v1/assignments/{assignment_id:int}"): ("write", "member", None),
    ("POST", "/api/v1/notices/{notice_id:int}/read"): ("write", "viewer", None),
    ("POST", "/api/v1/notices/read"): ("write", "viewer", {}),
    ("PATCH", "/api/v1/notices/choices"): ("write", "viewer", {"reply": "mail"}),
    ("POST", "/api/v1/meetings"): ("write", "editor", {"title": "Visit", "date": "2030-01-07"}),
    ("PATCH", "/api/v1/meetings/{meeting_id:int}"): ("write", "editor", {"place": "Room 3"}),
    ("DELETE", "/api/v1/meetings/{meeting_id:int}"): ("write", "editor", None),
    ("PUT", "/api/v1/meetings/{meeting_id:int}/state"): ("write", "editor", {"state": "held"}),
    ("PUT", "/api/v1/meetings/{meeting_id:int}/notes"): ("write", "member", {"notes": "Text."}),
    ("POST", "/api/v1/meetings/{meeting_id:int}/agenda"): ("write", "editor", {"paper": 1}),
    ("PATCH", "/api/v1/meetings/{meeting_id:int}/agenda/{item_id:int}"): ("write", "editor", {"minutes": 20}),
    ("DELETE", "/api/v1/meetings/{meeting_id:int}/agenda/{item_id:int}"): ("write", "editor", None),
    ("POST", "/api/v1/meetings/{meeting_id:int}/agenda/{item_id:int}/move"): ("write", "editor", {"where": "up"}),
    ("POST", "/api/v1/series"): ("write", "editor", {"name": "Systems"}),
    ("PATCH", "/api/v1/series/{series_id:int}"): ("write", "editor", {"name": "Systems"}),
    ("DELETE", "/api/v1/series/{series_id:int}"): ("write", "editor", None),
    ("POST", "/api/v1/series/{series_id:int}/resume"): ("write", "editor", None),
    ("POST", "/api/v1/series/{series_id:int}/meetings"): ("write", "editor", {}),
    ("POST", "/api/v1/series/{series_id:int}/candidates"): ("write", "member", {"paper": 1}),
    ("PUT", "/api/v1/candidates/{candidate_id:int}/vote"): ("write", "member", {"value": 1}),
    ("DELETE", "/api/v1/candidates/{candidate_id:int}"): ("write", "member", None),
    ("POST", "/api/v1/jobs/{job_id}/retry"): ("admin", "admin", None),
}
ROLES = ("viewer", "member", "editor", "admin")


def asked(browser, method, address, body=None, headers=None):
    headers = {"If-Match": '"0.0"'} | (headers or {})
    return browser.request(method, address, json=body, headers=headers)


def program(app, database, visitor, *scopes):
    """A client with a token of the person, without any cookie."""
    with database.write() as tx:
        _, secret = people.create_token(tx, visitor, TokenCreate(name="ci", scopes=list(scopes)))
    return TestClient(app, ADDRESS, headers={"Authorization": f"Bearer {secret}"}, follow_redirects=False)


def unsafe(app):
    return [(method, path) for method, path in every_route(app) if method not in SAFE]


def test_the_walk_sees_the_doors_of_every_part(app):
    routes = every_route(app)
    assert len(routes) > 100
    assert {("POST", "/papers"), ("GET", "/api/v1/jobs"), ("PUT", "/api/v1/papers/{paper_id}/reading")} < {*routes}


def test_nothing_is_changed_for_another_site(app, library, sign_in, database):
    browser = sign_in(library.admin)
    browser.headers = {}
    before = content(database)
    for method, path in unsafe(app):
        for headers in ELSEWHERE:
            form = browser.request(method, library.address(path), data={"status": "read"}, headers=headers)
            text = {**headers, "Content-Type": "text/plain"}
            plain = browser.request(method, library.address(path), content='{"status": "read"}', headers=text)
            assert (form.status_code, plain.status_code) == (403, 403), (method, path, headers)
    assert content(database) == before


def test_the_method_cannot_be_hidden_in_a_form(library, sign_in, database):
    browser, before = sign_in(library.admin), content(database)
    address = library.address("/api/v1/papers/{paper_id}")
    for headers in ({"X-HTTP-Method-Override": "DELETE"}, {"X-HTTP-Method": "DELETE"}, {"X-Method-Override": "DELETE"}):
        assert browser.post(address, data={"_method": "DELETE"}, headers=headers).status_code == 405
        assert browser.get(f"{address}?_method=DELETE", headers=headers).status_code == 422
    assert content(database) == before


def test_whoever_is_not_signed_in_is_asked_to(app, library, client, database):
    before = content(database)
    for method, path in every_route(app):
        if (method, path) in OPEN:
            continue
        answer = asked(client, method, library.address(path), {})
        if path.startswith("/api/v1/"):
            assert (answer.status_code, answer.json()["code"]) == (401, "not-signed-in"), (method, path)
            assert answer.headers["www-authenticate"].startswith("Bearer")
        elif method == "GET" and not path.startswith("/api/"):
            assert (answer.status_code, answer.headers["location"][:14]) == (303, "/sign-in?next="), path
        else:
            assert answer.status_code == 401, (method, path)
    assert content(database) == before


def test_a_token_that_is_wrong_is_refused_even_where_nobody_needs_one(app, library, client):
    for wrong in ("Bearer nonsense", "Basic YWRhOmFkYQ==", "Bearer ", "nonsense"):
        answer = client.get("/api/v1/papers", headers={"Authorization": wrong})
        assert (answer.status_code, answer.json()["code"]) == (401, "bad-token")


def test_every_route_of_the_api_that_changes_something_has_a_row_here(app):
    assert {(method, path) for method, path in unsafe(app) if path.startswith("/api/")} == set(DOORS)


def test_a_token_opens_only_what_its_scope_covers(app, library, database):
    for scope in ("read", "write", "import", "feed", "admin"):
        token = program(app, database, library.admin, scope)
        for (method, path), (needed, _, body) in DOORS.items():
            answer = asked(token, method, library.address(path), body)
            open_to_it = needed == scope or (needed == "read" and scope != "feed")
            assert (answer.status_code != 403) == open_to_it, (scope, method, path, answer.text)
            if not open_to_it and needed:
                assert answer.json()["code"] == "missing-scope", (scope, method, path)


def test_a_feed_token_reads_nothing_and_any_other_reads(app, library, database):
    open_to_all = [path for method, path in every_route(app) if method == "GET" and path not in ADMINS]
    shown = [library.address(path) for path in open_to_all if "/api/" in path]
    assert len(shown) > 20
    for scope in ("read", "write", "import", "admin", "feed"):
        token = program(app, database, library.admin, scope)
        for address in shown:
            assert (token.get(address).status_code == 403) == (scope == "feed"), (scope, address)


def test_a_token_that_may_read_changes_nothing_by_the_forms(app, library, database):
    token = program(app, database, library.admin, "read")
    token.get("/papers")  # the first use of a token is noted, once an hour
    before = content(database)
    for method, path in unsafe(app):
        if not path.startswith("/api/"):
            token.request(method, library.address(path), data={"status": "read", "name": "x", "then": "more"})
            assert content(database) == before, path


def test_a_role_may_do_what_the_table_says(app, library, sign_in):
    for role in ROLES:
        browser = sign_in(getattr(library, role))
        for (method, path), (_, least, body) in DOORS.items():
            if "/imports/" in path and role == "member":
                continue  # its own import, which it may decide
            answer = asked(browser, method, library.address(path), body)
            allowed = ROLES.index(role) >= ROLES.index(least)
            assert (answer.status_code != 403) == allowed, (role, method, path, answer.text)


def titles(answer):
    return html.fromstring(answer.text).xpath("string(//title)").removesuffix("· readtrack").strip()


def walk(browser, addresses):
    """Every page that these lead to, each once: {address: answer}."""
    seen, left = {}, list(addresses)
    while left:
        address = left.pop()
        if address in seen or ("?q=" in address and address not in addresses):  # words of a search combine without end
            continue
        seen[address] = answer = browser.get(address)
        if answer.status_code == 200 and "text/html" in answer.headers.get("content-type", ""):
            left += [
                href.partition("#")[0] for href in html.fromstring(answer.text).xpath("//a/@href") if href[0] == "/"
            ]
    return seen


@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_looking_changes_nothing_and_every_page_has_a_title(app, library, sign_in, database, role):
    browser = sign_in(getattr(library, role))
    before = content(database)
    start = {library.address(path) for method, path in every_route(app) if method == "GET"}
    seen = walk(browser, {*start, "/papers?q=status:", "/papers?q=nothing+like+it", "/imports/new?sample=1"})
    assert content(database) == before
    for address, answer in seen.items():
        assert answer.status_code < 500, address
        if "text/html" in answer.headers.get("content-type", ""):
            assert titles(answer), address
    pages = {address: answer.status_code for address, answer in seen.items() if address in start}
    wrong = {address for address, status in pages.items() if status not in {200, 303}}
    expected = {a for a in start if a.startswith(("/join/", "/set-up/", "/static/")) or a.endswith("/reading")}
    expected |= {a for a in start if a.endswith(("/summary", "/summary/versions"))}  # the viewer wrote none
    expected |= {"/api/v1/papers/lookup", "/api/v1/export"}  # without what they must be asked
    refused = {address for address, status in pages.items() if status == 403}
    assert refused == (set(map(library.address, FORMS | ADMINS)) if role == "viewer" else set())
    assert wrong - refused <= expected


def test_an_empty_library_shows_its_pages_too(app, database, sign_in):
    with database.write() as tx:
        search.ensure(tx)
        someone = make.visitor(tx, "Ada", role="admin")
    pages = {path for method, path in every_route(app) if method == "GET" and "{" not in path}
    for address, answer in walk(sign_in(someone), pages).items():
        assert answer.status_code in {200, 303, 422} or "/static" in address, (address, answer.text)


def test_every_answer_has_the_headers_that_protect(app, library, sign_in, client):
    browser = sign_in(library.admin)
    for method, path in every_route(app):
        if method not in SAFE and path != "/sign-in":
            continue
        for who in (browser, client):
            answer = who.request(method, library.address(path))
            assert {name: answer.headers[name] for name in HEADERS} == HEADERS, path
            assert answer.headers["x-request-id"]
            private = "public" not in answer.headers["cache-control"]
            assert private, path
            assert "access-control-allow-origin" not in answer.headers
