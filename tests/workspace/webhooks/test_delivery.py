"""Webhooks: signed, in order, once, tried for a day; never what their owner may not see, never to inner addresses."""

import json
import threading
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col
from standardwebhooks.webhooks import Webhook as Judge

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.webhooks import WebhookSender
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.cleanup import purge_outdated
from readtrack.infra.models import Notification, Paper, Person, SavedSearch, Webhook
from readtrack.infra.pagination import PageRequest
from readtrack.workspace.webhooks import commands, queries
from readtrack.workspace.webhooks.collect import JOB, collect_events
from readtrack.workspace.webhooks.commands import WebhookCreate, WebhookFields
from readtrack.workspace.webhooks.delivery_job import MAX_ATTEMPTS
from tests import make
from tests.raising import raise_when
from tests.standin import Request, StandIn, send

KEY = "only for tests " * 4
HOME = "https://reading.example.org"


class Receiver(StandIn):
    """Answers with `status`; "hang": not at all; a path: a redirect there."""

    status: int | str = 200
    retry_after = ""

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        if self.status == "hang":
            self.stopping.wait(30)
        elif isinstance(self.status, str):
            send(to, 307, b"", {"location": self.status})
        else:
            send(to, self.status, b"An answer.", {"retry-after": self.retry_after} if self.retry_after else {})

    @property
    def bodies(self):
        return [json.loads(request.body) for request in self.requests]


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


def outgoing(*allowed, total=5.0):
    """What a worker sends with; only the addresses `allowed` may be inner ones."""
    given: Any = {"agent": "tests", "gate": UnlimitedRateLimiter(), "intervals": {}}
    client = HttpClient(**given, bases={url: url for url in allowed}, total=total, max_redirects=0)
    return HttpClient(**given, bases={}, webhooks=WebhookSender(client, KEY, HOME))


def create(database, me, url, **given):
    with database.write() as tx:
        return commands.create_webhook(tx, me, WebhookCreate(url=url, **given), key=KEY)


def work(database, http):
    collect_events(database)
    while queue.run_due_job(database, http, kinds=[JOB]):
        pass


@contextmanager
def later(**passed):
    with time_machine.travel(now() + timedelta(**passed), tick=True):
        yield


def add_paper(database, me, title, *, private=False, verb="paper.added", data=None):
    with database.write() as tx:
        paper = make.paper(tx, title)
        events.record_event(tx, me, verb, paper_id=paper.id, private=private, data=data)
        return paper.id


def deliveries(database, me, webhook_id):
    with database.read() as tx:
        return queries.list_deliveries(tx, me, webhook_id, PageRequest()).items


def state_of(database, webhook_id):
    with database.read() as tx:
        return tx.get_one(Webhook, webhook_id).state


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def bo(database):
    with database.write() as tx:
        return make.visitor(tx, "Bo")


@pytest.mark.both_databases
def test_events_arrive_in_order_signed_as_standard_webhooks_says_in_the_form_of_the_events_api(
    database, ada, receiver, sign_in
):
    webhook_id, secret = create(database, ada, receiver.url)
    for title in ("First", "Second", "Third"):
        add_paper(database, ada, title)
    work(database, outgoing(receiver.url))
    work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == ["First", "Second", "Third"]
    for request, body in zip(receiver.requests, receiver.bodies, strict=True):
        assert Judge(secret).verify(request.body, dict(request.headers)) == body
        assert (body["type"], body["timestamp"]) == ("paper.added", body["data"]["at"])
    assert [body["data"] for body in receiver.bodies] == sign_in(ada).get("/api/v1/events").json()["items"]
    assert {(row.state, row.status, row.answer) for row in deliveries(database, ada, webhook_id)} == {
        ("delivered", 200, "An answer.")
    }


def test_a_failed_delivery_is_retried_with_the_same_id_before_later_ones(database, ada, receiver):
    create(database, ada, receiver.url)
    receiver.status = 500
    add_paper(database, ada, "First")
    add_paper(database, ada, "Second")
    work(database, outgoing(receiver.url))
    work(database, outgoing(receiver.url))
    assert len(receiver.requests) == 1  # The next attempt is in a minute.
    receiver.status = 200
    with later(minutes=2):
        work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == ["First", "First", "Second"]
    ids = [request.headers["webhook-id"] for request in receiver.requests]
    assert (ids[0] == ids[1], ids[1] == ids[2]) == (True, False)


