"""A25, A26: what a request says of who sends it counts only from a trusted proxy, once, and from the right."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import config as operator
from readtrack.infra.errors import SettingsError
from readtrack.infra.models import UserSession
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands
from readtrack.team.accounts.identities import ExternalIdentity, identity_from_header
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import InvitationCreate
from tests import make
from tests.client import AppClient
from tests.provider import said

pytestmark = pytest.mark.slow  # many requests to a whole application

PROXY, STRANGER = "10.0.0.2", "10.0.0.3"
HEADER = "Remote-User"
PASSWORD = "correct horse battery"


@pytest.fixture
def ken(database):
    """Whom the proxy knows as ken@corp."""
    with database.write() as tx:
        someone = make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))
        commands.link_identity(tx, someone, identity_from_header(HEADER, "ken@corp"))
    return someone


@pytest.fixture
def behind(browsers):
    """`behind(peer)` opens browsers whose requests come from that machine."""
    return lambda peer=PROXY: browsers(peer, auth_header=HEADER, trusted_proxies=f"{PROXY},fd00::2")()


def whoever(client, *headers, address="/api/v1/me"):
    answer = client.get(address, headers=list(headers))
    return answer.json()["name"] if answer.status_code == 200 else None


def test_a25_every_endpoint_trusts_the_proxy(behind, ken):
    for peer in (PROXY, "fd00::2", "::ffff:10.0.0.2"):
        client = behind(peer)
        assert whoever(client, (HEADER, "ken@corp")) == "Ken"
        assert client.get("/papers", headers={HEADER: "ken@corp"}).status_code == 200
    assert whoever(behind(), (HEADER.upper(), "ken@corp")) == "Ken"


def test_a25_the_header_is_ignored_from_any_other_address(behind, ken):
    for peer in (STRANGER, "127.0.0.1", "::1", "fd00::3", "testclient", "", "10.0.0.2.evil"):
        client = behind(peer)
        forwarded = [("X-Forwarded-For", PROXY), ("Forwarded", f"for={PROXY}"), ("X-Real-IP", PROXY)]
        assert whoever(client, (HEADER, "ken@corp"), *forwarded) is None, peer
        assert client.get("/papers", headers={HEADER: "ken@corp"}).status_code == 303, peer


def test_a25_other_repeated_or_unknown_identity_headers_identify_nobody(behind, ken):
    client = behind()
    for headers in (
        [("Remote_User", "ken@corp")],
        [("Remote.User", "ken@corp")],
        [("X-Remote-User", "ken@corp")],
        [(HEADER, "ken@corp"), (HEADER, "ken@corp")],
        [(HEADER, "nobody"), (HEADER, "ken@corp")],
        [(HEADER, "nobody, ken@corp")],
        [(HEADER, "ken@corp,")],
        [(HEADER, "")],
        [(HEADER, "   ")],
        [(HEADER, "KEN@CORP")],
        [(HEADER, "ken")],
        [(HEADER, "Ken")],
        [(HEADER, "ken@corp\u00a0".encode("latin-1"))],
        [(HEADER, b"ken@corp\x00")],
        [(HEADER, b"\xffken@corp")],
        [(HEADER, "k" * 300)],
    ):
        assert whoever(client, *headers) is None, headers


def test_a25_an_invalid_token_is_rejected_even_with_the_proxy_header(behind, ken):
    answer = behind().get("/api/v1/me", headers={HEADER: "ken@corp", "Authorization": "Bearer wrong"})
    assert (answer.status_code, answer.json()["code"]) == (401, "bad-token")


def test_a25_a_cross_site_request_through_the_proxy_changes_nothing(behind, ken):
    client = behind()
    headers = {HEADER: "ken@corp", "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert client.post("/settings/appearance", data={"theme": "dark"}, headers=headers).status_code == 403
    assert client.patch("/api/v1/me", json={"theme": "dark"}, headers=headers).status_code == 403


def test_a25_a_disabled_person_is_anonymous_behind_the_proxy(behind, ken, database):
    with database.write() as tx:
        commands.disable_person(tx, make.visitor(tx, "Ada", role="admin"), ken.id)
    assert whoever(behind(), (HEADER, "ken@corp")) is None


def test_a25_without_the_setting_the_header_is_ignored(browsers, ken):
    assert whoever(browsers(PROXY, trusted_proxies=PROXY)(), (HEADER, "ken@corp")) is None


def test_a25_a_disabled_person_sees_that_they_are_disabled(behind, ken, database):
    with database.write() as tx:
        commands.disable_person(tx, make.visitor(tx, "Ada", role="admin"), ken.id)
    page = behind().get("/sign-in", headers={HEADER: "ken@corp"}).text
    assert "This account is disabled" in page
    assert "linked yet" not in page


def test_a25_basic_auth_for_the_proxy_is_not_taken_for_a_token(behind, browsers, ken):
    """A proxy that asks for passwords (Basic) often passes them on."""
    basic = {"Authorization": "Basic a2VuOnNlY3JldA=="}
    client = behind()
    assert whoever(client, (HEADER, "ken@corp"), *basic.items()) == "Ken"
    form = {"data": {"theme": "dark"}, "headers": {HEADER: "ken@corp", **basic}}
    assert client.post("/settings/appearance", **form).status_code == 303
    form["headers"]["Sec-Fetch-Site"] = "cross-site"
    assert client.post("/settings/appearance", **form).status_code == 403, "browsers send it by themselves"
    for elsewhere in (behind(STRANGER), browsers(PROXY, trusted_proxies=PROXY)()):
        assert elsewhere.get("/api/v1/me", headers={HEADER: "ken@corp", **basic}).json()["code"] == "bad-token"


def test_a25_signing_out_behind_the_proxy_leaves_no_session_cookie(behind, ken, database):
    client = behind()
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    session = client.cookies["readtrack"]
    told = said(client, client.post("/sign-out", headers={HEADER: "ken@corp"}))
    assert "Sign out there" in told
    client.cookies["readtrack"] = session
    assert whoever(client) is None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "AUTH_HEADER needs TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "*"}, "TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "0.0.0.0/0"}, "TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "::/0"}, "TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "0.0.0.0/1,128.0.0.0/1"}, "a wide network"),
        ({"TRUSTED_PROXIES": "127.0.0.1,10.0.0.0/8"}, "a wide network"),
        ({"TRUSTED_PROXIES": "2000::/3"}, "a wide network"),
        ({"TRUSTED_PROXIES": PROXY, "AUTH_HEADER": "Remote_User"}, "letters, digits and hyphens"),
        ({"TRUSTED_PROXIES": PROXY, "AUTH_HEADER": "Remote-User:"}, "letters, digits and hyphens"),
        ({"TRUSTED_PROXIES": PROXY, "AUTH_HEADER": "Authorization"}, "letters, digits and hyphens"),
        ({"TRUSTED_PROXIES": PROXY, "AUTH_HEADER": "Cookie"}, "letters, digits and hyphens"),
        ({"TRUSTED_PROXIES": PROXY, "AUTH_HEADER": "X-Real-IP"}, "letters, digits and hyphens"),
    ],
    ids=str,
)
def test_a25_readtrack_refuses_to_start_if_it_would_trust_every_client(tmp_path, given, told):
    values = {"AUTH_HEADER": HEADER, "DATA": str(tmp_path), **given}
    with pytest.raises(SettingsError, match=told):
        operator.load({f"READTRACK_{name}": text for name, text in values.items()})


def test_a_signed_in_person_can_link_the_proxy_identity(behind, database):
    with database.write() as tx:
        make.visitor(tx, "Mei", password_hash=hash_password(PASSWORD))
    client = behind()
    client.headers[HEADER] = "mei@corp"
    page = client.get("/sign-in").text
    assert "mei@corp" in page
    assert "linked yet" in page
    client.post("/sign-in", data={"name": "Mei", "password": PASSWORD})
    assert "Link mei@corp" in client.get("/settings/identities").text
    assert said(client, client.post("/settings/identities/proxy", data={"current": PASSWORD})).startswith("Added")
    client.cookies.clear()
    assert whoever(client) == "Mei"
    told = said(client, client.post("/sign-out"))
    assert told == "The proxy signs you in. Sign out there."


def test_a_proxy_identity_can_join_with_an_invitation(behind, database):
    with database.write() as tx:
        code = commands.invite(tx, make.visitor(tx, "Ada", role="admin"), InvitationCreate(role="viewer"))
    client = behind()
    assert "Join as" not in client.get(f"/invitations/accept/{code}").text
    assert client.post(f"/invitations/accept/{code}/proxy").status_code == 404
    headers = [(HEADER, "Yōko Aoki".encode())]
    assert "Join as Yōko Aoki" in client.get(f"/invitations/accept/{code}", headers=headers).text
    client.post(f"/invitations/accept/{code}/proxy", headers=headers)
    client.cookies.clear()
    assert client.get("/api/v1/me", headers=headers).json()["role"] == "viewer"


def test_the_operator_can_link_a_person_to_a_proxy_identity(behind, database):
    with database.write() as tx:
        mei = make.visitor(tx, "Mei")
        commands.name_identity(tx, OPERATOR, mei.id, ExternalIdentity("header:remote-user", "mei@corp", "mei@corp"))
    assert whoever(behind(), (HEADER, "mei@corp")) == "Mei"


FORWARDED = [
    ("192.0.2.1", "192.0.2.1"),
    ("198.51.100.9, 192.0.2.1", "192.0.2.1"),
    ("127.0.0.1, 192.0.2.1", "192.0.2.1"),
    (f"198.51.100.9, 192.0.2.1, {PROXY}", "192.0.2.1"),
    (", ".join(["198.51.100.9", *["192.0.2.1"] * 9]), "192.0.2.1"),
    (", ".join(["198.51.100.9", *[PROXY] * 40]), PROXY),
    ("192.0.2.1:4711", "192.0.2.1"),
    ("[2001:db8::7]:4711", "2001:db8::7"),
    ("2001:db8::7", "2001:db8::7"),
    ("::ffff:192.0.2.1", "192.0.2.1"),
    ("192.0.2.1, fe80::1%eth0", PROXY),
    ("192.0.2.1, <script>", PROXY),
    ("192.0.2.1, unknown", PROXY),
    ("192.0.2.1,", PROXY),
    ("", PROXY),
    ("1.2.3.4, " * 7_000 + "192.0.2.1", "192.0.2.1"),
]


def test_a26_the_client_address_is_the_rightmost_untrusted_one(browsers, database, logged):
    client: AppClient = browsers(PROXY, trusted_proxies=PROXY)()
    for forwarded, real in FORWARDED:
        headers = {"X-Forwarded-For": forwarded, "X-Real-IP": "203.0.113.5", "Forwarded": "for=203.0.113.5"}
        client.get("/sign-in", headers=headers)
        assert logged[-1]["address"] == real, forwarded[:30]


def test_a26_a_session_stores_the_real_client_address(browsers, database):
    with database.write() as tx:
        make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))
    client: AppClient = browsers(PROXY, trusted_proxies=PROXY)()
    headers = {"X-Forwarded-For": "198.51.100.9, 192.0.2.1"}
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD}, headers=headers)
    with database.read() as tx:
        assert tx.scalar(sa.select(col(UserSession.address))) == "192.0.2.1"


def test_a26_an_untrusted_client_cannot_set_its_address_or_scheme(browsers, database):
    with database.write() as tx:
        make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))
    client: AppClient = browsers(STRANGER, trusted_proxies=PROXY)()
    headers = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD}, headers=headers)
    with database.read() as tx:
        assert tx.scalar(sa.select(col(UserSession.address))) == STRANGER


def test_a26_the_log_contains_the_real_client_address(behind, logged):
    for method in ("GET", "HEAD"):
        behind().request(method, "/sign-in", headers={"X-Forwarded-For": "198.51.100.9, 192.0.2.1"})
        behind(STRANGER).request(method, "/sign-in", headers={"X-Forwarded-For": "192.0.2.1"})
    assert [line["address"] for line in logged] == ["192.0.2.1", STRANGER] * 2
