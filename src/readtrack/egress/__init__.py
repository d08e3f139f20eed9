"""The one way out. Vets every resolved address, connects to the vetted one, caps size, time and redirects, keeps pace.

Only this package opens connections; whoever wants something from the network is given an Egress.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from ssl import SSLContext
from typing import Protocol

import httpcore2
import httpx2

from readtrack.egress.door import Clock, Door, Place, Resolve, system_addresses
from readtrack.errors import SourceRefused, SourceUnavailable
from readtrack.sources import Answer
from readtrack.sources.addresses import safe_url

DAY = 24 * 60 * 60.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
TRY_LATER = frozenset({408, 425, 429})  # and every 5xx
OFFLINE = "readtrack is set to speak to nobody (READTRACK_OFFLINE=1). Nothing was asked; unset it to fetch this."
LATER = "Nothing was changed; it is asked again later."


class Turn(Protocol):
    """The right to ask a host once."""

    def wait(self, seconds: float) -> None:
        """The host wants to be left alone for so long."""
        ...


class Gate(Protocol):
    """Lets requests to one host through one at a time, an interval apart."""

    def turn(self, host: str, interval: float, /) -> AbstractContextManager[Turn]: ...


class _FreeTurn:
    def wait(self, seconds: float) -> None:
        """Nobody else is there to be told."""


class OpenGate:
    """A gate that never waits, for a single question from the command line."""

    def turn(self, _host: str, _interval: float) -> AbstractContextManager[Turn]:
        return nullcontext(_FreeTurn())


class Egress:
    """An Http for sources. Only the `bases`, addresses that the operator set, may lie inside the network."""

    def __init__(
        self,
        *,
        agent: str,
        gate: Gate,
        intervals: Mapping[str, float],  # seconds between two requests, by host
        bases: Mapping[str, str],
        offline: bool = False,
        connect: float = 5.0,
        total: float = 30.0,
        max_bytes: int = 5_000_000,
        max_redirects: int = 5,
        resolve: Resolve = system_addresses,
    ) -> None:
        self._agent, self._gate, self._intervals = agent, gate, intervals
        self._bases, self._offline = bases, offline
        self._connect, self._total = connect, total
        self._max_bytes, self._max_redirects = max_bytes, max_redirects
        self._resolve = resolve
        self._inner = frozenset(Place.of(_address(base)) for base in bases.values())

    def base(self, name: str) -> str:
        return self._bases[name]

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer after redirects. 4xx are answers; what may be tried again raises SourceUnavailable."""
        if self._offline:
            raise SourceRefused(OFFLINE)
        start = here = _address(url)
        exempt = self._inner if Place.of(start) in self._inner else frozenset()
        left = self._total
        for _ in range(self._max_redirects + 1):
            own = headers or {} if Place.of(here) == Place.of(start) else {}  # nothing of ours goes to another host
            with self._turn(here) as turn:
                door = Door(self._resolve, exempt, Clock(left), self._connect)
                answer = self._ask(here, own, door=door, turn=turn)
            if isinstance(answer, Answer):
                return answer
            here, left = answer, door.clock.left
        message = (
            f"{start.host} led through more than {self._max_redirects} redirects. Nothing was kept; check the address."
        )
        raise SourceRefused(message)

    def _turn(self, url: httpx2.URL) -> AbstractContextManager[Turn]:
        host = Place.of(url).host
        gate = self._gate if host in self._intervals else OpenGate()
        return gate.turn(host, self._intervals.get(host, 0.0))

    def _ask(self, url: httpx2.URL, own: Mapping[str, str], *, door: "Door", turn: Turn) -> Answer | httpx2.URL:
        """One request: the whole answer, or where it sends us."""
        with _told_as_sentences(url.host), self._open(url, own, door) as response:
            _refuse_for_now(url.host, response, turn)
            if response.status_code in REDIRECTS and "location" in response.headers:
                return _address(response.headers["location"], url)
            return Answer(response.status_code, dict(response.headers), self._body(url.host, response), str(url))

    @contextmanager
    def _open(self, url: httpx2.URL, own: Mapping[str, str], door: "Door") -> Iterator[httpx2.Response]:
        """A connection of its own for each request: its time and its address are checked once and stay so."""
        sent = httpx2.Request("GET", url, headers={"accept": "*/*", **own, **self._identity})
        asked = httpcore2.Request(
            "GET",
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=sent.headers.raw,
            extensions={"timeout": {"connect": self._connect, "read": self._total, "write": self._total}},
        )
        tls = self._tls if url.scheme == "https" else None  # slow to make
        with httpcore2.ConnectionPool(ssl_context=tls, network_backend=door) as pool:
            answered = pool.handle_request(asked)
            try:
                yield httpx2.Response(answered.status, headers=answered.headers, stream=_Raw(answered))
            finally:
                answered.close()

    @property
    def _identity(self) -> Mapping[str, str]:
        return {"user-agent": self._agent, "accept-encoding": "gzip", "connection": "close"}

    def _body(self, host: str, response: httpx2.Response) -> bytes:
        """At most max_bytes, counted after decompression."""
        body = bytearray()
        announced = response.headers.get("content-length", "")
        if not announced.isdecimal() or int(announced) <= self._max_bytes:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > self._max_bytes:
                    break
            else:
                return bytes(body)
        message = (
            f"{host} sent more than {self._max_bytes / 1e6:g} MB, which readtrack does not read. Nothing was kept."
        )
        raise SourceRefused(message)

    @cached_property
    def _tls(self) -> SSLContext:
        return httpx2.create_ssl_context(trust_env=False)


def _address(text: str, seen_from: httpx2.URL | None = None) -> httpx2.URL:
    try:
        url = seen_from.join(text) if seen_from else httpx2.URL(text)
    except httpx2.InvalidURL:
        url = None
    if url is None or not safe_url(str(url)):
        message = f"{text[:200]!r} is no web address that readtrack would open. Nothing was asked; check the address."
        raise SourceRefused(message)
    return url


def _refuse_for_now(host: str, response: httpx2.Response, turn: Turn) -> None:
    status = response.status_code
    if status not in TRY_LATER and status < 500:
        return
    seconds = retry_after(response.headers.get("retry-after", ""))
    if seconds is not None:
        turn.wait(seconds)
    message = f"{host} asked us to come back later (status {status}). {LATER}"
    raise SourceUnavailable(message, retry_after=seconds)


def retry_after(header: str) -> float | None:
    """The seconds a Retry-After header asks for, between none and a day; None when it says nothing usable."""
    text = header.strip()
    if re.fullmatch(r"-?\d{1,300}", text, re.ASCII):
        return min(max(float(text), 0.0), DAY)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return min(max((aware - datetime.now(UTC)).total_seconds(), 0.0), DAY)


@contextmanager
def _told_as_sentences(host: str) -> Iterator[None]:
    try:
        yield
    except httpcore2.TimeoutException as error:
        message = f"{host} did not answer in time. {LATER}"
        raise SourceUnavailable(message) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpx2.DecodingError) as error:
        message = (
            f"{host} could not be reached, or broke off its answer ({str(error) or type(error).__name__}). {LATER}"
        )
        raise SourceUnavailable(message) from error


class _Raw(httpx2.SyncByteStream):
    """The bytes as they come, for httpx2 to decompress."""

    def __init__(self, answered: httpcore2.Response) -> None:
        self._answered = answered

    def __iter__(self) -> Iterator[bytes]:
        return self._answered.iter_stream()