def test_after_eight_attempts_in_a_day_a_webhook_is_turned_off_and_its_owner_notified(database, ada, receiver):
    webhook_id, _secret = create(database, ada, receiver.url)
    receiver.status = 503
    add_paper(database, ada, "First")
    start = now()
    with time_machine.travel(start, tick=False) as clock:
        while state_of(database, webhook_id) == "active" and now() < start + timedelta(days=3):
            work(database, outgoing(receiver.url))
            clock.shift(timedelta(minutes=30))
        assert timedelta(hours=18) < now() - start < timedelta(hours=30)
    assert (len(receiver.requests), MAX_ATTEMPTS, state_of(database, webhook_id)) == (8, 8, "disabled")
    with database.write() as tx:
        [notification] = tx.scalars(sa.select(Notification).where(col(Notification.person_id) == ada.id))
        assert notification.data == {"happened": "webhook-disabled", "problem": "HTTP 503"}
        fields = WebhookFields(url=receiver.url, active=True)
    add_paper(database, ada, "While it was off")
    receiver.status = 200
    with database.write() as tx:
        commands.edit_webhook(tx, ada, webhook_id, fields)
    add_paper(database, ada, "After")
    work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies[8:]] == ["After"]


@pytest.mark.parametrize(
    ("status", "asked", "seconds"),
    [
        (429, "600", 600),
        (503, "Wed, 02 Jan 2030 03:14:05 GMT", 600),
        (429, "3", 60),  # Never sooner than readtrack's own schedule.
        (429, "999999999", 46_800),  # Its longest wait.
        (429, "soon", 60),
        (500, "600", 60),
    ],
)
def test_a_receiver_may_ask_for_a_later_attempt(database, ada, receiver, status, asked, seconds):
    receiver.status, receiver.retry_after = status, asked
    with time_machine.travel("2030-01-02 03:04:05+00:00", tick=False):
        webhook_id, _secret = create(database, ada, receiver.url)
        add_paper(database, ada, "First")
        work(database, outgoing(receiver.url))
        [delivery] = deliveries(database, ada, webhook_id)
        wait = (delivery.next_attempt_at - now()).total_seconds()
    assert seconds * 0.9 <= wait <= seconds * 1.1
    assert wait >= seconds or seconds == 60  # Not sooner than asked; readtrack's own minute varies.


def test_the_admin_who_saves_a_team_webhook_takes_it_over(database, receiver):
    with database.write() as tx:
        ada, bob = make.visitor(tx, "Ada Admin", role="admin"), make.visitor(tx, "Bob Admin", role="admin")
    webhook_id, _secret = create(database, ada, receiver.url, team=True)
    with database.write() as tx:
        tx.get_one(Person, ada.id).role = "viewer"
    add_paper(database, bob, "Before")
    with database.write() as tx:
        commands.edit_webhook(tx, bob, webhook_id, WebhookFields(url=receiver.url, active=True))
    add_paper(database, bob, "First")
    work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == ["First"]


def test_a_receiver_that_is_gone_turns_its_webhook_off_at_once(database, ada, receiver):
    webhook_id, _secret = create(database, ada, receiver.url)
    receiver.status = 410
    add_paper(database, ada, "First")
    add_paper(database, ada, "Second")
    work(database, outgoing(receiver.url))
    assert (len(receiver.requests), state_of(database, webhook_id)) == (1, "disabled")


def test_a_receiver_that_hangs_is_left_after_the_time_limit(database, ada, receiver):
    webhook_id, _secret = create(database, ada, receiver.url)
    receiver.status = "hang"
    add_paper(database, ada, "First")
    work(database, outgoing(receiver.url, total=0.3))
    [delivery] = deliveries(database, ada, webhook_id)
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert "did not respond in time" in delivery.answer


def test_a33_webhooks_reach_no_inner_address_directly_or_by_a_redirect(database, ada, receiver):
    with Receiver() as inner:
        direct, _secret = create(database, ada, inner.url)
        redirected, _secret = create(database, ada, receiver.url)
        receiver.status = inner.url
        add_paper(database, ada, "First")
        work(database, outgoing(receiver.url))
        assert inner.requests == []
    assert [row.status for row in deliveries(database, ada, redirected)] == [307]
    assert [row.status for row in deliveries(database, ada, direct)] == [None]


def test_a34_nothing_private_of_others_leaves_and_nothing_private_to_the_team(database, ada, bo, receiver):
    with database.write() as tx:
        chief = make.visitor(tx, "Chief", role="admin")
        view = make.added(tx, SavedSearch(person_id=chief.id, name="All", q="", shared=True))
    create(database, ada, f"{receiver.url}/ada")
    create(database, chief, f"{receiver.url}/team", team=True)
    create(database, chief, f"{receiver.url}/view", team=True, view=view.id)
    with database.write() as tx:
        tx.get_one(SavedSearch, view.id).shared = False
    add_paper(database, bo, "Secret of Bo", private=True)
    add_paper(database, ada, "Secret of Ada", private=True)
    add_paper(database, chief, "Secret of the chief", private=True)
    add_paper(database, bo, "Shared")
    work(database, outgoing(receiver.url))
    got = {(request.path, json.loads(request.body)["data"]["title"]) for request in receiver.requests}
    assert got == {("/ada", "Secret of Ada"), ("/ada", "Shared"), ("/team", "Shared")}


