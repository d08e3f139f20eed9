"""Conditional requests: what was seen at an address is told when it is asked for again."""

from collections.abc import Mapping
from typing import Any

from readtrack.infra.http.types import Http, HttpResponse

_TELLS = {"etag": "if-none-match", "last-modified": "if-modified-since"}
_LONGEST = 500  # characters of a validator


class UnchangedError(Exception):
    """The service says that nothing has changed since it was asked last."""


class ConditionalHttp(Http):
    """An Http that sends what it knows of an address; raises UnchangedError when the answer is still the same."""

    def __init__(self, http: Http, known: Mapping[str, Any]) -> None:
        self._http, self._known = http, known
        self.seen: dict[str, Any] = {}

    def base(self, name: str) -> str:
        return self._http.base(name)

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        return self._http.post(url, body, headers)

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        answer = self._http.get(url, {**(headers or {}), **self._known.get(url, {})})
        if answer.status == 304:
            raise UnchangedError
        told = {_TELLS[name]: value for name, value in answer.headers.items() if name in _TELLS}
        if answer.status == 200 and told and all(len(value) <= _LONGEST for value in told.values()):
            self.seen[url] = told
        return answer
