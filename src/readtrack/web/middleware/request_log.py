"""Log a line for each request, and the traceback of an exception that nothing has handled."""

import re
import time

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from readtrack.web.middleware.status_recorder import StatusRecorder

MAX_PATH_CHARS = 300  # characters that the log tells
_LINK = re.compile(  # anywhere in the path: what is before may be mistyped
    r"(/(?:setup|set-up|invitations/accept|join)/).*", re.DOTALL | re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z0-9_~+-]{16,}")
_PART = re.compile(r"[A-Za-z0-9]+")
MIXED_CASE = 20  # characters, from which on a word in upper and lower case counts as a secret
WITH_DIGITS = 16  # letters and digits without a hyphen
UNBROKEN = 30  # letters or digits without a hyphen
log = structlog.get_logger()


class RequestLogMiddleware:
    """Logs method, path, address, status and duration. Secrets in the path are left out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        recorder = StatusRecorder(send)
        started = time.perf_counter()
        try:
            await self._app(scope, receive, recorder.send)
        except Exception:
            log.exception("unhandled")  # the error page is sent already: responses/errors.py
        milliseconds = round((time.perf_counter() - started) * 1000, 1)
        client = scope.get("client")  # as a trusted proxy in front tells it
        told = {"method": scope["method"], "path": _redact_path(scope["path"]), "address": client[0] if client else ""}
        log.info("request", **told, status=recorder.status, ms=milliseconds)


def _redact_path(path: str) -> str:
    """The path without what lets somebody in, as one-time links are secrets, and without what a terminal obeys."""
    told = redact(path)[:MAX_PATH_CHARS]
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
