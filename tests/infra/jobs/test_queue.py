"""The queue: nothing wanted is lost, nothing is done twice, and what went wrong stands on the job."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.errors import Conflict, Invalid, NotFound, SourceRateLimited, SourceUnavailable
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.jobs import queue
from readtrack.infra.models import Job
from tests import make

pytestmark = pytest.mark.both_databases

NOBODY: Any = None  # no job here asks the network
DEADLINE = 30  # seconds after which a test that waits has failed


class Work:
    """A handler of jobs whose behaviour each test sets; it remembers what it was given."""

    def __init__(self):
        self.seen, self.then = [], queue.finish_job

    def __call__(self, database, _http, claimed):
        self.seen.append(claimed)
        with database.write() as tx:
            self.then(tx, claimed)


@pytest.fixture
def work():
    work = Work()
    queue.handler("test.work")(work)
    return work


def test_a_retry_after_is_obeyed_to_the_second_and_a_first_failure_is_tried_again_within_seconds():
    for attempts in (1, 5):
        assert abs((queue.next_attempt_at(attempts, 77.0) - now()).total_seconds() - 77) < 0.5
    assert 1 < (queue.next_attempt_at(1, None) - now()).total_seconds() < 3


def want(database, kind="test.work", **given):
    with database.write() as tx:
        return queue.enqueue(tx, kind, **given)


def look(database, job_id):
    with database.read() as tx:
        job = queue.get_job(tx, job_id)
        tx.expunge(job)
        return job


def run(database, kinds=("test.work",)):
    return queue.run_due_job(database, NOBODY, kinds=kinds)


def set_job(database, job_id, **values):
    with database.write() as tx:
        tx.execute(sa.update(Job).where(col(Job.id) == job_id).values(**values))


def abandon(database, job_id):
    """As if the worker that has the job had been killed a while ago."""
    set_job(database, job_id, lease_until=now() - timedelta(seconds=1))


def claim(database, **given):
    """Takes the next job into this test's own hands."""
    return queue.lease_due_job(database, given.get("kinds", ("test.work",)))


def failing(problem):
    def fail(_tx, _claimed):
        raise problem

    return fail


@contextmanager
def another(database) -> Iterator[Database]:
    """A second process would open the same database anew."""
    other = Database(database.url)
    try:
        yield other
    finally:
        other.dispose()


@contextmanager
def meanwhile(function, *given):
    """Runs the function in a thread beside the block, and waits for it afterwards; its value is in the list."""
    values = []
    thread = threading.Thread(target=lambda: values.append(function(*given)), daemon=True)
    thread.start()
    yield values
    thread.join(DEADLINE)
    assert not thread.is_alive()


def test_a_job_is_run_once_and_then_done(database, work):
    job_id = want(database, payload={"a": [1, "ü"]})
    assert run(database)
    assert not run(database)
    assert [(seen.id, seen.payload, seen.attempts) for seen in work.seen] == [(job_id, {"a": [1, "ü"]}, 1)]
    job = look(database, job_id)
    assert (job.state, job.error, job.lease_until, job.ended_at is None) == ("done", "", None, False)


def test_a_job_is_rolled_back_with_the_transaction_that_enqueued_it(database, work):
    def change_of_mind():
        with database.write() as tx:
            queue.enqueue(tx, "test.work")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_of_mind()
    assert not run(database)


def test_enqueueing_with_the_same_key_joins_the_job_until_it_is_done(database, work):
    first = want(database, dedup_key="one")
    assert want(database, dedup_key="one") == first
    assert want(database, dedup_key="another") != first
    set_job(database, first, state="running", lease_until=now() + timedelta(minutes=1))
    assert want(database, dedup_key="one") == first
    abandon(database, first)
    assert run(database)
    assert run(database)
    assert want(database, dedup_key="one") > first


def test_a_failed_job_runs_again_when_it_is_enqueued_again(database, work):
    job_id = want(database, dedup_key="one")
    work.then = failing(Invalid("It cannot be."))
    run(database)
    assert look(database, job_id).state == "failed"
    with database.read() as tx:
        assert queue.find_by_dedup_key(tx, "one") is not None
    work.then = queue.finish_job
    assert want(database, dedup_key="one") == job_id
    assert look(database, job_id).state == "queued"
    assert run(database)
    assert look(database, job_id).state == "done"