def test_what_is_deleted_before_it_is_sent_is_not_sent(database, ada, receiver):
    webhook_id, _secret = create(database, ada, receiver.url)
    paper_id = add_paper(database, ada, "Withdrawn")
    collect_events(database)
    with database.write() as tx:
        tx.get_one(Paper, paper_id).deleted_at = now()
    work(database, outgoing(receiver.url))
    assert receiver.requests == []
    assert [row.state for row in deliveries(database, ada, webhook_id)] == ["skipped"]


@pytest.mark.parametrize("change", [{"disabled_at": now()}, {"role": "viewer"}])
def test_a17_nothing_is_sent_for_somebody_disabled_or_demoted_not_even_later(database, ada, receiver, change):
    create(database, ada, receiver.url)
    add_paper(database, ada, "Waiting")
    collect_events(database)
    before = {"disabled_at": None, "role": "member"}
    with database.write() as tx:
        tx.get_one(Person, ada.id).sqlmodel_update(change)
    add_paper(database, ada, "Meanwhile")
    work(database, outgoing(receiver.url))
    with database.write() as tx:
        tx.get_one(Person, ada.id).sqlmodel_update(before)
    work(database, outgoing(receiver.url))
    assert receiver.requests == []
    add_paper(database, ada, "Back")
    work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == ["Back"]


@pytest.mark.both_databases
def test_two_workers_deliver_once(database, ada, receiver):
    create(database, ada, receiver.url)
    for number in range(5):
        add_paper(database, ada, f"Paper {number}")
    workers = [threading.Thread(target=work, args=(database, outgoing(receiver.url))) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == [f"Paper {number}" for number in range(5)]


def test_a_worker_that_dies_while_sending_repeats_it_with_the_same_id(database, ada, receiver):
    create(database, ada, receiver.url)
    add_paper(database, ada, "First")
    collect_events(database)
    http = outgoing(receiver.url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(http.webhooks.client), "deliver", _deliver_and_die(http.webhooks.client.deliver))
        queue.run_due_job(database, http, kinds=[JOB])
    with later(minutes=2):
        work(database, http)
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


def _deliver_and_die(deliver):
    def die(_client, *given):
        deliver(*given)
        raise SystemExit

    return die


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [
        ({}, ["paper.added", "summary.added", "topic.added"]),
        ({"events": ["summaries"]}, ["summary.added"]),
        ({"events": ["paper.added", "sources"]}, ["paper.added", "paper.fetched"]),
        ({"topic": "Caching"}, ["summary.added", "topic.added"]),
        ({"view": True}, ["paper.added"]),
        ({"view": True, "events": ["summaries"]}, []),
    ],
)
def test_a_webhook_sends_the_kinds_chosen_about_the_papers_chosen(database, ada, receiver, chosen, sent):
    with database.write() as tx:
        topic = make.topic(tx, "Caching")
        view = make.added(tx, SavedSearch(person_id=ada.id, name="Recent", q="year:2020"))
        cached, moe = make.paper(tx, "A cache"), make.paper(tx, "On MoE", year=2020)
        make.filed(tx, cached, topic)
        ids = {"paper.added": moe.id, "summary.added": cached.id, "topic.added": None, "paper.fetched": moe.id}
        view_id, slug = view.id, topic.slug
    create(database, ada, receiver.url, **chosen | ({"view": view_id} if "view" in chosen else {}))
    with database.write() as tx:
        for verb, paper_id in ids.items():
            about = {"slug": slug} if verb == "topic.added" else {}
            events.record_event(tx, None if verb == "paper.fetched" else ada, verb, paper_id=paper_id, data=about)
    work(database, outgoing(receiver.url))
    assert sorted(body["type"] for body in receiver.bodies) == sent


