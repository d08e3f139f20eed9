"""Topics as JSON: the rows of the interface, their statuses, and who may what."""

from urllib.parse import quote

import pytest

from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada", role="editor")
    return sign_in(visitor)


def add(browser, name, **fields):
    return browser.post("/api/v1/topics", json={"name": name, **fields})


def test_a_topic_is_created_read_updated_and_deleted(ada):
    made = add(ada, "Checkpointing", aliases=["ckpt"], markdown="$C$")
    assert (made.status_code, made.headers["location"]) == (201, "/api/v1/topics/checkpointing")
    shown = ada.get("/api/v1/topics/checkpointing")
    assert shown.json() == made.json()
    assert shown.headers["etag"] == made.headers["etag"]
    changed = ada.patch(
        "/api/v1/topics/checkpointing", json={"name": "Snapshots"}, headers={"If-Match": shown.headers["etag"]}
    )
    assert changed.status_code == 200
    assert {name: changed.json()[name] for name in ("slug", "name", "aliases", "markdown", "version")} == {
        "slug": "checkpointing",
        "name": "Snapshots",
        "aliases": ["ckpt"],
        "markdown": "$C$",
        "version": 2,
    }
    assert ada.delete("/api/v1/topics/checkpointing").status_code == 204
    gone = ada.get("/api/v1/topics/checkpointing")
    assert (gone.status_code, gone.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.deep
def test_null_clears_a_field_and_omitted_fields_stay(ada):
    add(ada, "Training")
    tag = add(ada, "MoE", parent="training", markdown="text").headers["etag"]
    changed = ada.patch(
        "/api/v1/topics/moe", json={"parent": None, "aliases": ["mixture"]}, headers={"If-Match": tag}
    ).json()
    assert (changed["parent"], changed["aliases"], changed["markdown"]) == (None, ["mixture"], "text")


def test_a_change_requires_the_version_it_is_based_on(ada):
    tag = add(ada, "MoE", markdown="one").headers["etag"]
    assert ada.patch("/api/v1/topics/moe", json={"markdown": "two"}).status_code == 428
    assert ada.patch("/api/v1/topics/moe", json={"markdown": "two"}, headers={"If-Match": tag}).status_code == 200
    stale = ada.patch("/api/v1/topics/moe", json={"markdown": "three"}, headers={"If-Match": tag})
    assert (stale.status_code, stale.json()["code"]) == (412, "stale")
    assert (stale.json()["current"]["version"], stale.json()["current"]["markdown"]) == (2, "two")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"name": ""}, 422, "/name"),
        ({}, 422, "/name"),
        ({"name": "x", "slug": "mine"}, 422, "/slug"),
        ({"name": "x", "created_by": 7}, 422, "/created_by"),
        ({"name": "x", "parent": "nowhere"}, 422, "/parent"),
        ({"name": "x", "aliases": ["y" * 121]}, 422, "/aliases/0"),
        (["x"], 422, ""),
        ({"name": "CKPT"}, 409, None),
    ],
)
def test_an_invalid_topic_is_rejected_with_a_pointer(ada, body, status, pointer):
    add(ada, "Checkpointing", aliases=["ckpt"])
    answer = ada.post("/api/v1/topics", json=body)
    assert answer.status_code == status
    assert [error["pointer"] for error in answer.json()["errors"]] == ([] if pointer is None else [pointer])


@pytest.mark.parametrize("body", [[], "x", 7, {"version": 9}, {"name": None}])
def test_an_invalid_patch_is_rejected(ada, body):
    tag = add(ada, "MoE").headers["etag"]
    assert ada.patch("/api/v1/topics/moe", json=body, headers={"If-Match": tag}).status_code == 422


def test_one_idempotency_key_creates_one_topic(ada):
    answers = [ada.post("/api/v1/topics", json={"name": "MoE"}, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotency-replayed"] == "true"


def test_any_alias_redirects_to_the_topic(ada):
    add(ada, "チェックポイント", aliases=["fault tolerance", "ckpt"])
    for name in ("ckpt", "fault-tolerance"):
        there = ada.get(f"/api/v1/topics/{name}")
        assert (there.status_code, there.headers["location"]) == (301, f"/api/v1/topics/{quote('チェックポイント')}")
        assert ada.get(there.headers["location"]).json()["name"] == "チェックポイント"


def test_the_list_is_paged_by_name(ada):
    for name in ("b", "A", "d", "C"):
        add(ada, name)
    first = ada.get("/api/v1/topics", params={"limit": 3})
    assert [topic["name"] for topic in first.json()["items"]] == ["A", "b", "C"]
    assert 'rel="next"' in first.headers["link"]
    second = ada.get("/api/v1/topics", params={"limit": 3, "after": first.json()["next"]}).json()
    assert ([topic["name"] for topic in second["items"]], second["next"]) == (["d"], None)
    assert ada.get("/api/v1/topics", params={"limit": 0}).status_code == 400
    assert ada.get("/api/v1/topics", params={"after": "forged"}).status_code == 400
    assert ada.get("/api/v1/topics", params={"page": 2}).status_code == 422


def test_filing_is_idempotent(ada, database):
    with database.write() as tx:
        paper = make.paper(tx)
    add(ada, "MoE")
    there = f"/api/v1/papers/{paper.id}/topics/moe"
    assert [ada.put(there).status_code for _ in range(2)] == [204, 204]
    assert ada.get("/api/v1/topics/moe").json()["papers"] == 1
    assert ada.delete("/api/v1/topics/moe").status_code == 409
    assert [ada.delete(there).status_code for _ in range(2)] == [204, 204]
    assert ada.put(f"/api/v1/papers/{paper.id}/topics/nowhere").status_code == 404
    assert ada.put("/api/v1/papers/99999/topics/moe").status_code == 404


def test_merging_returns_the_surviving_topic(ada):
    for name in ("MoE", "Mixture of experts"):
        add(ada, name)
    kept = ada.post("/api/v1/topics/moe/merge", json={"into": "mixture-of-experts"})
    assert (kept.status_code, kept.json()["aliases"]) == (200, ["MoE"])
    assert ada.get("/api/v1/topics/moe").status_code == 301


def test_a_cross_site_request_changes_nothing(ada):
    add(ada, "MoE")
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    for method, path in (
        ("POST", "/topics"),
        ("PATCH", "/topics/moe"),
        ("DELETE", "/topics/moe"),
        ("POST", "/topics/moe/merge"),
    ):
        answer = ada.request(method, f"/api/v1{path}", json={"name": "New"}, headers=elsewhere)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross-site")
    assert [topic["name"] for topic in ada.get("/api/v1/topics").json()["items"]] == ["MoE"]


def test_anonymous_requests_see_nothing_and_viewers_change_nothing(client, database, sign_in):
    assert client.get("/api/v1/topics").status_code == 401
    with database.write() as tx:
        make.topic(tx, "MoE")
        viewer = make.visitor(tx, role="viewer")
    browser = sign_in(viewer)
    assert browser.get("/api/v1/topics/moe").status_code == 200
    assert add(browser, "New").status_code == 403
