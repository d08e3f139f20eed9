"""Periodic tasks: a function, a name and an interval each; one that fails stops neither the others nor the queue.

When each is due next stands in a row, so that any number of workers share one schedule. A task must still be safe when
two workers run it at once: each runs all of them when it starts.
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

LONGEST_PROBLEM = 500  # characters
TROUBLED = 5.0  # seconds until a task whose next time cannot be set is tried again
LONGEST_WAIT = 60.0  # seconds between two looks at the schedule, which other workers and a changed clock move

log = structlog.get_logger()


@dataclass(frozen=True)
class ScheduledTask:
    """Work that comes again every `interval` seconds. `run` opens transactions of its own, short ones."""

    name: str
    interval: float
    run: Callable[[Database, Http], object]


class TaskFailure(NamedTuple):
    """How a task ended that has not succeeded since."""

    name: str
    error: str
    failed_at: datetime
    next_at: datetime


class Schedule:
    """Runs tasks when they are due. A worker has one, and calls it from one thread."""

    def __init__(self, database: Database, http: Http, tasks: Sequence[ScheduledTask]) -> None:
        self._database, self._http, self._tasks = database, http, tasks
        self._not_yet_run = {task.name for task in tasks}

    def run_due(self, is_over: Callable[[], bool] = lambda: False) -> float:
        """Run every task that is due, and each one once after a start, until `is_over`. Return the seconds until the
        next one is due. What a task raises is logged and recorded, not raised.
        """
        with self._database.read() as tx:
            next_at = dict(map(tuple, tx.execute(sa.select(col(PeriodicTask.name), col(PeriodicTask.next_at)))))
        waits = [LONGEST_WAIT]
        for task in self._tasks:
            wait = _seconds_until_due(task, next_at.get(task.name))
            starting = task.name in self._not_yet_run
            if (starting or not wait) and not is_over():
                wait = self._run_once(task, starting=starting)
            waits.append(wait)
        return min(waits)

    def _run_once(self, task: ScheduledTask, *, starting: bool) -> float:
        """Run it, unless another worker does; the seconds until it is due again."""
        try:
            is_mine = self._claim(task, starting=starting)
        except Exception:
            log.exception("a periodic task cannot be started", task=task.name)
            return TROUBLED
        if is_mine:
            self._not_yet_run.discard(task.name)
            self._run(task)
        return task.interval

    def _claim(self, task: ScheduledTask, *, starting: bool) -> bool:
        """Set the task's next time; False when another worker did so meanwhile."""
        try:
            with self._database.write() as tx:
                row = tx.get(PeriodicTask, task.name, with_for_update=True)
                if row is not None and not starting and _seconds_until_due(task, row.next_at):
                    return False
                row = row or PeriodicTask(name=task.name)
                row.next_at = now() + timedelta(seconds=task.interval)
                tx.add(row)
        except Conflict:  # two workers met the task for the first time at once
            return False
        return True

    def _run(self, task: ScheduledTask) -> None:
        problem = ""
        try:
            task.run(self._database, self._http)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit, too, would end the thread that runs all the others
            log.exception("a periodic task failed", task=task.name)
            problem = normalize.clean(f"{type(error).__name__}: {error}".rstrip(": "))[:LONGEST_PROBLEM]
        try:
            self._record(task, problem)
        except Exception:
            log.exception("the end of a periodic task cannot be recorded", task=task.name)

    def _record(self, task: ScheduledTask, problem: str) -> None:
        mine = col(PeriodicTask.name) == task.name
        if not problem:
            with self._database.read() as tx:  # success after success needs no write
                if not tx.scalar(sa.select(col(PeriodicTask.error)).where(mine)):
                    return
        values: dict[str, Any] = {"error": problem, "failed_at": now() if problem else None}
        with self._database.write() as tx:
            tx.execute(sa.update(PeriodicTask).where(mine).values(values))


def list_failures(tx: Read) -> list[TaskFailure]:
    """The tasks whose last run failed, by name."""
    rows = tx.scalars(sa.select(PeriodicTask).where(col(PeriodicTask.error) != "").order_by(col(PeriodicTask.name)))
    return [TaskFailure(row.name, row.error, row.failed_at or row.next_at, row.next_at) for row in rows]


def _seconds_until_due(task: ScheduledTask, next_at: datetime | None) -> float:
    """0.0 when it is due, also when the wait is longer than anybody can have meant: the clock was set back."""
    wait = (next_at - now()).total_seconds() if next_at else 0.0
    return wait if 0 < wait <= task.interval else 0.0
