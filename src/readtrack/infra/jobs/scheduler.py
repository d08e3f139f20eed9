"""Periodic tasks.

Their due times are stored in the database, so that any number of workers share one schedule. Every worker runs all
tasks once at startup, so a task must be safe to run twice at the same time. A failing task stops neither the other
tasks nor the queue.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read
from readtrack.infra.errors import Conflict
from readtrack.infra.http.types import Http
from readtrack.infra.models import PeriodicTask
from readtrack.infra.text import normalize

MAX_PROBLEM_CHARS = 500  # Characters.
RETRY_SECONDS = 5.0  # Seconds until a retry if the next due time cannot be stored.
# Maximum seconds between two checks of the schedule; other workers and clock changes may move due times.
MAX_WAIT_SECONDS = 60.0
HEARTBEAT = "heartbeat"  # The row whose next due time is that of the next sign of life from any worker.
HEARTBEAT_SECONDS = 30.0
MAX_SILENCE_SECONDS = 120.0  # Seconds without a sign of life after which no worker seems to run.

log = structlog.get_logger()


@dataclass(frozen=True)
class ScheduledTask:
    """A task to run every `interval` seconds. `run` opens its own short transactions."""

    name: str
    interval: float
    run: Callable[[Database, Http], object]


class TaskFailure(NamedTuple):
    """A task whose last run failed."""

    name: str
    error: str
    failed_at: datetime
    next_at: datetime


class Schedule:
    """Runs tasks when they are due. Each worker has one and calls it from a single thread."""

    def __init__(self, database: Database, http: Http, tasks: Sequence[ScheduledTask]) -> None:
        self._database, self._http, self._tasks = database, http, tasks
        self._not_yet_run = {task.name for task in tasks}

    def run_due(self, is_over: Callable[[], bool] = lambda: False) -> float:
        """Run every due task, and at startup every task once, until `is_over` returns True.

        Return the seconds until the next task is due. Errors of tasks are logged and recorded, not raised.
        """
        with self._database.read() as tx:
            next_at = dict(map(tuple, tx.execute(sa.select(col(PeriodicTask.name), col(PeriodicTask.next_at)))))
        waits = [MAX_WAIT_SECONDS]
        for task in self._tasks:
            wait = _seconds_until_due(task, next_at.get(task.name))
            starting = task.name in self._not_yet_run
            if (starting or not wait) and not is_over():
                wait = self._run_once(task, starting=starting)
            waits.append(wait)
        return min(waits)

    def _run_once(self, task: ScheduledTask, *, starting: bool) -> float:
        """Run the task unless another worker does; return the seconds until it is due again."""
        try:
            is_claimed = self._claim(task, starting=starting)
        except Exception:
            log.exception("failed to start periodic task", task=task.name)
            return RETRY_SECONDS
        if is_claimed:
            self._not_yet_run.discard(task.name)
            self._run(task)
        return task.interval

    def _claim(self, task: ScheduledTask, *, starting: bool) -> bool:
        """Store the task's next due time; return False if another worker has already done so."""
        try:
            with self._database.write() as tx:
                row = tx.get(PeriodicTask, task.name, with_for_update=True)
                if row is not None and not starting and _seconds_until_due(task, row.next_at):
                    return False
                row = row or PeriodicTask(name=task.name)
                row.next_at = now() + timedelta(seconds=task.interval)
                tx.add(row)
        except Conflict:  # Two workers inserted the task's row at once.
            return False
        return True

    def _run(self, task: ScheduledTask) -> None:
        problem = ""
        try:
            task.run(self._database, self._http)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # Including SystemExit, which would end the thread that runs all tasks.
            log.exception("periodic task failed", task=task.name)
            problem = normalize.clean(f"{type(error).__name__}: {error}".rstrip(": "))[:MAX_PROBLEM_CHARS]
        try:
            self._record(task, problem)
        except Exception:
            log.exception("failed to record end of periodic task", task=task.name)

    def _record(self, task: ScheduledTask, problem: str) -> None:
        is_task = col(PeriodicTask.name) == task.name
        if not problem:
            with self._database.read() as tx:  # Repeated success needs no write.
                if not tx.scalar(sa.select(col(PeriodicTask.error)).where(is_task)):
                    return
        values: dict[str, Any] = {"error": problem, "failed_at": now() if problem else None}
        with self._database.write() as tx:
            tx.execute(sa.update(PeriodicTask).where(is_task).values(values))


def list_failures(tx: Read) -> list[TaskFailure]:
    """Return the tasks whose last run failed, by name."""
    rows = tx.scalars(sa.select(PeriodicTask).where(col(PeriodicTask.error) != "").order_by(col(PeriodicTask.name)))
    return [TaskFailure(row.name, row.error, row.failed_at or row.next_at, row.next_at) for row in rows]


def record_heartbeat(database: Database) -> None:
    """Store that a worker runs now. Any number of workers share one row."""
    with database.write() as tx:
        tx.merge(PeriodicTask(name=HEARTBEAT, next_at=now() + timedelta(seconds=HEARTBEAT_SECONDS)))


def last_heartbeat(tx: Read) -> datetime | None:
    """Return when a worker last gave a sign of life, or None if none ever did."""
    next_at = tx.scalar(sa.select(col(PeriodicTask.next_at)).where(col(PeriodicTask.name) == HEARTBEAT))
    return next_at - timedelta(seconds=HEARTBEAT_SECONDS) if next_at else None


def is_worker_running(heartbeat: datetime | None) -> bool:
    """Return True if the last sign of life is recent. One in the future is from before the clock was set back."""
    return heartbeat is not None and abs((now() - heartbeat).total_seconds()) <= MAX_SILENCE_SECONDS


def _seconds_until_due(task: ScheduledTask, next_at: datetime | None) -> float:
    """Return the seconds until the task is due, 0.0 if it is due.

    A wait longer than the interval counts as due: the system clock was set back.
    """
    wait = (next_at - now()).total_seconds() if next_at else 0.0
    return wait if 0 < wait <= task.interval else 0.0
