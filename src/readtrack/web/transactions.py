"""One request, one transaction: ReadTx for GET, WriteTx for what changes; committed before the answer leaves.

`scope="function"` makes a failing commit an error instead of a lie: docs/decisions/0003-commit-before-the-answer.md.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool

from readtrack.db import Database, Read, TurnTaken, Write


async def _reading(request: Request) -> AsyncIterator[Read]:
    # async, so that no thread is spent on it: a session does nothing before its first statement
    with request.app.state.database.read() as tx, _known(request, tx):
        yield tx


def _writing(request: Request) -> Iterator[Write]:
    with request.app.state.database.write() as tx, _known(request, tx):
        yield tx


async def _writing_little(request: Request) -> AsyncIterator[Write]:
    """At once when nobody else writes, as is the rule; else a thread waits for the turn."""
    database: Database = request.app.state.database
    async with AsyncExitStack() as held:
        try:
            tx = held.enter_context(database.write_now())
        except TurnTaken:
            tx = await held.enter_async_context(contextmanager_in_threadpool(database.write()))
        with _known(request, tx):
            yield tx


@contextmanager
def _known(request: Request, tx: Read) -> Iterator[None]:
    """While it is open, the frame of a page may ask it what every page shows."""
    request.state.tx = tx
    try:
        yield
    finally:
        request.state.tx = None


ReadTx = Annotated[Read, Depends(_reading, scope="function")]
# One at a time: writers queue on the event loop, where they hold no thread that the first of them would need to end.
WriteTx = Annotated[Write, Depends(_writing, scope="function", max_concurrency=1)]
# For a change of a few rows: begun and committed on the event loop, which waits for the disk meanwhile.
LittleWriteTx = Annotated[Write, Depends(_writing_little, scope="function", max_concurrency=1)]
