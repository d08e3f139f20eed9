"""Decisions on a preview by REST: narrowed, corrected, divided, joined, put back, kept as rules, reported."""

import pytest

from readtrack.infra.models import ImportRule
from tests import make
from tests.sample_library import content, count_of
from tests.tables import cases

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

NOTES = """# Systems

- [Fast Failure Recovery for Distributed Training](https://arxiv.org/abs/2401.00001)
- https://example.org/notes-on-recovery
- https://example.org/more-notes
Does it pay on small clusters?
"""


@pytest.fixture
def mem(database, sign_in):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
    browser = sign_in(me)
    assert browser.post("/api/v1/imports", json={"text": NOTES, "title": "List"}).status_code == 201
    return browser


def entries(browser, **wanted):
    return browser.get("/api/v1/imports/1/entries", params=wanted).json()


def number_of(browser, identifier):
    [entry] = [entry for entry in entries(browser)["items"] if identifier in entry["identifiers"]]
    return entry["n"]


@pytest.mark.deep
def test_entries_are_filtered_and_paged(mem):
    whole = entries(mem)
    assert (whole["next"], [entry["n"] for entry in whole["items"]]) == (None, list(range(1, len(whole["items"]) + 1)))
    shown = [entry for entry in whole["items"] if entry["kind"] != "blank"]
    found = []
    after: int | None = 0
    while after is not None:
        page = entries(mem, after=after, limit=2)
        assert len(page["items"]) <= 2
        found += page["items"]
        after = page["next"]
    assert found == shown
    assert {entry["kind"] for entry in entries(mem, kind="paper")["items"]} == {"paper"}
    assert len(entries(mem, q="recovery", show="new")["items"]) == 2


@cases("wrong", [{"show": "nonsense"}, {"after": -1}, {"limit": 0}, {"q": "x" * 1001}, {"page": 2}, {"after": "two"}])
def test_invalid_parameters_are_rejected(mem, wrong):
    assert mem.get("/api/v1/imports/1/entries", params=wrong).status_code == 422


def test_every_field_of_an_entry_can_be_corrected(mem):
    address = f"/api/v1/imports/1/entries/{number_of(mem, 'arxiv:2401.00001')}"
    said = {"kind": "article", "venue": "OSDI", "year": 2024, "status": "reading", "title": "Corrected"}
    done = mem.patch(address, json=said).json()
    assert {name: done[name] for name in said} == said
    assert done["changed"] is True
    none = mem.patch(address, json={"year": 0, "status": "", "venue": ""}).json()
    assert (none["year"], none["status"], none["venue"]) == (None, None, "")
    assert mem.patch(address, json={"kind": "question"}).json()["kind"] == "question"
    [entry] = mem.post(f"{address}/reset").json()["items"]
    assert (entry["kind"], entry["changed"], entry["title"].startswith("Fast")) == ("paper", False, True)


def test_a_paused_status_is_accepted(mem):
    address = f"/api/v1/imports/1/entries/{number_of(mem, 'arxiv:2401.00001')}"
    assert mem.patch(address, json={"status": "paused"}).json()["status"] == "paused"


def test_entries_are_merged_split_and_restored(mem, database):
    before = content(database)
    first = number_of(mem, "url:example.org/notes-on-recovery")
    answer = mem.post("/api/v1/imports/1/join", json={"entries": [first, first + 1]})
    assert (answer.status_code, answer.json()["n"], answer.json()["lines"]) == (200, first, [4, 5])
    divided = mem.post(f"/api/v1/imports/1/entries/{first}/split").json()["items"]
    assert [entry["lines"] for entry in divided] == [[4, 4], [5, 5]]
    assert mem.get("/api/v1/imports/1").json()["lines"] == mem.get("/api/v1/imports/1/report").json()["lines"]
    back = mem.post(f"/api/v1/imports/1/entries/{first}/reset").json()["items"]
    assert [entry["n"] for entry in back] == [first, first + 1]
    assert content(database) == before


