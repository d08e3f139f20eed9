"""A27, A28: a provider's answer that is forged, replayed, or meant for somebody else lets nobody in."""

import base64
import hmac
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from joserfc import jwt
from joserfc.jwk import OctKey
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.db import AT_ONCE
from readtrack.infra.errors import Conflict
from readtrack.infra.models import Identity, PendingSignIn, Person, UserSession
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.commands import sessions as commands_sessions
from readtrack.team.accounts.identities import ExternalIdentity
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import InvitationCreate
from tests import make
from tests.provider import CLIENT, FIRST, SECOND, SECRET, come_back, said, sent_to, signed

pytestmark = pytest.mark.slow  # many requests to a whole application

PASSWORD = "correct horse battery"


@pytest.fixture
def browser(browsers, provider):
    return browsers(oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SECRET)


@pytest.fixture
def bob(database, provider):
    """Whom the provider knows as bob-1."""
    with database.write() as tx:
        person = make.visitor(tx, "Bob", email="bob@example.org", email_key="bob@example.org")
        commands.link_identity(tx, person, ExternalIdentity(provider.url, "bob-1", "Bob"))
    return person


def begun(client, provider, subject="bob-1", begin="/sign-in/provider"):
    """What the browser would bring back."""
    return provider.approve(sent_to(client.post(begin, data={"current": PASSWORD})), subject)


def through(client, provider, subject="bob-1"):
    return come_back(client, begun(client, provider, subject))


def sessions(database):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(UserSession))


def identities(database):
    with database.read() as tx:
        return tx.execute(
            sa.select(col(Identity.person_id), col(Identity.subject)).order_by(col(Identity.created_at))
        ).all()


def refused(client, answer, database):
    """No session, whatever is said; and a sentence is."""
    assert "set-cookie" not in answer.headers or "readtrack=" not in answer.headers["set-cookie"]
    assert client.get("/api/v1/me").status_code == 401
    assert sessions(database) == 0
    told = said(client, answer)
    assert told
    return told


def test_a27_a_valid_sign_in_succeeds(browser, provider, bob):
    client = browser()
    assert through(client, provider).status_code == 303
    assert client.get("/api/v1/me").json()["name"] == "Bob"


NOW = int(time.time())
FORGED = {
    "another issuer": {"iss": "https://id.example.org"},
    "no issuer": {"iss": None},
    "an issuer with a tail": {"iss": "http://127.0.0.1.evil.example"},
    "another audience": {"aud": "another-program"},
    "no audience": {"aud": None},
    "an audience that only begins so": {"aud": CLIENT + "2"},
    "a list without us": {"aud": ["another-program"]},
    "several without a party": {"aud": [CLIENT, "another-program"]},
    "another party": {"aud": [CLIENT, "another-program"], "azp": "another-program"},
    "another party alone": {"azp": "another-program"},
    "out of date": {"exp": NOW - 3600, "iat": NOW - 7200},
    "no end": {"exp": None},
    "an end in words": {"exp": "tomorrow"},
    "an end that is true": {"exp": True},
    "an end without end": {"exp": float("inf")},
    "no beginning": {"iat": None},
    "of a time to come": {"iat": NOW + 36_000, "exp": NOW + 72_000},
    "not yet good": {"nbf": NOW + 36_000},
    "no nonce": {"nonce": None},
    "another nonce": {"nonce": "guessed"},
    "a nonce that is a list": {"nonce": ["a"]},
    "no subject": {"sub": None},
    "a blank subject": {"sub": ""},
    "a subject that is a number": {"sub": 7},
    "a subject that is long": {"sub": "b" * 256},
    "a subject with an end of line": {"sub": "bob-1\n"},
}


def test_a27_a_response_with_wrong_claims_is_rejected(browser, provider, database, bob):
    for what, claims in FORGED.items():
        provider.claims = claims
        client = browser()
        assert "Sign-in failed" in refused(client, through(client, provider), database), what


def unsigned(claims):
    return jwt.encode({"alg": "none"}, dict(claims), OctKey.import_key("x" * 32), algorithms=["none"])


