"""The gate before every host: one request at a time and a pause after it, over all processes, kept in a row.

A host that fails again and again rests: nobody asks it until its rest is over, and then one request tells.
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
from readtrack.infra.models import HostRateLimit
from readtrack.infra.text import normalize

LEASE = timedelta(seconds=40)  # longer than any request may take
PATIENCE = 10.0  # seconds a worker stands at the gate itself; a longer wait is the job's
LOOK_AGAIN = 0.25  # seconds
TOLERATED = 2  # failures in a row after which a host is asked as before
FIRST_REST, LONGEST_REST = 60.0, 3600.0  # seconds; each further rest is twice as long
LONGEST_WAIT = 24 * 3600.0  # seconds that a host can ask for

log = structlog.get_logger()


@dataclass
class HostSlot:
    """The right to ask a host once."""

    asked: float = field(default=0.0)
    problem: str = field(default="")
    reason: str = field(default="")

    def wait(self, seconds: float) -> None:
        """The host wants to be left alone for so many seconds, which is a failure too."""
        self.asked = max(self.asked, seconds)
        self.problem = self.problem or "It asked to be left alone."

    def rest(self, seconds: float, reason: str) -> None:
        """The host answers as it should, and no more for so many seconds."""
        self.asked, self.reason = max(self.asked, seconds), reason

    def failed(self, problem: str) -> None:
        """The host did not answer, or could not; said in a sentence."""
        self.problem = problem


class DatabaseRateLimiter:
    """Lets one request to a host through at a time, `interval` seconds after the last one ended."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._quiet: dict[str, float] = {}  # until when this process is quiet, whatever becomes of the date
        self._unrecorded: dict[str, _SlotRelease] = {}  # ends of turns that the database could not take

    @contextmanager
    def turn(self, host: str, interval: float) -> Iterator[HostSlot]:
        """Waits for the turn; raises SourceUnavailable when that would take longer than PATIENCE, or the host rests."""
        holder = self._wait_for_slot(host, interval)
        turn, answered = HostSlot(), False
        try:
            yield turn
            answered = True
        finally:
            self._quiet[host] = time.monotonic() + interval
            self._release(_SlotRelease(host, holder, turn, interval, answered))

    def _wait_for_slot(self, host: str, interval: float) -> str:
        patience_ends = time.monotonic() + PATIENCE
        while True:
            look = self._try_acquire(host, interval)
            if look.lease_token:
                return look.lease_token
            left = patience_ends - time.monotonic()
            if look.rest or left <= 0 or (look.wait > left and not look.answering):
                raise _retry_later_error(host, look)
            time.sleep(min(look.wait, LOOK_AGAIN))

    def _try_acquire(self, host: str, interval: float) -> "_AcquireAttempt":
        quiet = self._quiet.get(host, 0.0) - time.monotonic()
        if quiet > 0:
            return _AcquireAttempt(wait=quiet)
        leaving = self._unrecorded.pop(host, None)
        try:
            with self._database.write() as tx:
                if leaving:
                    _release_slot(tx, leaving)
                look = _claim_slot(tx, host, interval)
        except Conflict:  # two processes met the host for the first time at once
            return _AcquireAttempt(wait=LOOK_AGAIN, answering=True)
        except StorageUnavailable:
            if leaving:
                self._unrecorded.setdefault(host, leaving)
            raise
        return look

    def _release(self, leaving: "_SlotRelease") -> None:
        """End a turn. The answer, or why there was none, counts more than this note of it: that is made up for later,
        and until then the host is held no longer than LEASE.
        """
        try:
            with self._database.write() as tx:
                _release_slot(tx, leaving)
        except Exception as problem:
            log.exception("the end of a turn cannot be recorded", host=leaving.host)
            if isinstance(problem, StorageUnavailable):
                self._unrecorded[leaving.host] = leaving


def resting_until(tx: Read, host: str) -> datetime | None:
    """Until when a host rests, after failures or because it wants to; None when it does not."""
    row = tx.scalar(sa.select(HostRateLimit).where(col(HostRateLimit.host) == host))
    return row.not_before if row and _is_resting(row) else None


@dataclass(frozen=True)
class _AcquireAttempt:
    """One look at the gate: the holder's word when it opened, else how long to wait at most, and why."""

    lease_token: str = ""
    wait: float = 0.0
    answering: bool = False  # another request of ours
    rest: str = ""  # a sentence


@dataclass(frozen=True)
class _SlotRelease:
    """The end of a turn."""

    host: str
    lease_token: str
    turn: HostSlot
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
            wait=wait, answering=row.lease_until is not None, rest=_rest_message(row) if _is_resting(row) else ""
        )
    row.lease_token, row.lease_until = secrets.token_hex(8), now() + LEASE
    return _AcquireAttempt(lease_token=row.lease_token)


def _clamp_future_timestamps(row: HostRateLimit, interval: float) -> None:
    """Nobody can have meant a longer wait: since it was written, the clock was set back."""
    longest = LONGEST_WAIT if row.problem else interval
    row.not_before = min(row.not_before, now() + timedelta(seconds=longest))
    if row.lease_until:
        row.lease_until = min(row.lease_until, now() + LEASE)


def _release_slot(tx: Write, leaving: _SlotRelease) -> None:
    turn = leaving.turn
    mine = sa.select(HostRateLimit).where(
        col(HostRateLimit.host) == leaving.host, col(HostRateLimit.lease_token) == leaving.lease_token
    )
    row = tx.scalar(mine.with_for_update())
    if row is None:  # it was given up, and is somebody else's now
        return
    if turn.problem:
        row.failures, row.problem = row.failures + 1, normalize.clean(turn.problem)[:1000]
    elif leaving.answered or turn.reason:
        row.failures, row.problem = 0, normalize.clean(turn.reason)[:1000]
    rest = _rest_seconds(row.failures) if turn.problem else 0.0
    row.not_before, row.lease_until = now() + timedelta(seconds=max(leaving.interval, turn.asked, rest)), None


def _rest_seconds(failures: int) -> float:
    """Seconds: a minute after the third failure in a row, then twice as long each time, with jitter, up to an hour."""
    if failures <= TOLERATED:
        return 0.0
    longest = min(FIRST_REST * 2.0 ** min(failures - TOLERATED - 1, 20), LONGEST_REST)
    return longest * random.uniform(0.8, 1.0)  # noqa: S311 - spreads load, guards nothing


def _is_resting(row: HostRateLimit) -> bool:
    if row.problem and not row.failures:  # it wants to, and did nothing wrong
        return row.lease_until is None and row.not_before > now() + timedelta(seconds=PATIENCE)
    return row.failures > TOLERATED and row.lease_until is None and row.not_before > now()


def _rest_message(row: HostRateLimit) -> str:
    if not row.failures:
        return (
            f"{row.host} is left alone until {row.not_before:%Y-%m-%d %H:%M} UTC. {row.problem} "
            "Nothing was changed; it is asked again then."
        )
    return (
        f"{row.host} failed {row.failures} times in a row and is left alone until {row.not_before:%Y-%m-%d %H:%M} UTC. "
        f"The last time: {row.problem} Nothing was changed; it is asked again then."
    )


def _retry_later_error(host: str, look: _AcquireAttempt) -> SourceUnavailable:
    if look.rest:
        return SourceRateLimited(look.rest, retry_after=look.wait)
    message = f"{host} asked us to wait, or answers another request of ours. It is tried again."
    return SourceUnavailable(message, retry_after=look.wait)