def test_two_concurrent_enqueues_with_one_key_get_the_same_job(database):
    ids: list[tuple[int, int]] = []
    ready = threading.Barrier(4)

    def ask(own):
        ready.wait(DEADLINE)
        ids.extend((name, want(own, dedup_key=f"job {name}")) for name in range(20))

    with another(database) as a, another(database) as b, another(database) as c:
        threads = [threading.Thread(target=ask, args=(own,)) for own in (database, a, b, c)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
    assert len(ids) == 80
    assert len(set(ids)) == 20


def test_an_enqueue_while_the_job_is_finishing_is_not_lost(database, work):
    """Whoever asks while the last step is open gets a new job, after that step; never the one that just ends."""
    job_id = want(database, dedup_key="one")
    begun = threading.Event()

    def ask(own):
        begun.wait(DEADLINE)
        return want(own, dedup_key="one")

    def finish(tx, claimed):
        queue.extend_lease(tx, claimed)
        begun.set()
        queue.finish_job(tx, claimed)

    work.then = finish
    with another(database) as other, meanwhile(ask, other) as answers:
        run(database)
    assert answers[0] != job_id
    assert look(database, answers[0]).state == "queued"


def test_a_joined_job_does_not_finish_before_it_saw_what_was_joined(database, work):
    """The asker's transaction is still open when the worker looks for more: the worker waits, and then sees it."""
    job_id = want(database, dedup_key="one")
    asked, looked, seen = threading.Event(), threading.Event(), []

    def ask(own):
        with own.write() as tx:
            assert queue.enqueue(tx, "test.work", dedup_key="one") == job_id
            make.person(tx, "who was added")
            asked.set()
            looked.wait(0.3)  # in vain, as the worker waits for this

    def look_for_more(tx, claimed):
        asked.wait(DEADLINE)
        queue.extend_lease(tx, claimed, ending=True)
        seen.extend(tx.execute(sa.text("SELECT name FROM person")).scalars())
        looked.set()
        queue.finish_job(tx, claimed)

    def handle(own, _http, claimed):
        asked.wait(DEADLINE)  # on SQLite the worker's transaction may not be the first
        with own.write() as tx:
            look_for_more(tx, claimed)

    queue.handler("test.work")(handle)
    with another(database) as other, meanwhile(ask, other):
        run(database)
    assert seen == ["who was added"]


def test_a_worker_that_lost_its_lease_writes_nothing(database, work):
    job_id = want(database)
    old = claim(database)
    assert not run(database), "it is in good hands"
    abandon(database, job_id)
    new = claim(database)
    assert (new.id, new.attempts) == (job_id, 2)
    assert new.fencing_token != old.fencing_token

    def write_too_late(step):
        with database.write() as tx:
            make.person(tx)
            step(tx, old)

    for step in (queue.extend_lease, queue.finish_job):
        with pytest.raises(queue.LeaseLostError):
            write_too_late(step)
    with database.write() as tx:
        assert tx.scalar(sa.text("SELECT count(*) FROM person")) == 0
        queue.finish_job(tx, new)
    assert look(database, job_id).state == "done"


def test_a_worker_that_hung_until_its_job_was_given_up_writes_nothing(database, work):
    job_id = want(database)
    set_job(database, job_id, attempts=queue.MAX_ATTEMPTS - 1)
    old = claim(database)
    abandon(database, job_id)
    assert not run(database)
    with pytest.raises(queue.LeaseLostError), database.write() as tx:
        queue.finish_job(tx, old)
    assert look(database, job_id).state == "failed"


def test_a_worker_that_hung_notices_that_another_has_its_job(database, work):
    job_id = want(database)

    def hang(tx, claimed):
        stolen = {"fencing_token": "another's", "lease_until": now() + timedelta(minutes=1)}
        tx.execute(sa.update(Job).where(col(Job.id) == claimed.id).values(**stolen))
        queue.finish_job(tx, claimed)

    work.then = hang
    assert run(database)
    job = look(database, job_id)
    assert (job.state, job.error) == ("running", "")


def test_the_lease_is_renewed_while_the_handler_works(database, work, monkeypatch):
    monkeypatch.setattr(queue, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(queue, "LEASE_DURATION", timedelta(minutes=2))
    job_id = want(database)
    renewed = threading.Event()

    def handle(own, _http, claimed):
        abandon(own, claimed.id)
        while look(own, claimed.id).lease_until < now() and not renewed.wait(0.01):
            pass
        with own.write() as tx:
            queue.finish_job(tx, claimed)

    queue.handler("test.work")(handle)
    with meanwhile(run, database):
        pass
    assert look(database, job_id).state == "done"


def test_a_transient_error_is_retried_with_backoff_and_finally_given_up(database, work):
    job_id = want(database)
    work.then = failing(SourceUnavailable("It did not answer."))
    waits = []
    for attempt in range(1, queue.MAX_ATTEMPTS):
        assert run(database)
        job = look(database, job_id)
        assert (job.state, job.attempts, job.error) == ("queued", attempt, "It did not answer.")
        waits.append((job.run_at - now()).total_seconds())
        assert not run(database), "not due yet"
        set_job(database, job_id, run_at=now())
    for earlier, later in pairwise(waits):
        assert earlier * 2 < later < timedelta(hours=3).total_seconds()
    assert run(database)
    job = look(database, job_id)
    assert (job.state, job.error, job.ended_at is None) == ("failed", "It did not answer.", False)
    assert not run(database)


@pytest.mark.parametrize(
    ("problem", "state", "sentence"),
    [
        (Invalid("It cannot be."), "failed", "It cannot be."),
        (Conflict("Somebody was faster."), "queued", "Somebody was faster."),
        (ZeroDivisionError("1/0 of our secrets"), "queued", "Internal error. See the server log."),
    ],
)
def test_the_error_is_stored_on_the_job(database, work, problem, state, sentence):
    job_id = want(database)
    work.then = failing(problem)
    run(database)
    job = look(database, job_id)
    assert (job.state, job.error) == (state, sentence)


@pytest.mark.parametrize("asked", [0.0, 90.0, 86_400.0])
def test_a_job_is_not_retried_before_the_time_the_source_asked_for(database, work, asked):
    job_id = want(database)
    work.then = failing(SourceUnavailable("Later.", retry_after=asked))
    run(database)
    assert asked - 5 < (look(database, job_id).run_at - now()).total_seconds() <= asked


def test_progress_is_reported_and_resets_earlier_failures(database, work):
    job_id = want(database)
    set_job(database, job_id, attempts=4, error="It did not answer.")

    def advance(tx, claimed):
        queue.extend_lease(tx, claimed, done=7, total=9)

    work.then = advance
    run(database)
    job = look(database, job_id)
    assert (job.progress_done, job.total, job.attempts, job.error) == (7, 9, 0, "")


def test_a_job_may_yield_to_others_as_often_as_it_likes(database, work):
    job_id = want(database)
    work.then = queue.requeue_job
    for _ in range(queue.MAX_ATTEMPTS + 1):
        assert run(database)
    assert (look(database, job_id).state, len(work.seen)) == ("queued", queue.MAX_ATTEMPTS + 1)


def test_going_online_restarts_what_stopped_offline_but_sends_no_old_mail_or_webhooks(database):
    kinds = ("test.work", "notices.mail", "people.letter", "webhooks.send", "backup.create")
    job_ids = {kind: want(database, kind) for kind in kinds}
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed", error=OFFLINE, ended_at=now()))
        queue.restart_offline_jobs(tx)
    states = {kind: look(database, job_id).state for kind, job_id in job_ids.items()}
    assert states == {kind: "queued" if kind == "test.work" else "failed" for kind in kinds}


def test_waiting_for_a_source_to_recover_is_not_an_attempt(database, work):
    job_id = want(database)
    work.then = failing(SourceRateLimited("It is left alone for now.", retry_after=60.0))
    for _ in range(queue.MAX_ATTEMPTS + 1):
        assert run(database)
        set_job(database, job_id, run_at=now())
    job = look(database, job_id)
    assert (job.state, job.attempts, job.error) == ("queued", 0, "It is left alone for now.")


def test_a_failed_step_rolls_back_its_progress(database, work):
    job_id = want(database)

    def half(tx, claimed):
        queue.extend_lease(tx, claimed, done=7)
        make.person(tx)
        raise ZeroDivisionError

    work.then = half
    run(database)
    assert look(database, job_id).progress_done == 0
    with database.read() as tx:
        assert tx.scalar(sa.text("SELECT count(*) FROM person")) == 0


def test_jobs_of_a_killed_worker_are_taken_over(database, work):
    job_id = want(database)
    claim(database)
    assert not run(database)
    abandon(database, job_id)
    assert run(database)
    assert look(database, job_id).state == "done"


def test_a_job_that_repeatedly_kills_its_worker_is_given_up(database, work):
    job_id = want(database)
    for _ in range(queue.MAX_ATTEMPTS):
        assert claim(database) is not None
        abandon(database, job_id)
    assert not run(database)
    job = look(database, job_id)
    assert job.state == "failed"
    assert f"tried {queue.MAX_ATTEMPTS} times" in job.error
    assert "kept" in job.error
    with database.write() as tx:
        queue.retry_job(tx, job_id)
    assert run(database)
    assert look(database, job_id).state == "done"


def test_higher_priority_jobs_run_first_then_older_ones(database, work):
    low, first, second, high = want(database), want(database), want(database), want(database, priority=10)
    set_job(database, low, priority=-1)
    while run(database):
        pass
    assert [seen.id for seen in work.seen] == [high, first, second, low]


def test_only_the_requested_kinds_are_run(database, work):
    want(database)
    assert not run(database, kinds=("test.other",))
    assert run(database, kinds=("test.work",))


def test_a_kind_without_a_handler_waits(database, work):
    job_id = want(database, kind="test.of the future")
    want(database)
    assert queue.run_due_job(database, NOBODY)
    assert not queue.run_due_job(database, NOBODY)
    assert look(database, job_id).state == "queued"


def test_an_idle_worker_never_takes_the_write_lock(database, work, statements):
    with database.write(), meanwhile(run, database) as ran:
        pass
    assert ran == [False]


def test_a_failed_job_can_be_retried_and_others_cannot(database, work):
    job_id = want(database)
    work.then = failing(Invalid("It cannot be."))
    run(database)
    with database.read() as tx:
        assert [job.id for job in queue.list_jobs(tx, failed=True)] == [job_id]
    work.then = queue.finish_job
    with database.write() as tx:
        queue.retry_job(tx, job_id)
    assert run(database)
    with database.read() as tx:
        assert queue.list_jobs(tx, failed=True) == []
        assert [job.id for job in queue.list_jobs(tx)] == [job_id]
    with database.write() as tx, pytest.raises(Conflict, match="is done"):
        queue.retry_job(tx, job_id)
    with database.write() as tx, pytest.raises(NotFound, match="Job 999 not found"):
        queue.retry_job(tx, 999)


@pytest.mark.parametrize("state", ["queued", "running", "done", "failed"])
def test_only_a_paused_job_can_be_resumed(database, state):
    job_id, later = want(database), now() + timedelta(hours=1)
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state=state, run_at=later, error="Why it waits."))
        queue.resume_job(tx, job_id)
    job = look(database, job_id)
    assert (job.state, job.run_at, job.error) == (state, later, "Why it waits.")