@pytest.mark.parametrize(
    ("form", "body"),
    [
        (
            "slack",
            {
                "text": f"<{HOME}/people/1|Ada> added <{HOME}/papers/1|&lt;!channel&gt; @all [x](y) *b*> and "
                f"<{HOME}/papers/2|Second>"
            },
        ),
        (
            "mattermost",
            {
                "text": f"[Ada]({HOME}/people/1) added [\\<\\!channel\\> @\u200ball \\[x\\]\\(y\\) \\*b\\*]"
                f"({HOME}/papers/1) and [Second]({HOME}/papers/2)"
            },
        ),
        (
            "discord",
            {
                "content": f"[Ada]({HOME}/people/1) added [\\<\\!channel\\> @\u200ball \\[x\\]\\(y\\) \\*b\\*]"
                f"({HOME}/papers/1) and [Second]({HOME}/papers/2)",
                "allowed_mentions": {"parse": []},
            },
        ),
    ],
)
def test_a_chat_gets_one_sentence_with_links_for_what_is_one_line_of_the_feed(database, ada, receiver, form, body):
    create(database, ada, receiver.url, format=form)
    papers = [add_paper(database, ada, title) for title in ("<!channel> @all [x](y) *b*", "Second")]
    work(database, outgoing(receiver.url))
    [sent] = [request.body.decode() for request in receiver.requests]
    for number, paper_id in enumerate(papers, start=1):
        sent = sent.replace(f"/papers/{paper_id}", f"/papers/{number}")
    assert json.loads(sent.replace(f"/people/{ada.id}", "/people/1")) == body


def test_a_test_and_sending_again_are_sent_once_and_disable_nothing(database, ada, receiver):
    webhook_id, secret = create(database, ada, receiver.url)
    add_paper(database, ada, "First")
    work(database, outgoing(receiver.url))
    receiver.status = 500
    [delivery] = deliveries(database, ada, webhook_id)
    with database.write() as tx:
        commands.send_test(tx, ada, webhook_id)
        commands.resend_delivery(tx, ada, webhook_id, delivery.id)
    work(database, outgoing(receiver.url))
    with later(days=2):
        work(database, outgoing(receiver.url))
    first, *others = receiver.requests
    assert sorted(json.loads(request.body)["type"] for request in others) == ["paper.added", "webhook.test"]
    assert first.headers["webhook-id"] in {request.headers["webhook-id"] for request in others}
    assert all(Judge(secret).verify(request.body, dict(request.headers)) for request in others)
    assert state_of(database, webhook_id) == "active"
    assert {row.state for row in deliveries(database, ada, webhook_id)} == {"failed"}


def test_deliveries_are_kept_for_thirty_days(database, ada, receiver):
    webhook_id, _secret = create(database, ada, receiver.url)
    add_paper(database, ada, "First")
    work(database, outgoing(receiver.url))
    with later(days=29):
        purge_outdated(database)
        assert len(deliveries(database, ada, webhook_id)) == 1
    with later(days=31):
        purge_outdated(database)
        assert deliveries(database, ada, webhook_id) == []


def test_a_webhook_whose_events_cannot_be_collected_stops_no_other(database, ada, bo, receiver, monkeypatch):
    broken, _secret = create(database, ada, receiver.url)
    create(database, bo, receiver.url)
    selecting = "workspace.webhooks.collect.select_events"
    raise_when(monkeypatch, selecting, lambda _tx, webhook, *_: webhook.id == broken, KeyError("title"))
    add_paper(database, ada, "First")
    with pytest.raises(BaseExceptionGroup, match="failed to collect events"):  # told by readtrack check and /health
        collect_events(database)
    while queue.run_due_job(database, outgoing(receiver.url), kinds=[JOB]):
        pass
    assert [body["data"]["title"] for body in receiver.bodies] == ["First"]


def test_a_delivery_that_cannot_be_built_fails_and_the_next_is_sent(database, ada, receiver, monkeypatch):
    webhook_id, _secret = create(database, ada, receiver.url)
    building = "workspace.webhooks.delivery_job.build_content"
    raise_when(monkeypatch, building, lambda _format, events, _home: events[0].title == "First", KeyError("title"))
    add_paper(database, ada, "First")
    add_paper(database, ada, "Second")
    work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == ["Second"]
    assert {(row.state, row.answer) for row in deliveries(database, ada, webhook_id)} == {
        ("failed", queue.BROKEN),
        ("delivered", "An answer."),
    }


def test_a_delivery_that_breaks_while_it_is_sent_counts_as_an_attempt(database, ada, receiver, monkeypatch):
    webhook_id, _secret = create(database, ada, receiver.url)
    add_paper(database, ada, "First")
    with monkeypatch.context() as broken:
        raise_when(broken, "infra.http.client.HttpClient.deliver", lambda *_: True, KeyError("title"))
        work(database, outgoing(receiver.url))
    (waiting,) = deliveries(database, ada, webhook_id)
    assert (waiting.state, waiting.attempts, waiting.answer) == ("waiting", 1, queue.BROKEN)
    with later(minutes=2):
        work(database, outgoing(receiver.url))
    assert [body["data"]["title"] for body in receiver.bodies] == ["First"]
