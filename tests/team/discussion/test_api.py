"""Discussions as JSON: the same rows and verbs as the pages, each effect once, nothing of another discussion."""

import pytest

from tests import make

pytestmark = pytest.mark.slow  # many requests to a whole application; `make check` is to be quick


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada")
    return sign_in(visitor)


@pytest.fixture
def bo(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Bo Lee")
    return sign_in(visitor)


@pytest.fixture(params=["papers", "topics", "questions"])
def at(request, database):
    with database.write() as tx:
        made = {
            "papers": lambda: make.paper(tx).id,
            "topics": lambda: make.topic(tx, "Recovery").slug,
            "questions": lambda: make.question(tx).id,
        }
        return f"/api/v1/{request.param}/{made[request.param]()}"


def say(browser, at, text="Why?", **fields):
    answer = browser.post(f"{at}/comments", json={"markdown": text, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.mark.deep
def test_comments_are_listed_in_order_and_read_individually(ada, bo, at):
    first = say(ada, at, "one")
    say(bo, at, "two", parent=first["id"])
    listed = bo.get(f"{at}/comments").json()
    assert [(row["markdown"], row["person"], row["parent"]) for row in listed["items"]] == [
        ("one", "Ada", None),
        ("two", "Bo Lee", first["id"]),
    ]
    kind, name = at.rsplit("/", 2)[1:]
    where = {"paper": None, "topic": None, "question": None}
    where |= {kind.removesuffix("s"): name if kind == "topics" else int(name)}
    assert {name: first[name] for name in where} == where
    shown = ada.get(f"/api/v1/comments/{first['id']}")
    assert shown.json() == first
    again = ada.get(f"/api/v1/comments/{first['id']}", headers={"If-None-Match": shown.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.deep
def test_a_list_is_paged_without_repeats(ada, at):
    for number in range(5):
        say(ada, at, f"number {number}")
    seen, after = [], None
    while True:
        page = ada.get(f"{at}/comments", params={"limit": 2, **({"after": after} if after else {})}).json()
        seen += [row["markdown"] for row in page["items"]]
        after = page["next"]
        if after is None:
            break
    assert seen == [f"number {number}" for number in range(5)]


def test_a_comment_sent_twice_with_one_idempotency_key_is_posted_once(ada, at):
    first, again = (
        ada.post(f"{at}/comments", json={"markdown": "Why?"}, headers={"Idempotency-Key": "k"}) for _ in range(2)
    )
    assert (first.status_code, again.json(), again.headers["idempotency-replayed"]) == (201, first.json(), "true")
    assert len(ada.get(f"{at}/comments").json()["items"]) == 1


def test_an_edit_requires_its_base_version(ada, bo, at):
    first = say(ada, at, "one")
    there = f"/api/v1/comments/{first['id']}"
    tag = ada.get(there).headers["etag"]
    assert ada.patch(there, json={"markdown": "two"}).status_code == 428
    changed = ada.patch(there, json={"markdown": "two"}, headers={"If-Match": tag})
    assert (changed.status_code, changed.json()["version"], changed.json()["markdown"]) == (200, 2, "two")
    stale = ada.patch(there, json={"markdown": "mine"}, headers={"If-Match": tag})
    assert (stale.status_code, stale.json()["current"]) == (412, {"version": 2, "yours": 1, "markdown": "two"})
    for body in ({}, {"markdown": ""}, {"markdown": "x", "parent": 1}, {"markdown": 7}):
        assert ada.patch(there, json=body, headers={"If-Match": changed.headers["etag"]}).status_code == 422
    other = bo.patch(there, json={"markdown": "theirs"}, headers={"If-Match": changed.headers["etag"]})
    assert other.status_code == 403


def test_an_unknown_prefix_suggests_nobody(ada):
    for beginning in ("b" * 20_000, "%", "_", "\\", "\0", "田" * 5_000):
        answer = ada.get("/api/v1/people/complete", params={"q": beginning})
        assert (answer.status_code, answer.json().get("items")) == (200, []), beginning[:9]


def test_each_action_returns_the_updated_comment(ada, bo, at):
    first = say(ada, at)
    answer = say(bo, at, parent=first["id"])
    there = f"/api/v1/comments/{answer['id']}"
    assert bo.post(f"{there}/resolve").json()["resolved_by"] == "Bo Lee"
    assert bo.post(f"{there}/reopen").json()["resolved_at"] is None
    assert (bo.delete(there).status_code, bo.delete(there).status_code, bo.get(there).status_code) == (204, 404, 404)
    assert bo.post(f"{there}/restore").json() == answer
    assert bo.post(f"{there}/hide").status_code == 403


def test_the_read_marker_is_saved(ada, bo, at):
    first = say(ada, at)
    assert bo.post(f"{at}/read-marker", json={"comment": first["id"]}).status_code == 204
    for body in ({}, {"comment": 0}, {"comment": 2**40}, {"comment": 999}, {"comment": "x"}):
        assert bo.post(f"{at}/read-marker", json=body).status_code == 422


@pytest.mark.parametrize("at", ["/api/v1/papers/999", "/api/v1/topics/none", "/api/v1/questions/999"])
def test_comments_on_a_missing_target_are_refused(ada, at):
    assert ada.get(f"{at}/comments").status_code == 404
    assert ada.post(f"{at}/comments", json={"markdown": "x"}).status_code == 404
    assert ada.post(f"{at}/read-marker", json={"comment": 1}).status_code == 404


def test_an_at_sign_suggests_active_people_with_their_written_form(ada, database):
    from readtrack.infra.clock import now  # noqa: PLC0415

    with database.write() as tx:
        for name in ("Aki Tanaka", "Akira", "Tanaka Ken", "田中太郎", "100% sure"):
            make.person(tx, name)
        make.person(tx, "Akita", disabled_at=now())

    def offered(q):
        return [row["mention"] for row in ada.get("/api/v1/people/complete", params={"q": q}).json()["items"]]

    assert offered("aKi") == ['@"Aki Tanaka"', "@Akira"]
    assert offered("tana") == ['@"Tanaka Ken"', '@"Aki Tanaka"']
    assert offered("田") == ["@田中太郎"]
    assert offered("太郎") == ["@田中太郎"]
    assert (offered("%"), offered("_"), offered(""), offered(" ")) == ([], [], [], [])
    assert ada.get("/api/v1/people/complete?prefix=a").status_code == 422
