"""The operator's proxy, when there is one: what goes through it, and how a connection through it is made."""

from dataclasses import dataclass
from ssl import SSLContext
from urllib.parse import unquote, urlsplit

import httpcore2

from readtrack.egress.door import Clock, Door, Place, Resolve


@dataclass(frozen=True)
class Proxy:
    """It may lie inside the network; what is asked through it may not."""

    place: Place
    auth: tuple[bytes, bytes] | None = None

    @classmethod
    def at(cls, address: str) -> "Proxy":
        parts = urlsplit(address)
        named = (unquote(parts.username or "").encode(), unquote(parts.password or "").encode())
        place = Place(parts.scheme, parts.hostname or "", parts.port or 80)
        return cls(place, named if parts.username else None)

    def pool(self, resolve: Resolve, clock: Clock, *, connect: float, tls: SSLContext | None) -> httpcore2.HTTPProxy:
        """One connection: a tunnel for https, a forwarded request for http."""
        scheme, host, port = (text.encode() for text in (self.place.scheme, self.place.host, str(self.place.port)))
        return httpcore2.HTTPProxy(
            httpcore2.URL(scheme=scheme, host=host, port=int(port), target="/"),
            proxy_auth=self.auth,
            ssl_context=tls,
            network_backend=Door(resolve, frozenset({self.place}), clock, connect),
        )
