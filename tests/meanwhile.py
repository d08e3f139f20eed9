"""Two transactions at once: the second begins while the first is open, and is as far as it gets without it."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import sqlalchemy as sa

from readtrack.infra.db import Database

POLL = 0.01  # seconds
_WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def begun(database: Database, deed: Callable[[], Any]) -> Future[Any]:
    """A deed in a thread of its own, which waits for the transaction of who calls this, or is done already. SQLite has
    one writer: there it waits in any case.
    """
    threads = ThreadPoolExecutor(1)
    doing = threads.submit(deed)
    threads.shutdown(wait=False)
    while database.dialect != "sqlite" and not doing.done() and not _waits(database):
        wait([doing], timeout=POLL)
    return doing


def _waits(database: Database) -> bool:
    with database.read() as tx:
        return bool(tx.scalar(_WAITING))
