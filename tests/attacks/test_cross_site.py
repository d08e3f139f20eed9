"""A10, A11: a page of another site changes nothing here, and signs nobody in or out."""

import pytest

from readtrack.team.accounts import commands
from readtrack.team.accounts.identities import ExternalIdentity
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import InvitationCreate
from tests import make
from tests.conftest import ADDRESS
from tests.provider import CLIENT, SECRET, come_back, sent_to
from tests.sample_library import content

pytestmark = pytest.mark.slow  # many requests to a whole application

PASSWORD = "correct horse battery"
ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://other.127.0.0.1:8000"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "null"},
    {"Origin": "https://evil.example"},
    {"Origin": f"{ADDRESS}.evil.example"},
    {"Origin": ADDRESS.replace("http:", "https:")},
    {"Origin": "http://["},
    {"Referer": f"{ADDRESS}/sign-in"},
    {},
]
FORMS = [
    ("/sign-in", {"name": "Ken", "password": PASSWORD}),
    ("/sign-in/code", {"code": "000000"}),
    ("/sign-in/provider", {}),
    ("/sign-out", {}),
    ("/settings/second-factor/new", {}),
    ("/settings/second-factor", {"code": "000000", "secret": "a"}),
    ("/settings/second-factor/codes", {"code": "000000"}),
    ("/settings/second-factor/off", {"code": "000000"}),
    ("/settings/identities", {}),
    ("/settings/identities/proxy", {}),
    ("/settings/identities/1/unlink", {}),
    ("/invitations/accept/{code}", {"name": "Eve", "password": PASSWORD}),
    ("/invitations/accept/{code}/provider", {}),
    ("/invitations/accept/{code}/proxy", {}),
]


@pytest.fixture
def browser(browsers, provider):
    return browsers(oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SECRET)


@pytest.fixture
def ken(database, provider):
    with database.write() as tx:
        person = make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))
        commands.link_identity(tx, person, ExternalIdentity(provider.url, "ken-1"))
    return person


def test_a10_sign_in_forms_reject_cross_site_requests(browser, database, ken):
    with database.write() as tx:
        code = commands.invite(tx, make.visitor(tx, "Ada", role="admin"), InvitationCreate())
    client = browser()
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    before = content(database)
    client.headers = {}
    for headers in ELSEWHERE:
        for path, fields in FORMS:
            answer = client.post(path.format(code=code), data=fields, headers=headers)
            assert answer.status_code == 403, (path, headers)
    assert content(database) == before


def test_a10_the_api_rejects_cross_site_requests_with_a_session_cookie(browser, database, ken):
    client = browser()
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    before = content(database)
    client.headers = {}
    for headers in ELSEWHERE:
        answer = client.post("/api/v1/topics", json={"name": "Planted"}, headers=headers)
        assert answer.status_code == 403, headers
    assert content(database) == before


def test_a10_method_override_parameters_and_headers_are_ignored(browser, database, ken):
    client = browser()
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    before = content(database)
    for headers in ({"X-HTTP-Method-Override": "POST"}, {"X-HTTP-Method": "POST"}):
        for path in ("/sign-out", "/settings/second-factor/off", "/settings/identities"):
            client.get(f"{path}?_method=POST", headers=headers)
    assert content(database) == before


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a11_following_a_link_does_not_sign_out(browser, ken, method):
    client = browser()
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    assert client.request(method, "/sign-out").status_code == 405
    assert client.get("/api/v1/me").status_code == 200


def test_a11_an_oidc_callback_from_eve_does_not_sign_in_bobs_browser(browser, provider, ken):
    """Bob is lured to the address that the provider gave Eve's browser, who stopped there."""
    eve, bob = browser(), browser()
    brought = provider.approve(sent_to(eve.post("/sign-in/provider")), "ken-1")
    bob.post("/sign-in/provider")
    for client in (bob, browser()):
        come_back(client, brought)
        assert client.get("/api/v1/me").status_code == 401


def test_a11_an_oidc_callback_from_eve_does_not_link_her_identity_to_bob(browser, provider, database, ken):
    """Bob is signed in and lured to an answer with which Eve's account would be linked to his."""
    eve, bob = browser(), browser()
    with database.write() as tx:
        make.visitor(tx, "Bob", password_hash=hash_password(PASSWORD))
    eve.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    brought = provider.approve(sent_to(eve.post("/settings/identities", data={"current": PASSWORD})), "eve-1")
    bob.post("/sign-in", data={"name": "Bob", "password": PASSWORD})
    before = content(database)
    come_back(bob, brought)
    assert content(database) == before
    assert bob.get("/api/v1/me").json()["identities"] == []


def test_a11_the_oidc_callback_is_a_link_and_receives_the_state_cookie(browser, provider, ken):
    client = browser()
    answer = client.post("/sign-in/provider")
    (cookie,) = [line for line in answer.headers.get_list("set-cookie") if line.startswith("readtrack-waiting=")]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert answer.headers["cache-control"] == "no-store"
    assert client.post("/sign-in/provider/answer", data={"state": "x"}).status_code == 405


def test_a20_signing_in_issues_a_new_session_cookie_regardless_of_existing_cookies(browser, provider, database, ken):
    client = browser()
    client.cookies["readtrack"] = "planted"
    come_back(client, provider.approve(sent_to(client.post("/sign-in/provider")), "ken-1"))
    session = [cookie.value for cookie in client.cookies.jar if cookie.name == "readtrack"]
    assert "planted" not in session[-1]
    stranger = browser()
    stranger.cookies["readtrack"] = "planted"
    assert stranger.get("/api/v1/me").status_code == 401
