"""Types of the HTTP client."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


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
