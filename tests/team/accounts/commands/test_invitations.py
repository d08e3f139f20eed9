"""Links that are good: seen and ended by admins, mailed where mail is set up, and not without measure."""

from datetime import timedelta

import pytest
import time_machine
from lxml import html

from readtrack.infra import action_quotas, clock
from readtrack.infra.errors import NotFound, TooManyRequests
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.schemas import InvitationCreate, PersonSetUp
from tests import make

pytestmark = pytest.mark.slow  # a whole application each


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="admin")


def listed(browser):
    return browser.get("/api/v1/invitations").json()["items"]


def test_only_valid_links_are_listed(database, ada, sign_in):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken")
        old = commands.invite(tx, ada, InvitationCreate(role="viewer"))
        commands.create_reset_link(tx, ada, ken.id)
        commands.create_reset_link(tx, OPERATOR, make.person(tx, "Mei").id)
        commands.join(tx, old, PersonSetUp(name="Zoe", password="correct horse battery"), password_hash="x")
    rows = [(row["role"], row["person"], row["by"]) for row in listed(sign_in(ada))]
    assert rows == [("member", "Mei", None), ("member", "Ken", "Ada")]
    with time_machine.travel(clock.now() + timedelta(days=8)):
        assert listed(sign_in(ada)) == []


def test_page_and_api_list_the_same_links(database, ada, sign_in):
    with database.write() as tx:
        for role in ("viewer", "editor"):
            commands.invite(tx, ada, InvitationCreate(role=role))
    browser = sign_in(ada)
    rows = html.fromstring(browser.get("/people/invitations").text).xpath("//tbody/tr")
    assert (
        [row.xpath("string(td[1])") for row in rows] == [row["role"] for row in listed(browser)] == ["editor", "viewer"]
    )


def test_a_revoked_link_does_not_work(database, ada, sign_in, client):
    with database.write() as tx:
        codes = [commands.invite(tx, ada, InvitationCreate()) for _ in range(2)]
    browser = sign_in(ada)
    assert browser.delete("/api/v1/invitations/1").status_code == 204
    assert browser.post("/people/invitations/2/revoke").status_code == 303
    assert [client.get(f"/invitations/accept/{code}").status_code for code in codes] == [404, 404]
    with pytest.raises(NotFound), database.write() as tx:
        commands.revoke_invitation(tx, ada, 1)


def test_an_address_is_requested_only_where_mail_is_configured(database, ada, sign_in):
    browser = sign_in(ada)
    assert 'name="email"' not in browser.get("/people/invitations").text
    refused = browser.post("/people/invitations", data={"role": "member", "email": "mei@example.org"})
    assert refused.status_code == 422
    assert "READTRACK_SMTP_URL" in refused.text
    api = browser.post("/api/v1/invitations", json={"email": "mei@example.org"})
    assert (api.status_code, api.json()["errors"][0]["pointer"]) == (422, "/email")
    assert listed(browser) == []


def test_invitations_are_limited(database, ada):
    quota = action_quotas.QUOTAS["person.invited"]
    with database.write() as tx:
        for _ in range(quota.limit):
            commands.invite(tx, ada, InvitationCreate())
    with pytest.raises(TooManyRequests) as refused, database.write() as tx:
        commands.invite(tx, ada, InvitationCreate())
    assert refused.value.retry_after > 0


def test_a_link_created_through_the_api_is_shown_once(database, ada, sign_in, client):
    browser = sign_in(ada)
    link = browser.post("/api/v1/invitations", json={"role": "editor"}).json()["link"]
    assert "join as editor" in client.get(link).text
    with database.write() as tx:
        ken = make.visitor(tx, "Ken")
    back = browser.post(f"/api/v1/people/{ken.id}/link", json={}).json()["link"]
    assert "Ken" in client.get(back).text
    assert link not in browser.get("/api/v1/invitations").text


def test_a_person_is_managed_through_the_api(database, ada, sign_in):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken")
    browser, there = sign_in(ada), f"/api/v1/people/{ken.id}"
    assert browser.patch(there, json={"role": "editor"}).json()["role"] == "editor"
    assert browser.delete(there).status_code == 409
    assert browser.patch(there, json={"disabled": True}).json()["disabled"] is True
    assert browser.patch(there, json={"disabled": False}).json()["disabled"] is False
    assert browser.get("/api/v1/people/999").status_code == 404
    with database.read() as tx:
        assert queries.get_person(tx, ken.id).role == "editor"


def test_language_and_time_zone_are_saved_and_an_invalid_zone_is_refused(database, ada, sign_in):
    browser = sign_in(ada)
    fields = {"name": "Ada", "email": "", "language": "ja", "time_zone": "Asia/Tokyo"}
    assert browser.post("/settings/profile", data=fields).status_code == 303
    mine = browser.get("/api/v1/me").json()
    assert (mine["language"], mine["time_zone"]) == ("ja", "Asia/Tokyo")
    assert browser.post("/settings/profile", data={**fields, "time_zone": "Mars/Olympus"}).status_code == 422
    assert browser.patch("/api/v1/me", json={"time_zone": "../etc/passwd"}).status_code == 422
    assert browser.patch("/api/v1/me", json={"time_zone": ""}).json()["time_zone"] == ""
