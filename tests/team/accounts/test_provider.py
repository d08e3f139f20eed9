"""Signing in by an OpenID provider: a real one in a thread, and a stand-in for what a real one does seldom."""

import warnings
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx2
import lxml.html
import pytest
import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.models import Event, Identity, PendingSignIn, Person
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.identities import ExternalIdentity
from readtrack.team.accounts.oidc import discovery
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import InvitationCreate
from tests import make
from tests.conftest import ADDRESS
from tests.provider import CLIENT, SECOND, SECRET, come_back, said, sent_to
from tests.standin import Request, StandIn, send

pytestmark = pytest.mark.slow  # many requests to a whole application

PASSWORD = "correct horse battery"


@pytest.fixture
def browser(browsers, provider):
    """Opens browsers in which nobody is signed in, of an application that knows the provider."""
    return browsers(**knowing(provider.url))


@pytest.fixture
def ken(database):
    with database.write() as tx:
        return make.visitor(tx, "Ken", password_hash=hash_password(PASSWORD))


def knowing(issuer):
    return {"oidc_issuer": issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}


def linked(database, person, provider, subject="mika-1", name="Mika Elsewhere"):
    with database.write() as tx:
        commands.link_identity(tx, person, ExternalIdentity(provider.url, subject, name))


def with_password(browser, name="Ken"):
    client = browser()
    assert client.post("/sign-in", data={"name": name, "password": PASSWORD}).status_code == 303
    return client


def whoever(client):
    answer = client.get("/api/v1/me")
    return answer.json()["name"] if answer.status_code == 200 else None


def through(client, provider, subject="mika-1", begin="/sign-in/provider", data=None):
    """The whole way there and back."""
    return come_back(client, provider.approve(sent_to(client.post(begin, data=data or {"current": PASSWORD})), subject))


def invitation(database, role="editor"):
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        return admin, commands.invite(tx, admin, InvitationCreate(role=role))


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the provider's own
def test_a_provider_identity_is_linked_and_signs_in(browsers, database, ken):
    with warnings.catch_warnings(record=True):
        from oidc_provider_mock import run_server_in_thread  # noqa: PLC0415
    with run_server_in_thread() as server:
        browser = browsers(**knowing(f"http://localhost:{server.server_port}"))
        client = with_password(browser)
        assert said(client, at_the_real_one(client, "/settings/identities")).startswith("Added")
        other = browser()
        assert at_the_real_one(other, "/sign-in/provider").status_code == 303
        assert whoever(other) == "Ken"
    with database.read() as tx:
        row = tx.scalars(sa.select(Identity)).one()
        assert (row.person_id, row.subject) == (ken.id, "mika@example.org")
        assert row.used_at is not None


def at_the_real_one(client, begin):
    there = httpx2.post(
        sent_to(client.post(begin, data={"current": PASSWORD})),
        data={"sub": "mika@example.org"},
        follow_redirects=False,
    )
    assert there.status_code == 302
    back = httpx2.URL(there.headers["location"])
    assert str(back).startswith(f"{ADDRESS}/sign-in/provider/answer?")
    return come_back(client, back.params)


def test_an_unknown_identity_is_told_the_options_and_not_signed_in(browser, provider, ken):
    client = browser()
    told = said(client, through(client, provider))
    assert "This account isn't linked yet" in told
    assert "link it in Settings" in told
    assert "invitation" in told
    assert whoever(client) is None


