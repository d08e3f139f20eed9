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
from readtrack.infra.errors import ReadtrackError

Result = TypeVar("Result")
log = structlog.get_logger()


class RequestQueue:
    """Lets `places` requests go on at the same time. The others wait on the event loop, where they hold no thread that
    readers, or the writer they wait for, may need.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[float]:
        """Holds a place; gives the seconds that are left of WRITE_WAIT. Raises StorageUnavailable when it is over."""
        semaphore = self._semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._places))
        until = time.monotonic() + db.WRITE_WAIT
        try:
            async with asyncio.timeout(db.WRITE_WAIT):
                await semaphore.acquire()
        except TimeoutError as error:
            raise errors.busy_error() from error
        try:
            yield max(0.0, until - time.monotonic())
        finally:
            semaphore.release()


_queue_for = cache(RequestQueue)


def _read_transaction(request: Request) -> Iterator[Read]:
    with request.app.state.database.read() as tx, _expose_transaction(request, tx):
        yield tx


async def _write_transaction(request: Request) -> AsyncIterator[Write]:
    database: Database = request.app.state.database
    async with (
        _queue_for(database.max_writers).place() as wait,
        contextmanager_in_threadpool(database.write(wait=wait)) as tx,
    ):
        with _expose_transaction(request, tx):
            yield tx


@contextmanager
def _expose_transaction(request: Request, tx: Read) -> Iterator[None]:
    """While it is open, the frame of a page may ask it what every page shows."""
    request.state.tx = tx
    try:
        yield
    finally:
        request.state.tx = None


ReadTx = Annotated[Read, Depends(_read_transaction, scope="function")]
WriteTx = Annotated[Write, Depends(_write_transaction, scope="function")]


async def run_queued_write(database: Database, change: Callable[[Write], Result]) -> Result:
    """Makes a change in a transaction of its own, for a dependency that must write before the endpoint's begins.

    Raises StorageUnavailable when others write for longer than WRITE_WAIT.
    """

    def write(wait: float) -> Result:
        with database.write(wait=wait) as tx:
            return change(tx)

    async with _queue_for(database.max_writers).place() as wait:
        return await run_in_threadpool(write, wait)


async def write_after_response(database: Database, change: Callable[[Write], None]) -> None:
    """Makes a change after the answer: one that may be left out, as the next request will make it again."""
    try:
        await run_queued_write(database, change)
    except ReadtrackError as problem:
        log.warning("change after an answer left out", problem=problem.message)


def queued_database() -> Callable[[Request], AsyncIterator[Database]]:
    """A dependency for endpoints that open transactions themselves: one request at a time gets the database.

    Each call makes a queue of its own. Raises StorageUnavailable after WRITE_WAIT.
    """
    queue = RequestQueue(1)

    async def wait_for_database(request: Request) -> AsyncIterator[Database]:
        async with queue.place():
            yield request.app.state.database

    return wait_for_database
