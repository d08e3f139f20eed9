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
        limit = _body_limit(scope, headers)
        body = _Body(receive, limit, is_incomplete=_is_sent_unasked(headers))
        started = False

        async def send_noted(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and message["status"] >= 400:
                await body.discard_rest()
            started = True
            await send(message)

        try:
            _check_content_length(headers.get("content-length"), limit)
            await self._app(scope, body.receive, send_noted)
        except TooLarge as error:
            if not started:  # else all that is left is to break the answer off
                response = await run_in_threadpool(self._render_error, scope, error)  # it may be a whole page
                await response(scope, receive, send_noted)


class _Body:
    """What a client sends, counted."""

    def __init__(self, receive: Receive, limit: int, *, is_incomplete: bool) -> None:
        self._receive = receive
        self._limit = limit
        self._is_incomplete = is_incomplete
        self._seen = 0  # bytes

    async def receive(self) -> Message:
        """Return the next part. Raise TooLarge if that is too much."""
        message = await self._receive_counted()
        if self._seen > self._limit:
            raise _too_large_error(self._limit)
        return message

    async def discard_rest(self) -> None:
        """Receive what is still coming: proxies, and most clients, read no answer before they have sent all."""
        while self._is_incomplete and self._seen <= MAX_UPLOAD_BYTES:
            await self._receive_counted()

    async def _receive_counted(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        self._is_incomplete = message.get("more_body", False)
        return message


def _body_limit(scope: Scope, headers: Headers) -> int:
    is_file = headers.get("content-type", "").lower().startswith(("multipart/form-data", "text/"))
    is_upload = scope["method"] == "POST" and scope["path"] in UPLOAD_PATHS
    return MAX_UPLOAD_BYTES if is_file and is_upload else MAX_BODY_BYTES


def _is_sent_unasked(headers: Headers) -> bool:
    """Return True if a body comes whatever is answered, and is no larger than any that is accepted."""
    length = headers.get("content-length", "0" if "transfer-encoding" not in headers else str(MAX_UPLOAD_BYTES))
    is_bounded = bool(_LENGTH.fullmatch(length)) and 0 < int(length) <= MAX_UPLOAD_BYTES
    return is_bounded and "expect" not in headers


def _check_content_length(length: str | None, limit: int) -> None:
    if length is not None and (not _LENGTH.fullmatch(length) or int(length) > limit):
        raise _too_large_error(limit)


def _too_large_error(limit: int) -> TooLarge:
    return TooLarge(f"Larger than {limit // 1_000_000} MB. Send it in parts.")
