"""Summaries as JSON: what may be written when, what nobody else learns, and one renderer for all."""

import pytest
from lxml import html

from tests import make
from tests.pages import WINDOW

pytestmark = pytest.mark.slow  # `make check` is to be quick

NEW = {"If-None-Match": "*"}


@pytest.fixture
def paper(database):
    with database.write() as tx:
        return make.paper(tx)


@pytest.fixture
def people(database, sign_in):
    with database.write() as tx:
        visitors = [make.visitor(tx, "Ada"), make.visitor(tx, "Bob", role="admin")]
    return [sign_in(visitor) for visitor in visitors]


@pytest.fixture
def ada(people):
    return people[0]


@pytest.fixture
def bob(people):
    return people[1]


def put(browser, paper, text, *, tag=None, **fields):
    headers = {"If-Match": tag} if tag else NEW
    return browser.put(f"/api/v1/papers/{paper.id}/summary", json={"markdown": text, **fields}, headers=headers)


def test_a_summary_is_created_read_updated_and_deleted(ada, paper):
    there = f"/api/v1/papers/{paper.id}/summary"
    assert ada.get(there).status_code == 404
    made = put(ada, paper, "one", tldr="short")
    assert (made.status_code, made.headers["location"]) == (201, there)
    shown = ada.get(there)
    assert shown.json() == made.json()
    assert {name: shown.json()[name] for name in ("paper", "person", "tldr", "markdown", "private", "version")} == {
        "paper": paper.id,
        "person": "Ada",
        "tldr": "short",
        "markdown": "one",
        "private": False,
        "version": 1,
    }
    assert ada.get(there, headers={"If-None-Match": shown.headers["etag"]}).status_code == 304
    changed = put(ada, paper, "two", tag=shown.headers["etag"])
    assert (changed.status_code, changed.json()["version"], changed.json()["tldr"]) == (200, 2, "")
    assert ada.get(there, headers={"If-None-Match": shown.headers["etag"]}).status_code == 200
    assert ada.delete(there).status_code == 204
    assert ada.delete(there).status_code == 404
    again = put(ada, paper, "three")
    assert (again.status_code, again.json()["version"]) == (201, 3)


def test_a_change_requires_its_base_version(ada, paper):
    there = f"/api/v1/papers/{paper.id}/summary"
    assert ada.put(there, json={"markdown": "one"}).status_code == 428
    tag = put(ada, paper, "one").headers["etag"]
    assert ada.put(there, json={"markdown": "two"}).status_code == 428
    assert put(ada, paper, "two", tag=tag).status_code == 200
    for stale in (put(ada, paper, "mine", tag=tag), put(ada, paper, "mine"), put(ada, paper, "mine", tag='"7.7"')):
        assert (stale.status_code, stale.json()["code"]) == (412, "stale")
        current = stale.json()["current"]
        assert (current["version"], current["markdown"]) == (2, "two")
    assert ada.delete(there, headers={"If-Match": tag}).status_code == 412


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, ""),
        ({"markdown": "x", "version": 7}, "/version"),
        ({"markdown": "x", "person_id": 1}, "/person_id"),
        ({"tldr": "x" * 201}, "/tldr"),
        ({"markdown": "é" * 50_001}, "/markdown"),
        ({"markdown": 7}, "/markdown"),
        ("text", ""),
    ],
)
def test_an_invalid_summary_is_rejected_with_a_pointer(ada, paper, body, pointer):
    answer = ada.put(f"/api/v1/papers/{paper.id}/summary", json=body, headers=NEW)
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


def test_missing_papers_have_no_summaries(ada):
    for path in ("summary", "summaries"):
        assert ada.get(f"/api/v1/papers/9999/{path}").status_code == 404
    assert ada.put("/api/v1/papers/9999/summary", json={"markdown": "x"}, headers=NEW).status_code == 404


def every_door(browser, paper, summary_id):
    """All that a person can ask about summaries here, ids of requests and words of windows left out."""
    paths = (
        f"/api/v1/papers/{paper.id}/summaries",
        f"/api/v1/papers/{paper.id}/summary",
        f"/api/v1/summaries/{summary_id}/versions",
        f"/api/v1/summaries/{summary_id}/versions/1",
        f"/api/v1/papers/{paper.id}?include=summary",
        "/api/v1/papers",
        "/api/v1/papers?q=secret",
        "/api/v1/papers?q=has:summary",
        f"/papers/{paper.id}/summary/versions",
        f"/papers/{paper.id}/summary/edit",
        f"/summaries/{summary_id}/versions",
    )
    answers = [browser.get(path) for path in paths]
    texts = [WINDOW.sub("", answer.text.replace(answer.headers["x-request-id"], "")) for answer in answers]
    return [(a.status_code, text, a.headers.get("etag")) for a, text in zip(answers, texts, strict=True)]


