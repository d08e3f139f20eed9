"""The worker: it goes on, whatever happens, and asks for everything that waits."""

import threading
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search, worker
from readtrack.egress import Egress
from readtrack.models import Identifier, Job
from readtrack.pace import DatabaseGate
from readtrack.papers.commands import add_paper
from readtrack.sources import Ref
from readtrack.worker import Worker
from tests import make
from tests.faults.processes import until
from tests.standin import ArxivStandIn


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch):
    monkeypatch.setattr(worker, "IDLE", 0.01)
    monkeypatch.setattr(worker, "TROUBLED", 0.01)


@pytest.fixture
def arxiv():
    with ArxivStandIn() as arxiv:
        yield arxiv


@pytest.fixture
def working(database, arxiv):
    """Opens a block in which a worker works."""
    with database.write() as tx:
        search.ensure(tx)
    http = Egress(agent="test", gate=DatabaseGate(database), intervals={}, bases={"arxiv": arxiv.url})

    @contextmanager
    def block():
        someone = Worker(database, http)
        someone.start()
        yield
        someone.stop()

    return block


def add(database, key):
    with database.write() as tx:
        add_paper(tx, make.visitor(tx, role="editor"), Ref("arxiv", key))


def is_fetched(database):
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(Identifier.fetch_state)))) == {"fetched"}


def give_up(database):
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed", problem="It did not answer."))


def test_it_does_what_comes_until_it_is_stopped(database, working):
    with working():
        for key in ("2401.00001", "2401.00002"):
            add(database, key)
            until(lambda: is_fetched(database), "it is fetched")
    add(database, "2401.00003")
    assert not is_fetched(database)


def test_what_waited_while_nobody_worked_is_asked_for_at_the_start(database, working):
    add(database, "2401.00001")
    give_up(database)
    with working():
        until(lambda: is_fetched(database), "it is fetched")


def test_what_still_waits_though_its_job_gave_up_is_asked_for_again_after_a_while(database, working, monkeypatch):
    monkeypatch.setattr(worker, "RESUME", 0.05)
    with working():
        with database.write() as tx:
            paper = make.paper(tx, identifier="arxiv:2401.00001")
            tx.execute(sa.update(Identifier).where(col(Identifier.paper_id) == paper.id).values(fetch_state="waiting"))
        until(lambda: is_fetched(database), "it is fetched")


def test_a_queue_that_cannot_be_read_is_looked_at_again(database, working):
    add(database, "2401.00001")
    begun = threading.Event()

    def fail_at_first(*_):
        if not begun.is_set():
            begun.set()
            raise sa.exc.OperationalError("a statement", {}, Exception("disk I/O error"))

    writer = database.engines[0]
    sa.event.listen(writer, "before_cursor_execute", fail_at_first)
    with working():
        until(lambda: begun.is_set() and is_fetched(database), "it is fetched")
    sa.event.remove(writer, "before_cursor_execute", fail_at_first)
