"""Refuse bodies that are too large, whether or not they say so before."""

import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readtrack.infra.errors import ReadtrackError, TooLarge

MAX_BODY_BYTES = 6_000_000  # bytes: a note of 5 MB and what a form puts round it
MAX_UPLOAD_BYTES = 201_000_000  # bytes: a file of 200 MB and what a form puts round it
UPLOAD_PATHS = ("/imports", "/api/v1/imports")  # their bodies are written to disk, unless they are JSON
_LENGTH = re.compile(r"[0-9]{1,18}")
RenderError = Callable[[Scope, ReadtrackError], Response]


class BodyLimitMiddleware:
    """Cuts a body off at MAX_BODY bytes. `render_error` makes the answer when no handler below could."""

    def __init__(self, app: ASGIApp, *, render_error: RenderError) -> None:
        self._app = app
        self._render_error = render_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        started, seen, limit = False, 0, _body_limit(scope, headers)

        async def receive_limited() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large_error(limit)
            return message

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            _check_content_length(headers.get("content-length"), limit)
            await self._app(scope, receive_limited, send_noted)
        except TooLarge as error:
            if not started:  # else all that is left is to break the answer off
                response = await run_in_threadpool(self._render_error, scope, error)  # it may be a whole page
                await response(scope, receive, send)


def _body_limit(scope: Scope, headers: Headers) -> int:
    is_file = headers.get("content-type", "").lower().startswith(("multipart/form-data", "text/"))
    is_upload = scope["method"] == "POST" and scope["path"] in UPLOAD_PATHS
    return MAX_UPLOAD_BYTES if is_file and is_upload else MAX_BODY_BYTES


def _check_content_length(length: str | None, limit: int) -> None:
    if length is not None and (not _LENGTH.fullmatch(length) or int(length) > limit):
        raise _too_large_error(limit)


def _too_large_error(limit: int) -> TooLarge:
    return TooLarge(f"Larger than {limit // 1_000_000} MB. Send it in parts.")
