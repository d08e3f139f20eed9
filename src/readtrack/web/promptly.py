"""Short questions are answered on the event loop: to hand one to a thread and back takes longer than to answer it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from readtrack.db import Write
from readtrack.markdown.work import NeedsThread, briefly

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def promptly(endpoint: Callable[..., Response]) -> Callable[..., Awaitable[Response]]:
    """For endpoints of a transaction `tx` whose statements are few and bounded.

    A database elsewhere is waited for in a thread; and so are searches and totals, which may take their time: on the
    loop, all others would wait for them. A question whose texts turn out to be long is asked once more, there. Pages
    take turns, one in each round of the loop, so that a change, which is short and holds everybody else's, waits for
    one of them and not for all.
    """

    @wraps(endpoint)
    async def answered(**given: Any) -> Response:  # noqa: ANN401 - what the endpoint asks for
        tx = given["tx"]
        if not tx.near or _long(given):
            return await run_in_threadpool(endpoint, **given)
        if isinstance(tx, Write):
            return endpoint(**given)
        async with _turn():
            await asyncio.sleep(0)  # whatever came in meanwhile is begun
            with suppress(NeedsThread), briefly():
                return endpoint(**given)
        return await run_in_threadpool(endpoint, **given)

    return answered


def _turn() -> asyncio.Lock:
    """Of this loop; an application may be asked on several, as tests do."""
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def _long(given: dict[str, Any]) -> bool:
    """Whether it is asked for in the language of searches, as saved views are, or with more than the rows."""
    wanted = given.get("wanted")
    return bool(given.get("q") or any(getattr(wanted, name, None) for name in ("q", "view", "include")))
