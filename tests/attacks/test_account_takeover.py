"""A session alone, as of a stolen cookie or an open browser, never takes over the account."""

import re
from datetime import timedelta

import lxml.html
import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.mail import Mail
from readtrack.infra.models import Identity, Invitation, Job, LoginAttempt, PendingSignIn, Person, Token
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import second_factor
from readtrack.team.accounts.commands.accounts import ADDRESS_CHANGED
from readtrack.team.accounts.commands.invitations import FORGOTTEN
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.conftest import ADDRESS
from tests.depth import some
from tests.relay import Relay

pytestmark = pytest.mark.slow  # passwords are hashed, slowly on purpose; `make test` has them

PASSWORD = "correct horse battery"
KEY = "only for tests " * 4
SALT = "5a" * 16


@pytest.fixture(scope="module")
def hashed():
    return hash_password(PASSWORD)


@pytest.fixture
def ken(database, hashed):
    """An admin with a password and an address."""
    with database.write() as tx:
        address = {"email": "ken@example.org", "email_key": "ken@example.org"}
        return make.visitor(tx, "Ken", role="admin", password_hash=hashed, **address)


@pytest.fixture
def careful(database, hashed):
    """The same with a second factor."""
    with database.write() as tx:
        address = {"email": "mei@example.org", "email_key": "mei@example.org"}
        return make.visitor(tx, "Mei", role="admin", password_hash=hashed, totp_salt=SALT, **address)


def code_now(person):
    return second_factor.authenticator(second_factor.derive_secret(KEY, SALT, person.id)).generate_otp(
        int(clock.now().timestamp() // 30)
    )


PAGES = {
    "/settings/profile": {"name": "Ken", "email": "eve@example.org"},
    "/settings/tokens": {"name": "mine", "scopes": "read", "days": ""},
    "/settings/second-factor/off": {},
    "/settings/second-factor/codes": {},
    "/settings/identities/proxy": {},
    "/settings/password": {"password": "another horse staple"},
    "/people/{id}/link": {},
}
API: list[tuple[str, str, dict[str, object]]] = [
    ("PATCH", "/api/v1/me", {"email": "eve@example.org"}),
    ("PATCH", "/api/v1/me", {"email": ""}),
    ("POST", "/api/v1/tokens", {"name": "mine", "scopes": ["read"]}),
    ("POST", "/api/v1/people/{id}/link", {}),
]


def credentials(database):
    """Everything with which somebody comes in."""
    columns = (Person.email, Person.password_hash, Person.totp_salt, Person.recovery)
    with database.read() as tx:
        rows = [tuple(row) for row in tx.execute(sa.select(*map(col, columns)).order_by(col(Person.id)))]
        counted = [tx.scalar(sa.select(sa.func.count()).select_from(it)) for it in (Token, Identity, Invitation)]
        return rows, counted, tx.scalar(sa.select(sa.func.count()).select_from(PendingSignIn))


@pytest.mark.parametrize("wrong", some([{"current": "wrong horse battery"}, {"current": ""}, {}], 1), ids=str)
@pytest.mark.parametrize("path", PAGES)
def test_no_page_changes_credentials_without_the_password(browsers, sign_in, ken, database, path, wrong):
    client = sign_in(ken)
    before = credentials(database)
    answer = client.post(path.format(id=ken.id), data={**PAGES[path], **wrong})
    assert answer.status_code == 422
    assert credentials(database) == before


@pytest.mark.parametrize("wrong", [{}, {"current": ""}, {"current": "wrong horse battery"}], ids=str)
@pytest.mark.parametrize(("method", "path", "body"), API)
def test_no_api_call_changes_credentials_without_the_password(sign_in, ken, database, method, path, body, wrong):
    client = sign_in(ken)
    before = credentials(database)
    answer = client.request(method, path.format(id=ken.id), json={**body, **wrong})
    assert (answer.status_code, answer.json()["code"]) == (403, "confirm-first")
    assert [(each["pointer"], each["detail"]) for each in answer.json()["errors"]] == [
        ("/current", answer.json()["detail"])
    ]
    assert credentials(database) == before


@pytest.mark.deep
@pytest.mark.parametrize("wrong", [{}, {"code": "000000"}], ids=str)
@pytest.mark.parametrize(("method", "path", "body"), API)
def test_the_api_requires_the_code_too_where_two_factor_is_enabled(
    sign_in, careful, database, method, path, body, wrong
):
    client = sign_in(careful)
    before = credentials(database)
    answer = client.request(method, path.format(id=careful.id), json={**body, "current": PASSWORD, **wrong})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (403, "/code")
    assert credentials(database) == before
    given = {**body, "current": PASSWORD, "code": code_now(careful)}
    assert client.request(method, path.format(id=careful.id), json=given).status_code in {200, 201}


@pytest.mark.parametrize("path", some(PAGES, 4))
def test_pages_require_the_code_too_where_two_factor_is_enabled(sign_in, careful, database, path):
    client = sign_in(careful)
    before = credentials(database)
    given = {**PAGES[path], "current": PASSWORD}
    for code in ("", "000000"):
        assert client.post(path.format(id=careful.id), data={**given, "code": code}).status_code == 422
    assert credentials(database) == before


def test_wrong_codes_stay_counted_although_nothing_was_changed(sign_in, careful, database):
    client = sign_in(careful)
    for _ in range(3):
        client.patch("/api/v1/me", json={"email": "", "current": PASSWORD, "code": "000000"})
    with database.read() as tx:
        subjects = tx.scalars(sa.select(col(LoginAttempt.subject))).all()
    assert [subject for subject in subjects if subject.startswith("code")] == [f"code:{careful.id}"] * 3


def test_a_token_changes_no_credentials_even_with_the_password(client, ken, database):
    with database.write() as tx:
        _, secret = commands.create_token(tx, ken, TokenCreate(name="ci", scopes=["admin", "write"]))
    before = credentials(database)
    client.headers["Authorization"] = f"Bearer {secret}"
    for method, path, body in API:
        answer = client.request(method, path.format(id=ken.id), json={**body, "current": PASSWORD})
        assert answer.status_code == 403, path
    for path, fields in PAGES.items():
        answer = client.post(path.format(id=ken.id), data={**fields, "current": PASSWORD})
        assert answer.status_code in {403, 404}, path
    assert credentials(database) == before


def test_a_page_asks_for_the_password_and_then_completes_the_action(sign_in, ken, database):
    client = sign_in(ken)
    asked = client.post("/settings/profile", data={"name": "Ken", "email": "new@example.org", "language": "en"})
    form = lxml.html.fromstring(asked.text).xpath("//form[@action='/settings/profile']")[0]
    data = {name: str(value) for name, value in form.form_values()} | {"current": PASSWORD}
    assert client.post(form.action, data=data).status_code == 303
    with database.read() as tx:
        person = queries.get_person(tx, ken.id)
        assert (person.email, person.language) == ("new@example.org", "en")


def test_settings_other_than_credentials_need_no_password(sign_in, ken):
    client = sign_in(ken)
    data = {"name": "Kenneth", "email": "ken@example.org", "language": "ja"}
    assert client.post("/settings/profile", data=data).status_code == 303
    assert client.patch("/api/v1/me", json={"theme": "dark", "email": "ken@example.org"}).status_code == 200


def test_a_person_without_a_password_must_sign_in_again_first(sign_in, database):
    with database.write() as tx:
        aki = make.visitor(tx, "Aki")
    client = sign_in(aki)
    with time_machine.travel(clock.now() + timedelta(minutes=11)):
        for body in ({"email": "eve@example.org"}, {"email": "eve@example.org", "current": PASSWORD}):
            answer = client.patch("/api/v1/me", json=body)
            assert (answer.status_code, answer.json()["code"]) == (403, "confirm-first")
        assert "Sign out" in client.post("/settings/tokens", data=PAGES["/settings/tokens"]).text
    assert client.patch("/api/v1/me", json={"email": "aki@example.org"}).status_code == 200


def test_password_attempts_are_limited_to_ten(sign_in, ken):
    client = sign_in(ken)
    for _ in range(10):
        assert client.patch("/api/v1/me", json={"email": "", "current": "a guess"}).status_code == 403
    assert client.patch("/api/v1/me", json={"email": "", "current": PASSWORD}).status_code == 429


@pytest.fixture
def relay():
    with Relay() as relay:
        yield relay


def work(database, relay, *kinds):
    mail = Mail(relay.url, "reading@example.org", home=ADDRESS, step=2) if relay else None
    way_out = HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail)
    while queue.run_due_job(database, way_out, kinds=kinds):
        pass