def test_a_running_job_is_not_restarted(database, work):
    job_id = want(database)
    claimed = claim(database)
    with database.write() as tx, pytest.raises(Conflict, match="is running"):
        queue.retry_job(tx, job_id)
    with database.write() as tx:
        queue.finish_job(tx, claimed)
    assert look(database, job_id).state == "done"


def test_two_workers_share_the_jobs_and_run_none_twice(database, work):
    wanted = [want(database) for _ in range(30)]

    def work_through(own):
        while run(own):
            pass

    with another(database) as other, meanwhile(work_through, other):
        work_through(database)
    assert sorted(seen.id for seen in work.seen) == wanted
    assert {seen.attempts for seen in work.seen} == {1}


@pytest.mark.deep
@pytest.mark.parametrize("problem", [SystemExit(3), GeneratorExit(), MemoryError(), RecursionError(), KeyError("key")])
def test_any_exception_of_a_handler_is_stored_on_the_job_and_the_next_one_runs(database, work, problem):
    broken = want(database)
    work.then = failing(problem)
    assert run(database)
    job = look(database, broken)
    assert (job.state, job.error) == ("queued", "Internal error. See the server log.")
    work.then = queue.finish_job
    other = want(database)
    assert run(database)
    assert look(database, other).state == "done"


@pytest.mark.parametrize("text", ["\0", "\ud800"])
def test_an_error_with_unstorable_characters_is_stored_without_them(database, work, text):
    job_id = want(database)
    work.then = failing(SourceUnavailable(f"The relay said {text}."))
    assert run(database)
    job = look(database, job_id)
    assert (job.state, job.error) == ("queued", "The relay said \ufffd.")


