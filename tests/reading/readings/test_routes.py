"""My reading at both doors: status codes and bodies of the API, and the forms of the pages."""

from datetime import UTC, datetime

import pytest
from lxml import html

from readtrack.infra.clock import today
from readtrack.infra.models import Reading
from readtrack.reading.readings import queries
from tests import make

pytestmark = pytest.mark.slow


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bob")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


@pytest.fixture
def paper_id(database) -> int:
    with database.write() as tx:
        return make.paper(tx, "Attention").id or 0


def form_of(browser, paper_id, form="my-reading"):
    """What the form of the paper's page would send, as it stands there."""
    document = html.fromstring(browser.get(f"/papers/{paper_id}").text)
    [form] = document.xpath(f"//form[@id='{form}']")
    return {name: "" if value == "on" else value for name, value in form.form_values()}  # lxml's word for value=""


def mine(database, me, paper_id):
    with database.read() as tx:
        return queries.find_my_reading(tx, me, paper_id)


def text_of(answer):
    return " ".join(html.fromstring(answer.text).text_content().split())


def test_my_reading_goes_from_none_to_read_through_the_api(ada, paper_id):
    address = f"/api/v1/papers/{paper_id}/reading"
    assert ada.get(address).status_code == 404
    made = ada.put(address, json={"status": "reading", "progress": {"unit": "page", "at": 7, "of": 14}})
    assert made.status_code == 201
    assert made.json()["progress"] == {"unit": "page", "at": 7, "of": 14}
    done = ada.put(
        address, json={"status": "read", "depth": "studied", "finished_on": "2024-03-01", "started_on": None}
    )
    assert done.status_code == 200
    shown = ada.get(address)
    assert shown.json() == done.json()
    assert ada.get(address, headers={"If-None-Match": shown.headers["etag"]}).status_code == 304
    named = ("paper", "person", "status", "depth", "started_on", "finished_on", "private", "pass_number")
    assert [shown.json()[name] for name in named] == [paper_id, "Ada", "read", "studied", None, "2024-03-01", False, 1]


def test_a_refused_transition_lists_the_possible_ones(ada, paper_id):
    address = f"/api/v1/papers/{paper_id}/reading"
    ada.put(address, json={"status": "read"})
    for answer in (ada.put(address, json={"status": "paused"}), ada.delete(address)):
        body = answer.json()
        assert (answer.status_code, body["code"], body["allowed"]) == (409, "refused-transition", ["reading"])
    assert ada.get(address).json()["status"] == "read"


def test_removing_from_my_list_is_idempotent(ada, paper_id):
    address = f"/api/v1/papers/{paper_id}/reading"
    ada.put(address, json={"status": "to_read"})
    assert [ada.delete(address).status_code for _ in range(2)] == [204, 204]
    assert ada.get(address).status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"status": "reed"}, "/status"),
        ({"status": "read", "rating": 5}, "/rating"),
        ({"status": "reading", "progress": {"unit": "page"}}, "/progress/at"),
        ({"status": "read", "finished_on": "yesterday"}, "/finished_on"),
        ({"status": "read", "private": "perhaps"}, "/private"),
        ([], ""),
    ],
)
def test_an_invalid_value_is_rejected_with_a_pointer(ada, paper_id, body, pointer):
    answer = ada.put(f"/api/v1/papers/{paper_id}/reading", json=body)
    assert (answer.status_code, [error["pointer"] for error in answer.json()["errors"]]) == (422, [pointer])


def test_a_missing_paper_has_no_readings(ada):
    for answer in (
        ada.get("/api/v1/papers/4711/reading"),
        ada.put("/api/v1/papers/4711/reading", json={"status": "read"}),
        ada.get("/api/v1/papers/4711/readings"),
        ada.post("/papers/4711/reading", data={"status": "read"}),
    ):
        assert answer.status_code == 404


def test_shared_readings_are_listed_and_filtered(ada, people, sign_in, paper_id, database):
    with database.write() as tx:
        other = make.paper(tx, "Other").id
        make.reading(tx, people[1].id, other, "to_read")
    ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "reading"})
    sign_in(people[1]).put(f"/api/v1/papers/{paper_id}/reading", json={"status": "read"})

    def said(address):
        return {(item["person"], item["status"]) for item in ada.get(address).json()["items"]}

    assert said(f"/api/v1/papers/{paper_id}/readings") == {("Ada", "reading"), ("Bob", "read")}
    assert said("/api/v1/readings") == {("Ada", "reading"), ("Bob", "read"), ("Bob", "to_read")}
    assert said(f"/api/v1/readings?person={people[1].id}&status=read") == {("Bob", "read")}
    assert said("/api/v1/readings?since=2999-01-01T00:00:00Z") == set()
    assert ada.get("/api/v1/readings?persons=1").status_code == 422


def test_undoing_a_change_restores_the_time_of_the_change_before_and_is_found_as_a_change(
    ada, paper_id, people, database
):
    long_ago = datetime(2026, 3, 1, tzinfo=UTC)
    with database.write() as tx:
        reading = make.reading(tx, people[0].id, paper_id, "reading", updated_at=long_ago)
    ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "dropped"})
    ada.post(f"/papers/{paper_id}/reading/undo")
    with database.read() as tx:
        assert tx.get(Reading, reading.id).updated_at == long_ago
    [item] = ada.get("/api/v1/readings?since=2026-06-01T00:00:00Z").json()["items"]
    assert item["status"] == "reading"
    assert ada.get("/api/v1/readings?since=2999-01-01T00:00:00Z").json()["items"] == []


