"""Take the client's address and scheme from X-Forwarded-* headers, but only from trusted proxies.

uvicorn's own middleware does not fit: it does not tell the application whether a proxy was believed (the header that
names a person counts only then), takes any text for an address, and knows no IPv4 address inside an IPv6 one.
"""

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
MAX_HOPS = 20


class TrustedProxyMiddleware:
    """Sets `request.state.fronted`, and for a trusted proxy the address and scheme that it tells."""

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        self._app = app
        self._networks = [ipaddress.ip_network(proxy, strict=False) for proxy in proxies]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            fronted = self._is_trusted(parse_address(scope["client"][0] if scope.get("client") else ""))
            scope.setdefault("state", {})["fronted"] = fronted
            if fronted:
                self._apply_forwarded_headers(scope)
        await self._app(scope, receive, send)

    def _apply_forwarded_headers(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        scheme = ",".join(headers.getlist("x-forwarded-proto")).rpartition(",")[2].strip().lower()
        if scheme in {"http", "https"}:
            scope["scheme"] = scheme
        real = self._find_client_address(",".join(headers.getlist("x-forwarded-for")))
        if real is not None:
            scope["client"] = (str(real), 0)

    def _find_client_address(self, told: str) -> Address | None:
        """From the right, where each proxy adds whom it sees: what stands left of a stranger is the stranger's word.

        None when something there is no address: then the proxy itself is all that is known.
        """
        last = None
        for hop in told.rsplit(",", MAX_HOPS)[: -MAX_HOPS - 1 : -1]:
            last = parse_address(hop)
            if not self._is_trusted(last):
                break
        return last

    def _is_trusted(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def parse_address(text: str) -> Address | None:
    """With or without a port; an IPv4 address inside an IPv6 one is itself. A zone means nothing to other machines."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address):
        return None if found.scope_id else found.ipv4_mapped or found
    return found
