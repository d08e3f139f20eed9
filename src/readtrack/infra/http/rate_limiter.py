"""Rate limits and circuit breaker per host, shared by all processes through a database row.

Requests to one host are serialized with a pause in between. After repeated failures the host is not contacted until its
rest is over; then a single request tests it.
"""

import random
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import Conflict, SourceRateLimited, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import RETRYING_LATER
from readtrack.infra.models import HostRateLimit
from readtrack.infra.text import normalize

LEASE_DURATION = timedelta(seconds=40)  # Longer than any request may take.
MAX_WAIT_SECONDS = 10.0  # Seconds a worker waits in place; for a longer wait, the job is rescheduled.
LOOK_AGAIN = 0.25  # Seconds between two attempts to get the slot.
MAX_FAILURES_IN_A_ROW = 2  # Consecutive failures before a rest.
FIRST_REST, MAX_REST_SECONDS = 60.0, 3600.0  # Seconds; the rest doubles with each further failure.
MAX_REQUESTED_WAIT_SECONDS = 24 * 3600.0  # Maximum seconds a host can ask to wait.

log = structlog.get_logger()


@dataclass
class HostSlot:
    """Permission to send one request to a host; collects the outcome."""

    pause_seconds: float = field(default=0.0)
    problem: str = field(default="")
    reason: str = field(default="")

    def wait(self, seconds: float) -> None:
        """Record that the host asked to wait this many seconds, which counts as a failure."""
        self.pause_seconds = max(self.pause_seconds, seconds)
        self.problem = self.problem or "It asked for a pause."

    def pause(self, seconds: float, reason: str) -> None:
        """Record that the host asked for a pause of this many seconds although it answered correctly."""
        self.pause_seconds, self.reason = max(self.pause_seconds, seconds), reason

    def failed(self, problem: str) -> None:
        """Record that the request failed. `problem` is a sentence."""
        self.problem = problem