def test_setting_a_status_in_a_list_row_returns_to_the_list_with_an_undo(ada, paper_id):
    answer = ada.post(f"/papers/{paper_id}/reading", data={"status": "to_read", "next": "/papers?q=attention"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/papers?q=attention")
    document = html.fromstring(ada.get("/papers?q=attention").text)
    [form] = document.xpath("//*[@id='flash']//form")
    assert form.get("action") == f"/papers/{paper_id}/reading/undo"
    assert "Marked as to read" in document.xpath("string(//*[@id='flash'])")
    undone = ada.post(form.get("action"), data=dict(form.form_values()))
    assert undone.headers["location"] == "/papers?q=attention"
    assert "Undone" in text_of(ada.get("/papers?q=attention"))


@pytest.mark.parametrize("wanted", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_form_redirects_only_within_readtrack(ada, paper_id, wanted):
    answer = ada.post(f"/papers/{paper_id}/reading", data={"status": "to_read", "next": wanted})
    assert answer.headers["location"] == f"/papers/{paper_id}"


def test_the_form_sends_every_field_and_sending_it_again_changes_nothing(ada, people, paper_id, database):
    typed = form_of(ada, paper_id) | {
        "status": "reading", "progress_at": "7", "progress_of": "14", "started_on": "2024-02-01", "private": "1",
    }  # fmt: skip
    assert ada.post(f"/papers/{paper_id}/reading", data=typed).status_code == 303
    first = mine(database, people[0], paper_id)
    assert (first.status, first.progress_at, first.progress_of, first.private) == ("reading", 7, 14, True)
    assert first.started_on.isoformat() == "2024-02-01"
    assert ada.post(f"/papers/{paper_id}/reading", data=form_of(ada, paper_id)).status_code == 303
    assert mine(database, people[0], paper_id)[:-1] == first[:-1]


def test_fields_cleared_in_the_form_are_cleared(ada, people, paper_id, database):
    ada.put(
        f"/api/v1/papers/{paper_id}/reading",
        json={"status": "read", "started_on": "2024-02-01", "finished_on": "2024-03-01", "depth": "read",
              "progress": {"unit": "page", "at": 3}, "private": True},
    )  # fmt: skip
    typed = form_of(ada, paper_id)
    typed.pop("private")
    emptied = {"started_on": "", "finished_on": "", "depth": "", "progress_at": ""}
    assert ada.post(f"/papers/{paper_id}/reading", data=typed | emptied).status_code == 303
    now = mine(database, people[0], paper_id)
    assert (now.status, now.started_on, now.finished_on, now.depth, now.progress_unit, now.private) == (
        "read", None, None, "", "", False,
    )  # fmt: skip


def test_finishing_in_the_form_without_a_date_means_today(ada, people, paper_id, database):
    ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "reading", "started_on": None})
    ada.post(f"/papers/{paper_id}/reading", data=form_of(ada, paper_id) | {"status": "read"})
    assert mine(database, people[0], paper_id).finished_on == today()


def test_the_unit_of_progress_survives_the_form(ada, people, paper_id, database):
    ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "reading", "progress": {"unit": "percent", "at": 50}})
    ada.post(f"/papers/{paper_id}/reading", data=form_of(ada, paper_id))
    now = mine(database, people[0], paper_id)
    assert (now.progress_unit, now.progress_at) == ("percent", 50)


def test_a_form_removes_a_paper_from_my_list(ada, paper_id):
    ada.post(f"/papers/{paper_id}/reading", data={"status": "to_read"})
    document = html.fromstring(ada.get(f"/papers/{paper_id}").text)
    assert document.xpath("//aside//form[.//button[contains(., 'Remove from queue')]]")
    ada.post(f"/papers/{paper_id}/reading", data={"status": ""})
    page = ada.get(f"/papers/{paper_id}")
    assert "Removed from queue" in text_of(page)
    assert ada.get(f"/api/v1/papers/{paper_id}/reading").status_code == 404


@pytest.mark.parametrize(
    ("typed", "status", "said"),
    [
        ({"status": "reading", "progress_at": "many"}, 422, "whole number"),
        ({"status": "reading", "started_on": "soon"}, 422, "a date like"),
        ({"status": "reading", "progress_at": "9", "progress_of": "8"}, 422, "9 is more than the total (8)"),
        ({"status": "paused"}, 409, "to “paused”. Available: "),
    ],
)
def test_an_invalid_form_is_explained_in_words(ada, paper_id, typed, status, said):
    answer = ada.post(f"/papers/{paper_id}/reading", data=typed)
    assert answer.status_code == status
    assert said in text_of(answer)
    assert ada.get(f"/api/v1/papers/{paper_id}/reading").status_code == 404


def test_earlier_passes_are_shown_on_the_page(ada, paper_id):
    for said in ({"status": "read", "finished_on": "2024-03-01"}, {"status": "reading"}):
        ada.put(f"/api/v1/papers/{paper_id}/reading", json=said)
    assert "Read 1 time before: 1 Mar 2024" in text_of(ada.get(f"/papers/{paper_id}"))
