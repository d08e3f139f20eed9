"""The gate before polite hosts: one request at a time and a pause after it, whoever asks."""

import threading
import time
from contextlib import ExitStack
from datetime import timedelta
from itertools import pairwise

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.errors import SourceRateLimited, SourceUnavailable, StorageUnavailable
from readtrack.infra.http import rate_limiter
from readtrack.infra.http.rate_limiter import DatabaseRateLimiter, resting_until
from readtrack.infra.models import HostRateLimit

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

HOST = "papers.example.org"
DEADLINE = 30


@pytest.fixture
def gate(database):
    return DatabaseRateLimiter(database)


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch):
    monkeypatch.setattr(rate_limiter, "LOOK_AGAIN", 0.02)


def row(database):
    with database.read() as tx:
        return tx.execute(
            sa.select(col(HostRateLimit.not_before), col(HostRateLimit.lease_until), col(HostRateLimit.lease_token))
        ).one()


def set_row(database, **values):
    with database.write() as tx:
        tx.execute(sa.update(HostRateLimit).values(**values))


def pass_through(gate, turns, interval):
    with gate.acquire(HOST, interval):
        begun = time.monotonic()
        time.sleep(0.01)  # a question takes a while
        turns.append((begun, time.monotonic()))


def test_one_request_at_a_time_with_a_pause_after_it_across_processes(database):
    """Each thread has a database of its own, as processes would; they even meet the host for the first time at once."""
    turns: list[tuple[float, float]] = []
    with ExitStack() as open_ones:
        gates = [DatabaseRateLimiter(Database(database.url)) for _ in range(4)]
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


def test_without_an_interval_there_is_no_waiting(gate):
    for _ in range(3):
        pass_through(gate, [], 0.0)
    with gate._database.read() as tx:  # noqa: SLF001 - the gate itself tells nobody
        assert tx.scalars(sa.select(col(HostRateLimit.not_before))).one() <= now()


def test_other_hosts_are_not_delayed(gate):
    with gate.acquire(HOST, 60.0):
        pass
    with gate.acquire("elsewhere.example.org", 60.0):
        pass


def test_a_long_wait_is_left_to_the_job(gate, database):
    with gate.acquire(HOST, 0.2) as turn:
        turn.wait(100.0)
        turn.wait(50.0)
    begun = time.monotonic()
    with pytest.raises(SourceUnavailable, match=r"Retrying later\.") as refusal, gate.acquire(HOST, 0.2):
        pytest.fail("the gate was open")
    assert 90 < (refusal.value.retry_after or 0) <= 100
    assert time.monotonic() - begun < 5


def test_a_short_wait_is_waited_out(gate):
    with gate.acquire(HOST, 0.0) as turn:
        turn.wait(0.3)
    begun = time.monotonic()
    with gate.acquire(HOST, 0.0):
        assert 0.25 < time.monotonic() - begun < 5


def test_a_failed_request_releases_the_host_too(gate, database):
    def ask_in_vain():
        with gate.acquire(HOST, 0.0):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask_in_vain()
    assert row(database).lease_until is None
    with gate.acquire(HOST, 0.0):
        pass


def test_a_request_that_cannot_start_while_another_runs_is_retried_later(gate, database, monkeypatch):
    monkeypatch.setattr(rate_limiter, "MAX_WAIT_SECONDS", 0.2)
    with (
        gate.acquire(HOST, 0.0),
        pytest.raises(SourceUnavailable) as refusal,
        DatabaseRateLimiter(database).acquire(HOST, 0.0),
    ):
        pytest.fail("two at once")
    assert 0 < (refusal.value.retry_after or 0) <= rate_limiter.LEASE_DURATION.total_seconds()


def test_a_killed_holder_blocks_no_longer_than_its_lease(gate, database):
    with gate.acquire(HOST, 0.0):
        left = row(database).lease_until - now()
        assert left <= rate_limiter.LEASE_DURATION
        set_row(database, lease_until=now() - timedelta(seconds=1))  # as if it had been killed a while ago
        with gate.acquire(HOST, 0.0):
            holder = row(database).lease_token
    assert holder != ""


def test_a_holder_whose_lease_expired_does_not_release_the_host_for_others(gate, database):
    with gate.acquire(HOST, 0.0):
        set_row(database, lease_token="another", lease_until=now() + timedelta(seconds=30))
    assert row(database).lease_until is not None
    assert row(database).lease_token == "another"


