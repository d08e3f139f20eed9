"""Connections through the operator's proxy."""

import base64
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from ssl import SSLContext
from urllib.parse import unquote, urlsplit

import httpcore2

from readtrack.infra.http.ssrf_guard import Deadline, NetworkOrigin, Resolve, SafeNetworkBackend, SocketOption
from readtrack.infra.http.types import NO_ADDRESS

MAX_ADDRESSES = 4  # Maximum addresses tried for one host.
MAX_ANSWER_BYTES = 16_384  # Maximum bytes of the proxy's response headers.
_ANSWER = re.compile(rb"HTTP/1\.[01] (\d{3})(?: ([^\r\n]*))?")
UNKNOWN_HERE = "{host} has no address here; if only the proxy resolves names, set READTRACK_PROXY_RESOLVES"


@dataclass(frozen=True)
class Proxy:
    """The operator's proxy. It may have an internal address; targets reached through it may not."""

    origin: NetworkOrigin
    auth: tuple[bytes, bytes] | None = None

    @classmethod
    def from_url(cls, address: str) -> "Proxy":
        parts = urlsplit(address)
        credentials = (unquote(parts.username or "").encode(), unquote(parts.password or "").encode())
        origin = NetworkOrigin(parts.scheme, parts.hostname or "", parts.port or 80)
        return cls(origin, credentials if parts.username else None)

    def pool(self, resolve: Resolve, clock: Deadline, *, connect: float, tls: SSLContext | None) -> httpcore2.HTTPProxy:
        """Return a connection pool for one request: CONNECT tunnel for https, forwarded request for http."""
        scheme, host, port = (text.encode() for text in (self.origin.scheme, self.origin.host, str(self.origin.port)))
        return httpcore2.HTTPProxy(
            httpcore2.URL(scheme=scheme, host=host, port=int(port), target="/"),
            proxy_auth=self.auth,
            ssl_context=tls,
            network_backend=SafeNetworkBackend(resolve, frozenset({self.origin}), clock, connect),
        )


class ProxyTunnel(httpcore2.NetworkBackend):
    """A network backend that opens CONNECT tunnels to checked IP addresses.

    The proxy receives an address instead of a name, so that it cannot resolve the name to another one (DNS rebinding).
    TLS and the Host header still use the name, as in a direct connection.
    """

    def __init__(self, proxy: Proxy, backend: SafeNetworkBackend, resolve: Resolve, connect: float) -> None:
        self._proxy, self._door = proxy, backend
        self._to_proxy = SafeNetworkBackend(resolve, frozenset({proxy.origin}), backend.clock, connect)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[SocketOption] | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        failure: Exception = httpcore2.ConnectError(NO_ADDRESS)
        for address in self._find_addresses(host, port)[:MAX_ADDRESSES]:
            try:
                return self._open_tunnel(f"[{address}]:{port}" if ":" in address else f"{address}:{port}", timeout)
            except httpcore2.ProxyError as error:
                failure = error
        raise failure

    def _find_addresses(self, host: str, port: int) -> list[str]:
        try:
            return list(dict.fromkeys(self._door.find_addresses(host, port)))
        except httpcore2.ConnectError as error:
            raise httpcore2.ConnectError(UNKNOWN_HERE.format(host=host)) from error

    def _open_tunnel(self, target: str, timeout: float | None) -> httpcore2.NetworkStream:
        with ExitStack() as on_failure:
            stream = self._to_proxy.connect_tcp(self._proxy.origin.host, self._proxy.origin.port)
            on_failure.callback(stream.close)
            stream.write(self._ask_for(target), timeout)
            _check_answer(_read_head(stream, timeout))
            on_failure.pop_all()
            return stream

    def _ask_for(self, target: str) -> bytes:
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self._proxy.auth:
            word = base64.b64encode(b":".join(self._proxy.auth)).decode()
            lines.append(f"Proxy-Authorization: Basic {word}")
        return "\r\n".join([*lines, "", ""]).encode()


def _read_head(stream: httpcore2.NetworkStream, timeout: float | None) -> bytes:
    """Read byte by byte up to the end of the headers, because the bytes after them belong to the tunnel."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        byte = stream.read(1, timeout)
        if not byte or len(head) >= MAX_ANSWER_BYTES:
            message = "the proxy closed the connection"
            raise httpcore2.ProxyError(message)
        head += byte
    return bytes(head)


def _check_answer(head: bytes) -> None:
    match = _ANSWER.match(head)
    if match is None or not match[1].startswith(b"2"):
        status_line = b" ".join(filter(None, match.groups())).decode("ascii", "replace") if match else "no HTTP"
        message = f"the proxy responded with {status_line}"
        raise httpcore2.ProxyError(message)
