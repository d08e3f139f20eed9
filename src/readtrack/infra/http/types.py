"""What the HTTP client takes and returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class HttpResponse:
    """An HTTP answer, whole and within the caps."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    url: str  # after redirects


class Http(Protocol):
    """The way out that a service is given (egress.Egress). Raises SourceUnavailable and SourceRefused only."""

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse: ...

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        """`body` is sent as JSON. Redirects are not followed."""
        ...

    def base(self, name: str) -> str:
        """The base address that the operator set for a service."""
        ...


class CatalogLookup(Protocol):
    """What is known without the network (catalogue.Catalogue)."""

    def look_up(self, refs: Sequence[Any]) -> Mapping[Any, Any]: ...

    def find_title(self, title: str) -> Sequence[Any]: ...


@runtime_checkable
class CatalogHttp(Protocol):
    """A way out that has a catalogue at hand."""

    @property
    def known(self) -> CatalogLookup: ...