def test_a_linked_person_signs_in_and_returns_to_the_previous_page(browser, provider, database, ken):
    linked(database, ken, provider)
    client = browser()
    answer = through(client, provider, data={"next": "/topics"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics")
    assert whoever(client) == "Ken"


def test_an_invitation_is_accepted_with_the_provider_and_no_password(browser, provider, database):
    _, code = invitation(database)
    client = browser()
    assert "Continue with 127.0.0.1" in client.get(f"/invitations/accept/{code}").text
    answer = through(client, provider, begin=f"/invitations/accept/{code}/provider")
    assert answer.headers["location"] == "/"
    me = client.get("/api/v1/me").json()
    assert (me["name"], me["role"], me["email"], me["identities"][0]["issuer"]) == (
        "Mika Elsewhere", "editor", "", provider.url,
    )  # fmt: skip
    assert browser().get(f"/invitations/accept/{code}").status_code == 404
    again = browser()
    through(again, provider)
    assert whoever(again) == "Mika Elsewhere"


@pytest.mark.parametrize(
    ("told", "kept"),
    [("Ada", "Ada 2"), ("", "New colleague"), ("p\u0430ypal", "New colleague"), ("Mika\u202e", "Mika")],
)
def test_an_unavailable_name_is_changed_to_an_available_one(browser, provider, database, told, kept):
    _, code = invitation(database)
    client = browser()
    brought = provider.approve(sent_to(client.post(f"/invitations/accept/{code}/provider")), "mika-1", told)
    come_back(client, brought)
    assert whoever(client) == kept


def test_an_invitation_does_not_change_an_existing_members_role(browser, provider, database, ken):
    linked(database, ken, provider)
    _, code = invitation(database, "admin")
    client = browser()
    assert "already on the team" in said(
        client, through(client, provider, begin=f"/invitations/accept/{code}/provider")
    )
    assert browser().get(f"/invitations/accept/{code}").status_code == 200
    with database.read() as tx:
        assert queries.get_person(tx, ken.id).role == "member"


def test_a_password_reset_link_links_no_identity(browser, provider, database, ken):
    admin, _ = invitation(database)
    with database.write() as tx:
        code = commands.create_reset_link(tx, admin, ken.id)
    client = browser()
    assert "Continue with" not in client.get(f"/invitations/accept/{code}").text
    assert client.post(f"/invitations/accept/{code}/provider").status_code == 403


def test_an_invitation_used_meanwhile_is_reported(browser, provider, database):
    _, code = invitation(database)
    client = browser()
    brought = provider.approve(sent_to(client.post(f"/invitations/accept/{code}/provider")), "mika-1")
    browser().post(f"/invitations/accept/{code}", data={"name": "Quick", "password": PASSWORD})
    assert "already used" in said(client, come_back(client, brought))
    with database.read() as tx:
        assert sorted(tx.scalars(sa.select(col(Person.name)))) == ["Ada", "Quick"]


def test_an_identity_can_be_unlinked_unless_it_is_the_only_sign_in_method(browser, provider, database, ken):
    linked(database, ken, provider)
    client = with_password(browser)
    page = client.get("/settings/identities")
    assert "Mika Elsewhere" in page.text
    (form,) = lxml.html.fromstring(page.text).cssselect("main table form")
    with database.write() as tx:
        queries.get_person(tx, ken.id).password_hash = ""
    assert client.post(form.get("action")).status_code == 409
    with database.write() as tx:
        queries.get_person(tx, ken.id).password_hash = hash_password(PASSWORD)
    assert said(client, client.post(form.get("action"))).startswith("Removed")
    stranger = browser()
    through(stranger, provider)
    assert whoever(stranger) is None


def test_nobody_can_unlink_another_persons_identity(browser, provider, database, ken):
    with database.write() as tx:
        mei = make.visitor(tx, "Mei")
    linked(database, mei, provider)
    client = with_password(browser)
    with database.read() as tx:
        identity_id = tx.scalar(sa.select(col(Identity.id)))
    assert client.post(f"/settings/identities/{identity_id}/unlink").status_code == 404


def test_an_identity_of_one_person_cannot_be_linked_to_another(browser, provider, database, ken):
    with database.write() as tx:
        mei = make.visitor(tx, "Mei")
    linked(database, mei, provider)
    client = with_password(browser)
    told = said(client, through(client, provider, begin="/settings/identities"))
    assert told.startswith("This account is already linked to someone else.")


@pytest.mark.deep
def test_changed_keys_are_fetched_and_known_ones_are_not(browser, provider, database, ken, monkeypatch):
    monkeypatch.setattr("readtrack.team.accounts.oidc.discovery.KEYS_AGAIN", 0.0)
    linked(database, ken, provider)
    for _ in range(2):
        through(browser(), provider)
    asked = [request.path for request in provider.requests]
    assert (asked.count("/keys"), asked.count("/.well-known/openid-configuration")) == (1, 1)
    provider.keys = [SECOND]
    client = browser()
    through(client, provider)
    assert whoever(client) == "Ken"
    assert [request.path for request in provider.requests].count("/keys") == 2


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://id.example.org"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "/authorize"},
        {"authorization_endpoint": None},
        {"token_endpoint": "file:///etc/passwd"},
        {"jwks_uri": 7},
        {"id_token_signing_alg_values_supported": ["HS256", "none"]},
    ],
    ids=str,
)
def test_an_invalid_discovery_document_is_refused(browser, provider, document):
    provider.document = document
    client = browser()
    assert "Sign-in failed" in said(client, client.post("/sign-in/provider"))


@pytest.mark.parametrize("inside", ["http://127.0.0.1:9/token", "https://10.0.0.1/token", "https://[::1]/token"])
def test_only_the_configured_provider_may_be_at_a_private_address(browser, provider, database, ken, inside):
    linked(database, ken, provider)
    provider.document = {"token_endpoint": inside}
    client = browser()
    told = said(client, through(client, provider))
    assert "blocked" in told
    assert whoever(client) is None


def test_an_unavailable_provider_does_not_prevent_password_sign_in(browsers, ken):
    browser = browsers(**knowing("http://127.0.0.1:9"))
    client = browser()
    assert "can't be reached" in said(client, client.post("/sign-in/provider"))
    assert whoever(with_password(browser)) == "Ken"


def test_provider_errors_are_logged(browsers, monkeypatch):
    """Whoever wants to sign in can do nothing about a wrong certificate; the operator can."""
    told: list[Any] = []

    def keep(_logger: Any, _method: str, line: Any) -> Any:
        told.append(line)
        raise structlog.DropEvent

    log = structlog.wrap_logger(structlog.PrintLogger(), processors=[keep], wrapper_class=structlog.BoundLogger)
    monkeypatch.setattr(discovery, "log", log)
    client = browsers(**knowing("http://127.0.0.1:9"))()
    client.post("/sign-in/provider")
    (line,) = told
    assert "127.0.0.1 can't be reached" in line["problem"]


def test_an_unresponsive_provider_is_not_queried_for_a_while(browsers):
    """Those who wait behind whoever asks need not wait in turn."""
    with Away() as provider:
        client = browsers(**knowing(provider.url))()
        for _ in range(3):
            assert "can't be reached" in said(client, client.post("/sign-in/provider"))
    assert len(provider.requests) == 1


class Away(StandIn):
    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        send(to, 503, b"", {})


def test_signing_in_and_linking_are_logged_without_secrets(browser, provider, database, ken):
    client = with_password(browser)
    brought = provider.approve(sent_to(client.post("/settings/identities", data={"current": PASSWORD})), "mika-1")
    come_back(client, brought)
    through(browser(), provider)
    with database.read() as tx:
        events = tx.scalars(sa.select(Event).order_by(col(Event.id))).all()
        assert [event.verb for event in events] == ["person.signed-in", "person.identity-linked", "person.signed-in"]
        assert all(event.private for event in events)
        told = repr([(event.data, event.before, event.after) for event in events])
        assert brought["code"] not in told
        assert tx.scalar(sa.select(sa.func.count()).select_from(PendingSignIn)) == 0