def by_public_key(claims):
    """HS256, with what everybody can read as the shared secret."""
    head, body, _ = signed(claims, FIRST).split(".")
    head = encoded(b'{"alg": "HS256", "kid": "first"}')
    return f"{head}.{body}." + encoded(hmac.digest(FIRST.as_pem(private=False), f"{head}.{body}".encode(), "sha256"))


def encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def with_own_key(claims):
    """The key lies in the token itself."""
    header = {"alg": "RS256", "kid": "first", "jwk": SECOND.as_dict(private=False)}
    return jwt.encode(header, dict(claims), SECOND)


def cut(claims):
    head, body, _ = signed(claims, FIRST).split(".")
    return f"{head}.{body}."


def another_body(claims):
    head, _, end = signed({**claims, "sub": "eve"}, FIRST).split(".")
    return ".".join((head, signed({**claims, "sub": "bob-1"}, FIRST).split(".")[1], end))


SIGNED = {
    "unsigned": unsigned,
    "by the public key": by_public_key,
    "by a key it brings": with_own_key,
    "by a key that is not published": lambda claims: signed(claims, SECOND),
    "by another under its name": lambda claims: signed(claims, SECOND, kid="first"),
    "by a secret of ours": lambda claims: jwt.encode({"alg": "HS256"}, dict(claims), OctKey.import_key(SECRET * 2)),
    "without a signature": cut,
    "with another body": another_body,
    "no token": lambda _: "nonsense",
    "blank": lambda _: "",
    "a number": lambda _: 7,
    "long": lambda _: "a.b." + "c" * 200_000,
}


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")  # these keys are weak on purpose
def test_a27_a_response_not_signed_by_the_provider_is_rejected(browser, provider, database, bob):
    for what, sign in SIGNED.items():
        provider.sign = sign
        client = browser()
        assert "Sign-in failed" in refused(client, through(client, provider), database), what


def test_a27_a_malformed_response_is_rejected(browser, provider, database, bob):
    answers = [(200, b"<html>"), (200, b"[]"), (200, b"{}"), (200, b"[" * 100_000), (200, b" " * 600_000)]
    for provider.token_answer in [*answers, (400, b"{}"), (302, b""), (500, b"{}")]:
        client = browser()
        refused(client, through(client, provider), database)


def test_a27_a_response_without_this_browsers_state_is_rejected(browser, provider, database, bob):
    for spoilt in ({"state": ""}, {"state": "guessed"}, {"state": None}):
        client = browser()
        brought = {name: value for name, value in (begun(client, provider) | spoilt).items() if value is not None}
        assert "sign-in has expired" in refused(client, come_back(client, brought), database)
    assert not [request for request in provider.requests if request.path == "/token"]


def test_a27_a_response_meant_for_another_browser_is_rejected(browser, provider, database, bob):
    """Login CSRF: Eve's answer in Bob's browser, which has a sign-in of its own under way, or none."""
    eve, victim, stranger = browser(), browser(), browser()
    brought = begun(eve, provider, "eve-1")
    begun(victim, provider)
    for client in (victim, stranger):
        assert "sign-in has expired" in refused(client, come_back(client, brought), database)


def test_a27_a_response_can_be_used_only_once(browser, provider, database, bob):
    client = browser()
    brought = begun(client, provider)
    waiting = client.cookies["readtrack-waiting"]
    come_back(client, brought)
    assert sessions(database) == 1
    client.post("/sign-out")
    client.cookies.clear()
    client.cookies["readtrack-waiting"] = waiting
    assert "sign-in has expired" in refused(client, come_back(client, brought), database)


def test_a27_only_one_of_two_concurrent_identical_callbacks_succeeds(database):
    with database.write() as tx:
        secret = commands_sessions.start_pending_sign_in(tx, "oidc", next_path="/", state="asked")

    def bring(_):
        with database.write() as tx:
            return commands_sessions.complete_pending_sign_in(tx, secret, "asked") is not None

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(bring, range(4))) == [False, False, False, True]


