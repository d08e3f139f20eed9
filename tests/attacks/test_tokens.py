"""Tokens and everything else that a person who left may still hold (A17), and where a secret may be read (A19)."""

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.mail import Mail
from readtrack.infra.models import PendingSignIn
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import sessions
from readtrack.team.accounts.commands.invitations import FORGOTTEN, LETTER
from readtrack.team.accounts.passwords import fingerprint
from readtrack.team.accounts.schemas import InvitationCreate, TokenCreate
from readtrack.workspace.export import formats
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES
from tests.relay import Relay

pytestmark = pytest.mark.slow  # many requests to a whole application


@pytest.fixture
def team(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="admin"), make.visitor(tx, "Bob", role="admin", email="bob@example.org")


def program(app, secret):
    return AppClient(app, base_url=ADDRESS, headers={"Authorization": f"Bearer {secret}"})


def dump(database):
    with database.read() as tx:
        return "\n".join(
            str(tuple(row)) for table in SQLModel.metadata.sorted_tables for row in tx.execute(sa.select(table))
        )


def test_a17_a_disabled_person_loses_access_by_every_sign_in_method_within_one_request(
    app, client, database, team, sign_in
):
    ada, bob = team
    browser = sign_in(bob)
    with database.write() as tx:
        _, writing = commands.create_token(tx, bob, TokenCreate(name="ci", scopes=["write"]))
        _, feed = commands.create_token(tx, bob, TokenCreate(name="calendar", scopes=["feed"]))
        invited, reset = (
            commands.invite(tx, bob, InvitationCreate(role="admin")),
            commands.create_reset_link(tx, ada, bob.id),
        )
        half = sessions.start_pending_sign_in(tx, "code", person_id=bob.id, next_path="/")
    assert browser.get("/settings").status_code == program(app, writing).get("/api/v1/me").status_code == 200

    sign_in(ada).post(f"/people/{bob.id}/disable")

    assert browser.get("/settings").status_code == 303
    assert browser.post("/settings/appearance", data={"theme": "dark"}).status_code == 401
    assert [program(app, secret).get("/api/v1/me").status_code for secret in (writing, feed)] == [401, 401]
    assert [client.get(f"/invitations/accept/{code}").status_code for code in (invited, reset)] == [404, 404]
    with database.read() as tx:
        assert tx.scalars(sa.select(PendingSignIn)).all() == []
    assert half


def test_a17_no_mail_is_sent_to_a_disabled_person(database, team):
    with Relay() as relay, database.write() as tx:
        commands.request_reset_link(tx, "bob@example.org", address="192.0.2.1")
        commands.mail_reset_link(tx, team[0], team[1].id)
        commands.invite_by_mail(tx, team[1], InvitationCreate(email="eve@example.org"))
        commands.disable_person(tx, team[0], team[1].id)
    mail = Mail(relay.url, "reading@example.org", home=ADDRESS)
    way_out = HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail)
    with database.read() as tx:
        waiting = len(queue.list_jobs(tx))
    assert [queue.run_due_job(database, way_out, kinds=(FORGOTTEN, LETTER)) for _ in range(waiting)] == [True] * 3
    with database.read() as tx:
        assert {job.state for job in queue.list_jobs(tx)} == {"done"}
    assert relay.letters == []


def test_a17_old_credentials_do_not_work_after_enabling_a_person_again(app, client, database, team, sign_in):
    ada, bob = team
    with database.write() as tx:
        _, token = commands.create_token(tx, bob, TokenCreate(name="ci", scopes=["write"]))
        _, session = commands.sign_in_new(tx, queries.get_person(tx, bob.id), agent="")
        code = commands.create_reset_link(tx, ada, bob.id)
        commands.disable_person(tx, ada, bob.id)
        commands.enable_person(tx, ada, bob.id)
    old = AppClient(app, base_url=ADDRESS, headers=OWN_PAGES, cookies={"readtrack": session})
    assert old.get("/settings").status_code == 303
    assert program(app, token).get("/api/v1/me").status_code == 401
    assert client.get(f"/invitations/accept/{code}").status_code == 404


