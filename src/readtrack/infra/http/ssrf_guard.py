"""SSRF guard: checks each resolved address, connects to the checked address, and enforces deadlines."""

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from ssl import SSLContext
from threading import Thread
from urllib.parse import unquote

import httpcore2
import httpx2

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.types import NO_ADDRESS
from readtrack.infra.text.urls import is_public

PORTS = {"http": 80, "https": 443}
DECODED_TIMES = 3

Resolve = Callable[[str, int], Sequence[str]]
SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


@dataclass(frozen=True)
class NetworkOrigin:
    """Scheme, host and port of a URL."""

    scheme: str
    host: str
    port: int

    @classmethod
    def from_url(cls, url: httpx2.URL) -> "NetworkOrigin":
        """Return the origin of a URL, with the host in its ASCII form."""
        return cls(url.scheme, url.raw_host.decode("ascii").rstrip("."), url.port or PORTS.get(url.scheme, 0))


@dataclass(frozen=True)
class BaseUrl:
    """A base URL set by the operator; it covers itself and everything below its path."""

    origin: NetworkOrigin
    path: tuple[str, ...]  # Path segments.

    @classmethod
    def from_url(cls, url: httpx2.URL) -> "BaseUrl":
        path = _decode_path(url).removeprefix("/").rstrip("/")
        return cls(NetworkOrigin.from_url(url), tuple(path.split("/")) if path else ())

    def covers(self, url: httpx2.URL) -> bool:
        """Return True if the URL is the base or below it.

        This must hold however a server interprets dots and escapes in the path.
        """
        if NetworkOrigin.from_url(url) != self.origin:
            return False
        path = _decode_path(url)
        segments = [segment.partition(";")[0].strip() for segment in path.replace("\\", "/").split("/")]
        if not self.path:
            return True
        if any(segment in {".", ".."} for segment in segments) or not path.isprintable() or unquote(path) != path:
            return False
        return tuple(path.removeprefix("/").split("/"))[: len(self.path)] == self.path


def _decode_path(url: httpx2.URL) -> str:
    """Return the path with percent-escapes decoded, also nested ones, at most DECODED_TIMES."""
    path = url.raw_path.partition(b"?")[0].decode("ascii", "replace")
    for _ in range(DECODED_TIMES):
        path = unquote(path)
    return path


def system_addresses(host: str, port: int) -> Sequence[str]:
    """Return the addresses from the system's resolver. Raise OSError if there are none."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Deadline:
    """The time left for one request, independent of the peer's behavior."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        """Reset the deadline to its full duration."""
        self._end = time.monotonic() + self._seconds

    @property
    def remaining_seconds(self) -> float:
        return max(self._end - time.monotonic(), 0.0)

    def limit_timeout(self, seconds: float | None) -> float:
        remaining = self.remaining_seconds
        if remaining <= 0:
            raise httpcore2.ReadTimeout
        return remaining if seconds is None else min(remaining, seconds)


class SafeNetworkBackend(httpcore2.NetworkBackend):
    """A network backend that connects only to public addresses.

    `exempt` are origins that may be internal.
    """

    def __init__(self, resolve: Resolve, exempt: frozenset[NetworkOrigin], clock: Deadline, connect: float) -> None:
        self._resolve, self._connect = resolve, connect
        self._exempt = {(origin.host, origin.port) for origin in exempt}
        self.clock = clock

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        failure: Exception = httpcore2.ConnectError(NO_ADDRESS)
        for address in self._resolve_public_addresses(host.rstrip("."), port):
            seconds = self.clock.limit_timeout(self._connect)
            try:
                tcp_stream = httpcore2.SyncBackend().connect_tcp(address, port, seconds, local_address, socket_options)
                return _DeadlineStream(tcp_stream, self.clock)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    def find_addresses(self, host: str, port: int) -> Sequence[str]:
        """Return the checked addresses for a proxy to connect to.

        Raise SourceRefused for an internal address, ConnectError if the host has none.
        """
        addresses = self._resolve_public_addresses(host.rstrip("."), port)
        if not addresses:
            raise httpcore2.ConnectError(NO_ADDRESS)
        return addresses

    def vet_if_resolvable(self, host: str, port: int) -> None:
        """Raise SourceRefused if the name resolves to an internal address.

        Names that only the proxy can resolve pass.
        """
        with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
            self._resolve_public_addresses(host, port)

    def is_exempt(self, origin: NetworkOrigin) -> bool:
        """Return True if the origin may have an internal address."""
        return (origin.host, origin.port) in self._exempt

    def _resolve_public_addresses(self, host: str, port: int) -> Sequence[str]:
        is_exempt = (host, port) in self._exempt
        addresses = self._resolve_addresses(host, port)
        if not is_exempt and not all(is_public(address) for address in addresses):
            message = f"{host} resolves to an internal address, which is never contacted."
            raise SourceRefused(message)
        return addresses

    def _resolve_addresses(self, host: str, port: int) -> Sequence[str]:
        """Resolve the host in a daemon thread, because getaddrinfo has no timeout and cannot be cancelled.

        An unknown host has no addresses.
        """
        results: SimpleQueue[Sequence[str]] = SimpleQueue()

        def ask() -> None:
            try:
                results.put(self._resolve(host, port))
            except (OSError, UnicodeError):
                results.put([])

        Thread(target=ask, daemon=True).start()
        try:
            return results.get(timeout=self.clock.limit_timeout(self._connect))
        except Empty:
            raise httpcore2.ConnectTimeout from None


class _DeadlineStream(httpcore2.NetworkStream):
    """A stream with a deadline over all reads and writes, which also stops peers that send a byte per second."""

    def __init__(self, stream: httpcore2.NetworkStream, clock: Deadline) -> None:
        self._stream, self._clock = stream, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._clock.limit_timeout(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._clock.limit_timeout(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _DeadlineStream(
            self._stream.start_tls(ssl_context, server_hostname, self._clock.limit_timeout(timeout)), self._clock
        )

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
