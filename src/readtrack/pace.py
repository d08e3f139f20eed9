"""The gate before polite hosts: one request at a time and a pause after it, over all processes, kept in a row."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.clock import now
from readtrack.db import Database, Write
from readtrack.errors import Conflict, SourceUnavailable
from readtrack.models import Pace

LEASE = timedelta(seconds=40)  # longer than any request may take
PATIENCE = 10.0  # seconds a worker stands at the gate itself; a longer wait is the job's
LOOK_AGAIN = 0.25  # seconds


@dataclass
class Turn:
    """The right to ask a host once. `wait` says that the host wants to be left alone for so many seconds."""

    asked: float = field(default=0.0)

    def wait(self, seconds: float) -> None:
        self.asked = max(self.asked, seconds)


class DatabaseGate:
    """Lets one request to a host through at a time, `interval` seconds after the last one ended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def turn(self, host: str, interval: float) -> Iterator[Turn]:
        """Waits for the turn; raises SourceUnavailable when that would take longer than PATIENCE."""
        holder = self._enter(host)
        turn = Turn()
        try:
            yield turn
        finally:
            self._leave(host, holder, max(interval, turn.asked))

    def _enter(self, host: str) -> str:
        patience_ends = time.monotonic() + PATIENCE
        while True:
            holder, wait, answering = self._try(host)
            if holder:
                return holder
            left = patience_ends - time.monotonic()
            if left <= 0 or (wait > left and not answering):
                message = f"{host} asked us to wait, or answers another request of ours. It is tried again."
                raise SourceUnavailable(message, retry_after=wait)
            time.sleep(min(wait, LOOK_AGAIN))

    def _try(self, host: str) -> tuple[str, float, bool]:
        """The holder's word when the gate opened, else the seconds to wait at most, and whether it is answering now."""
        try:
            with self._database.write() as tx:
                return _claim(tx, host)
        except Conflict:  # two processes met the host for the first time at once
            return "", LOOK_AGAIN, True

    def _leave(self, host: str, holder: str, pause: float) -> None:
        mine = sa.update(Pace).where(col(Pace.host) == host, col(Pace.holder) == holder)
        with self._database.write() as tx:
            tx.execute(mine.values(next_at=now() + timedelta(seconds=pause), lease_until=None))


def _claim(tx: Write, host: str) -> tuple[str, float, bool]:
    row = tx.scalar(sa.select(Pace).where(col(Pace.host) == host).with_for_update())
    if row is None:
        row = Pace(host=host)
        tx.add(row)
    free_at = max(row.next_at, row.lease_until or row.next_at)
    wait = (free_at - now()).total_seconds()
    if wait > 0:
        return "", wait, row.lease_until is not None
    row.holder, row.lease_until = secrets.token_hex(8), now() + LEASE
    return row.holder, 0.0, False
