"""Errors at both doors: problem+json with every member, a page in words, and never a word of what is inside."""

from typing import Any

import pytest
from lxml import html
from structlog.testing import capture_logs

from readtrack.infra.errors import TooManyRequests
from readtrack.infra.jobs.scheduler import record_heartbeat
from readtrack.library.papers import detail
from readtrack.web.middleware.body_limit import MAX_BODY_BYTES, MAX_UPLOAD_BYTES
from readtrack.web.middleware.security_headers import HEADERS
from readtrack.web.responses.errors import error_response as answer_to
from readtrack.web.responses.json import etag
from tests.client import AppClient
from tests.conftest import ADDRESS
from tests.depth import one_in
from tests.sample_library import content

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

MEMBERS = {"type", "title", "status", "detail", "code", "request_id", "errors"}
JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}


@pytest.fixture
def ed(library, sign_in):
    return sign_in(library.editor)


@pytest.fixture
def mem(library, sign_in):
    return sign_in(library.member)


def problem(answer, status, code):
    """The body of a problem, looked at whole."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    body = answer.json()
    assert set(body) >= MEMBERS
    assert (body["status"], body["code"]) == (status, code)
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["detail"].endswith((".", "?", "!"))
    assert body["title"]
    return body


def said(answer, status):
    """The words of an error page."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), answer.text
    document = html.fromstring(answer.text)
    assert document.xpath("string(//h1)")
    return " ".join(document.xpath("string(//main)").split())


PAPER = "/api/v1/papers/1"
PROBLEMS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("GET", "/api/v1/papers?after=forged", {}, 400, "bad-cursor"),
    ("GET", "/api/v1/papers?limit=-1", {}, 400, "bad-limit"),
    ("GET", "/api/v1/papers?q=status:", {}, 400, "invalid-query"),
    ("GET", "/api/v1/papers?include=everything", {}, 400, "bad-include"),
    ("POST", "/api/v1/papers", {"content": "{", "headers": JSON}, 400, "bad-json"),
    ("POST", "/api/v1/papers", {"content": '{"title": "\\ud800"}', "headers": JSON}, 400, "bad-json"),
    ("POST", "/api/v1/papers", {"content": "[" * 100_000, "headers": JSON}, 400, "bad-json"),
    ("DELETE", PAPER, {}, 403, "not-allowed"),
    ("GET", "/api/v1/papers/4711", {}, 404, "not-found"),
    ("GET", "/api/v1/nowhere", {}, 404, "not-found"),
    ("GET", "/api/v1/notes/one", {}, 404, "not-found"),
    ("PUT", "/api/v1/papers", {}, 405, "method-not-allowed"),
    ("PUT", f"{PAPER}/reading", {"json": {"status": "paused"}}, 409, "refused-transition"),
    ("PATCH", PAPER, {"json": {"title": "x"}, "headers": {"If-Match": '"1.7"'}}, 412, "stale"),
    ("POST", "/api/v1/papers", {"content": "title=x"}, 415, "unsupported-media-type"),
    ("POST", "/api/v1/papers", {"data": {"title": "x"}}, 415, "unsupported-media-type"),
    ("POST", "/api/v1/imports", {"content": "<p>", "headers": HTML}, 415, "unsupported-media-type"),
    ("POST", "/api/v1/papers", {"json": {"titel": "x"}}, 422, "invalid"),
    ("POST", "/api/v1/papers", {"json": "x"}, 422, "invalid"),
    ("GET", "/api/v1/papers?limti=1", {}, 422, "invalid"),
    ("GET", "/api/v1/papers?limit=many", {}, 422, "invalid"),
    ("PATCH", PAPER, {"json": {"title": "x"}}, 428, "precondition-needed"),
]  # fmt: skip


def test_every_api_error_is_a_complete_problem_document_and_changes_nothing(mem, database):
    before = content(database)
    for method, address, sent, status, code in PROBLEMS:
        problem(mem.request(method, address, **sent), status, code)
    assert content(database) == before


def test_an_invalid_field_is_reported_with_a_pointer(mem):
    body = problem(mem.post("/api/v1/papers", json={"titel": "x", "topics": ["a", 1]}), 422, "invalid")
    assert {(e["pointer"], e["code"]) for e in body["errors"]} == {
        ("/titel", "extra-forbidden"),
        ("/topics/1", "string-type"),
    }
    body = problem(mem.get("/api/v1/papers?limti=1"), 422, "invalid")
    assert [(e["pointer"], e["detail"]) for e in body["errors"]] == [
        ("/limti", "Unknown parameter “limti”. Did you mean “limit”?")
    ]
    body = problem(mem.get("/api/v1/papers?limit=many"), 422, "invalid")
    assert [(e["pointer"], e["detail"]) for e in body["errors"]] == [("/limit", "Enter a whole number.")]