@pytest.mark.deep
@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("join", {"entries": [3]}, "/entries"),
        ("join", {"entries": [1, 5]}, "/entries"),
        ("join", {"entries": ["a", 2]}, "/entries/0"),
        ("decide", {"decision": "perhaps"}, "/decision"),
        ("decide", {"decision": "skip", "show": "nonsense"}, "/show"),
        ("rules", {"pattern": "host", "value": "no site", "says": "skip"}, None),
        ("rules", {"pattern": "heading", "value": "", "says": "no_topic"}, "/value"),
    ],
)
def test_an_invalid_change_is_rejected_with_a_pointer_and_changes_nothing(mem, database, path, body, pointer):
    before = content(database)
    address = "/api/v1/imports/rules" if path == "rules" else f"/api/v1/imports/1/{path}"
    answer = mem.post(address, json=body)
    assert answer.status_code == 422
    if pointer:
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert content(database) == before


def test_merging_twice_with_one_key_merges_once(mem, database):
    first = number_of(mem, "url:example.org/notes-on-recovery")
    once = {"headers": {"Idempotency-Key": "abc"}, "json": {"entries": [first, first + 1]}}
    answer = mem.post("/api/v1/imports/1/join", **once)
    before = content(database)
    again = mem.post("/api/v1/imports/1/join", **once)
    assert (again.status_code, again.json(), again.headers["idempotency-replayed"]) == (200, answer.json(), "true")
    assert content(database) == before


def test_all_entries_matching_a_filter_are_decided(mem):
    answer = mem.post("/api/v1/imports/1/decide", json={"decision": "skip", "q": "example.org"})
    assert (answer.status_code, answer.json()["changed"]) == (200, 2)
    assert answer.json()["decisions"] == mem.get("/api/v1/imports/1").json()["decisions"]
    assert mem.post("/api/v1/imports/1/decide", json={"decision": "skip", "q": "example.org"}).json()["changed"] == 0


def test_a_correction_is_saved_as_a_rule_and_the_rule_removed(mem, database):
    address = f"/api/v1/imports/1/entries/{number_of(mem, 'url:example.org/notes-on-recovery')}"
    mem.patch(address, json={"kind": "article", "keep_rule": True})
    assert [entry["kind"] for entry in entries(mem, q="example.org")["items"]] == ["article", "article"]
    [rule] = mem.get("/api/v1/imports/rules").json()["items"]
    assert (rule["sentence"], rule["person"]) == ("example.org: article", "Ada")
    assert mem.get("/api/v1/imports/1/report").json()["rules"] == [{"rule": "example.org: article", "entries": 2}]
    assert mem.delete(f"/api/v1/imports/rules/{rule['id']}").status_code == 204
    assert mem.delete(f"/api/v1/imports/rules/{rule['id']}").status_code == 404
    assert count_of(database, ImportRule) == 0


def test_a_repeated_rule_is_added_once(mem, database):
    wanted = {"pattern": "heading", "value": "Infos", "says": "no_topic"}
    first, again = (mem.post("/api/v1/imports/rules", json=wanted) for _ in range(2))
    assert (first.status_code, first.json()) == (201, again.json())
    assert count_of(database, ImportRule) == 1


def test_the_report_adds_up(mem):
    report = mem.get("/api/v1/imports/1/report").json()
    assert sum(report["lines"].values()) == report["line_count"] == len(NOTES.splitlines())
    assert sum(report["kinds"].values()) == sum(report["decisions"].values()) == report["entries"]
    assert mem.get("/api/v1/imports/9/report").status_code == 404


def test_another_persons_preview_cannot_be_changed(mem, sign_in, database):
    with database.write() as tx:
        someone = make.visitor(tx, "Bo")
    other = sign_in(someone)
    before = content(database)
    for answer in (
        other.post("/api/v1/imports/1/decide", json={"decision": "skip"}),
        other.post("/api/v1/imports/1/join", json={"entries": [3, 4]}),
        other.post("/api/v1/imports/1/entries/3/split"),
        other.post("/api/v1/imports/1/entries/3/reset"),
        other.patch("/api/v1/imports/1/entries/3", json={"kind": "article", "keep_rule": True}),
    ):
        assert answer.status_code == 403
    assert content(database) == before
