"""People in a browser: coming in by every door, and only by those."""

import re
from datetime import timedelta

import lxml.html
import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.models import IdempotencyKey, Invitation, LoginAttempt
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands.login_throttle import MAX_ATTEMPTS_FROM_ADDRESS
from readtrack.team.accounts.passwords import hash_password
from tests import make

pytestmark = pytest.mark.slow  # many requests to a whole application

PASSWORD = "correct horse battery"
COOKIE = "readtrack"


@pytest.fixture(scope="module")
def hashed():
    return hash_password(PASSWORD)


@pytest.fixture
def people(database, hashed):
    """Ada the admin and Ken, a member."""
    with database.write() as tx:
        return [
            make.visitor(tx, name, role, password_hash=hashed) for name, role in (("Ada", "admin"), ("Ken", "member"))
        ]


def sign_in_as(client, name, password=PASSWORD, **more):
    return client.post("/sign-in", data={"name": name, "password": password, **more})


def count(database, table):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


def text(response):
    return " ".join(lxml.html.fromstring(response.text).text_content().split())


def shown_secret(response):
    (field,) = lxml.html.fromstring(response.text).cssselect("#secret")
    return field.get("value")


def test_the_setup_link_creates_the_admin_signs_in_and_expires(client, database):
    with database.write() as tx:
        code = commands.make_set_up_code(tx)
    assert client.get(f"/setup/{code}").status_code == 200
    refused = client.post(f"/setup/{code}", data={"name": "Ada", "email": "no address", "password": "short"})
    assert refused.status_code == 422
    assert "Use at least 12 characters" in text(refused)
    assert 'value="Ada"' in refused.text
    assert "short" not in refused.text.replace("shortcut", "")
    done = client.post(f"/setup/{code}", data={"name": "Ada", "password": PASSWORD})
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert "Ada" in text(client.get("/people"))
    assert client.get(f"/setup/{code}").status_code == 404
    assert client.post(f"/setup/{code}", data={"name": "Bob", "password": PASSWORD}).status_code == 404


@pytest.mark.parametrize(("sent", "stored"), [("Asia/Tokyo", "Asia/Tokyo"), ("Mars/Olympus", ""), ("", "")])
def test_a_new_person_has_the_browsers_time_zone_if_it_is_known_here(client, database, sent, stored):
    with database.write() as tx:
        setup = f"/setup/{commands.make_set_up_code(tx)}"
    assert 'name="time_zone"' in client.get(setup).text
    assert client.post(setup, data={"name": "Ada", "password": PASSWORD, "time_zone": sent}).status_code == 303
    link = shown_secret(client.post("/people/invitations", data={"role": "editor"}))
    assert 'name="time_zone"' in client.get(link).text
    assert client.post(link, data={"name": "Mei", "password": PASSWORD, "time_zone": sent}).status_code == 303
    with database.read() as tx:
        assert {name: queries.get_visitor(tx, name).time_zone for name in ("ada", "mei")} == {
            "ada": stored,
            "mei": stored,
        }


def test_the_sign_in_page_mentions_the_setup_link_while_there_is_nobody(client, database):
    assert "setup link that readtrack serve prints" in text(client.get("/sign-in"))
    with database.write() as tx:
        make.person(tx)
    assert "setup" not in text(client.get("/sign-in"))


def test_signing_in_creates_a_new_session_and_signing_out_ends_it(client, people):
    client.cookies.set(COOKIE, "planted by somebody else", domain="127.0.0.1")
    answer = sign_in_as(client, "ken")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    secret = answer.cookies[COOKIE]
    assert secret != "planted by somebody else"
    client.cookies.clear()
    client.cookies.set(COOKIE, secret)
    assert client.get("/settings").status_code == 200
    out = client.post("/sign-out")
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    client.cookies.clear()
    client.cookies.set(COOKIE, secret)  # a copy kept elsewhere
    assert client.get("/settings").headers["location"] == "/sign-in?next=/settings"
    assert client.post("/sign-out").status_code == 303  # twice is no error


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "password"), [("Ken", "wrong"), ("Nobody", PASSWORD), ("Ken\x00", PASSWORD), ("x" * 254, "y" * 256)]
)
def test_wrong_credentials_always_get_the_same_message(client, people, name, password):
    answer = sign_in_as(client, name, password)
    assert answer.status_code == 422
    assert "Incorrect name or password" in text(answer)
    assert "set-cookie" not in answer.headers
    assert password not in answer.text


