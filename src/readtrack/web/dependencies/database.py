"""One request, one transaction: ReadTx for GET, WriteTx for what changes; committed before the answer leaves.

`scope="function"` makes a failing commit an error instead of a lie: docs/decisions/0003-commit-before-response.md.
Nothing here waits for a database on the event loop, where everybody else would wait with it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from typing import Annotated, TypeVar
from weakref import WeakKeyDictionary

import structlog
from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool

from readtrack.infra import db
from readtrack.infra.db import Database, Read, Write, errors
from readtrack.infra.errors import ReadtrackError, StorageUnavailable
from readtrack.infra.i18n import gettext as _

Result = TypeVar("Result")
log = structlog.get_logger()


class RequestQueue:
    """A queue that lets `capacity` requests proceed at a time.

    Others wait on the event loop, where they do not occupy a thread that readers or the current writer may need.
    """

    def __init__(self, capacity: int, *, wait_seconds: float | None = None, message: str = "") -> None:
        """`wait_seconds`: WRITE_WAIT if not given; `message`: the error after that, if it is not the database's."""
        self._capacity, self._wait_seconds, self._message = capacity, wait_seconds, message
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @asynccontextmanager
    async def acquire_slot(self) -> AsyncIterator[float]:
        """Hold a place; yield the seconds left of the wait.

        Raise StorageUnavailable when that is exceeded.
        """
        wait_seconds = db.WRITE_WAIT if self._wait_seconds is None else self._wait_seconds
        semaphore = self._semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._capacity))
        deadline = time.monotonic() + wait_seconds
        try:
            async with asyncio.timeout(wait_seconds):
                await semaphore.acquire()
        except TimeoutError as error:
            raise self._build_error() from error
        try:
            yield max(0.0, deadline - time.monotonic())
        finally:
            semaphore.release()

    def _build_error(self) -> StorageUnavailable:
        return StorageUnavailable(_(self._message), retry_after=60) if self._message else errors.busy_error()


_queue_for = cache(RequestQueue)


def _read_transaction(request: Request) -> Iterator[Read]:
    with request.app.state.database.read() as tx, _expose_transaction(request, tx):
        yield tx


async def _write_transaction(request: Request) -> AsyncIterator[Write]:
    database: Database = request.app.state.database
    async with (
        _queue_for(database.max_writers).acquire_slot() as wait,
        contextmanager_in_threadpool(database.write(wait=wait)) as tx,
    ):
        with _expose_transaction(request, tx):
            yield tx


@contextmanager
def _expose_transaction(request: Request, tx: Read) -> Iterator[None]:
    """Expose the open transaction to the page layout for data shown on every page."""
    request.state.tx = tx
    try:
        yield
    finally:
        request.state.tx = None


ReadTx = Annotated[Read, Depends(_read_transaction, scope="function")]
WriteTx = Annotated[Write, Depends(_write_transaction, scope="function")]


async def run_queued_write(database: Database, change: Callable[[Write], Result]) -> Result:
    """Run a change in a separate transaction, for dependencies that write before the endpoint does.

    Raise StorageUnavailable if no place is free within WRITE_WAIT.
    """

    def write(wait: float) -> Result:
        with database.write(wait=wait) as tx:
            return change(tx)

    async with _queue_for(database.max_writers).acquire_slot() as wait:
        return await run_in_threadpool(write, wait)


async def write_after_response(database: Database, change: Callable[[Write], None]) -> None:
    """Run a change after the response. A failure is only logged, since the next request tries again."""
    try:
        await run_queued_write(database, change)
    except ReadtrackError as problem:
        log.warning("change after response failed", problem=problem.message)


def queued_database() -> Callable[[Request], AsyncIterator[Database]]:
    """Return a dependency for endpoints that open transactions themselves, one request at a time.

    Each call creates a queue of its own. Raise StorageUnavailable after WRITE_WAIT.
    """
    queue = RequestQueue(1)

    async def wait_for_database(request: Request) -> AsyncIterator[Database]:
        async with queue.acquire_slot():
            yield request.app.state.database

    return wait_for_database
