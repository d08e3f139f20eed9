"""A question to one service of the stand-in, and its answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.standin import Request

JSON = "application/json"
HTML = "text/html; charset=utf-8"
TEXT = "text/plain"


@dataclass(frozen=True)
class Asked:
    """A request without the service's own prefix; `path` is as a person would write it."""

    path: str
    query: Mapping[str, str]
    method: str = "GET"
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, request: Request) -> tuple[str, "Asked"]:
        """The service that is meant, and the question to it."""
        parts = urlsplit(request.path)
        service, _, path = parts.path.removeprefix("/").partition("/")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        body = json.loads(request.body) if request.body else None
        return service, cls(f"/{unquote(path)}", query, request.method, body, request.headers)

    def number(self, name: str, otherwise: int) -> int:
        text = self.query.get(name, "")
        return int(text) if text.isdecimal() else otherwise


@dataclass(frozen=True)
class Reply:
    """What goes back."""

    body: bytes
    content_type: str = JSON
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def told(cls, value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> "Reply":
        return cls(json.dumps(value, ensure_ascii=False).encode(), JSON, status, headers or {})

    @classmethod
    def page(cls, text: str, status: int = 200) -> "Reply":
        return cls(text.encode(), HTML, status)
