"""Types of the HTTP client."""

import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from readtrack.infra.i18n import N_

OFFLINE = N_("readtrack is offline (READTRACK_OFFLINE=1).")
RETRYING_LATER = "Retrying later."
NO_ADDRESS = "its address was not found"
_ERROR_NUMBER = re.compile(r"^\[Errno -?\d+\] ")


def unreachable(host: str, error: Exception) -> str:
    """Return a sentence for a failed connection, without the number of the system's error."""
    reason = NO_ADDRESS if isinstance(error, socket.gaierror) else _ERROR_NUMBER.sub("", str(error))
    return f"{host} can't be reached or closed the connection ({reason or type(error).__name__})."


@dataclass(frozen=True)
class HttpResponse:
    """A complete HTTP response within the size limits."""

    status: int
    headers: Mapping[str, str]  # Names in lower case.
    body: bytes
    url: str  # URL after redirects.


class Http(Protocol):
    """The HTTP client interface for services (`HttpClient`).

    Raises only SourceUnavailable and SourceRefused.
    """

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse: ...

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        """Send `body` as JSON. Redirects are not followed."""
        ...

    def base(self, name: str) -> str:
        """Return the base URL that the operator set for a service."""
        ...


class CatalogLookup(Protocol):
    """Metadata available without the network (the local catalog)."""

    def look_up(self, refs: Sequence[Any]) -> Mapping[Any, Any]: ...

    def find_title(self, title: str) -> Sequence[Any]: ...


@runtime_checkable
class CatalogHttp(Protocol):
    """An HTTP client with a local catalog."""

    @property
    def known(self) -> CatalogLookup: ...


class RateLimitSlot(Protocol):
    """Permission to send one request to a host."""

    def wait(self, seconds: float) -> None:
        """Record that the host asked to wait this many seconds, which counts as a failure."""
        ...

    def pause(self, seconds: float, reason: str) -> None:
        """Record that the host asked for a pause although it answered correctly.

        `reason` is a sentence.
        """
        ...

    def failed(self, problem: str) -> None:
        """Record that the request failed. `problem` is a sentence."""
        ...


class RateLimiter(Protocol):
    """A limiter that allows one request per host at a time, an interval apart."""

    def acquire(self, host: str, interval: float, /) -> AbstractContextManager[RateLimitSlot]: ...


class _UnlimitedSlot:
    def wait(self, seconds: float) -> None:
        """Do nothing, because no state is shared."""

    def pause(self, seconds: float, reason: str) -> None:
        """Do nothing, because no state is shared."""

    def failed(self, problem: str) -> None:
        """Do nothing, because no state is shared."""


class UnlimitedRateLimiter:
    """A limiter that never waits, for single requests from the command line."""

    def acquire(self, _host: str, _interval: float) -> AbstractContextManager[RateLimitSlot]:
        return nullcontext(_UnlimitedSlot())