def test_an_empty_form_is_reported_field_by_field(client, people, database):
    answer = sign_in_as(client, "", "")
    assert answer.status_code == 422
    assert text(answer).count("This field is required.") == 2
    assert count(database, LoginAttempt) == 0


@pytest.mark.deep
def test_after_too_many_attempts_the_retry_time_is_shown(client, people):
    for _ in range(10):
        assert sign_in_as(client, "Ken", "wrong").status_code == 422
    answer = sign_in_as(client, "Ken")
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 600


def test_claiming_other_addresses_gives_no_more_attempts(client, people, database):
    headers = ("X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP")
    sign_in_as(client, "Nobody", "wrong")
    with database.write() as tx:
        subject = tx.scalars(
            sa.select(col(LoginAttempt.subject)).where(col(LoginAttempt.subject).startswith("address:"))
        ).one()
        tx.add_all(LoginAttempt(subject=subject) for _ in range(MAX_ATTEMPTS_FROM_ADDRESS))
    answer = client.post(
        "/sign-in", data={"name": "Ken", "password": PASSWORD}, headers=dict.fromkeys(headers, "192.0.2.77")
    )
    assert answer.status_code == 429


def test_an_invitation_is_shown_once_with_the_configured_base_url(client, people, sign_in, database):
    ada = sign_in(people[0])
    page = ada.post(
        "/people/invitations",
        data={"role": "editor"},
        headers={"X-Forwarded-Host": "evil.example"},
    )
    link = shown_secret(page)
    assert page.headers["cache-control"] == "no-store"
    assert re.fullmatch(r"http://127\.0\.0\.1:8000/invitations/accept/[\w-]{43}", link)
    assert "You'll join as editor" in text(client.get(link))
    taken = client.post(link, data={"name": "KEN", "password": PASSWORD})
    assert taken.status_code == 422
    assert "This name is already taken." in text(taken)
    assert client.post(link, data={"name": "Mei", "password": PASSWORD}).status_code == 303
    assert client.get("/settings").status_code == 200
    assert client.get(link).status_code == 404
    with database.read() as tx:
        assert queries.get_visitor(tx, "mei").role == "editor"
        assert link.split("/")[-1] not in str(tx.execute(sa.select(sa.text("*")).select_from(Invitation)).all())


def test_ones_own_reset_link_sets_the_password_and_nothing_else(client, people, sign_in, database):
    link = shown_secret(sign_in(people[0]).post(f"/people/{people[1].id}/link", data={"current": PASSWORD}))
    assert "For Ken" in text(client.get(link))
    assert client.post(link, data={"name": "Ken", "password": "  KEN  "}).status_code == 422
    assert (
        client.post(link, data={"name": "Mallory", "role": "admin", "password": "another horse battery"}).status_code
        == 303
    )
    with database.read() as tx:
        assert (queries.get_person(tx, people[1].id).name, queries.get_person(tx, people[1].id).role) == (
            "Ken",
            "member",
        )
    assert sign_in_as(client, "Ken").status_code == 422
    assert sign_in_as(client, "Ken", "another horse battery").status_code == 303


def test_admins_can_change_roles_and_disable_people_and_members_see_no_such_controls(people, sign_in, database):
    ada, ken = sign_in(people[0]), sign_in(people[1])
    assert "Disable" in text(ada.get("/people"))
    assert "Disable" not in text(ken.get("/people"))
    path = f"/people/{people[1].id}"
    assert ada.post(f"{path}/role", data={"role": "editor"}).status_code == 303
    assert ada.post(f"{path}/role", data={"role": "owner"}).status_code == 422
    assert ada.post(f"{path}/disable").status_code == 303
    assert ken.get("/settings").status_code == 303  # out, at once
    assert ada.post(f"{path}/enable").status_code == 303
    assert ada.post(f"/people/{people[0].id}/disable").status_code == 409
    with database.read() as tx:
        assert queries.get_visitor(tx, "Ken").role == "editor"