def test_a_private_summary_is_indistinguishable_from_none_for_others(ada, bob, paper, monkeypatch):
    before = every_door(bob, paper, 7)
    monkeypatch.setattr("readtrack.infra.models.columns.secrets.randbelow", lambda _: 6)
    made = put(ada, paper, "secret words", tldr="hidden", private=True)
    assert made.json()["id"] == 7
    assert every_door(bob, paper, 7) == before
    put(ada, paper, "secret words, more of them", tag=made.headers["etag"], private=True)
    assert every_door(bob, paper, 7) == before
    assert "secret" in ada.get(f"/api/v1/papers/{paper.id}/summaries").text


def test_a_shared_summary_is_readable_by_all_and_writable_by_its_author(ada, bob, paper):
    tag = put(ada, paper, "for all").headers["etag"]
    [shown] = bob.get(f"/api/v1/papers/{paper.id}/summaries").json()["items"]
    assert (shown["person"], shown["markdown"]) == ("Ada", "for all")
    assert put(bob, paper, "over it", tag=tag).status_code == 412
    assert put(bob, paper, "his own").status_code == 201
    assert [row["markdown"] for row in ada.get(f"/api/v1/papers/{paper.id}/summaries").json()["items"]] == [
        "for all",
        "his own",
    ]


def test_versions_are_paged_and_available_individually(ada, paper):
    made = put(ada, paper, "text 1")
    for number in (2, 3):
        made = put(ada, paper, f"text {number}", tag=made.headers["etag"])
    there = f"/api/v1/summaries/{made.json()['id']}/versions"
    first = ada.get(there, params={"limit": 2})
    assert [version["markdown"] for version in first.json()["items"]] == ["text 3", "text 2"]
    rest = ada.get(there, params={"limit": 2, "after": first.json()["next"]}).json()
    assert ([version["number"] for version in rest["items"]], rest["next"]) == ([1], None)
    assert ada.get(f"{there}/2").json()["markdown"] == "text 2"
    assert ada.get(f"{there}/9").status_code == 404
    assert ada.get(there, params={"offset": 1}).status_code == 422
    other = ada.get("/api/v1/summaries/999/versions", params={"after": first.json()["next"]})
    assert other.status_code == 400


TEXT = "# Cost\n\n$C = f \\cdot t_{ckpt}$ and **更快** <script>alert(1)</script>\n\n| a | b |\n|---|--:|\n| 1 | 2 |"


def test_the_render_endpoint_gives_the_same_as_the_page_and_its_preview(ada, paper):
    rendered = ada.post("/api/v1/render", json={"markdown": TEXT}).json()["html"]
    assert "<math" in rendered
    assert "<script" not in rendered
    put(ada, paper, TEXT)
    preview = ada.post("/summaries/preview", data={"markdown": TEXT}).text
    shown = [preview, *(ada.get(f"/papers/{paper.id}{path}").text for path in ("/summary/edit", ""))]
    assert [prose(page) for page in shown] == [prose(f'<div class="prose">{rendered}</div>')] * 3


def prose(page):
    [element, *_] = html.fromstring(f"<div>{page}</div>" if "<html" not in page else page).xpath(
        "//div[@class='prose']"
    )
    return "".join(html.tostring(child, encoding="unicode") for child in element).split()


def test_an_oversized_or_invalid_text_is_not_rendered(ada, client):
    assert ada.post("/api/v1/render", json={"markdown": "é" * 50_001}).status_code == 422
    assert ada.post("/api/v1/render", json={"text": "x"}).status_code == 422
    assert client.post("/api/v1/render", json={"markdown": "x"}).status_code == 401


def test_cross_site_and_anonymous_requests_change_nothing(ada, client, paper):
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    there = f"/api/v1/papers/{paper.id}/summary"
    for method in ("PUT", "DELETE"):
        answer = ada.request(method, there, json={"markdown": "x"}, headers={**NEW, **elsewhere})
        assert (answer.status_code, answer.json()["code"]) == (403, "cross-site")
        assert client.request(method, there, json={"markdown": "x"}, headers=NEW).status_code == 401
    assert ada.get(there).status_code == 404


def test_the_api_restores_a_version(ada, bob, paper):
    made = put(ada, paper, "one")
    put(ada, paper, "two", tag=made.headers["etag"])
    there = f"/api/v1/summaries/{made.json()['id']}/versions"
    assert bob.post(f"{there}/1/restore").status_code == 404
    back = ada.post(f"{there}/1/restore")
    assert (back.status_code, back.json()["markdown"], back.json()["version"]) == (200, "one", 3)
    assert put(ada, paper, "three", tag=back.headers["etag"]).json()["version"] == 4
    assert ada.post(f"{there}/9/restore").status_code == 404