class DatabaseRateLimiter:
    """A limiter that allows one request per host at a time, `interval` seconds after the previous one ended."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Monotonic time until which this process pauses per host; unaffected by changes of the system clock.
        self._quiet: dict[str, float] = {}
        self._unrecorded: dict[str, _SlotRelease] = {}  # Releases that could not be written to the database yet.

    @contextmanager
    def acquire(self, host: str, interval: float) -> Iterator[HostSlot]:
        """Wait for the slot.

        Raise SourceUnavailable if that would take longer than MAX_WAIT_SECONDS or the host rests.
        """
        holder = self._wait_for_slot(host, interval)
        slot, is_answered = HostSlot(), False
        try:
            yield slot
            is_answered = True
        finally:
            self._quiet[host] = time.monotonic() + interval
            self._release(_SlotRelease(host, holder, slot, interval, is_answered))

    def _wait_for_slot(self, host: str, interval: float) -> str:
        deadline = time.monotonic() + MAX_WAIT_SECONDS
        while True:
            attempt = self._try_acquire(host, interval)
            if attempt.lease_token:
                return attempt.lease_token
            remaining = deadline - time.monotonic()
            if attempt.pause_reason or remaining <= 0 or (attempt.wait > remaining and not attempt.answering):
                raise _retry_later_error(host, attempt)
            time.sleep(min(attempt.wait, LOOK_AGAIN) if attempt.answering else attempt.wait)

    def _try_acquire(self, host: str, interval: float) -> "_AcquireAttempt":
        wait_seconds = self._quiet.get(host, 0.0) - time.monotonic()
        if wait_seconds > 0:
            return _AcquireAttempt(wait=wait_seconds)
        pending_release = self._unrecorded.pop(host, None)
        try:
            with self._database.write() as tx:
                if pending_release:
                    _release_slot(tx, pending_release)
                attempt = _claim_slot(tx, host, interval)
        except Conflict:  # Two processes inserted the first row for the host at once.
            return _AcquireAttempt(wait=LOOK_AGAIN, answering=True)
        except StorageUnavailable:
            if pending_release:
                self._unrecorded.setdefault(host, pending_release)
            raise
        return attempt

    def _release(self, release: "_SlotRelease") -> None:
        """Release the slot in the database.

        Errors are logged but not raised, because the response matters more. A release that failed is retried before the
        next request; until then the lease blocks the host for at most LEASE_DURATION.
        """
        try:
            with self._database.write() as tx:
                _release_slot(tx, release)
        except Exception as problem:
            log.exception("failed to release rate limit slot", host=release.host)
            if isinstance(problem, StorageUnavailable):
                self._unrecorded[release.host] = release


def resting_until(tx: Read, host: str) -> datetime | None:
    """Return the time until which a host rests, after failures or at its own request.

    Return None if it does not rest.
    """
    row = tx.scalar(sa.select(HostRateLimit).where(col(HostRateLimit.host) == host))
    return row.not_before if row and _is_resting(row) else None


@dataclass(frozen=True)
class _AcquireAttempt:
    """The result of one attempt to get the slot: the lease token, or the maximum wait and its reason."""

    lease_token: str = ""
    wait: float = 0.0
    answering: bool = False  # Another request of ours is in progress.
    pause_reason: str = ""  # Why the host rests, as a sentence.


@dataclass(frozen=True)
class _SlotRelease:
    """A slot that is to be released."""

    host: str
    lease_token: str
    slot: HostSlot
    interval: float
    answered: bool


def _claim_slot(tx: Write, host: str, interval: float) -> _AcquireAttempt:
    row = tx.scalar(sa.select(HostRateLimit).where(col(HostRateLimit.host) == host).with_for_update())
    if row is None:
        row = HostRateLimit(host=host)
        tx.add(row)
    _clamp_future_timestamps(row, interval)
    wait = (max(row.not_before, row.lease_until or row.not_before) - now()).total_seconds()
    if wait > 0:
        return _AcquireAttempt(
            wait=wait,
            answering=row.lease_until is not None,
            pause_reason=_rest_message(row) if _is_resting(row) else "",
        )
    row.lease_token, row.lease_until = secrets.token_hex(8), now() + LEASE_DURATION
    return _AcquireAttempt(lease_token=row.lease_token)


def _clamp_future_timestamps(row: HostRateLimit, interval: float) -> None:
    """Clamp waits that lie further ahead than any real one.

    The system clock was set back since they were written.
    """
    max_seconds = MAX_REQUESTED_WAIT_SECONDS if row.problem else interval
    row.not_before = min(row.not_before, now() + timedelta(seconds=max_seconds))
    if row.lease_until:
        row.lease_until = min(row.lease_until, now() + LEASE_DURATION)


def _release_slot(tx: Write, release: _SlotRelease) -> None:
    slot = release.slot
    query = sa.select(HostRateLimit).where(
        col(HostRateLimit.host) == release.host, col(HostRateLimit.lease_token) == release.lease_token
    )
    row = tx.scalar(query.with_for_update())
    if row is None:  # The lease expired and another process has taken the slot.
        return
    if slot.problem:
        row.failures, row.problem = row.failures + 1, normalize.clean(slot.problem)[:1000]
        row.errors += 1
    elif release.answered or slot.reason:
        row.failures, row.problem = 0, normalize.clean(slot.reason)[:1000]
        row.answered_at = now()
        row.answers += 1
    rest = _rest_seconds(row.failures) if slot.problem else 0.0
    row.not_before, row.lease_until = now() + timedelta(seconds=max(release.interval, slot.pause_seconds, rest)), None


def _rest_seconds(failures: int) -> float:
    """Return how long a host rests, in seconds.

    60 after the third failure in a row, then doubling, with jitter, up to an hour.
    """
    if failures <= MAX_FAILURES_IN_A_ROW:
        return 0.0
    max_seconds = min(FIRST_REST * 2.0 ** min(failures - MAX_FAILURES_IN_A_ROW - 1, 20), MAX_REST_SECONDS)
    return max_seconds * random.uniform(0.8, 1.0)  # noqa: S311 - jitter, not security


def _is_resting(row: HostRateLimit) -> bool:
    if row.problem and not row.failures:  # The host asked for the pause and has not failed.
        return row.lease_until is None and row.not_before > now() + timedelta(seconds=MAX_WAIT_SECONDS)
    return row.failures > MAX_FAILURES_IN_A_ROW and row.lease_until is None and row.not_before > now()


def _rest_message(row: HostRateLimit) -> str:
    retry = f"Retrying after {row.not_before:%Y-%m-%d %H:%M} UTC."
    if not row.failures:
        return f"{row.problem} {retry}"
    return f"{row.host} failed {row.failures} times in a row. {retry} Last error: {row.problem}"


def _retry_later_error(host: str, attempt: _AcquireAttempt) -> SourceUnavailable:
    if attempt.pause_reason:
        return SourceRateLimited(attempt.pause_reason, retry_after=attempt.wait)
    message = f"Waiting to send the next request to {host}. {RETRYING_LATER}"
    return SourceUnavailable(message, retry_after=attempt.wait)