@pytest.mark.parametrize("payload", ["[1]", "null", '"text"', "{broken", '{"a":' * 5000 + "1" + "}" * 5000])
def test_a_job_with_an_unreadable_payload_fails_and_the_next_one_runs(database, work, dialect, payload):
    if payload == "{broken" and dialect == "postgresql":
        pytest.skip("it takes no such text for JSON")
    broken, other = want(database), want(database)
    with database.write() as tx:
        mend = sa.text("UPDATE job SET payload = :payload WHERE id = :id").bindparams(payload=payload, id=broken)
        if dialect == "postgresql":
            mend = sa.text("UPDATE job SET payload = CAST(:payload AS json) WHERE id = :id")
            mend = mend.bindparams(payload=payload, id=broken)
        tx.execute(mend)
    assert run(database)
    assert run(database)
    with database.read() as tx:
        assert [job.state for job in queue.list_jobs(tx)] == ["done", "failed"]
        assert "cannot be read" in queue.get_job(tx, broken).error
    assert [seen.id for seen in work.seen] == [other]


def test_a_job_that_lacks_its_requirements_is_finally_given_up(database, work):
    work.then = lambda _tx, claimed: claimed.payload["service"]
    broken = want(database)
    for _ in range(queue.MAX_ATTEMPTS):
        set_job(database, broken, run_at=now())
        assert run(database)
    assert look(database, broken).state == "failed"


