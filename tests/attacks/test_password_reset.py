"""A23: a forgotten password. Links by mail lead to this readtrack, work once, for half an hour, and tell nothing."""

import re
import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import SQLModel

from readtrack.infra import clock
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.mail import Mail
from readtrack.infra.models import Job, Person
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands.invitations import FORGOTTEN, LETTER
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import InvitationCreate
from readtrack.web.app import create_app
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES
from tests.relay import Relay

pytestmark = pytest.mark.slow  # passwords are hashed, slowly on purpose

NEW = "another horse battery"
EVIL = "evil.example"
JOBS = (FORGOTTEN, LETTER)


@pytest.fixture(scope="module")
def hashed():
    return hash_password("correct horse battery")


@pytest.fixture
def relay():
    with Relay() as relay:
        yield relay


@pytest.fixture
def team(database, hashed):
    """An admin, and a member who can get mail."""
    fields = {"password_hash": hashed, "email": "ken@example.org", "email_key": "ken@example.org"}
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="admin"), make.visitor(tx, "Ken", **fields)


@pytest.fixture
def browser(settings, database, relay):
    mailing = settings.model_copy(update={"smtp_url": relay.url, "mail_from": "reading@example.org"})
    app = create_app(mailing, database)

    def another():
        return AppClient(app, base_url=ADDRESS, headers=OWN_PAGES)

    return another


def ask(client, name="Ken", **headers):
    return client.post("/password-reset", data={"name": name}, headers=headers)


def work(database, relay):
    """Does what the worker would do now."""
    mail = Mail(relay.url, "reading@example.org", home=ADDRESS, step=2)
    way_out = HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail)
    while queue.run_due_job(database, way_out, kinds=JOBS):
        pass


def link_in(letter):
    return re.findall(r"http\S+/invitations/accept/\S+", letter.message.get_content())[0]


def asked(browser, database, relay, name="Ken"):
    ask(browser(), name)
    work(database, relay)
    return link_in(relay.letters[-1])


def test_a23_a_mailed_link_sets_the_password_once(browser, database, relay, team):
    link = asked(browser, database, relay)
    assert [letter.to for letter in relay.letters] == [("ken@example.org",)]
    assert browser().post(link, data={"password": NEW}).status_code == 303
    assert browser().post(link, data={"password": "third horse battery"}).status_code == 404
    assert browser().post("/sign-in", data={"name": "Ken", "password": NEW}).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-Host": EVIL},
        {"Forwarded": f"host={EVIL}"},
        {"X-Original-URL": f"https://{EVIL}/"},
        {"X-Forwarded-Host": EVIL, "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": f"//{EVIL}"},
    ],
    ids=str,
)
def test_a23_the_link_uses_the_configured_base_url_whatever_the_request_says(browser, database, relay, team, headers):
    ask(browser(), **headers)
    work(database, relay)
    assert relay.letters
    for letter in relay.letters:
        assert link_in(letter).startswith(f"{ADDRESS}/invitations/accept/")
        assert EVIL not in str(letter.message)


def test_a23_the_link_expires_after_half_an_hour(browser, database, relay, team):
    link = asked(browser, database, relay)
    with time_machine.travel(clock.now() + timedelta(minutes=29)):
        assert browser().get(link).status_code == 200
    with time_machine.travel(clock.now() + timedelta(minutes=31)):
        assert browser().get(link).status_code == 404
        assert browser().post(link, data={"password": NEW}).status_code == 404


def test_a23_guessed_or_altered_codes_are_rejected(browser, database, relay, team):
    link = asked(browser, database, relay)
    client = browser()
    for guess in [
        link[:-1],
        link + "A",
        link[:-1] + ("A" if link[-1] != "A" else "B"),
        link.swapcase(),
        *["x" * 43] * 20,
    ]:
        assert client.post(guess, data={"password": NEW}).status_code in {400, 403, 404}
    assert client.post(link, data={"password": NEW}).status_code == 303


def test_a23_a_link_sets_only_its_own_persons_password(browser, database, relay, team):
    link = asked(browser, database, relay)
    browser().post(link, data={"password": NEW, "name": "Ada", "person_id": str(team[0].id), "role": "admin"})
    with database.read() as tx:
        ken = queries.get_person(tx, team[1].id)
        assert (ken.name, ken.role, queries.get_person(tx, team[0].id).password_hash) == ("Ken", "member", "")


