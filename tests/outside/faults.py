"""How a service of the stand-in misbehaves, while its fault is set."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.outside.asking import HTML, JSON, TEXT, Reply
from tests.standin import StandIn

_CAPTCHA = (
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta name="robots" content="noindex">'
    '</head><body><div id="challenge-error-text">Enable JavaScript and cookies to continue</div></body></html>'
)
_DOWN = "<!doctype html><html><head><title>We will be back</title></head><body><h1>Maintenance</h1></body></html>"

INSTEAD: Mapping[str, Reply] = {
    "429": Reply(b'{"message": "Too Many Requests"}', JSON, 429),  # "429 after 7" has a Retry-After
    "500": Reply(b"Internal Server Error", TEXT, 500),
    "503": Reply(b"<h1>Service Unavailable</h1>", HTML, 503),
    "captcha": Reply(_CAPTCHA.encode(), HTML, 403),
    "html": Reply(_DOWN.encode(), HTML),
    "error object": Reply(b'{"error": "Internal error", "message": "Try again"}'),
    "limit reached": Reply(
        b'{"message": "API rate limit exceeded for 192.0.2.1."}',
        JSON,
        403,
        {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "retry-after": "90"},
    ),
}


def _changed(reply: Reply) -> Reply:
    """Every field is still there, and of another type."""
    if not reply.content_type.startswith(JSON):
        return replace(reply, body=reply.body.replace(b"<entry>", b"<item>").replace(b"citation_", b"reference_"))
    return replace(reply, body=json.dumps(_other(json.loads(reply.body))).encode())


def _other(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _other(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return {str(number): _other(inner) for number, inner in enumerate(value)}
    return [value] if isinstance(value, str) else str(value)


SPOILT: Mapping[str, Callable[[Reply], Reply]] = {
    "empty": lambda reply: replace(reply, body=b""),
    "cut": lambda reply: replace(reply, body=reply.body[: len(reply.body) * 2 // 3]),
    "changed": _changed,
}
SILENT = frozenset({"down", "hang"})
NOT_FOUND = "not found"  # nothing is known there
FAULTS = frozenset({*INSTEAD, *SPOILT, *SILENT, NOT_FOUND})


def spoilt(fault: str, reply: Reply) -> Reply:
    """What is said under that fault; the reply itself when there is none."""
    name, _, seconds = fault.partition(" after ")
    if name in INSTEAD:
        other = INSTEAD[name]
        return replace(other, headers={**other.headers, **({"retry-after": seconds} if seconds else {})})
    return SPOILT[name](reply) if name in SPOILT else reply


def fall_silent(fault: str, stand_in: StandIn, to: BaseHTTPRequestHandler) -> None:
    """No answer: at once, or for as long as the stand-in is there."""
    if fault == "hang":
        stand_in.stopping.wait(60)
    to.connection.close()
