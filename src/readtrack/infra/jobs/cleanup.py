"""Deletion of finished jobs and expired rows.

Rows are deleted in batches of BATCH_SIZE, each in its own transaction, so that other writers wait only for one batch.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.models import (
    IdempotencyKey,
    Job,
    LoginAttempt,
    NoteRevision,
    PendingSignIn,
    UserSession,
    WebhookDelivery,
)

DONE_KEPT = timedelta(days=30)  # Retention of successful jobs after their end.
FAILED_KEPT = timedelta(days=90)  # Retention of failed jobs after their end.
ATTEMPTS_KEPT = timedelta(days=30)  # Longer than any rate limit counts failed sign-ins or codes.
DELIVERIES_KEPT = timedelta(days=30)
BATCH_SIZE = 500  # Rows per transaction.

ConditionFactory = Callable[[], sa.ColumnElement[bool]]


def purge_jobs(database: Database) -> int:
    """Delete jobs that ended long ago and return their number.

    Jobs of imports that are not committed are kept in any state: the import's page shows them, and only they can be
    retried.
    """
    return _purge(database, Job, _ended_long_ago)


def purge_outdated(database: Database) -> int:
    """Delete expired idempotency keys, sessions, pending sign-ins, login attempts and webhook deliveries.

    Return their number.
    """
    return sum(_purge(database, table, build_condition) for table, build_condition in OUTDATED)


def _ended_long_ago() -> sa.ColumnElement[bool]:
    ended_at = sa.func.coalesce(col(Job.ended_at), col(Job.run_at), type_=Job.ended_at.type)  # type: ignore[union-attr]
    is_done_long_ago = sa.and_(col(Job.state) == "done", ended_at < now() - DONE_KEPT)
    is_failed_long_ago = sa.and_(col(Job.state) == "failed", ended_at < now() - FAILED_KEPT)
    is_needed = sa.exists().where(col(NoteRevision.job_id) == col(Job.id), col(NoteRevision.state) != "committed")
    # Keep the newest job: SQLite would reuse its ID, and references to it would then mean another job.
    newest = sa.select(sa.func.max(col(Job.id))).scalar_subquery()
    return sa.and_(sa.or_(is_done_long_ago, is_failed_long_ago), ~is_needed, col(Job.id) != newest)


OUTDATED: Sequence[tuple[Any, ConditionFactory]] = (
    (IdempotencyKey, lambda: col(IdempotencyKey.expires_at) <= now()),
    (PendingSignIn, lambda: col(PendingSignIn.expires_at) <= now()),
    (UserSession, lambda: col(UserSession.expires_at) <= now()),
    (LoginAttempt, lambda: col(LoginAttempt.created_at) <= now() - ATTEMPTS_KEPT),
    (WebhookDelivery, lambda: col(WebhookDelivery.created_at) <= now() - DELIVERIES_KEPT),
)


def _purge(database: Database, table: Any, build_condition: ConditionFactory) -> int:  # noqa: ANN401 - a model
    """Delete the rows that match in batches and return their number.

    IDs are selected in a read transaction, so that the write lock is held only for the deletion. Rows that have changed
    since or that another worker has locked are skipped.
    """
    deleted_count = 0
    while True:
        with database.read() as tx:
            ids = list(
                tx.scalars(sa.select(col(table.id)).where(build_condition()).order_by(col(table.id)).limit(BATCH_SIZE))
            )
        if not ids:
            return deleted_count
        with database.write() as tx:
            lock_query = (
                sa.select(col(table.id)).where(col(table.id).in_(ids), build_condition()).order_by(col(table.id))
            )
            locked_ids = list(tx.scalars(lock_query.with_for_update(of=table, skip_locked=True)))
            tx.bulk_execute(sa.delete(table).where(col(table.id).in_(locked_ids)))
        deleted_count += len(locked_ids)
        if len(ids) < BATCH_SIZE or not locked_ids:  # Other workers hold the remaining rows; the next run deletes them.
            return deleted_count