def test_a23_of_two_concurrent_uses_of_a_link_only_one_sets_the_password(browser, database, relay, team):
    link, begin, statuses = asked(browser, database, relay), threading.Barrier(2), []

    def use(password):
        client = browser()
        begin.wait()
        statuses.append(client.post(link, data={"password": password}).status_code)

    threads = [threading.Thread(target=use, args=(password,)) for password in (NEW, "third horse battery")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [303, 404]


def test_a23_the_response_is_the_same_whether_or_not_the_account_exists(browser, database, relay, team, hashed):
    with database.write() as tx:
        make.person(tx, "Gone", email="gone@example.org", email_key="gone@example.org", disabled_at=clock.now())
    answers = [ask(browser(), name) for name in ("Ken", "ken@example.org", "Nobody", "Gone", "Ada")]
    said = {(it.status_code, it.headers["location"], len(it.headers.get_list("set-cookie"))) for it in answers}
    assert len(said) == 1
    work(database, relay)
    assert {letter.to for letter in relay.letters} == {("ken@example.org",)}


def test_a23_the_work_is_the_same_whether_or_not_the_account_exists(browser, database, team, statements):
    """So that time tells nothing: what depends on who is asked for is left to the job."""
    seen = {}
    for name in ("Ken", "Nobody"):
        with statements() as asked:
            ask(browser(), name)
        seen[name] = [re.sub(r"\s+", " ", it) for it in asked]
    assert seen["Ken"] == seen["Nobody"]


def test_a23_reset_mails_are_rate_limited_per_person_and_per_client_address(browser, database, relay, team):
    client = browser()
    statuses = [ask(client, name).status_code for name in ["Ken", "ken@example.org"] * 8]
    work(database, relay)
    assert len(relay.letters) == 1
    assert statuses.count(303) == 16
    assert [ask(client, "Ken").status_code for _ in range(4)][-1] == 429


def test_a23_neither_the_code_nor_the_input_is_stored(browser, database, relay, team):
    link = asked(browser, database, relay, "ken@example.org")
    ask(browser(), "my password by mistake")
    work(database, relay)
    kept = dump(database)
    assert link.rpartition("/")[2] not in kept
    assert "my password by mistake" not in kept


def test_a23_the_input_is_not_stored_when_mail_fails(browser, database, relay, team):
    relay.answers["DATA"] = "554 no"
    ask(browser(), "ken@example.org")
    work(database, relay)
    with database.read() as tx:
        job = tx.scalar(sa.select(Job))
        assert (job.state, job.payload) == ("failed", {})


def test_a23_a_failed_mail_is_retried_with_a_new_code(browser, database, relay, team):
    relay.answers["DATA"] = "452 full"
    ask(browser())
    work(database, relay)
    assert relay.letters == []
    with database.write() as tx:
        job = tx.scalar(sa.select(Job))
        assert "452" in job.error
        job.run_at = clock.now()
    del relay.answers["DATA"]
    work(database, relay)
    assert browser().get(link_in(relay.letters[0])).status_code == 200


def test_a23_a_person_disabled_meanwhile_gets_no_mail_and_cannot_use_a_link(browser, database, relay, team):
    link = asked(browser, database, relay)
    ask(browser(), "ken@example.org")
    with database.write() as tx:
        commands.disable_person(tx, team[0], team[1].id)
    with time_machine.travel(clock.now() + timedelta(minutes=6)):
        work(database, relay)
    assert len(relay.letters) == 1
    assert browser().post(link, data={"password": NEW}).status_code == 404


def test_a_mailed_invitation_code_is_known_only_to_its_recipient(browser, database, relay, team):
    with database.write() as tx:
        commands.invite_by_mail(tx, team[0], InvitationCreate(role="editor", email="mei@example.org"))
    work(database, relay)
    (letter,) = relay.letters
    assert letter.to == ("mei@example.org",)
    assert "Ada invited you" in letter.message.get_content()
    assert link_in(letter).rpartition("/")[2] not in dump(database)
    assert browser().post(link_in(letter), data={"name": "Mei", "password": NEW}).status_code == 303
    with database.read() as tx:
        assert queries.get_visitor(tx, "Mei").role == "editor"


def test_a_revoked_invitation_is_not_mailed(database, relay, team):
    with database.write() as tx:
        commands.invite_by_mail(tx, team[0], InvitationCreate(role="editor", email="mei@example.org"))
        commands.disable_person(tx, team[0], team[1].id)
        commands.revoke_invitation(tx, team[0], 1)
    work(database, relay)
    assert relay.letters == []


def test_a_reset_link_made_by_an_admin_is_mailed_to_the_person(browser, database, relay, team):
    with database.write() as tx:
        commands.mail_reset_link(tx, team[0], team[1].id)
    work(database, relay)
    assert [letter.to for letter in relay.letters] == [("ken@example.org",)]
    assert browser().post(link_in(relay.letters[0]), data={"password": NEW}).status_code == 303


def test_without_mail_the_page_says_who_to_contact_and_shows_no_form(client, database, team):
    assert "Ask an admin" in client.get("/password-reset").text
    assert client.post("/password-reset", data={"name": "Ken"}).status_code == 409
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Job)) == 0


def test_a_name_with_braces_does_not_break_a_mail(browser, database, relay, team):
    with database.write() as tx:
        tx.get(Person, team[1].id).name = "Ken {link} {0}"
    assert asked(browser, database, relay, "ken@example.org").startswith(ADDRESS)
    assert "Hello Ken {link} {0}," in relay.letters[0].message.get_content()


def dump(database):
    """Every row of every table, as text."""
    with database.read() as tx:
        return "\n".join(
            str(tuple(row)) for table in SQLModel.metadata.sorted_tables for row in tx.execute(sa.select(table))
        )