def test_a27_a_forged_response_does_not_abort_a_pending_sign_in(browser, provider, database, bob):
    client = browser()
    brought = begun(client, provider)
    assert "sign-in has expired" in refused(client, come_back(client, {"state": "forged", "code": "a"}), database)
    come_back(client, brought)
    assert client.get("/api/v1/me").json()["name"] == "Bob"


def test_a27_an_unexpected_response_writes_nothing(browser, database, bob, statements):
    client = browser()
    with statements() as seen:
        come_back(client, {"state": "forged", "code": "a"})
    assert not [statement for statement in seen if not statement.startswith("SELECT")]


def test_a27_requests_to_the_provider_are_rate_limited(browser, provider, database, bob):
    client = browser()
    for _ in range(login_throttle.MAX_ATTEMPTS_FROM_ADDRESS):
        assert client.post("/sign-in/provider").status_code == 200
    assert client.post("/sign-in/provider").status_code == 429
    with database.read() as tx:
        assert (
            tx.scalar(sa.select(sa.func.count()).select_from(PendingSignIn)) == login_throttle.MAX_ATTEMPTS_FROM_ADDRESS
        )


def test_a27_a_code_is_valid_only_for_its_own_request(browser, provider, database, bob):
    """PKCE: a stolen code is worth nothing without the verifier, which never leaves us."""
    victim, eve = browser(), browser()
    stolen = begun(victim, provider)["code"]
    own = begun(eve, provider, "eve-1")
    refused(eve, come_back(eve, own | {"code": stolen}), database)


def test_a27_a_response_from_another_issuer_is_rejected(browser, provider, database, bob):
    for issuer in ("https://id.example.org", "", "http://127.0.0.1.evil.example", f"{provider.url}/"):
        client = browser()
        answer = come_back(client, begun(client, provider) | {"iss": issuer})
        assert "response is from another provider" in refused(client, answer, database)


def test_a27_a_provider_that_supports_the_iss_parameter_must_send_it(browser, provider, database, bob):
    provider.document = {"authorization_response_iss_parameter_supported": True}
    client = browser()
    assert "response is from another provider" in refused(client, through(client, provider), database)
    come_back(client, begun(client, provider) | {"iss": provider.url})
    assert client.get("/api/v1/me").status_code == 200


def test_a27_the_providers_error_message_is_not_echoed(browser, provider, database, bob):
    client = browser()
    state = begun(client, provider)["state"]
    evil = "<script>alert(1)</script> Your password is wrong, send it to eve@example.org"
    told = refused(client, come_back(client, {"state": state, "error": evil, "error_description": evil}), database)
    assert told == "The provider denied access. Try again or sign in another way."


BOBS = [
    {"email": "bob@example.org", "email_verified": True},
    {"email": "bob@example.org", "email_verified": False},
    {"email": "bob@example.org", "email_verified": "false"},
    {"email": "bob@example.org"},
    {"email": "eve@evil.example@bob@example.org", "email_verified": True},
    {"email": ["bob@example.org", "eve@evil.example"]},
    {"preferred_username": "Bob", "name": "Bob", "upn": "bob@example.org", "tid": "another-tenant"},
    {"role": "admin", "roles": ["admin"], "groups": ["admin"]},
]


@pytest.mark.deep
def test_a27_no_matching_address_or_name_signs_in_as_bob(browser, provider, database, bob):
    for provider.claims in BOBS:
        client = browser()
        assert "isn't linked yet" in refused(client, through(client, provider, "eve-1"), database)
        assert identities(database) == [(bob.id, "bob-1")]


def test_a27_subjects_are_compared_exactly(browser, provider, database, bob):
    for subject in ("BOB-1", "bob-1 ", " bob-1", "bob‐1", "bob-1\u200b", "ｂob-1"):
        client = browser()
        refused(client, through(client, provider, subject), database)


def test_a27_a_disabled_person_stays_out_until_an_admin_enables_them(browser, provider, database, bob):
    client, before = browser(), browser()
    brought = begun(before, provider)
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        commands.disable_person(tx, admin, bob.id)
    refused(before, come_back(before, brought), database)
    refused(client, through(client, provider), database)
    with database.read() as tx:
        assert tx.get_one(Person, bob.id).disabled_at is not None
    with database.write() as tx:
        commands.enable_person(tx, admin, bob.id)
    through(client, provider)
    assert client.get("/api/v1/me").json()["name"] == "Bob"


