"""The daily mail, handed to a relay on loopback: to whom, when, what is in it, and that nobody has it twice."""

from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack import search
from readtrack.cli.worker import JobWorker
from readtrack.infra.clock import now
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.i18n import PSEUDO
from readtrack.infra.jobs import queue
from readtrack.infra.mail import Mail
from readtrack.infra.models import Job, Notification, Person
from readtrack.infra.notifications import notify
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.notifications import digest
from readtrack.team.notifications.digest import MAX_NOTIFICATIONS
from tests import make
from tests.processes import until
from tests.relay import Relay

pytestmark = pytest.mark.slow  # many requests

HOME = "https://reading.example.org"
MORNING = datetime(2026, 11, 24, 8, 0, tzinfo=UTC)


@pytest.fixture
def relay():
    with Relay() as relay:
        yield relay


@pytest.fixture
def clock():
    with time_machine.travel(MORNING, tick=False) as travelling:
        yield travelling


@pytest.fixture
def bo(database, clock):
    """Wants mail of everything, and lives in UTC."""
    with database.write() as tx:
        return make.person(tx, "Bo", email="bo@example.org").id


def egress(relay, **given):
    mail = Mail(relay.url, "Reading <reading@example.org>", home=HOME, step=2.0, **given)
    return HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail)


def waits_for(database, person_id, count=1, **fields):
    with database.write() as tx:
        for _ in range(count):
            about = {"paper_id": make.paper(tx, fields.pop("title", "")).id}
            make.notice(tx, person_id, "mention", mail_due=True, **about, **fields)


def deliver(database, http):
    """What the worker does when it looks whose morning has come."""
    with database.write() as tx:
        digest.schedule_digests(tx, http)
    while queue.run_due_job(database, http, kinds=(digest.JOB,)):
        pass


def job_state(database):
    with database.read() as tx:
        return tx.scalar(sa.select(col(Job.state)).order_by(col(Job.id).desc()))


def due_of(database):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(Notification).where(col(Notification.mail_due)))


def test_a_digest_lists_what_is_waiting_with_links(database, relay, bo):
    waits_for(database, bo, title="Elastic Pipelines")
    deliver(database, egress(relay))
    (arrived,) = relay.letters
    assert arrived.to == ("bo@example.org",)
    assert arrived.message["Subject"] == "readtrack: 1 new notification"
    assert arrived.message["List-Unsubscribe"] == f"<{HOME}/settings/notifications>"
    said = arrived.message.get_content()
    assert "Mentioned you: Elastic Pipelines" in said
    assert f"{HOME}/papers/1" in said
    assert job_state(database) == "done"


def test_a_digest_is_in_the_recipients_language(database, relay, bo):
    with database.write() as tx:
        tx.get_one(Person, bo).language = PSEUDO
        ann = make.person(tx, "Ann", email="ann@example.org").id
    waits_for(database, bo, title="Elastic Pipelines")
    waits_for(database, ann, title="Elastic Pipelines")
    deliver(database, egress(relay))

    letters = {letter.to[0]: letter.message for letter in relay.letters}
    assert letters["bo@example.org"]["Subject"].startswith("⟦réádtráçk: 1 ñéw ñótífíçátíóñ")
    assert "⟦méñtíóñéd ýóú" in letters["bo@example.org"].get_content()
    assert letters["ann@example.org"]["Subject"] == "readtrack: 1 new notification"


def test_a_person_gets_one_digest_a_day(database, relay, bo, clock):
    http = egress(relay)
    for hours in (0, 3, 3):
        clock.shift(timedelta(hours=hours))
        waits_for(database, bo, count=2)
        deliver(database, http)
    assert len(relay.letters) == 1
    clock.shift(timedelta(days=1))
    deliver(database, http)
    assert [letter.message["Subject"][11:12] for letter in relay.letters] == ["2", "4"]


def test_new_activity_on_a_mailed_notification_is_mailed_too(database, relay, bo, clock):
    """Who reads the mail need not open the inbox to hear of the rest of a thread."""
    http = egress(relay)
    with database.write() as tx:
        tx.get_one(Person, bo).notification_settings = {"reply": "mail"}
        ada, paper = make.visitor(tx, "Ada"), make.paper(tx, "Elastic Pipelines").id
    for _ in range(2):
        with database.write() as tx:
            notify(tx, ada, "reply", [bo], subject_ids={"paper_id": paper}, group_key="thread:1")
        deliver(database, http)
        clock.shift(timedelta(days=1))
    first, second = (letter.message.get_content() for letter in relay.letters)
    assert "Ada replied: Elastic Pipelines" in first
    assert "Ada replied: Elastic Pipelines (2 replies)" in second