def fail(gate, times=1, interval=0.0):
    """So many requests that fail, each as soon as the host may be asked."""
    for _ in range(times):
        set_row(gate._database, not_before=now() - timedelta(seconds=1))  # noqa: SLF001
        with gate.acquire(HOST, interval) as turn:
            turn.failed(f"{HOST} did not respond in time.")


def is_resting(database):
    with database.read() as tx:
        return resting_until(tx, HOST)


def seconds_left(database):
    return (row(database).not_before - now()).total_seconds()


def test_a_host_that_fails_twice_is_requested_as_before(gate, database):
    fail(gate, 2)
    assert is_resting(database) is None
    with gate.acquire(HOST, 0.0):
        pass


def test_after_three_consecutive_failures_a_host_backs_off_and_callers_are_told_until_when(gate, database):
    fail(gate, 3)
    until = is_resting(database)
    begun = time.monotonic()
    with pytest.raises(SourceRateLimited) as refusal, DatabaseRateLimiter(database).acquire(HOST, 0.0):
        pytest.fail("it was asked")
    assert time.monotonic() - begun < 5
    assert refusal.value.message == (
        f"{HOST} failed 3 times in a row. Retrying after {until:%Y-%m-%d %H:%M} UTC. "
        f"Last error: {HOST} did not respond in time."
    )
    assert 40 < (refusal.value.retry_after or 0) <= 60


@pytest.mark.deep
@pytest.mark.parametrize(
    ("failures", "least", "most"), [(3, 48, 60), (4, 96, 120), (8, 1536, 1920), (9, 2880, 3600), (5000, 2880, 3600)]
)
def test_backoff_grows_from_a_minute_to_an_hour_with_jitter(gate, database, failures, least, most):
    fail(gate, 1)
    set_row(database, failures=failures - 1)
    rests = set()
    for _ in range(3):
        fail(gate)
        rests.add(round(seconds_left(database), 3))
        set_row(database, failures=failures - 1)
    assert all(least - 1 < seconds <= most for seconds in rests)
    assert len(rests) > 1


def test_one_response_after_the_backoff_ends_it(gate, database):
    fail(gate, 5)
    set_row(database, not_before=now() - timedelta(seconds=1))
    assert is_resting(database) is None
    with gate.acquire(HOST, 0.0):
        pass
    fail(gate, 2)
    assert is_resting(database) is None


def test_another_failure_after_the_backoff_lengthens_it(gate, database):
    fail(gate, 3)
    first = seconds_left(database)
    fail(gate, 1)
    assert seconds_left(database) > 1.5 * first


def test_failures_not_caused_by_the_host_do_not_count(gate, database):
    """An answer that is too large, an address that is refused: neither a failure of the host, nor a sign of health."""
    fail(gate, 2)
    with pytest.raises(ZeroDivisionError), gate.acquire(HOST, 0.0):
        raise ZeroDivisionError
    assert is_resting(database) is None
    fail(gate, 1)
    assert is_resting(database) is not None


def test_other_hosts_do_not_back_off(gate, database):
    fail(gate, 3)
    with gate.acquire("elsewhere.example.org", 0.0):
        pass
    with database.read() as tx:
        assert resting_until(tx, "elsewhere.example.org") is None
        assert resting_until(tx, "never.asked.example.org") is None


def test_a_clock_set_back_delays_no_longer_than_the_interval(gate, database, monkeypatch):
    with gate.acquire(HOST, 0.2):
        pass
    monkeypatch.setattr(rate_limiter, "now", lambda: now() - timedelta(days=400))
    begun = time.monotonic()
    with DatabaseRateLimiter(database).acquire(HOST, 0.2):
        assert 0.15 < time.monotonic() - begun < 5


def test_a_clock_set_back_does_not_extend_a_lease(gate, database, monkeypatch):
    with gate.acquire(HOST, 0.0):
        set_row(database, lease_until=now() + timedelta(days=400))
        monkeypatch.setattr(rate_limiter, "MAX_WAIT_SECONDS", 0.1)
        with pytest.raises(SourceUnavailable) as refusal, DatabaseRateLimiter(database).acquire(HOST, 0.0):
            pytest.fail("two at once")
    assert (refusal.value.retry_after or 0) <= rate_limiter.LEASE_DURATION.total_seconds()


