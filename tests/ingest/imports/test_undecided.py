"""Lines that need a decision: they wait when the rest is imported, are counted, and are added once a person decides."""

import pytest
from lxml import html

from readtrack.infra.models import Paper
from tests import make
from tests.ingest.imports.given import LONG, OTHER, given, line
from tests.sample_library import carry_out, content, count_of, entries_of

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

DOUBT = {"decision": "review", "reason": "Is it?"}


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    return sign_in(me)


@pytest.fixture
def import_id(database, me):
    """A committed import with one paper, and two lines that wait: a paper and a note."""
    import_id = given(
        database,
        me,
        line(1, title=LONG, identifiers=("arxiv:2401.00001",)),
        line(2, title=OTHER, identifiers=("arxiv:2401.00002",), **DOUBT),
        line(3, "snippet", text="???", **DOUBT),
    )
    carry_out(database, me, import_id)
    return import_id


def form_of(browser, address):
    [form] = html.fromstring(browser.get(address).text).xpath("//form[@id='preview']")
    return {name: value.removeprefix("\n") for name, value in form.form_values() if value != "on"}


def titles(browser, address):
    document = html.fromstring(browser.get(address).text)
    return [title.text_content() for title in document.xpath("//li[@data-row]//*[@class='title']")]


def state(browser, import_id):
    body = browser.get(f"/api/v1/imports/{import_id}").json()
    return body["state"], body["undecided"]


def test_undecided_lines_are_not_added_and_are_counted_everywhere(browser, database, import_id):
    assert count_of(database, Paper) == 1
    assert state(browser, import_id) == ("committed", 2)
    assert browser.get(f"/api/v1/imports/{import_id}/report").json()["undecided"] == 2
    address = f"/imports/{import_id}?show=open"
    for path in (f"/imports/{import_id}", "/imports", "/notes", f"/imports/{import_id}/report"):
        [link] = html.fromstring(browser.get(path).text).xpath(f"//main//a[@href='{address}']/..")
        assert "2 lines need a decision" in link.text_content(), path
    assert [entry.done_at is not None for entry in entries_of(database, import_id)] == [True, False, False]


def test_the_notification_opens_exactly_the_waiting_lines(browser, database, import_id):
    [notification] = browser.get("/api/v1/notifications").json()["items"]
    assert notification["address"].endswith(f"/imports/{import_id}?show=open")
    assert titles(browser, notification["address"]) == [OTHER, "???"]


def test_a_decided_line_is_added_with_the_next_import_and_the_others_wait_on(browser, database, me, import_id):
    address = f"/imports/{import_id}?show=open"
    browser.post(f"/imports/{import_id}", data=form_of(browser, address) | {"do-2": "add", "then": "stay"})
    assert titles(browser, address) == [OTHER, "???"]
    assert "1 to import" in browser.get(address).text
    answer = browser.post(f"/imports/{import_id}", data=form_of(browser, address))
    assert answer.headers["location"] == f"/imports/{import_id}"
    assert state(browser, import_id) == ("committing", 1)
    carry_out(database, me, import_id)
    assert (count_of(database, Paper), state(browser, import_id)) == (2, ("committed", 1))
    assert titles(browser, address) == ["???"]
    browser.post(f"/imports/{import_id}", data=form_of(browser, address) | {"do-3": "skip"})
    carry_out(database, me, import_id)
    assert (count_of(database, Paper), state(browser, import_id)) == (2, ("committed", 0))
    assert f"{OTHER} imported" not in browser.get(address).text
    assert browser.get(address).text.count("data-row") == 0


def test_committing_again_without_a_decision_changes_nothing(browser, database, import_id):
    before = content(database)
    answers = [browser.post(f"/api/v1/imports/{import_id}/commit", json={}).json()["job"] for _ in range(2)]
    assert len(set(answers)) == 1
    assert content(database) == before


def test_the_rest_is_decided_over_the_api(browser, database, me, import_id):
    base = f"/api/v1/imports/{import_id}"
    assert [entry["n"] for entry in browser.get(f"{base}/entries?show=open").json()["items"]] == [2, 3]
    assert browser.post(f"{base}/decide", json={"show": "review", "decision": "add"}).json()["changed"] == 2
    assert browser.patch(f"{base}/entries/1", json={"title": "x"}).status_code == 409
    carry_out(database, me, import_id)
    assert (count_of(database, Paper), state(browser, import_id)) == (2, ("committed", 0))
    assert browser.post(f"{base}/decide", json={"decision": "skip"}).status_code == 409


def test_a_later_version_asks_again_for_a_line_that_still_waits(browser, database, me, import_id):
    later = given(database, me, line(1, title=OTHER, identifiers=("arxiv:2401.00002",), **DOUBT), more=" b")
    assert [entry.decision for entry in entries_of(database, later)] == ["review"]


def test_a_line_merged_into_a_waiting_one_waits_with_it(browser, database, me):
    import_id = given(database, me, line(1, title=LONG, **DOUBT), line(2, "snippet", text="more"))
    browser.post(f"/api/v1/imports/{import_id}/join", json={"entries": [1, 2]})
    browser.patch(f"/api/v1/imports/{import_id}/entries/1", json={"title": LONG})
    with database.write() as tx:
        entries = [tx.merge(entry) for entry in entries_of(database, import_id)]
        entries[0].decision = "review"
    carry_out(database, me, import_id)
    assert [entry.done_at for entry in entries_of(database, import_id)] == [None, None]
    assert browser.post(f"/api/v1/imports/{import_id}/entries/1/reset", json={}).status_code == 200
    assert state(browser, import_id) == ("committed", 1)
    assert len(titles(browser, f"/imports/{import_id}?show=open")) == 2


def test_a_split_entry_is_not_reset_once_a_part_of_it_is_imported(browser, database, me):
    names = ("arxiv:2401.00001", "arxiv:2401.00002")
    import_id = given(database, me, line(1, title=LONG, identifiers=names))
    browser.post(f"/api/v1/imports/{import_id}/entries/1/split", json={})
    with database.write() as tx:
        tx.merge(entries_of(database, import_id)[1]).decision = "review"
    carry_out(database, me, import_id)
    assert browser.post(f"/api/v1/imports/{import_id}/entries/2/reset", json={}).status_code == 409