def test_a_new_token_is_shown_once_and_works(client, people, sign_in, database):
    ken = sign_in(people[1])
    wanted = {"name": "ci", "scopes": ["read", "write"], "days": "30", "current": PASSWORD}
    page = ken.post("/settings/tokens", data=wanted)
    secret = shown_secret(page)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    again = ken.get("/settings/tokens")
    assert secret not in again.text
    assert secret[:8] in again.text
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).json()["scopes"] == ["read", "write"]
    with database.read() as tx:
        (row,) = queries.list_tokens(tx, people[1])
    assert clock.now() + timedelta(days=29) < (row.expires_at or clock.now()) < clock.now() + timedelta(days=31)
    assert count(database, IdempotencyKey) == 0
    assert ken.post(f"/settings/tokens/{row.id}/revoke").status_code == 303
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).status_code == 401


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "scopes": ["read"]},
        {"name": "ci"},
        {"name": "ci", "scopes": ["admin"]},
        {"name": "ci", "scopes": ["read"], "days": "x"},
    ],
)
def test_an_invalid_token_form_creates_none(people, sign_in, database, form):
    assert sign_in(people[1]).post("/settings/tokens", data=form).status_code == 422
    with database.read() as tx:
        assert queries.list_tokens(tx, people[1]) == []


def test_profile_and_appearance_are_saved(people, sign_in):
    ken = sign_in(people[1])
    named = {"name": "Ken Ito", "current": PASSWORD}
    assert ken.post("/settings/profile", data={**named, "email": "ken@example.org"}).status_code == 303
    page = ken.get("/settings/profile").text
    assert 'value="Ken Ito"' in page
    assert 'value="ken@example.org"' in page
    assert ken.post("/settings/profile", data={**named, "email": ""}).status_code == 303
    assert "ken@example.org" not in ken.get("/settings").text
    assert ken.post("/settings/profile", data={"name": "", "email": ""}).status_code == 422
    assert ken.post("/settings/profile", data={"name": "ada", "email": ""}).status_code == 422
    assert ken.post("/settings/appearance", data={"theme": "dark", "single_keys": "0"}).status_code == 303
    page = lxml.html.fromstring(ken.get("/settings/appearance").text)
    assert page.get("data-theme") == "dark"
    assert page.cssselect("body[data-keys=off]")
    assert ken.post("/settings/appearance", data={"theme": "neon"}).status_code == 422


def test_a_new_password_needs_the_current_one_and_ends_other_sessions(client, people, sign_in):
    here, there = sign_in(people[1]), sign_in(people[1])
    wrong = here.post("/settings/password", data={"current": "wrong", "password": "another horse battery"})
    assert wrong.status_code == 422
    assert "Incorrect password." in text(wrong)
    assert here.post("/settings/password", data={"current": PASSWORD, "password": "short"}).status_code == 422
    assert (
        here.post("/settings/password", data={"current": PASSWORD, "password": "another horse battery"}).status_code
        == 303
    )
    assert here.get("/settings").status_code == 200
    assert there.get("/settings").status_code == 303
    assert sign_in_as(client, "Ken", "another horse battery").status_code == 303


def test_sessions_are_listed_and_the_others_can_be_ended(people, sign_in):
    here, there = sign_in(people[1]), sign_in(people[1])
    assert text(here.get("/settings/sessions")).count("a test") == 2
    assert here.post("/settings/sessions/sign-out-others").status_code == 303
    assert there.get("/settings").status_code == 303
    assert text(here.get("/settings/sessions")).count("a test") == 1


def test_session_use_is_recorded_after_the_response(people, sign_in, database):
    ken = sign_in(people[1])
    with time_machine.travel(clock.now() + timedelta(hours=2)):
        assert ken.get("/settings").status_code == 200
        with database.read() as tx:
            (session,) = queries.list_sign_ins(tx, people[1])
        assert clock.now() - session.seen_at < timedelta(minutes=1)


def test_a_request_waiting_to_write_holds_no_connection(client, people, sign_in, database):
    """Else forty of them would hold all there are, and the one whose turn it is could never end."""
    held = []

    def look(_connection):
        held.append(sum(engine.pool.checkedout() for engine in database.engines))

    for engine in database.engines:
        sa.event.listen(engine, "begin", look)
    ada = sign_in(people[0])
    link = shown_secret(ada.post("/people/invitations", data={"role": "member"}))
    ada.post("/settings/password", data={"current": PASSWORD, "password": "another horse battery"})
    sign_in_as(client, "Ken")
    client.post(link, data={"name": "Mei", "password": PASSWORD})
    assert set(held) == {1}
