"""Periodic tasks: each comes again in its time, and none that fails stops another, or the queue."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col
from typer.testing import CliRunner

from readtrack.cli import app as commands
from readtrack.cli import periodic_tasks, worker
from readtrack.cli.worker import JobWorker
from readtrack.infra.clock import now
from readtrack.infra.jobs import queue, scheduler
from readtrack.infra.jobs.scheduler import Schedule, ScheduledTask, list_failures
from readtrack.infra.models import PeriodicTask
from tests.depth import some
from tests.processes import until

NOBODY: Any = None  # no task here asks the network
UNEXPECTED = [
    KeyError("pages"),
    RecursionError(),
    AttributeError("text"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    ValueError("a lone \ud800 and \x00"),
    sa.exc.OperationalError("DELETE", {}, Exception("disk I/O error")),
    sa.exc.TimeoutError("QueuePool limit"),
    MemoryError(),
    SystemExit(1),
]


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch):
    monkeypatch.setattr(worker, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.01)


def failing(problem):
    def fail(_database, _http):
        raise problem

    return fail


class Counted:
    """A task that counts its runs."""

    def __init__(self):
        self.runs = 0

    def __call__(self, _database, _http):
        self.runs += 1


def put_back(database, **by):
    """As if so much time had passed since the tasks were planned."""
    with database.write() as tx:
        for row in tx.scalars(sa.select(PeriodicTask)).all():
            row.next_at -= timedelta(**by)


def failures(database):
    with database.read() as tx:
        return {failure.name: failure.error for failure in list_failures(tx)}


@pytest.mark.parametrize("problem", some(UNEXPECTED, 4), ids=lambda problem: type(problem).__name__)
def test_a_failing_task_stops_no_other_and_its_failure_is_recorded_until_it_succeeds(database, problem):
    other, mended = Counted(), Counted()
    Schedule(database, NOBODY, [ScheduledTask("bad", 60, failing(problem)), ScheduledTask("good", 60, other)]).run_due()
    assert other.runs == 1
    assert failures(database).keys() == {"bad"}
    assert failures(database)["bad"].startswith(type(problem).__name__)
    Schedule(database, NOBODY, [ScheduledTask("bad", 60, mended)]).run_due()
    assert (mended.runs, failures(database)) == (1, {})


def test_a_failed_task_is_not_retried_before_its_time(database):
    tries: list[int] = []

    def fail(_database, _http):
        tries.append(1)
        raise KeyError

    schedule = Schedule(database, NOBODY, [ScheduledTask("bad", 3600, fail)])
    for _ in range(3):
        assert schedule.run_due() > 0
    assert len(tries) == 1
    put_back(database, hours=1)
    schedule.run_due()
    assert len(tries) == 2


def test_each_task_runs_at_its_own_interval(database):
    often, seldom = Counted(), Counted()
    schedule = Schedule(database, NOBODY, [ScheduledTask("often", 60, often), ScheduledTask("seldom", 3600, seldom)])
    schedule.run_due()
    for _ in range(2):
        put_back(database, seconds=60)
        schedule.run_due()
    assert (often.runs, seldom.runs) == (3, 1)


def test_workers_share_one_schedule_and_each_runs_every_task_when_it_starts(database):
    task = Counted()
    first, second = (Schedule(database, NOBODY, [ScheduledTask("shared", 3600, task)]) for _ in range(2))
    first.run_due()
    second.run_due()
    assert task.runs == 2
    put_back(database, hours=1)
    first.run_due()
    second.run_due()
    assert task.runs == 3


def test_a_clock_set_back_postpones_no_task(database):
    task = Counted()
    schedule = Schedule(database, NOBODY, [ScheduledTask("clock", 60, task)])
    schedule.run_due()
    put_back(database, days=-3)
    schedule.run_due()
    assert task.runs == 2


def test_the_next_time_is_set_before_a_task_runs(database):
    seen = []

    def look(database, _http):
        with database.read() as tx:
            seen.append(tx.scalar(sa.select(col(PeriodicTask.next_at))))

    Schedule(database, NOBODY, [ScheduledTask("looks", 3600, look)]).run_due()
    assert seen[0] > now() + timedelta(minutes=59)


@pytest.mark.parametrize("refused", ["INSERT INTO periodic_task", "UPDATE periodic_task SET error"])
def test_a_task_whose_row_cannot_be_written_stops_no_others(database, refused):
    other = Counted()

    def refuse(_connection, _cursor, statement, parameters, *_):
        if statement.startswith(refused) and "bad" in str(parameters):
            raise sa.exc.OperationalError(statement, {}, Exception("disk I/O error"))

    writer = database.engines[0]
    sa.event.listen(writer, "before_cursor_execute", refuse)
    schedule = Schedule(
        database, NOBODY, [ScheduledTask("bad", 60, failing(KeyError("x"))), ScheduledTask("good", 60, other)]
    )
    schedule.run_due()
    sa.event.remove(writer, "before_cursor_execute", refuse)
    assert (other.runs, failures(database)) == (1, {})


def test_nothing_is_written_while_no_task_is_due(database, statements):
    schedule = Schedule(database, NOBODY, [ScheduledTask("seldom", 3600, Counted())])
    schedule.run_due()
    with statements() as seen:
        schedule.run_due()
    assert [statement.split()[0] for statement in seen] == ["SELECT"]


@pytest.fixture
def done():
    """The jobs of a kind that is just finished."""
    numbers: list[int] = []

    def finish(database, _http, claimed):
        with database.write() as tx:
            queue.finish_job(tx, claimed)
        numbers.append(claimed.id)

    queue.handler("test.finish")(finish)
    return numbers


def enqueue(database):
    with database.write() as tx:
        return queue.enqueue(tx, "test.finish")


TASKS = (
    *("resume_pending_requests", "delete_old_notifications", "purge_trash"),
    *("schedule_map_layout", "enqueue_embedding", "purge_jobs"),
)


@pytest.mark.parametrize("name", some(TASKS, 2))
def test_the_queue_and_all_other_tasks_continue_whichever_task_fails(database, done, monkeypatch, name):
    def fail(*_):
        raise KeyError(name)

    monkeypatch.setattr(periodic_tasks, name, fail)
    someone = JobWorker(database, NOBODY)
    someone.start()
    try:
        job_id = enqueue(database)
        until(lambda: done == [job_id], "the job is run")
        until(lambda: failures(database), "the failure is recorded")
        names = {task.name for task in periodic_tasks.periodic_tasks()}
        until(lambda: planned(database) - {scheduler.HEARTBEAT} == names, "all others were run")
    finally:
        someone.stop()
    assert list(failures(database).values()) == [f"KeyError: '{name}'"]


def planned(database):
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(PeriodicTask.name))))


def test_no_job_waits_for_a_slow_task(database, done):
    begun, over = threading.Event(), threading.Event()

    def take_long(_database, _http):
        begun.set()
        over.wait(30)

    someone = JobWorker(database, NOBODY, tasks=[ScheduledTask("long", 3600, take_long)])
    someone.start()
    try:
        assert begun.wait(30)
        brought = [enqueue(database) for _ in range(3)]
        until(lambda: sorted(done) == brought, "all jobs are run")
    finally:
        over.set()
        someone.stop()


def test_a_failed_task_is_a_warning_in_readyz_and_in_check(database, client, settings, monkeypatch):
    Schedule(database, NOBODY, [ScheduledTask("purge the trash", 60, failing(KeyError("notes")))]).run_due()
    scheduler.record_heartbeat(database)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.text.splitlines()[0] == "ready"
    assert "“purge the trash” failed" in answer.text
    assert "notes" not in answer.text, "strangers may ask"
    monkeypatch.setenv("READTRACK_DATA", str(settings.data))
    monkeypatch.setenv("READTRACK_DATABASE_URL", settings.url)
    monkeypatch.setenv("READTRACK_SECRET_KEY", settings.secret_key)
    told = json.loads(CliRunner().invoke(commands, ["check", "--json"]).output)
    (finding,) = (finding for finding in told["findings"] if finding["part"] == "tasks")
    assert finding["level"] == "warning"
    assert "“purge the trash” failed at" in finding["message"]
    assert "KeyError: 'notes'" in finding["message"]
