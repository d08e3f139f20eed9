"""A browser, or a program, that sends its requests to an application in the same process."""

import asyncio
import atexit
import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import cache
from typing import Any

import anyio.to_thread
import httpx2 as httpx
from starlette.types import ASGIApp

from tests.depth import DEEP

_answers_here = ContextVar("answers_here", default=False)
_runner = asyncio.Runner()
atexit.register(_runner.close)
_run_in_a_thread = anyio.to_thread.run_sync


class AppClient(httpx.Client):
    """It follows no redirects, so that a test sees them. What the main thread sends is answered in the main thread.

    Starlette's client hands each request to another thread, in eight steps, and that hands each function which is not
    `async` to a third: this takes longer than many an answer. In a deep run those functions have their own threads.
    """

    def __init__(
        self,
        app: ASGIApp,
        base_url: str,
        *,
        raise_server_exceptions: bool = True,
        client: tuple[str, int] = ("testclient", 50000),
        **options: Any,
    ) -> None:
        transport = _InSameThread(app, raise_app_exceptions=raise_server_exceptions, client=client)
        super().__init__(base_url=base_url, transport=transport, **options)


class _InSameThread(httpx.BaseTransport):
    def __init__(self, app: ASGIApp, **options: Any) -> None:
        self._application = httpx.ASGITransport(app, **options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        if threading.current_thread() is threading.main_thread() and not _is_loop_running():
            return _runner.run(self._answer(request, here=not DEEP), context=copy_context())
        return asyncio.run_coroutine_threadsafe(self._answer(request, here=False), _loop_of_threads()).result()

    async def _answer(self, request: httpx.Request, *, here: bool) -> httpx.Response:
        _answers_here.set(here)
        answer = await self._application.handle_async_request(request)
        body = b"".join([part async for part in answer.aiter_raw()])
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(body))


def _is_loop_running() -> bool:
    """As in this thread while Playwright controls a browser."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@cache
def _loop_of_threads() -> asyncio.AbstractEventLoop:
    """One for the requests that several threads send at once, as on a server."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    @atexit.register
    def close() -> None:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    return loop


async def _run_here(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    if _answers_here.get():
        return copy_context().run(function, *arguments)
    return await _run_in_a_thread(function, *arguments, **options)


anyio.to_thread.run_sync = _run_here  # type: ignore[assignment]  # its types are those of what it runs
