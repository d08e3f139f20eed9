"""A53: another site that somebody visits learns nothing of what readtrack would answer them: not from a status, a size,
a frame, or where it is led on.
"""

import pytest

from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.depth import DEEP

pytestmark = pytest.mark.slow  # many requests to a whole application

ASKED = (
    "/papers?q=Secret",
    "/papers?q=Nothing",
    "/papers/1",
    "/papers/999",
    "/home",
    "/queue",
    "/notifications",
    "/progress",
)
DOORS = (
    *ASKED,
    *(f"/api/v1{path}" for path in ("/papers?q=Secret", "/papers/1", "/papers/999", "/me")),
    "/palette?q=S",
)
WAYS: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
    {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Origin": "https://evil.example"},
    {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object"},
    {"Sec-Fetch-Mode": "same-origin", "Sec-Fetch-Dest": "empty"},
    {},
)
TELLING = {"content-type", "content-length", "location", "cache-control", "vary", "set-cookie", "etag"}


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        make.paper(tx, "Secret Plans")
        person = make.visitor(tx, "Ada")
    return sign_in(person)


def told(browser, method, path, headers):
    """What can be seen from elsewhere: status, size and headers."""
    answer = browser.request(method, path, headers={"Accept": "text/html", "Origin": "", **headers})
    size = len(answer.text.replace(answer.headers["x-request-id"], ""))
    return answer.status_code, size, {name: answer.headers.get(name) for name in TELLING}


@pytest.mark.one_database
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a53_a_cross_site_request_gets_the_same_response_regardless_of_session_and_result(ada, client, site):
    for way in (way for number, way in enumerate(WAYS) if DEEP or number % 2 == (site == "same-site")):
        headers = {"Sec-Fetch-Site": site, **way}
        seen = {door: {str(told(browser, "GET", door, headers)) for browser in (ada, client)} for door in DOORS}
        assert all(len(answers) == 1 for answers in seen.values()), way  # members and strangers alike
        pages = set().union(*(seen[door] for door in ASKED))
        assert len(pages) == 1, way  # found and not found alike
        assert pages.pop().startswith("(403, "), way
        assert {told(ada, "HEAD", door, headers)[0] for door in DOORS} == {403}


def test_a53_a_link_from_another_site_works_without_giving_it_a_window_reference(ada):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = ada.get("/papers", headers=headers)
    assert (answer.status_code, "Secret Plans" in answer.text) == (200, True)
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"  # else its frames could be counted
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


def test_a53_api_clients_with_a_token_need_no_browser_headers(database, client):
    with database.write() as tx:
        person = make.visitor(tx, "Ken")
        _, token = create_token(tx, person, TokenCreate(name="t", scopes=["read"]))
    headers = {"Authorization": f"Bearer {token}", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    assert client.get("/api/v1/me", headers=headers).status_code == 200
