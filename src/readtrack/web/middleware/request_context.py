"""What is round every answer, errors and files included: request id, body limit, security headers, the log line."""

import re
import secrets
import time
from collections.abc import Awaitable, Callable

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readtrack.infra import i18n
from readtrack.infra.errors import ReadtrackError, TooLarge

MAX_BODY = 6_000_000  # bytes: a note of 5 MB and what a form puts round it
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
LONGEST_PATH = 300  # characters that the log tells
_LINK = re.compile(
    r"(/(?:setup|set-up|invitations/accept|join)/).*", re.DOTALL | re.IGNORECASE
)  # anywhere: what is before may be mistyped
_WORD = re.compile(r"[A-Za-z0-9_~+-]{16,}")
_PART = re.compile(r"[A-Za-z0-9]+")
MIXED_CASE = 20  # characters, from which on a word in upper and lower case counts as a secret
WITH_DIGITS = 16  # letters and digits without a hyphen
UNBROKEN = 30  # letters or digits without a hyphen
_LENGTH = re.compile(r"[0-9]{1,18}")
log = structlog.get_logger()
Failure = Callable[[Scope, ReadtrackError], Response]


class RequestContextMiddleware:
    """The outermost layer. `failure` renders what no handler below could: a body too large."""

    def __init__(self, app: ASGIApp, *, failure: Failure, secure: bool) -> None:
        self._app = app
        self._failure = failure
        self._headers = dict(HEADERS)
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(6)
        scope.setdefault("state", {})["request_id"] = request_id
        structlog.contextvars.bind_contextvars(request_id=request_id)
        i18n.begin_request(Headers(scope=scope).get("accept-language", ""))
        only_head = scope["method"] == "HEAD"
        answer = _ResponseSender(send, {**self._headers, "X-Request-Id": request_id}, only_head=only_head)
        asked = {**scope, "method": "GET"} if only_head else scope
        scope["state"]["only_head"] = only_head
        started = time.perf_counter()
        await self._run_app(asked, receive, answer)
        milliseconds = round((time.perf_counter() - started) * 1000, 1)
        told = {"method": scope["method"], "path": _redact_path(scope["path"]), "address": _address(asked)}
        log.info("request", **told, status=answer.status, ms=milliseconds)
        structlog.contextvars.clear_contextvars()

    async def _run_app(self, scope: Scope, receive: Receive, answer: "_ResponseSender") -> None:
        try:
            _check_content_length(Headers(scope=scope).get("content-length"))
            await self._app(scope, _limit_body(receive), answer)
        except TooLarge as error:
            if not answer.status:  # else the answer has begun: all that is left is to break it off
                response = await run_in_threadpool(self._failure, scope, error)  # it may be a whole page
                await response(scope, receive, answer)
        except Exception:
            log.exception("unhandled")  # the answer is sent already: web/problems.py


class _ResponseSender:
    """Sends with our headers; remembers the status. A HEAD is answered like a GET, without the body."""

    def __init__(self, send: Send, headers: dict[str, str], *, only_head: bool) -> None:
        self._send = send
        self._headers = headers
        self._only_head = only_head
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        elif self._only_head:
            message = {**message, "body": b""}
        await self._send(message)


def _redact_path(path: str) -> str:
    """The path without what lets somebody in, as one-time links are secrets, and without what a terminal obeys."""
    told = redact(path)[:LONGEST_PATH]
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in told)


def redact(path: str) -> str:
    """Return the path with "…" in place of what may be a secret, by its place or its shape.

    Codes are 43 random characters. A mistyped link (`/jion/…`, `/sign-in?token=…` with an escaped question mark) still
    holds the whole code.
    """
    return _WORD.sub(lambda word: "…" if _looks_random(word[0]) else word[0], _LINK.sub(r"\1…", path))


def _looks_random(word: str) -> bool:
    """False for slugs: short words with hyphens, in one case."""
    if len(word) >= MIXED_CASE and word != word.lower() and word != word.upper():
        return True
    return any(
        len(part) >= UNBROKEN or (len(part) >= WITH_DIGITS and not part.isalpha() and not part.isdigit())
        for part in _PART.findall(word)
    )


def _address(scope: Scope) -> str:
    """From where it came, as far as a proxy in front is believed about it: see web/fronting.py."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _check_content_length(length: str | None) -> None:
    if length is not None and (not _LENGTH.fullmatch(length) or int(length) > MAX_BODY):
        raise _too_large_error()


def _limit_body(receive: Receive) -> Callable[[], Awaitable[Message]]:
    """The same body, cut off when more comes than may: a client need not say how long it is."""
    seen = 0

    async def receive_limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MAX_BODY:
            raise _too_large_error()
        return message

    return receive_limited


def _too_large_error() -> TooLarge:
    return TooLarge(f"That is more than {MAX_BODY // 1_000_000} MB. Nothing was kept; send it in parts.")
