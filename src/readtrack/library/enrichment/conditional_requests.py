"""Conditional HTTP requests with the validators (ETag, Last-Modified) of earlier responses."""

from collections.abc import Mapping
from typing import Any

from readtrack.infra.http.types import Http, HttpResponse

_TELLS = {"etag": "if-none-match", "last-modified": "if-modified-since"}
_MAX_VALIDATOR_CHARS = 500  # characters of a validator


class UnchangedError(Exception):
    """The response is unchanged since the last request (304)."""


class ConditionalHttp(Http):
    """An Http that sends the known validators of an address.

    Raise UnchangedError if the response is unchanged.
    """

    def __init__(self, http: Http, validators: Mapping[str, Any]) -> None:
        self._http, self._known = http, validators
        self.validators: dict[str, Any] = {}

    def base(self, name: str) -> str:
        return self._http.base(name)

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        return self._http.post(url, body, headers)

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        response = self._http.get(url, {**(headers or {}), **self._known.get(url, {})})
        if response.status == 304:
            raise UnchangedError
        validators = {_TELLS[name]: value for name, value in response.headers.items() if name in _TELLS}
        if (
            response.status == 200
            and validators
            and all(len(value) <= _MAX_VALIDATOR_CHARS for value in validators.values())
        ):
            self.validators[url] = validators
        return response