def test_the_old_address_is_notified_of_the_change(sign_in, ken, database, relay):
    change = {"email": "new@example.org", "current": PASSWORD}
    assert sign_in(ken).patch("/api/v1/me", json=change).status_code == 200
    work(database, relay, ADDRESS_CHANGED)
    (letter,) = relay.letters
    assert letter.to == ("ken@example.org",)
    assert "was changed" in letter.message.get_content()
    assert "new@example.org" not in letter.message.as_string()
    with database.read() as tx:
        assert [job.payload for job in tx.scalars(sa.select(Job))] == [{}]


def test_without_mail_the_job_ends_and_stores_no_address(sign_in, ken, database):
    sign_in(ken).patch("/api/v1/me", json={"email": "", "current": PASSWORD})
    work(database, None, ADDRESS_CHANGED)
    with database.read() as tx:
        assert [(job.state, job.payload, job.error) for job in tx.scalars(sa.select(Job))] == [("done", {}, "")]


def test_a_link_mailed_to_the_old_address_is_invalid_after_the_change(sign_in, client, ken, database, relay):
    with database.write() as tx:
        commands.request_reset_link(tx, "Ken", address="192.0.2.1")
    work(database, relay, FORGOTTEN)
    link = re.findall(r"http\S+/invitations/accept/\S+", relay.letters[0].message.get_content())[0]
    assert client.get(link).status_code == 200
    sign_in(ken).patch("/api/v1/me", json={"email": "new@example.org", "current": PASSWORD})
    assert client.get(link).status_code == 404
