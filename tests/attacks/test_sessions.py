"""Sessions and cookies: fixed, stolen, stale, ended; and how often a password may be guessed (A20, A21, A22, A24)."""

import re
from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra import config as operator
from readtrack.infra.errors import SettingsError
from readtrack.infra.models import PendingSignIn, UserSession
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import sessions
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import MeUpdate, TokenCreate
from readtrack.web.app import create_app
from readtrack.web.dependencies.auth import COOKIE, SECURE_COOKIE
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES

pytestmark = pytest.mark.slow  # passwords are hashed, slowly on purpose

PASSWORD, OTHER = "correct horse battery", "another horse battery"
FORWARDED = ("X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP")


@pytest.fixture(scope="module")
def hashed():
    return hash_password(PASSWORD)


@pytest.fixture
def ken(database, hashed):
    with database.write() as tx:
        return make.visitor(tx, "Ken", email="ken@example.org", email_key="ken@example.org", password_hash=hashed)


@pytest.fixture
def browser(app):
    def another(**cookies):
        return AppClient(app, base_url=ADDRESS, headers=OWN_PAGES, cookies=cookies)

    return another


def come_in(client, name="Ken", password=PASSWORD, **headers):
    return client.post("/sign-in", data={"name": name, "password": password}, headers=headers)


def code_by_mail(tx):
    """Of the link that Ken asked for."""
    found = commands.renew_reset_link(tx, "Ken", is_retry=False)
    assert found
    return found[1]


def is_in(client):
    return client.get("/settings").status_code == 200


def test_a20_a_session_cookie_planted_before_signing_in_is_useless(browser, ken):
    client = browser(readtrack="set by somebody else")
    assert come_in(client).status_code == 303
    fresh = client.cookies.get(COOKIE, path="/", domain="127.0.0.1") or ""
    assert fresh not in {"", "set by somebody else"}
    assert is_in(browser(readtrack=fresh))
    assert not is_in(browser(readtrack="set by somebody else"))


def test_a20_signing_in_over_another_persons_session_ends_it(browser, database, ken):
    with database.write() as tx:
        _, planted = commands.sign_in_new(tx, make.person(tx, "Eve"), agent="")
    client = browser(readtrack=planted)
    come_in(client)
    assert not is_in(browser(readtrack=planted))


def test_a20_of_two_session_cookies_an_invalid_one_signs_in_nobody_and_a_valid_one_its_person(app, database, ken):
    with database.write() as tx:
        _, right = commands.sign_in_new(tx, queries.get_person(tx, ken.id), agent="")
    for cookies in (f"{COOKIE}=wrong; {COOKIE}={right}", f"{COOKIE}={right}; {COOKIE}=wrong"):
        client = AppClient(app, base_url=ADDRESS, headers={**OWN_PAGES, "Cookie": cookies})
        assert client.get("/api/v1/me").status_code == 401 or client.get("/api/v1/me").json()["name"] == "Ken"


def test_a21_a_copied_cookie_is_invalid_after_signing_out(browser, ken):
    client = browser()
    come_in(client)
    copied = browser(readtrack=client.cookies[COOKIE])
    assert is_in(copied)
    client.post("/sign-out")
    assert not is_in(copied)


def test_a21_a_new_password_ends_all_other_sessions_and_outstanding_links(browser, database, ken, hashed):
    here, there = browser(), browser()
    come_in(here)
    come_in(there)
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin", password_hash=hashed)
        code = commands.create_reset_link(tx, admin, ken.id)
        asked_for = code_by_mail(tx)
    changed = browser().post(f"/invitations/accept/{code}", data={"password": OTHER})
    assert changed.status_code == 303
    assert not is_in(here)
    assert not is_in(there)
    assert browser().get(f"/invitations/accept/{asked_for}").status_code == 404
    assert come_in(browser()).status_code == 422


