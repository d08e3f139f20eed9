"""Deletes rows that nobody needs any more: jobs some time after their end, and what was good for a while only.

In slices of SLICE rows, each a transaction of its own, so that no other writer waits for all of them.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.models import IdempotencyKey, Job, LoginAttempt, NoteRevision, PendingSignIn, UserSession

DONE_KEPT = timedelta(days=30)  # a job that is done, after its end
FAILED_KEPT = timedelta(days=90)  # one that was given up
ATTEMPTS_KEPT = timedelta(days=30)  # longer than any attempt to sign in counts, or to guess a code
SLICE = 500  # rows in one transaction

ConditionFactory = Callable[[], sa.ColumnElement[bool]]


def purge_jobs(database: Database) -> int:
    """Delete jobs that ended long ago; how many. Jobs of imports that are not committed yet stay, whatever became of
    them: their pages show them, and only they can be tried again.
    """
    return _purge(database, Job, _ended_long_ago)


def purge_outdated(database: Database) -> int:
    """Delete answers to keyed requests, sign-ins and attempts to sign in that count no longer; how many."""
    return sum(_purge(database, table, which) for table, which in OUTDATED)


def _ended_long_ago() -> sa.ColumnElement[bool]:
    ended = sa.func.coalesce(col(Job.ended_at), col(Job.run_at), type_=Job.ended_at.type)  # type: ignore[union-attr]
    done = sa.and_(col(Job.state) == "done", ended < now() - DONE_KEPT)
    failed = sa.and_(col(Job.state) == "failed", ended < now() - FAILED_KEPT)
    needed = sa.exists().where(col(NoteRevision.job_id) == col(Job.id), col(NoteRevision.state) != "committed")
    # SQLite gives the number of a deleted newest row to the next one, and what names the old job would mean the new.
    newest = sa.select(sa.func.max(col(Job.id))).scalar_subquery()
    return sa.and_(sa.or_(done, failed), ~needed, col(Job.id) != newest)


OUTDATED: Sequence[tuple[Any, ConditionFactory]] = (
    (IdempotencyKey, lambda: col(IdempotencyKey.expires_at) <= now()),
    (PendingSignIn, lambda: col(PendingSignIn.expires_at) <= now()),
    (UserSession, lambda: col(UserSession.expires_at) <= now()),
    (LoginAttempt, lambda: col(LoginAttempt.created_at) <= now() - ATTEMPTS_KEPT),
)


def _purge(database: Database, table: Any, which: ConditionFactory) -> int:  # noqa: ANN401 - a model
    """Looked for without the writer's turn; what changed meanwhile, or another worker deletes, is left alone."""
    gone = 0
    while True:
        with database.read() as tx:
            ids = list(tx.scalars(sa.select(col(table.id)).where(which()).order_by(col(table.id)).limit(SLICE)))
        if not ids:
            return gone
        with database.write() as tx:
            these = sa.select(col(table.id)).where(col(table.id).in_(ids), which()).order_by(col(table.id))
            free = list(tx.scalars(these.with_for_update(of=table, skip_locked=True)))
            tx.bulk_execute(sa.delete(table).where(col(table.id).in_(free)))
        gone += len(free)
        if len(ids) < SLICE or not free:  # others delete the same now, or hold it: it goes the next time
            return gone