def test_pages_explain_errors_in_words(mem, client):
    assert "requires the editor role" in said(mem.post("/papers/1/delete"), 403)
    assert "Paper 4711 not found." in said(mem.get("/papers/4711"), 404)
    assert "doesn't exist" in said(mem.get("/nowhere"), 404)
    assert "doesn't exist" in said(client.get("/nowhere"), 404)
    assert "Invalid page link" in mem.get("/papers?after=forged").text
    assert "to “paused”. Available:" in said(mem.post("/papers/1/reading", data={"status": "paused"}), 409)
    assert "whole number" in said(mem.post("/papers/1/reading", data={"status": "reading", "progress_at": "x"}), 422)
    assert "sign in" in said(client.post("/papers"), 401).lower()


@pytest.mark.parametrize(("method", "address", "status"), [("GET", "/import", 404), ("DELETE", "/papers", 405)])
def test_a_wrong_address_keeps_the_navigation_of_who_is_signed_in(client, mem, method, address, status):
    answer = mem.request(method, address)
    page = html.fromstring(answer.text)
    assert answer.status_code == status
    assert page.xpath("//nav[@class='side']//a[@href='/papers']")
    assert "Sign in" not in answer.text
    assert not html.fromstring(client.request(method, address).text).xpath("//nav")


@pytest.mark.deep
@pytest.mark.parametrize(("method", "address"), [("PUT", "/papers"), ("GET", "/papers/1/delete"), ("TRACE", "/")])
def test_an_unsupported_method_is_not_a_server_error(mem, method, address):
    answer = mem.request(method, address)
    words = said(answer, 405)
    assert "support this method" in words
    assert "went wrong" not in words
    assert answer.headers["allow"]


def test_an_unsupported_content_type_is_not_a_server_error(mem):
    words = said(mem.post("/imports", content="x", headers={"Content-Type": "image/png"}), 415)
    assert "went wrong" not in words
    assert "text/plain" in words


@pytest.fixture
def broken(monkeypatch):
    """A defect in the middle of things; the list is what the log is told of it."""

    def break_down(*_, **__):
        raise RuntimeError("secret: SELECT password FROM /home/ada/readtrack.sqlite3")

    monkeypatch.setattr(detail, "get_paper", break_down)
    with capture_logs() as logged:
        yield logged


def test_a_server_error_shows_a_reference_and_no_internals(mem, broken):
    body = problem(mem.get(PAPER), 500, "internal")
    assert body["request_id"] in body["detail"]
    answer = mem.get("/papers/1")
    assert answer.headers["x-request-id"] in said(answer, 500)
    for text in (answer.text, str(body)):
        assert not any(word in text for word in ("secret", "SELECT", "Traceback", "RuntimeError", "sqlite", "/home/"))
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert answer.headers["cache-control"] == "no-store"
    assert [line["event"] for line in broken if line.get("exc_info")] == ["unhandled", "unhandled"]


def test_retry_after_is_given_in_seconds(app, mem):
    from starlette.requests import Request  # noqa: PLC0415

    scope = {"type": "http", "method": "GET", "path": "/api/v1/me", "headers": [], "query_string": b"", "state": {}}
    answer = answer_to(Request(scope), TooManyRequests("Too many tries. Wait 30 s.", retry_after=29.6))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "30")


LONG = b"x" * (MAX_BODY_BYTES + 1)


def parts():
    for _ in range(7):
        yield b"x" * 1_000_000


@pytest.mark.parametrize("address", ["/api/v1/imports", "/api/v1/papers", "/imports", "/papers", "/sign-in"])
@pytest.mark.parametrize("sent", [LONG, parts], ids=["told", "chunked"])
def test_an_oversized_body_is_refused_by_every_endpoint(mem, database, address, sent):
    before = content(database)
    kind = "application/json" if address.startswith("/api/") else "application/x-www-form-urlencoded"
    answer = mem.post(address, content=sent() if callable(sent) else sent, headers={"Content-Type": kind})
    if address.startswith("/api/"):
        problem(answer, 413, "too-large")
    else:
        assert "Larger than 6 MB" in said(answer, 413)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert content(database) == before


def test_a_paste_within_the_body_limit_but_too_long_for_a_note_is_told_the_limit(mem):
    answer = mem.post("/imports", files={"text": (None, "x " * 2_600_000)})
    assert "can have up to 5,000,000 characters" in said(answer, 413)


def test_a_file_to_import_may_be_larger_than_other_bodies_but_not_without_limit(mem, database):
    before = content(database)
    length = {"Content-Length": str(MAX_UPLOAD_BYTES + 1)}
    for kind in ("text/plain", "multipart/form-data; boundary=x"):
        answer = mem.post("/api/v1/imports", content=b"x", headers={"Content-Type": kind, **length})
        assert "Larger than 201 MB" in problem(answer, 413, "too-large")["detail"]
    assert content(database) == before


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "²"])
def test_an_invalid_content_length_is_refused(mem, length):
    answer = mem.post("/api/v1/papers", content=b"{}", headers={**JSON, "Content-Length": length.encode("latin-1")})
    assert answer.status_code in {400, 413}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"--b\r\nnonsense", "multipart/form-data; boundary=b"),
        (b"x", "multipart/form-data"),
        (b"\xff=%ff&%=%&" * 1000, "application/x-www-form-urlencoded"),
        ("&".join(f"a{n}=1" for n in range(30_000)).encode(), "application/x-www-form-urlencoded"),
    ],
)
def test_malformed_forms_are_refused_without_a_server_error(mem, body, kind):
    answer = mem.post("/papers", content=body, headers={"Content-Type": kind})
    assert answer.status_code in {303, 400, 413, 422}