def test_a17_credentials_created_while_disabled_do_not_work_after_enabling(app, client, database, team):
    """On PostgreSQL two transactions may overlap: what the first did not see, the second has made."""
    ada, bob = team
    with database.write() as tx:
        commands.disable_person(tx, ada, bob.id)
        _, token = commands.create_token(tx, bob, TokenCreate(name="ci", scopes=["write"]))
        invited = commands.invite(tx, bob, InvitationCreate(role="admin"))
        commands.enable_person(tx, ada, bob.id)
    assert program(app, token).get("/api/v1/me").status_code == 401
    assert client.get(f"/invitations/accept/{invited}").status_code == 404


def test_a17_invitations_by_a_demoted_admin_stay_invalid_after_promotion(client, database, team):
    ada, bob = team
    with database.write() as tx:
        code = commands.invite(tx, bob, InvitationCreate(role="admin"))
        commands.set_role(tx, ada, bob.id, "member")
    assert client.get(f"/invitations/accept/{code}").status_code == 404
    with database.write() as tx:
        commands.set_role(tx, ada, bob.id, "admin")
    assert client.get(f"/invitations/accept/{code}").status_code == 404


def test_a19_a_token_is_shown_once_and_not_stored(app, database, team, sign_in, logged):
    browser, wanted = sign_in(team[1]), {"name": "ci", "scopes": ["write"]}
    secret = browser.post("/api/v1/tokens", json=wanted, headers={"Idempotency-Key": "1"}).json()["secret"]
    token, places = (
        program(app, secret),
        ("/api/v1/me", "/api/v1/tokens", "/api/v1/nowhere", "/papers", "/settings/tokens"),
    )

    answers = [client.get(path) for path in places for client in (token, browser)]
    answers += [token.post("/api/v1/papers", json={"title": 1}), token.post("/api/v1/papers", content=b"{")]
    answers.append(browser.post("/api/v1/tokens", json=wanted, headers={"Idempotency-Key": "1"}))

    for answer in answers:
        assert secret not in answer.text + str(answer.headers), answer.url
    assert secret not in dump(database)
    assert fingerprint(secret) in dump(database)
    assert logged
    assert secret not in repr(logged)


def test_a19_no_export_contains_a_secret(app, database, team, sign_in):
    with database.write() as tx:
        _, secret = commands.create_token(tx, team[1], TokenCreate(name="ci", scopes=["read"]))
        make.paper(tx, "A paper")
    token = program(app, secret)
    for name in formats.all_exports():
        answer = token.get("/api/v1/export", params={"format": name})
        assert answer.status_code == 200
        assert secret not in answer.text
        assert fingerprint(secret) not in answer.text


def test_a19_no_link_to_another_site_contains_a_secret(client, database, team, sign_in):
    with database.write() as tx:
        code = commands.invite(tx, team[0], InvitationCreate())
    page = client.get(f"/invitations/accept/{code}")
    assert page.headers["referrer-policy"] in {"same-origin", "no-referrer"}
    assert page.headers["cache-control"] == "no-store"


def test_a19_codes_sessions_and_tokens_are_stored_as_hashes(database, team):
    with database.write() as tx:
        secrets = [
            commands.create_token(tx, team[0], TokenCreate(name="ci", scopes=["read"]))[1],
            commands.sign_in_new(tx, queries.get_person(tx, team[0].id), agent="")[1],
            commands.invite(tx, team[0], InvitationCreate()),
            commands.create_reset_link(tx, team[0], team[1].id),
            sessions.start_pending_sign_in(tx, "code", person_id=team[1].id, next_path="/"),
        ]
    kept = dump(database)
    assert [secret for secret in secrets if secret in kept] == []
    assert [secret for secret in secrets if fingerprint(secret) not in kept] == []