def test_a_job_is_given_up_even_if_the_notification_fails(database, work):
    with database.write() as tx:
        ada = make.person(tx, "Ada")
    killed = want(database, payload={"import": 10**6}, created_by=ada.id)
    refused = want(database, payload={"import": 10**6}, created_by=ada.id)
    other = want(database)
    set_job(database, killed, attempts=queue.MAX_ATTEMPTS)
    work.then = failing(Invalid("It cannot be done."))
    assert not run(database), "nobody runs what took its worker down so often"
    assert run(database)
    work.then = queue.finish_job
    assert run(database)
    assert [look(database, number).state for number in (killed, refused, other)] == ["failed", "failed", "done"]


@pytest.mark.parametrize("problem", [sa.exc.TimeoutError("QueuePool limit"), KeyError("x")])
def test_a_lease_is_renewed_after_a_failed_heartbeat(database, work, monkeypatch, problem):
    monkeypatch.setattr(queue, "HEARTBEAT_SECONDS", 0.01)
    failed, renewed = threading.Event(), threading.Event()
    job_id = want(database)

    def fail_once(_connection, _cursor, statement, *_):
        if statement.startswith("UPDATE job SET lease_until") and not failed.is_set():
            failed.set()
            raise problem
        if statement.startswith("UPDATE job SET lease_until"):
            renewed.set()

    def wait(database, _http, claimed):
        sa.event.listen(database.engines[0], "before_cursor_execute", fail_once)
        assert renewed.wait(DEADLINE)
        sa.event.remove(database.engines[0], "before_cursor_execute", fail_once)
        with database.write() as tx:
            queue.finish_job(tx, claimed)

    queue.handler("test.work")(wait)
    assert run(database)
    assert failed.is_set()
    assert look(database, job_id).state == "done"
