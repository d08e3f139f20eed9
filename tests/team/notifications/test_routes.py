"""The inbox and the choices in a browser and as JSON."""

import pytest
from lxml import html

from readtrack.infra.clock import now
from tests import make

pytestmark = pytest.mark.slow  # many requests


class Mine:
    """Bo's browser, and what is in Bo's inbox."""

    def __init__(self, database, sign_in):
        with database.write() as tx:
            me, self.ada = make.visitor(tx, "Bo", "viewer"), make.visitor(tx, "Ada").id
            self.paper = make.paper(tx, "Elastic Pipelines").id
            self.id, self.database = me.id, database
        self.browser = sign_in(me)

    def told(self, kind="mention", **fields):
        with self.database.write() as tx:
            return make.notice(tx, self.id, kind, **{"actor_id": self.ada, "paper_id": self.paper, **fields}).id

    def main(self, address="/notifications"):
        return html.fromstring(self.browser.get(address).text).xpath("//main")[0]


@pytest.fixture
def mine(database, sign_in):
    return Mine(database, sign_in)


def said(element):
    return " ".join(element.text_content().split())


def test_clicking_a_notification_opens_its_target_and_marks_it_as_read(mine):
    notice = mine.told()
    page = mine.main()
    assert "Ada mentioned you" in said(page)
    (action,) = page.xpath("//form[contains(@action, '/open')]/@action")
    assert "Ada mentioned you" in said(page.xpath("//form[contains(@action, '/open')]/button")[0])
    opened = mine.browser.post(action)
    assert (opened.status_code, opened.headers["location"]) == (303, f"/papers/{mine.paper}")
    assert "No unread notifications" in said(mine.main())
    read = mine.main("/notifications?state=all")
    (link,) = read.xpath(f"//li[@id='notice-{notice}']//a[@class='aim']")
    assert (link.get("href"), "Ada mentioned you" in said(link)) == (f"/papers/{mine.paper}", True)


def test_a_form_marks_one_or_all_as_read(mine):
    first, *_ = [mine.told() for _ in range(3)]
    assert (
        mine.browser.post(f"/notifications/{first}/read", data={"next": "/notifications?state=all"}).headers["location"]
        == "/notifications?state=all"
    )
    until = mine.main().xpath("string(//input[@name='until']/@value)")
    late = mine.told()
    assert mine.browser.post("/notifications/read", data={"until": until}).status_code == 303
    assert [row["id"] for row in mine.browser.get("/api/v1/notifications").json()["items"]] == [late]
    mine.browser.post("/notifications/read", data={"until": "yesterday"})
    assert mine.browser.get("/api/v1/notifications").json()["items"] == []


def test_the_api_returns_the_same_as_the_page_in_the_same_order(mine):
    mine.told()
    asked = mine.told("assignment", data={"what": "made"})
    rows = mine.browser.get("/api/v1/notifications").json()["items"]
    assert [row["id"] for row in rows] == [
        int(row.removeprefix("notice-")) for row in mine.main().xpath("//li[@data-row]/@id")
    ]
    assert rows[0] == {
        "id": asked, "kind": "assignment", "text": "Ada assigned you a paper: Elastic Pipelines", "count": 1,
        "address": f"/papers/{mine.paper}", "about": {"paper": mine.paper},
        "created_at": rows[0]["created_at"], "read_at": None,
    }  # fmt: skip


def test_the_api_marks_one_and_all_as_read_and_repeating_changes_nothing(mine):
    first, _ = mine.told(), mine.told()
    for _ in range(2):
        assert mine.browser.post(f"/api/v1/notifications/{first}/read").status_code == 204
    assert mine.browser.post("/api/v1/notifications/read", json={}).json() == {"read": 1}
    assert mine.browser.post("/api/v1/notifications/read", json={"until": now().isoformat()}).json() == {"read": 0}
    assert mine.browser.post("/api/v1/notifications/999/read").status_code == 404
    assert mine.browser.post("/api/v1/notifications/read", json={"all": True}).status_code == 422
    assert len(mine.browser.get("/api/v1/notifications?state=all").json()["items"]) == 2


def test_settings_are_shown_and_saved_on_the_page_and_through_the_api(mine):
    assert set(mine.browser.get("/api/v1/notification-settings").json().values()) == {"page"}
    assert mine.browser.post("/settings/notifications", data={"mention": "mail", "reply": "nothing"}).status_code == 303
    chosen = mine.main("/settings/notifications").xpath("//input[@checked]")
    assert {(field.get("name"), field.get("value")) for field in chosen} >= {
        ("mention", "mail"),
        ("reply", "nothing"),
        ("job", "page"),
    }
    patched = mine.browser.patch("/api/v1/notification-settings", json={"reply": "page"}).json()
    assert (patched["mention"], patched["reply"]) == ("mail", "page")
    assert mine.browser.patch("/api/v1/notification-settings", json={"reply": "pigeon"}).status_code == 422
    refused = mine.browser.post("/settings/notifications", data={"reply": "pigeon"})
    assert (refused.status_code, "Must be one of" in refused.text) == (422, True)


@pytest.mark.deep
def test_the_navigation_on_each_page_counts_unread_notifications(mine):
    for _ in range(2):
        mine.told()
    gone = mine.told()
    assert mine.browser.post(f"/notifications/{gone}/read").status_code == 303
    counts = html.fromstring(mine.browser.get("/papers").text).xpath(
        "//nav//a[@href='/notifications']//*[contains(@class, 'n')]/text()"
    )
    assert [count for count in counts if count.strip()][:1] == ["2"]


@pytest.mark.parametrize("until", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_timestamp_out_of_calendar_range_breaks_nothing(mine, until):
    mine.told()
    refused = mine.browser.post("/api/v1/notifications/read", json={"until": until})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/until")
    assert mine.browser.post("/notifications/read", data={"until": until}).status_code == 303
