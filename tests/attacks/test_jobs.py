"""The list of jobs tells nobody who has an account or a webhook, what a mail relay said, or where backups are."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.mail import Mail, build_message
from readtrack.infra.models import Job, Notification
from readtrack.team.accounts import commands
from readtrack.team.accounts.schemas import InvitationCreate
from tests import make
from tests.conftest import ADDRESS
from tests.relay import Relay

KINDS = (
    "people.letter",
    "people.forgotten",
    "people.address-changed",
    "notices.mail",
    "webhooks.send",
    "backup.create",
)


@pytest.fixture
def relay():
    with Relay() as relay:
        yield relay


@pytest.fixture
def everybody(database):
    """A person of each role."""
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role) for role in ("viewer", "member", "editor", "admin")}


@pytest.fixture
def queued(database, everybody):
    """A job of each kind about accounts, mail, webhooks and backups, and one of the team."""
    with database.write() as tx:
        for kind in KINDS:
            tx.get(Job, queue.enqueue(tx, kind, {"asked": "eve"})).error = "550: <eve@example.org> unknown"
        return queue.enqueue(tx, "papers.refresh")


@pytest.mark.parametrize("role", ["viewer", "member", "editor"])
def test_people_who_cannot_manage_jobs_see_no_jobs_about_accounts_mail_webhooks_and_backups(
    everybody, queued, sign_in, database, role
):
    client = sign_in(everybody[role])
    listed = client.get("/api/v1/jobs")
    assert [job["kind"] for job in listed.json()["items"]] == ["papers.refresh"]
    assert "eve@example.org" not in listed.text
    with database.read() as tx:
        hidden = tx.scalars(sa.select(col(Job.id)).where(col(Job.id) != queued)).all()
    for number in hidden:
        missing = client.get(f"/api/v1/jobs/{number}")
        assert (missing.status_code, missing.json()["detail"]) == (404, f"Job {number} not found.")


def test_admins_see_all_jobs(everybody, queued, sign_in):
    listed = sign_in(everybody["admin"]).get("/api/v1/jobs").json()["items"]
    assert sorted(job["kind"] for job in listed) == sorted((*KINDS, "papers.refresh"))


def test_the_person_who_started_a_job_sees_it(database, everybody, sign_in):
    with database.write() as tx:
        number = queue.enqueue(tx, "people.letter", {"invitation": 0}, created_by=everybody["editor"].id)
    assert sign_in(everybody["editor"]).get(f"/api/v1/jobs/{number}").status_code == 200
    assert sign_in(everybody["member"]).get(f"/api/v1/jobs/{number}").status_code == 404


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("RCPT", "550 5.1.1 <eve@example.org>: no mailbox eve at example.org"),
        ("RCPT", "550 user EVE unknown"),
        ("DATA", "554 mail from reading@example.org to eve@example.org refused"),
    ],
)
def test_a_mail_relays_error_message_is_stored_without_the_address(database, everybody, relay, command, words):
    relay.answers[command] = words
    with database.write() as tx:
        commands.invite_by_mail(tx, everybody["admin"], InvitationCreate(role="member", email="eve@example.org"))
    mail = Mail(relay.url, "reading@example.org", home=ADDRESS, step=2)
    way_out = HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail)
    assert queue.run_due_job(database, way_out, kinds=("people.letter",))
    with database.read() as tx:
        job, notice = tx.scalars(sa.select(Job)).one(), tx.scalars(sa.select(Notification)).one()
    assert f"status {words[:3]}" in job.error
    for told in (job.error, notice.data["problem"]):
        assert "eve" not in told.lower().replace("everybody", "")
        assert "@" not in told


def test_an_invalid_address_is_not_repeated_in_the_error():
    with pytest.raises(SourceRefused) as refused:
        build_message("eve[@example.org", "A", "B")
    assert "example.org" not in refused.value.message
