"""The worker: it goes on, whatever happens, and asks for everything that waits."""

import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.cli import periodic_tasks, worker
from readtrack.cli.worker import JobWorker
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.rate_limiter import DatabaseRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import Job, MetadataRequest
from readtrack.library.papers.commands import add_paper
from readtrack.metadata.types import Ref
from tests import make
from tests.processes import until
from tests.standin import ArxivStandIn

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch):
    monkeypatch.setattr(worker, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.01)


@pytest.fixture
def arxiv():
    with ArxivStandIn() as arxiv:
        yield arxiv


@pytest.fixture
def working(database, arxiv):
    """Opens a block in which a worker works."""
    with database.write() as tx:
        search.ensure(tx)
    gate = DatabaseRateLimiter(database)
    http = HttpClient(agent="test", gate=gate, intervals={"127.0.0.1": 0.0}, bases={"arxiv": arxiv.url})

    @contextmanager
    def block(**given):
        someone = JobWorker(database, http, **given)
        someone.start()
        try:
            yield someone
        finally:
            someone.stop()

    return block


def add(database, key):
    with database.write() as tx:
        add_paper(tx, make.visitor(tx, role="editor"), Ref("arxiv", key))


def is_fetched(database):
    with database.read() as tx:
        return set(
            tx.scalars(sa.select(col(MetadataRequest.state)).where(col(MetadataRequest.service) == "arxiv"))
        ) == {"answered"}


def give_up(database):
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed", error="It did not answer."))


@pytest.mark.both_databases
def test_it_runs_incoming_jobs_until_it_is_stopped(database, working):
    with working():
        for key in ("2401.00001", "2401.00002"):
            add(database, key)
            until(lambda: is_fetched(database), "it is fetched")
    add(database, "2401.00003")
    assert not is_fetched(database)


@pytest.mark.deep
def test_requests_left_waiting_without_a_worker_are_enqueued_at_start(database, working):
    add(database, "2401.00001")
    give_up(database)
    with working():
        until(lambda: is_fetched(database), "it is fetched")


def test_requests_whose_job_failed_are_enqueued_again_after_a_while(database, working, monkeypatch):
    monkeypatch.setattr(periodic_tasks, "RESUME_INTERVAL_SECONDS", 0.05)
    with working():
        with database.write() as tx:
            paper = make.paper(tx, identifier="arxiv:2401.00001")
            tx.add(MetadataRequest(paper_id=paper.id, service="arxiv", key="2401.00001"))
        until(lambda: is_fetched(database), "it is fetched")


@pytest.mark.both_databases
def test_an_unreadable_queue_is_polled_again(database, working):
    add(database, "2401.00001")
    begun = threading.Event()

    def fail_at_first(*_):
        if not begun.is_set():
            begun.set()
            raise sa.exc.OperationalError("a statement", {}, Exception("disk I/O error"))

    writer = database.engines[0]
    sa.event.listen(writer, "before_cursor_execute", fail_at_first)
    with working(tasks=()):
        until(lambda: begun.is_set() and is_fetched(database), "it is fetched")
    sa.event.remove(writer, "before_cursor_execute", fail_at_first)


@pytest.fixture
def sites(monkeypatch):
    """Two kinds of job in place of their handlers: questions that take until `answer` is set, and quick imports."""

    class Sites:
        def __init__(self):
            self.asked, self.imported, self.answer = [], [], threading.Event()

        def ask(self, database, _http, claimed):
            self.asked.append(claimed.id)
            self.answer.wait(30)
            with database.write() as tx:
                queue.finish_job(tx, claimed)

        def bring_in(self, database, _http, claimed):
            with database.write() as tx:
                queue.finish_job(tx, claimed)
            self.imported.append(claimed.id)

    slow = Sites()
    monkeypatch.setitem(queue._handlers, "papers.refresh", slow.ask)  # noqa: SLF001 - put back by monkeypatch
    monkeypatch.setitem(queue._handlers, "imports.commit", slow.bring_in)  # noqa: SLF001
    return slow


def enqueue(database, kind, times=1):
    with database.write() as tx:
        return [queue.enqueue(tx, kind) for _ in range(times)]


def test_slow_sites_do_not_delay_an_import(database, working, sites, monkeypatch):
    monkeypatch.setattr(worker, "REMOTE_THREADS", 4)
    with working(tasks=()):
        waiting = enqueue(database, "papers.refresh", 5)
        until(lambda: len(sites.asked) == 4, "all threads for sites ask")
        brought = enqueue(database, "imports.commit", 3)
        until(lambda: sorted(sites.imported) == brought, "the notes are imported")
        assert len(sites.asked) == 4
        sites.answer.set()
        until(lambda: sorted(sites.asked) == waiting, "everybody is asked in the end")


def test_one_slow_site_does_not_delay_another_request(database, working, sites):
    with working(tasks=()):
        waiting = enqueue(database, "papers.refresh", 2)
        until(lambda: sorted(sites.asked) == waiting, "both are asked at the same time")
        sites.answer.set()


def test_a_job_whose_thread_cannot_start_is_run_when_its_lease_has_ended(database, working, sites, monkeypatch):
    monkeypatch.setattr(queue, "LEASE_DURATION", timedelta(seconds=0.1))
    start, refused = threading.Thread.start, threading.Event()

    def refuse_first(thread):
        if thread.name == "readtrack-worker" and not refused.is_set():
            refused.set()
            raise RuntimeError("can't start new thread")
        start(thread)

    with working(tasks=()):
        monkeypatch.setattr(threading.Thread, "start", refuse_first)
        brought = enqueue(database, "imports.commit", 2)
        until(lambda: refused.is_set() and sorted(sites.imported) == brought, "the notes are imported")


@pytest.mark.deep
def test_stopping_waits_for_the_current_steps_of_all_threads(database, working, sites):
    with working() as someone:
        waiting = enqueue(database, "papers.refresh", 2)
        until(lambda: len(sites.asked) == 2, "both are asked")
        threading.Timer(0.2, sites.answer.set).start()
        someone.stop()
        with database.read() as tx:
            assert [queue.get_job(tx, number).state for number in waiting] == ["done", "done"]
        assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("readtrack-worker")]


def test_run_returns_when_stopped(database, sites):
    someone = JobWorker(
        database, HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    )
    brought = enqueue(database, "imports.commit")
    running = threading.Thread(target=someone.run)
    running.start()
    until(lambda: sites.imported == brought, "it works")
    someone.stop()
    running.join(5)
    assert not running.is_alive()