def test_a21_a_password_change_in_settings_ends_links_and_pending_sign_ins(browser, database, ken):
    here = browser()
    come_in(here)
    with database.write() as tx:
        asked_for = code_by_mail(tx)
        sessions.start_pending_sign_in(tx, "code", person_id=ken.id, next_path="/")
    answer = here.post("/settings/password", data={"current": PASSWORD, "password": OTHER})
    assert answer.status_code == 303
    assert browser().get(f"/invitations/accept/{asked_for}").status_code == 404
    with database.read() as tx:
        assert tx.scalars(sa.select(PendingSignIn)).all() == []


def test_a21_changing_the_address_invalidates_links_sent_to_the_old_one(browser, database, ken):
    with database.write() as tx:
        asked_for = code_by_mail(tx)
        commands.edit_me(tx, ken, MeUpdate(email="ken@example.com"))
    assert browser().get(f"/invitations/accept/{asked_for}").status_code == 404


def test_a21_a_token_cannot_end_a_session(app, browser, database, ken):
    here = browser()
    come_in(here)
    with database.write() as tx:
        _, secret = commands.create_token(tx, ken, TokenCreate(name="all", scopes=["write"]))
    program = AppClient(app, base_url=ADDRESS, headers={"Authorization": f"Bearer {secret}"})
    answers = [program.post("/sign-out"), program.delete("/api/v1/sessions"), program.delete("/api/v1/sessions/1")]
    assert [answer.status_code for answer in answers] == [403] * 3
    assert is_in(here)


def test_a21_role_changes_apply_to_existing_sessions(browser, database, ken, hashed):
    client = browser()
    come_in(client)
    with database.write() as tx:
        admin = make.visitor(tx, "Ada", role="admin")
        commands.set_role(tx, admin, ken.id, "viewer")
    assert client.post("/api/v1/papers", json={"title": "Too late"}).status_code == 403


def test_a21_one_session_or_all_others_can_be_ended_in_settings(browser, database, ken):
    here, there, elsewhere = browser(), browser(), browser()
    for client in (here, there, elsewhere):
        come_in(client)
    sessions = here.get("/api/v1/sessions").json()["items"]
    assert [row["this"] for row in sessions].count(True) == 1
    other = next(row["id"] for row in sessions if not row["this"])
    assert here.post(f"/settings/sessions/{other}/end").status_code == 303
    assert [is_in(there), is_in(elsewhere)].count(True) == 1
    assert here.delete("/api/v1/sessions").status_code == 204
    assert [is_in(client) for client in (here, there, elsewhere)] == [True, False, False]


def test_a21_a_person_cannot_end_another_persons_session(browser, database, ken, sign_in):
    client = browser()
    come_in(client)
    with database.write() as tx:
        mallory = make.visitor(tx, "Mallory", role="admin")
    with database.read() as tx:
        kens = tx.scalar(sa.select(col(UserSession.id)).where(col(UserSession.person_id) == ken.id))
    hers = sign_in(mallory)
    assert hers.post(f"/settings/sessions/{kens}/end").status_code == 404
    assert hers.delete(f"/api/v1/sessions/{kens}").status_code == 404
    assert is_in(client)


@pytest.mark.parametrize(
    ("base", "name", "secure"), [("https://r.example.org", SECURE_COOKIE, True), (ADDRESS, COOKIE, False)]
)
def test_a22_cookies_are_host_only_http_only_and_same_site(settings, database, ken, base, name, secure):
    app = create_app(settings.model_copy(update={"base_url": base}), database)
    client = AppClient(app, base_url=base, headers={"Origin": base, "Sec-Fetch-Site": "same-origin"})
    said = come_in(client).headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in said] == [name, f"{name}-device"]
    assert "max-age=15552000" in said[0].lower()
    for cookie in said:
        flags = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=lax", "path=/"} <= flags
        assert ("secure" in flags) == secure
        assert not any(flag.startswith("domain") for flag in flags)


def test_a22_passwords_require_https_unless_the_operator_allows_http():
    with pytest.raises(SettingsError, match="INSECURE_HTTP"):
        operator.load({"READTRACK_BASE_URL": "http://reading.example.org"})
    operator.load({"READTRACK_BASE_URL": "http://reading.example.org", "READTRACK_INSECURE_HTTP": "1"})


