"""A12: whoever signs in by whatever way goes on to a place of ours, as a browser understands addresses."""

from urllib.parse import quote

import pytest

from readtrack.team.accounts import commands
from readtrack.team.accounts.identities import ExternalIdentity
from readtrack.team.accounts.passwords import hash_password
from readtrack.web.responses.redirects import safe_next
from tests import make
from tests.conftest import ADDRESS
from tests.depth import some
from tests.provider import CLIENT, SECRET, come_back, sent_to

PASSWORD = "correct horse battery"
FOREIGN = [
    "//evil.example", "///evil.example", "////evil.example/..", "/\\evil.example", "\\/evil.example",
    "\\\\evil.example",
    "/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", " //evil.example",
    "/ /evil.example",
    "https:evil.example", "https:/evil.example", "https://evil.example", "HTTPS://evil.example", "http:evil.example",
    "javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,x", "evil.example", "@evil.example",
    "//user@evil.example", "https://127.0.0.1:8000@evil.example", "https://127.0.0.1:8000.evil.example",
    "/\x00/evil.example", "/papers\r\nSet-Cookie: a=b", "/papers\nLocation: //evil.example", "//evil%2Eexample",
    "/\u2215evil.example", "/\uff0fevil.example", "\u2044/evil.example", "/\u3000/evil.example", "/\u200b/evil.example",
    "//[::1]", "//127.0.0.1:8001", "?next=//evil.example", "#//evil.example", "..//evil.example", "",
]  # fmt: skip
OURS = [
    "/papers", "/papers?q=a%20b&after=x", "/topics/%E8%A8%93%E7%B7%B4", "/papers/1#summary", "/;//evil.example",
    "/%2F/evil.example", "/%09/evil.example", "/%5Cevil.example", "/..//evil.example", "/@evil.example",
    "/.//evil.example",
]  # fmt: skip


@pytest.mark.parametrize("wanted", FOREIGN, ids=ascii)
def test_a12_a_redirect_to_another_site_is_not_followed(wanted):
    assert safe_next(wanted, "/") == "/"


@pytest.mark.parametrize("wanted", OURS, ids=ascii)
def test_a12_a_redirect_within_readtrack_is_followed(wanted):
    assert safe_next(wanted, "/") == wanted


@pytest.fixture
def browser(browsers, provider, database):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))
        commands.link_identity(tx, ken, ExternalIdentity(provider.url, "ken-1"))
    return browsers(oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SECRET)


@pytest.mark.slow  # many requests to a whole application
def test_a12_no_sign_in_route_redirects_to_another_site(browser, provider):
    for wanted in some(FOREIGN, 6):
        client = browser()
        page = client.get(f"/sign-in?next={quote(wanted)}")
        assert 'name="next"' not in page.text
        answer = client.post("/sign-in/provider", data={"next": wanted})
        answer = come_back(client, provider.approve(sent_to(answer), "ken-1"))
        assert answer.headers["location"] == "/", wanted
        assert client.get(f"/sign-in?next={quote(wanted)}").headers["location"] == "/", wanted


@pytest.mark.slow  # many requests to a whole application
def test_a12_a_password_sign_in_does_not_redirect_to_another_site(browser):
    for wanted in some(FOREIGN, 3):
        client = browser()
        answer = client.post("/sign-in", data={"name": "Ken", "password": PASSWORD, "next": wanted})
        assert answer.headers["location"] == "/", wanted


@pytest.mark.deep
@pytest.mark.browser
def test_a12_browsers_resolve_accepted_redirect_targets_to_this_site():
    from tests.browser.serving import browser  # noqa: PLC0415

    kept = [wanted for wanted in [*FOREIGN, *OURS] if wanted and safe_next(wanted, "") == wanted]
    with browser() as chromium:
        page = chromium.new_page()
        origins = page.evaluate("([all, base]) => all.map(one => new URL(one, base).origin)", [kept, ADDRESS])
    assert kept == OURS
    assert set(origins) == {ADDRESS}