def test_a_clock_set_forward_does_not_allow_an_early_request(gate, monkeypatch):
    with gate.acquire(HOST, 0.3):
        pass
    begun = time.monotonic()
    monkeypatch.setattr(rate_limiter, "now", lambda: now() + timedelta(days=400))
    with gate.acquire(HOST, 0.3):
        assert time.monotonic() - begun > 0.25


def rest(gate, seconds):
    with gate.acquire(HOST, 0.0) as turn:
        turn.pause(seconds, f"{HOST} has answered enough.")


def test_a_host_that_asks_for_a_pause_gets_it_and_did_not_fail(gate, database):
    fail(gate, 2)
    rest(gate, 1800)
    until = is_resting(database)
    with pytest.raises(SourceRateLimited) as refusal, DatabaseRateLimiter(database).acquire(HOST, 0.0):
        pytest.fail("it was asked")
    assert refusal.value.message == (f"{HOST} has answered enough. Retrying after {until:%Y-%m-%d %H:%M} UTC.")
    assert 1700 < (refusal.value.retry_after or 0) <= 1800
    with database.read() as tx:
        assert tx.execute(sa.select(col(HostRateLimit.failures))).scalar() == 0


def test_after_the_pause_the_host_is_requested_as_before(gate, database):
    rest(gate, 1800)
    set_row(database, not_before=now() - timedelta(seconds=1))
    with gate.acquire(HOST, 0.0):
        pass
    assert is_resting(database) is None
    with gate.acquire(HOST, 0.0):
        pass


def test_a_short_pause_is_waited_out(gate):
    rest(gate, 0.3)
    begun = time.monotonic()
    with gate.acquire(HOST, 0.0):
        assert time.monotonic() - begun > 0.2


def test_a_pause_requested_with_an_error_status_is_a_pause_too(gate, database):
    with pytest.raises(ZeroDivisionError), gate.acquire(HOST, 0.0) as turn:
        _ = turn.pause(1800, "It has answered enough.") or 1 / 0
    assert is_resting(database) is not None


class Unwritable:
    """A database whose writing can be broken; what a turn does at its end is then lost."""

    def __init__(self, database):
        self._database, self.problem = database, None

    def __call__(self, _connection, _cursor, statement, *_):
        if self.problem is not None and statement.startswith(("SELECT host_rate_limit", "UPDATE host_rate_limit")):
            raise self.problem

    def __enter__(self):
        sa.event.listen(self._database.engines[0], "before_cursor_execute", self)
        return self

    def __exit__(self, *_):
        sa.event.remove(self._database.engines[0], "before_cursor_execute", self)


FULL = sa.exc.OperationalError("UPDATE", {}, Exception("the database does not answer"))


@pytest.mark.parametrize("problem", [FULL, sa.exc.TimeoutError("QueuePool limit"), KeyError("x")])
def test_a_response_is_returned_even_if_its_slot_cannot_be_released(gate, database, problem):
    with Unwritable(database) as broken:

        def ask():
            with gate.acquire(HOST, 0.0):
                broken.problem = problem
                return "the answer"

        assert ask() == "the answer"


def test_the_original_error_is_raised_even_if_its_slot_cannot_be_released(gate, database):
    def ask_in_vain(broken):
        with gate.acquire(HOST, 0.0):
            broken.problem = FULL
            raise ZeroDivisionError

    with Unwritable(database) as broken, pytest.raises(ZeroDivisionError):
        ask_in_vain(broken)


def test_a_slot_is_released_as_soon_as_the_database_is_writable(gate, database):
    with Unwritable(database) as broken:
        for _ in range(rate_limiter.MAX_FAILURES_IN_A_ROW + 1):
            with gate.acquire(HOST, 0.0) as turn:
                turn.failed("It broke off.")
                broken.problem = FULL
            broken.problem = None
        with pytest.raises(SourceRateLimited), gate.acquire(HOST, 0.0):
            pytest.fail("it rests, and is not held by a turn that is over")


def test_a_slot_is_released_even_if_the_database_fails_more_than_once(gate, database):
    with Unwritable(database) as broken:
        for _ in range(rate_limiter.MAX_FAILURES_IN_A_ROW + 1):
            with gate.acquire(HOST, 0.0) as turn:
                turn.failed("It broke off.")
                broken.problem = FULL
            for _ in range(2):
                with pytest.raises(StorageUnavailable), gate.acquire(HOST, 0.0):
                    pytest.fail("nobody knows whose turn it is")
            broken.problem = None
        with pytest.raises(SourceRateLimited), gate.acquire(HOST, 0.0):
            pytest.fail("it rests")