@pytest.mark.deep
def test_a24_attempts_on_an_account_are_limited_whatever_name_or_address_is_claimed(browser, ken):
    names = ["Ken", "KEN", "ｋｅｎ", "ken@example.org", " Ken ", "KEN@EXAMPLE.ORG"]
    answers = []
    for number in range(14):
        claimed = dict.fromkeys(FORWARDED, f"198.51.100.{number}")
        answers.append(come_in(browser(), names[number % len(names)], "wrong horse battery", **claimed))
    assert [answer.status_code for answer in answers] == [422] * 10 + [429] * 4
    assert int(answers[-1].headers["retry-after"]) > 0


def test_a24_a_wrong_password_takes_the_same_work_and_message_for_any_name(browser, database, ken, statements):
    """Comparing takes as long for nobody: passwords.check_password. So do the statements, for they are the same."""
    with database.write() as tx:
        make.person(tx, "Zed", password_hash="x", disabled_at=clock.now())
        make.person(tx, "New")  # has no password yet
    asked, said = {}, set()
    for name in ("Ken", "ken@example.org", "Zed", "New", "Nobody"):
        with statements() as seen:
            answer = come_in(browser(), name, "wrong horse battery")
        asked[name] = [re.sub(r"\s+", " ", statement) for statement in seen]
        said.add((answer.status_code, answer.text.replace(name, "").replace(answer.headers["x-request-id"], "")))
    assert [name for name in asked if asked[name] != asked["Ken"]] == []
    assert len(said) == 1


def test_a24_an_attacked_person_can_still_sign_in_from_a_known_browser(browser, ken):
    known = browser()
    come_in(known)
    known.post("/sign-out")
    for _ in range(12):
        come_in(browser(), password="wrong horse battery")
    assert come_in(browser()).status_code == 429
    assert come_in(known).status_code == 303


def test_a24_guessed_tokens_are_rejected_without_writes(app, database, ken):
    client = AppClient(app, base_url=ADDRESS)
    guesses = [
        "",
        "rt_",
        "rt_" + "a" * 43,
        "rt_" + "a" * 100_000,
        "\x00",
        "' or 1=1 --",
        "ключ".encode().decode("latin-1"),
    ]
    for guess in guesses:
        answer = client.get("/api/v1/me", headers={b"Authorization": f"Bearer {guess}".encode("latin-1", "replace")})
        assert answer.status_code in {400, 401, 431}, guess


def ends_of(database):
    with database.read() as tx:
        return tx.scalars(sa.select(UserSession)).one()


def test_an_active_session_is_extended_but_expires_after_half_a_year(browser, database, ken):
    client, begun = browser(), clock.now()
    come_in(client)
    for days in range(20, 180, 20):
        with time_machine.travel(begun + timedelta(days=days)):
            assert is_in(client), days
        assert ends_of(database).expires_at <= ends_of(database).created_at + timedelta(days=180)
    with time_machine.travel(begun + timedelta(days=179)):
        assert is_in(client)
    with time_machine.travel(begun + timedelta(days=181)):
        assert not is_in(client)


def test_an_idle_session_expires_after_thirty_days(browser, database, ken):
    client = browser()
    come_in(client)
    with time_machine.travel(clock.now() + timedelta(days=31)):
        assert not is_in(client)


def test_a_session_is_extended_at_most_once_a_day(browser, database, ken, statements):
    client, begun = browser(), clock.now()
    come_in(client)
    first, writes = ends_of(database).expires_at, []
    for hours in (2, 4, 23, 25, 27):
        with time_machine.travel(begun + timedelta(hours=hours)), statements() as asked:
            is_in(client)
        writes.append(sum(it.startswith("UPDATE session SET expires_at") for it in asked))
    assert writes == [0, 0, 0, 1, 0]
    assert ends_of(database).expires_at > first


def test_the_session_list_shows_when_each_session_expires(browser, database, ken):
    client = browser()
    come_in(client)
    with time_machine.travel(clock.now() + timedelta(days=3)):
        is_in(client)
        (shown,) = client.get("/api/v1/sessions").json()["items"]
    assert shown["expires_at"][:10] == ends_of(database).expires_at.date().isoformat()
    assert ends_of(database).expires_at > ends_of(database).created_at + timedelta(days=32)
