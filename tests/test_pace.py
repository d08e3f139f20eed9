"""The gate before polite hosts: one request at a time and a pause after it, whoever asks."""

import threading
import time
from contextlib import ExitStack
from datetime import timedelta
from itertools import pairwise

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import pace
from readtrack.clock import now
from readtrack.db import Database
from readtrack.errors import SourceUnavailable
from readtrack.models import Pace
from readtrack.pace import DatabaseGate

pytestmark = pytest.mark.slow

HOST = "papers.example.org"
DEADLINE = 30


@pytest.fixture
def gate(database):
    return DatabaseGate(database)


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch):
    monkeypatch.setattr(pace, "LOOK_AGAIN", 0.02)


def row(database):
    with database.read() as tx:
        return tx.execute(sa.select(col(Pace.next_at), col(Pace.lease_until), col(Pace.holder))).one()


def set_row(database, **values):
    with database.write() as tx:
        tx.execute(sa.update(Pace).values(**values))


def pass_through(gate, turns, interval):
    with gate.turn(HOST, interval):
        begun = time.monotonic()
        time.sleep(0.01)  # a question takes a while
        turns.append((begun, time.monotonic()))


def test_one_at_a_time_and_a_pause_after_it_over_all_processes(database):
    """Each thread has a database of its own, as processes would; they even meet the host for the first time at once."""
    turns: list[tuple[float, float]] = []
    with ExitStack() as open_ones:
        gates = [DatabaseGate(Database(database.url)) for _ in range(4)]
        for gate in gates:
            open_ones.callback(gate._database.dispose)  # noqa: SLF001
        threads = [threading.Thread(target=lambda g=g: [pass_through(g, turns, 0.2) for _ in range(2)]) for g in gates]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
    assert len(turns) == 8
    for (_, end), (begin, _) in pairwise(sorted(turns)):
        assert begin - end >= 0.2


def test_without_an_interval_nobody_waits(gate):
    for _ in range(3):
        pass_through(gate, [], 0.0)
    with gate._database.read() as tx:  # noqa: SLF001 - the gate itself tells nobody
        assert tx.scalars(sa.select(col(Pace.next_at))).one() <= now()


def test_other_hosts_are_not_held_up(gate):
    with gate.turn(HOST, 60.0):
        pass
    with gate.turn("elsewhere.example.org", 60.0):
        pass


def test_a_long_wait_is_left_to_the_job(gate, database):
    with gate.turn(HOST, 3.0) as turn:
        turn.wait(100.0)
        turn.wait(50.0)
    begun = time.monotonic()
    with pytest.raises(SourceUnavailable, match=r"It is tried again\.") as refusal, gate.turn(HOST, 3.0):
        pytest.fail("the gate was open")
    assert 90 < (refusal.value.retry_after or 0) <= 100
    assert time.monotonic() - begun < 5


def test_a_short_wait_is_waited_for(gate):
    with gate.turn(HOST, 0.0) as turn:
        turn.wait(0.3)
    begun = time.monotonic()
    with gate.turn(HOST, 0.0):
        assert 0.25 < time.monotonic() - begun < 5


def test_a_question_that_failed_makes_way_too(gate, database):
    def ask_in_vain():
        with gate.turn(HOST, 0.0):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask_in_vain()
    assert row(database).lease_until is None
    with gate.turn(HOST, 0.0):
        pass


def test_who_cannot_get_in_while_somebody_asks_comes_back_later(gate, database, monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE", 0.2)
    with (
        gate.turn(HOST, 0.0),
        pytest.raises(SourceUnavailable) as refusal,
        DatabaseGate(database).turn(HOST, 0.0),
    ):
        pytest.fail("two at once")
    assert 0 < (refusal.value.retry_after or 0) <= pace.LEASE.total_seconds()


def test_a_killed_holder_is_waited_for_no_longer_than_its_lease(gate, database):
    with gate.turn(HOST, 0.0):
        left = row(database).lease_until - now()
        assert left <= pace.LEASE
        set_row(database, lease_until=now() - timedelta(seconds=1))  # as if it had been killed a while ago
        with gate.turn(HOST, 0.0):
            holder = row(database).holder
    assert holder != ""


def test_a_holder_that_was_given_up_does_not_open_the_gate_for_others(gate, database):
    with gate.turn(HOST, 0.0):
        set_row(database, holder="another", lease_until=now() + timedelta(seconds=30))
    assert row(database).lease_until is not None
    assert row(database).holder == "another"
