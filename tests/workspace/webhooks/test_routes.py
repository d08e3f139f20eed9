"""Webhooks by API and by page: made, changed, looked at; the secret is shown once."""

import pytest

from readtrack.infra.clock import now
from readtrack.infra.models import Person
from readtrack.workspace.webhooks.commands import MAX_WEBHOOKS
from tests import make

URL = "https://chat.example.org/hook"


@pytest.fixture
def browser(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
    return sign_in(ada)


def test_a34_the_secret_is_in_the_answer_to_its_creation_only(browser):
    created = browser.post("/api/v1/webhooks", json={"url": URL, "events": ["papers"]})
    assert (created.status_code, created.json()["secret"][:6]) == (201, "whsec_")
    path = created.headers["location"]
    changed = browser.patch(path, json={"active": False, "format": "slack"})
    assert {name: changed.json()[name] for name in ("state", "format", "events", "url")} == {
        "state": "paused",
        "format": "slack",
        "events": ["papers"],
        "url": URL,
    }
    pages = [browser.get(address).text for address in (path, "/api/v1/webhooks", path.removeprefix("/api/v1"))]
    assert not any("whsec_" in page for page in pages)
    assert browser.delete(path).status_code == 204
    assert browser.get(path).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [{"url": "ftp://example.org"}, {"events": ["person.signed-in"]}, {"topic": "nowhere"}, {"view": 5}, {"team": True}],
)
def test_a_webhook_that_could_not_work_is_refused(browser, wrong):
    assert browser.post("/api/v1/webhooks", json={"url": URL, **wrong}).status_code in {403, 422}
    assert browser.get("/api/v1/webhooks").json() == {"items": []}


def test_nobody_has_more_webhooks_than_the_limit(browser):
    answers = [browser.post("/api/v1/webhooks", json={"url": URL}).status_code for _ in range(MAX_WEBHOOKS + 1)]
    assert answers == [201] * MAX_WEBHOOKS + [409]


@pytest.mark.both_databases
def test_deliveries_come_in_pages_newest_first(browser):
    path = browser.post("/api/v1/webhooks", json={"url": URL}).headers["location"]
    sent = [browser.post(f"{path}/test").json()["id"] for _ in range(3)]
    first = browser.get(f"{path}/deliveries", params={"limit": 2}).json()
    second = browser.get(f"{path}/deliveries", params={"limit": 2, "after": first["next"]}).json()
    seen = [item["id"] for page in (first, second) for item in page["items"]]
    assert second["next"] is None
    assert seen == sent[::-1]


def test_the_page_shows_the_secret_once_and_keeps_what_was_typed_if_something_is_wrong(browser):
    wrong = browser.post("/settings/webhooks", data={"url": URL, "topic": "nowhere"})
    assert (wrong.status_code, URL in wrong.text, "No such topic." in wrong.text) == (422, True, True)
    assert "whsec_" in browser.post("/settings/webhooks", data={"url": URL}).text
    assert "whsec_" not in browser.get("/settings/webhooks").text


@pytest.mark.parametrize("change", [{"disabled_at": now()}, {"role": "editor"}])
def test_a_team_webhook_without_an_admin_says_so_until_another_admin_saves_it(database, sign_in, change):
    with database.write() as tx:
        ada, bob = (make.visitor(tx, name, role="admin") for name in ("Ada", "Bob"))
    path = sign_in(ada).post("/api/v1/webhooks", json={"url": URL, "team": True}).headers["location"]
    page = path.replace("/api/v1", "/settings")
    browser = sign_in(bob)
    assert browser.get(path).json()["state"] == "active"
    with database.write() as tx:
        tx.get_one(Person, ada.id).sqlmodel_update(change)
    problem = "Nothing is sent because Ada is no longer an active admin. Save to take it over."
    answer = browser.get(path).json()
    assert (answer["state"], answer["active"], answer["problem"]) == ("ownerless", True, problem)
    assert all(problem in browser.get(address).text for address in (page, "/settings/webhooks"))
    assert browser.post(page, data={"url": URL, "active": "1"}).status_code in {200, 303}
    answer = browser.get(path).json()
    assert (answer["state"], answer["problem"], answer["person_name"]) == ("active", "", "Bob")
    assert problem not in browser.get(page).text


def test_a_former_admin_neither_sees_nor_changes_the_team_webhooks_they_made(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada", role="admin")
    browser = sign_in(ada)
    path = browser.post("/api/v1/webhooks", json={"url": URL, "team": True}).headers["location"]
    with database.write() as tx:
        tx.get_one(Person, ada.id).role = "editor"
    assert browser.get("/api/v1/webhooks").json() == {"items": []}
    answers = [
        browser.get(path),
        browser.patch(path, json={"url": "https://elsewhere.example"}),
        browser.get(f"{path}/deliveries"),
        browser.post(f"{path}/test"),
        browser.delete(path),
        browser.get(path.replace("/api/v1", "/settings")),
    ]
    assert {answer.status_code for answer in answers} == {404}