@pytest.mark.deep
@pytest.mark.parametrize(
    ("zone", "at", "sent"),
    [
        ("Asia/Tokyo", "2026-11-24T21:59", None),  # 06:59
        ("Asia/Tokyo", "2026-11-24T22:00", date(2026, 11, 25)),
        ("America/Los_Angeles", "2026-11-24T14:59", None),
        ("America/Los_Angeles", "2026-11-24T15:00", date(2026, 11, 24)),
        ("", "2026-11-24T06:59", None),
        ("", "2026-11-24T07:00", date(2026, 11, 24)),
        ("Nowhere/Known", "2026-11-24T23:30", date(2026, 11, 24)),
    ],
)
def test_a_digest_is_sent_at_seven_in_the_morning_local_time(database, relay, bo, clock, zone, at, sent):
    clock.move_to(datetime.fromisoformat(f"{at}+00:00"))
    with database.write() as tx:
        tx.get_one(Person, bo).time_zone = zone
    waits_for(database, bo)
    deliver(database, egress(relay))
    with database.read() as tx:
        assert tx.get_one(Person, bo).mailed_on == sent
    assert len(relay.letters) == (sent is not None)


@pytest.mark.parametrize("fields", [{"disabled_at": MORNING}, {"email": ""}])
def test_a_person_who_is_disabled_or_without_an_address_gets_no_digest(database, relay, bo, fields):
    waits_for(database, bo)
    with database.write() as tx:
        tx.execute(sa.update(Person).where(col(Person.id) == bo).values(**fields))
    deliver(database, egress(relay))
    assert relay.letters == []
    assert job_state(database) is None


def test_read_unsubscribed_or_old_notifications_are_in_no_digest(database, relay, bo):
    with database.write() as tx:
        paper = make.paper(tx)
        make.notice(tx, bo, "mention", paper_id=paper.id)
        make.notice(tx, bo, "mention", paper_id=paper.id, mail_due=True, read_at=now())
        make.notice(tx, bo, "mention", paper_id=paper.id, mail_due=True, created_at=now() - timedelta(days=8))
    deliver(database, egress(relay))
    assert relay.letters == []


def test_notifications_about_inaccessible_items_are_in_no_digest(database, relay, bo):
    with database.write() as tx:
        gone = make.paper(tx, "Gone", deleted_at=now())
        make.notice(tx, bo, "mention", paper_id=gone.id, mail_due=True)
    deliver(database, egress(relay))
    assert relay.letters == []
    with database.read() as tx:
        assert tx.get_one(Person, bo).mailed_on is None  # what comes this afternoon may still be told today
    assert due_of(database) == 0


@pytest.mark.parametrize("at_first", [False, True])
def test_a14_a_private_text_is_in_no_digest(database, relay, bo, at_first):
    with database.write() as tx:
        tx.get_one(Person, bo).notification_settings = {"mention": "mail"}
        ada, paper = make.visitor(tx, "Ada"), make.paper(tx, "Elastic Pipelines").id
        edit_summary(tx, ada, paper, SummaryUpdate(markdown="As @Bo said.", private=at_first), version=None)
    assert due_of(database) == (not at_first)
    with database.write() as tx:
        edit_summary(tx, ada, paper, SummaryUpdate(markdown="As @Bo said once.", private=True), version=1)
    deliver(database, egress(relay))
    assert relay.letters == []


@pytest.mark.deep
def test_a48_many_notifications_make_one_digest_that_lists_some(database, relay, bo):
    waits_for(database, bo, count=MAX_NOTIFICATIONS + 20)
    deliver(database, egress(relay))
    (arrived,) = relay.letters
    said = arrived.message.get_content()
    assert said.count("Mentioned you") == MAX_NOTIFICATIONS
    assert "20 more: https://" in said


def test_a48_a_name_with_line_breaks_adds_no_header_and_no_recipient(database, relay, bo):
    with database.write() as tx:
        eve = make.person(tx, "Eve\r\nBcc: all@example.org\r\n\r\nDear", email="eve@example.org")
        paper = make.paper(tx, "A\r\n.\r\nMAIL FROM:<eve@example.org>")
        make.notice(tx, bo, "mention", actor_id=eve.id, paper_id=paper.id, mail_due=True)
    deliver(database, egress(relay))
    (arrived,) = relay.letters
    assert (arrived.to, arrived.message["Bcc"]) == (("bo@example.org",), None)
    assert (
        "Eve Bcc: all@example.org Dear mentioned you: A . MAIL FROM:<eve@example.org>" in arrived.message.get_content()
    )