NUMBERS = ["0", "-1", "00", "2147483648", "9" * 19, "9" * 40, "9" * 4000, "²", "٣", "1.5", "1e3", "%00", "' OR 1=1--"]


def test_ids_out_of_range_are_not_found_without_a_server_error(app, library, mem):
    places = [
        "/papers/{}",
        "/papers/{}/edit",
        "/api/v1/papers/{}",
        "/api/v1/papers/{}/reading",
        "/imports/{}",
        "/notes/{}",
    ]
    places += ["/api/v1/imports/{}", "/api/v1/jobs/{}", "/api/v1/notes/{}", "/summaries/{}/versions", "/topics/{}"]
    for place in places:
        for number in (number for number in NUMBERS if one_in(3, place, number)):
            assert mem.get(place.format(number)).status_code in {404, 405}, (place, number[:20])
    for place in (f"/api/v1/imports/{library.of['import_id']}/entries/{{}}",):
        for number in (number for number in NUMBERS if one_in(3, place, number)):
            assert mem.patch(place.format(number), json={"decision": "skip"}).status_code in {404, 422}, number[:20]
    for place in (
        "/notes/1?revision={}",
        f"/imports/{library.of['import_id']}?after={{}}",
        "/api/v1/notes/1?revision={}",
        "/api/v1/readings?person={}",
    ):
        for number in (number for number in NUMBERS if one_in(3, place, number)):
            assert mem.get(place.format(number)).status_code in {200, 303, 404, 422}, (place, number[:20])


def test_an_unknown_etag_matches_nothing(mem):
    for tag in ['"1.²"', '"1.' + "9" * 5000 + '"', "*", '"', "", 'W/"1.1"', '"2.1"', '"1.1']:
        answer = mem.patch(PAPER, json={"title": "x"}, headers={"If-Match": tag.encode("latin-1")})
        problem(answer, 412, "stale")
        assert mem.get(PAPER).headers["etag"].startswith(etag(1, 1).rstrip('"'))


@pytest.mark.deep
def test_an_invalid_version_counts_as_stale(mem):
    for version in ["²", "9" * 5000, "", "-1", "1.0"]:
        assert mem.post("/papers/1/edit", data={"title": "x", "version": version}).status_code == 409


@pytest.mark.deep
def test_a_field_for_a_missing_entry_causes_no_server_error(mem, database):
    for name in ["do-²", "do-" + "9" * 5000, "do-0", "do-99", "do-", "-1", "what-1"]:
        before = content(database)
        assert mem.post("/imports/1", data={name: "skip", "then": "more", "last": "0", "show": ""}).status_code in {
            303,
            404,
        }
        assert content(database) == before


@pytest.mark.deep
def test_static_files_are_served_by_name_only(client):
    for path in ["..%2f..%2fpyproject.toml", "%2e%2e/app.py", "..%5c", "%00", "//etc/passwd", "readtrack.css/"]:
        for digest in ("x", "..", "%2e%2e", "000000000000"):
            assert client.get(f"/static/{digest}/{path}").status_code == 404


def test_internal_paths_are_not_served(client):
    for path in [
        "/docs",
        "/redoc",
        "/openapi.json",
        "/metrics",
        "/.git/config",
        "/.env",
        "/debug",
        "/static/",
    ]:
        assert client.get(path).status_code in {404, 303}
        assert client.get(path).headers.get("location", "/sign-in").startswith("/sign-in")


def test_static_files_are_cached_forever_under_their_hash(client):
    page = html.fromstring(client.get("/sign-in").text)
    for address in page.xpath("//link[@rel='stylesheet']/@href | //script/@src | //link[@rel='icon']/@href"):
        answer = client.get(address)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS


@pytest.mark.deep
def test_a_persons_response_is_not_cached_for_another(mem):
    assert mem.get("/papers").headers["cache-control"] == "no-store"
    shown = mem.get(PAPER).headers
    assert shown["cache-control"] == "private, no-cache"
    assert {part.strip() for part in shown["vary"].split(",")} >= {"Authorization", "Cookie"}


def test_https_responses_set_strict_transport_security(settings, database, library):
    from readtrack.web.app import create_app  # noqa: PLC0415

    secure = settings.model_copy(update={"base_url": "https://reading.example.org"})
    browser = AppClient(create_app(secure, database), "https://reading.example.org")
    assert browser.get("/healthz").headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in AppClient(create_app(settings, database), ADDRESS).get("/healthz").headers


def test_health_is_available_without_signing_in(client, database):
    record_heartbeat(database)
    assert (client.get("/healthz").text, client.get("/readyz").text) == ("ok\n", "ready\n")