def test_a27_signing_in_grants_no_role_and_no_address(browser, provider, database, bob):
    provider.claims = {"role": "admin", "groups": ["admin", "readtrack-admins"], "email": "boss@example.org"}
    client = browser()
    through(client, provider)
    me = client.get("/api/v1/me").json()
    assert (me["role"], me["email"]) == ("member", "bob@example.org")


def test_a27_a_pending_sign_in_expires(browser, provider, database, bob):
    client = browser()
    brought = begun(client, provider)
    with database.write() as tx:
        tx.execute(sa.update(PendingSignIn).values(expires_at=clock.now()))
    refused(client, come_back(client, brought), database)


def test_a27_nothing_that_could_be_replayed_is_stored_in_plain_text(browser, provider, database, bob):
    client = browser()
    asked = parse_qs(urlsplit(sent_to(client.post("/sign-in/provider"))).query)
    with database.read() as tx:
        (row,) = tx.execute(sa.select(*sa.inspect(PendingSignIn).columns)).all()
    kept = set(map(str, row))
    assert not kept & {asked["state"][0], client.cookies["readtrack-waiting"], asked["code_challenge"][0]}


def test_a27_linking_applies_only_to_the_person_who_started_it(browser, provider, database, bob, sign_in):
    """Ken begins to link; in his browser Eve signs in before the answer comes."""
    with database.write() as tx:
        eve = make.visitor(tx, "Eve", password_hash=hash_password(PASSWORD))
        ken = make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))
    client = browser()
    client.post("/sign-in", data={"name": "Ken", "password": PASSWORD})
    brought = begun(client, provider, "ken-1", "/settings/identities")
    waiting = client.cookies["readtrack-waiting"]
    client.post("/sign-in", data={"name": "Eve", "password": PASSWORD})
    client.cookies["readtrack-waiting"] = waiting
    assert "Someone else is signed in" in said(client, come_back(client, brought))
    client.post("/sign-out")
    come_back(client, begun(client, provider, "ken-1"))
    assert {ken.id, eve.id}.isdisjoint({person for person, _ in identities(database)})


def test_a27_only_one_of_two_concurrent_claims_to_an_identity_succeeds(database, provider):
    known = ExternalIdentity(provider.url, "mika-1", "Mika")
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        people = [make.visitor(tx, name) for name in ("Ken", "Mei")]
        links = [
            queries.get_invitation(tx, "join", commands.invite(tx, admin, InvitationCreate(role="member")))
            for _ in "ab"
        ]
    claims = [
        *(lambda tx, me=me: commands.link_identity(tx, me, known) for me in people),
        *(lambda tx, link=link: commands.join_with_identity(tx, link.id, known) for link in links),
    ]

    def claim(how):
        try:
            with database.write() as tx:
                how(tx)
        except Conflict as problem:
            return problem.message
        return ""

    with ThreadPoolExecutor(4) as threads:
        said = sorted(threads.map(claim, claims))
    assert said[0] == ""
    assert all("already" in told or told == AT_ONCE for told in said[1:]), said
    assert len(identities(database)) == 1


def test_a28_an_account_with_bobs_address_gets_no_access_to_bobs_account(browser, provider, database):
    """Eve takes Bob's name and address before he ever comes; he then joins as himself."""
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        eve = make.visitor(tx, "Bob", email="bob@example.org", email_key="bob@example.org")
        code = commands.invite(tx, admin, InvitationCreate(role="member"))
    provider.claims = {"email": "bob@example.org", "email_verified": True}
    stranger, bob = browser(), browser()
    refused(stranger, through(stranger, provider), database)
    come_back(bob, provider.approve(sent_to(bob.post(f"/invitations/accept/{code}/provider")), "bob-1", "Bob"))
    me = bob.get("/api/v1/me").json()
    assert (me["name"], me["email"]) == ("Bob 2", "")
    assert me["id"] != eve.id
    assert identities(database) == [(me["id"], "bob-1")]