def test_while_the_relay_is_down_nothing_counts_as_sent_and_it_is_retried(database, relay, bo, clock):
    http = egress(relay)
    waits_for(database, bo)
    relay.answers["EHLO"] = relay.answers["HELO"] = "421 come back later"
    deliver(database, http)
    assert (job_state(database), due_of(database)) == ("queued", 1)
    relay.answers.clear()
    clock.shift(timedelta(hours=1))
    while queue.run_due_job(database, http, kinds=(digest.JOB,)):
        pass
    assert (len(relay.letters), job_state(database)) == (1, "done")


def go_on(database, http, clock):
    clock.shift(timedelta(hours=1))
    while queue.run_due_job(database, http, kinds=(digest.JOB,)):
        pass


def test_a_mail_that_may_have_been_accepted_is_not_sent_twice(database, relay, bo, clock):
    http = egress(relay)
    waits_for(database, bo)
    relay.hangs_up = True
    deliver(database, http)
    relay.hangs_up = False
    go_on(database, http, clock)
    assert relay.letters == []
    with database.read() as tx:  # it is still in the inbox
        assert tx.scalar(sa.select(col(Notification.read_at))) is None


@pytest.mark.deep
@pytest.mark.parametrize("at", ["MAIL", "RCPT TO:<bo@example.org>", "DATA"])
def test_a_mail_that_was_certainly_not_accepted_is_sent_later_and_stops_no_other(database, relay, bo, clock, at):
    http = egress(relay)
    with database.write() as tx:
        other = make.person(tx, "Cy", email="cy@example.org").id
    waits_for(database, bo, count=2)
    waits_for(database, other)
    relay.answers[at] = "451 come back later"
    deliver(database, http)
    assert {letter.to[0] for letter in relay.letters} == ({"cy@example.org"} if "bo" in at else set())
    assert job_state(database) == "queued"
    relay.answers.clear()
    go_on(database, http, clock)
    assert sorted(letter.to[0] for letter in relay.letters) == ["bo@example.org", "cy@example.org"]
    assert (job_state(database), due_of(database)) == ("done", 0)


def test_notifications_read_before_the_retry_are_in_no_digest(database, relay, bo, clock):
    http = egress(relay)
    waits_for(database, bo)
    relay.answers["RCPT"] = "451 come back later"
    deliver(database, http)
    with database.write() as tx:
        tx.execute(sa.update(Notification).values(read_at=now(), group_key=None, mail_due=False))
    relay.answers.clear()
    go_on(database, http, clock)
    assert (relay.letters, job_state(database)) == ([], "done")


def test_the_base_url_may_be_long(database, relay, bo):
    home = f"https://{'reading.' * 20}example.org"
    mail = Mail(relay.url, "Reading <reading@example.org>", home=home, step=2.0)
    waits_for(database, bo)
    deliver(database, HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail))
    assert f"List-Unsubscribe: <{home}/settings/notifications>".encode() in relay.letters[0].written


def test_a_refused_address_stops_no_other_digest(database, relay, bo):
    with database.write() as tx:
        broken = make.person(tx, "Aa", email="no address at all").id
        other = make.person(tx, "Cy", email="cy@example.org").id
    for person_id in (broken, bo, other):
        waits_for(database, person_id)
    deliver(database, egress(relay))
    assert {letter.to[0] for letter in relay.letters} == {"bo@example.org", "cy@example.org"}
    assert job_state(database) == "done"


def test_without_mail_or_offline_no_attempt_is_made(database, relay, bo):
    waits_for(database, bo)
    silent = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={})
    for http in (silent, egress(relay, offline=True)):
        deliver(database, http)
    assert job_state(database) is None
    assert due_of(database) == 1


@pytest.mark.deep
def test_the_worker_sends_digests_when_they_are_due(database, relay):
    noon = 12 - now().hour  # hours from here to where it is noon; those zones are named the other way round
    with database.write() as tx:
        search.ensure(tx)
        person_id = make.person(tx, "Bo", email="bo@example.org", time_zone=f"Etc/GMT{-noon:+d}").id
    waits_for(database, person_id)
    worker = JobWorker(database, egress(relay))
    worker.start()
    try:
        until(lambda: relay.letters, "a letter comes")
    finally:
        worker.stop()
    assert [letter.to for letter in relay.letters] == [("bo@example.org",)]
