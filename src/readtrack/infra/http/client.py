"""The one way out. Vets every host and address, prefers https, caps size, time and redirects, keeps pace.

Only this package opens connections; whoever wants something from the network is given an Egress.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property
from ssl import SSLContext
from typing import Any
from urllib.parse import urlencode

import httpcore2
import httpx2

from readtrack.infra.errors import SourceRefused, SourceResting, SourceUnavailable
from readtrack.infra.http.decompress import too_much, whole
from readtrack.infra.http.proxy import Proxy, Tunnel
from readtrack.infra.http.rate_limiter import Gate, OpenGate, Turn
from readtrack.infra.http.redirects import REDIRECTS, Hop, Question, address, hop_to
from readtrack.infra.http.retry_after import DAY, retry_after, used_up
from readtrack.infra.http.ssrf_guard import PORTS, Base, Clock, Door, Place, Resolve, system_addresses
from readtrack.infra.http.types import Answer, Known
from readtrack.infra.mail import Mail
from readtrack.infra.text.urls import inner_reason

__all__ = ["DAY", "Egress", "Gate", "OpenGate", "Turn", "retry_after"]

TRY_LATER = frozenset({408, 425, 429})  # and every 5xx
POLITE = 2.0  # seconds between two requests to a host of which nothing is said
OFFLINE = "readtrack is set to speak to nobody (READTRACK_OFFLINE=1). Nothing was asked; unset it to fetch this."
LATER = "Nothing was changed; it is asked again later."
NO_CONNECTION = (httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.ProxyError)
BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError, zlib.error, EOFError)


def nobody(_host: str) -> bool:
    return False


def no_address(_url: httpx2.URL) -> bool:
    return False


def verifying() -> SSLContext:
    """Certificates are always verified; nothing in the environment changes that."""
    return httpx2.create_ssl_context(trust_env=False)


class NothingKnown:
    """An empty catalogue."""

    def look_up(self, _refs: Sequence[object]) -> Mapping[Any, Any]:
        return {}

    def find_title(self, _title: str) -> Sequence[Any]:
        return ()


class Egress:
    """An Http for sources. Only what is below the `bases`, addresses that the operator set, may lie inside the network.

    What is `closed` is never asked, base or not. With a `proxy`, all but bases inside the network go through it: to an
    address that was vetted here, or with `proxy_resolves` to whatever the proxy takes the name for.
    """

    def __init__(
        self,
        *,
        agent: str,
        gate: Gate,
        intervals: Mapping[str, float],  # seconds between two requests, by host
        bases: Mapping[str, str],
        offline: bool = False,
        closed: Callable[[str], bool] = nobody,
        proxy: str = "",
        proxy_resolves: bool = False,
        known: Known | None = None,  # what need not be asked
        mail: Mail | None = None,  # how letters are sent
        connect: float = 5.0,
        total: float = 30.0,
        max_bytes: int = 5_000_000,
        max_redirects: int = 5,
        resolve: Resolve = system_addresses,
        certificates: Callable[[], SSLContext] = verifying,
    ) -> None:
        self._agent, self._gate, self._intervals = agent, gate, intervals
        self._bases, self._offline, self._closed = bases, offline, closed
        self._proxy, self._proxy_resolves = Proxy.at(proxy) if proxy else None, proxy_resolves
        self.known = known or NothingKnown()
        self.mail = mail
        self._connect, self._total = connect, total
        self._max_bytes, self._max_redirects = max_bytes, max_redirects
        self._resolve, self._certificates = resolve, certificates
        self._inner = [Base.of(address(base)) for base in bases.values() if base]

    def base(self, name: str) -> str:
        if name not in self._bases:
            raise SourceRefused(f"No address is set at which {name} could be asked. Nothing was asked.")
        return self._bases[name]

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer after redirects. 304 and 4xx are answers; what may be tried again raises SourceUnavailable."""
        return self._follow(Question("GET", address(url), headers or {}))

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer to `body`, sent as JSON to that address and to no other."""
        content = json.dumps(body, ensure_ascii=False).encode()
        sent = {"content-type": "application/json", **(headers or {})}
        return self._follow(Question("POST", address(url), sent, content))

    def post_form(self, url: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None) -> Answer:
        """The answer to the fields of a form, sent to that address and to no other."""
        sent = {"content-type": "application/x-www-form-urlencoded", **(headers or {})}
        return self._follow(Question("POST", address(url), sent, urlencode(fields).encode()))

    def _follow(self, question: Question) -> Answer:
        if self._offline:
            raise SourceRefused(OFFLINE, code="offline")
        exempt = self._is_exempt if self._is_exempt(question.url) else no_address
        hop, left = hop_to(question, exempt), self._total
        for _ in range(self._max_redirects + 1):
            own = frozenset({hop.place}) if exempt(hop.question.url) else frozenset[Place]()
            door = Door(self._resolve, own, Clock(left), self._connect)
            answer = self._ask(hop, door)
            if answer.status not in REDIRECTS or "location" not in answer.headers:
                return answer
            seen = httpx2.URL(answer.url)
            hop = hop.led_to(_onward(answer, question), seen=seen, exempt=exempt)
            left = door.clock.left
        message = (
            f"{question.url.host} led through more than {self._max_redirects} redirects. "
            "Nothing was kept; check the address."
        )
        raise SourceRefused(message)

    def _is_exempt(self, url: httpx2.URL) -> bool:
        return any(base.covers(url) for base in self._inner)

    def _ask(self, hop: Hop, door: Door) -> Answer:
        """One request, when it may be made and its turn has come: over http only when https cannot be connected."""
        self._refuse_closed(hop.place, door)
        host = hop.place.host
        with self._turn(host) as turn, _told_as_sentences(host, turn):
            door.clock.restart()  # the wait for the turn does not count
            try:
                return self._exchange(hop.question, hop.question.url, door=door, turn=turn)
            except NO_CONNECTION:
                if hop.plain is None:
                    raise
            return self._exchange(hop.question, hop.plain, door=door, turn=turn)

    def _refuse_closed(self, place: Place, door: Door) -> None:
        if self._closed(place.host):
            message = f"{place.host} is closed here: it was set never to be asked. Nothing was asked of it."
            raise SourceRefused(message)
        if door.is_exempt(place):
            return
        if place.port not in PORTS.values():
            message = f"{place.host}:{place.port} is not a port of the web (80, 443). Nothing was asked of it."
            raise SourceRefused(message)
        if reason := inner_reason(place.host):
            raise SourceRefused(reason)

    def _turn(self, host: str) -> AbstractContextManager[Turn]:
        return self._gate.turn(host, self._intervals.get(host, POLITE))

    def _exchange(self, question: Question, url: httpx2.URL, *, door: Door, turn: Turn) -> Answer:
        """The whole answer of that address itself; of a redirect, and of what did not change, only its head."""
        with self._open(question, url, door) as answered:
            headers = httpx2.Headers(answered.headers)
            _refuse_for_now(url.host, answered.status, headers, turn)
            bodiless = answered.status == 304 or (answered.status in REDIRECTS and "location" in headers)
            body = b"" if bodiless else self._body(url.host, headers, answered)
            return Answer(answered.status, dict(headers), body, str(url))

    @contextmanager
    def _open(self, question: Question, url: httpx2.URL, door: Door) -> Iterator[httpcore2.Response]:
        """A connection of its own for each request: its time and its address are checked once and stay so."""
        headers = {"accept": "*/*", **question.headers, **self._identity}
        sent = httpx2.Request(question.method, url, headers=headers, content=question.content)
        asked = httpcore2.Request(
            question.method,
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=sent.headers.raw,
            content=question.content,
            extensions={"timeout": {"connect": self._connect, "read": self._total, "write": self._total}},
        )
        with self._pool(url, door) as pool:
            answered = pool.handle_request(asked)
            try:
                yield answered
            finally:
                answered.close()

    def _pool(self, url: httpx2.URL, door: Door) -> httpcore2.ConnectionPool:
        tls = self._tls if url.scheme == "https" else None  # slow to make
        place = Place.of(url)
        if self._proxy is None or (door.is_exempt(place) and inner_reason(place.host)):
            return httpcore2.ConnectionPool(ssl_context=tls, network_backend=door)
        if not self._proxy_resolves:
            tunnel = Tunnel(self._proxy, door, self._resolve, self._connect)
            return httpcore2.ConnectionPool(ssl_context=tls, network_backend=tunnel)
        door.vet_if_resolvable(place.host, place.port)
        return self._proxy.pool(self._resolve, door.clock, connect=self._connect, tls=tls)

    @property
    def _identity(self) -> Mapping[str, str]:
        return {"user-agent": self._agent, "accept-encoding": "gzip", "connection": "close"}

    def _body(self, host: str, headers: httpx2.Headers, answered: httpcore2.Response) -> bytes:
        """At most max_bytes, counted after decompression."""
        announced = headers.get("content-length", "")
        if announced.isdecimal() and (len(announced) > 15 or int(announced) > self._max_bytes):
            raise too_much(host, self._max_bytes)
        packing = headers.get("content-encoding", "")
        return whole(host, answered.iter_stream(), encoding=packing, limit=self._max_bytes)

    @cached_property
    def _tls(self) -> SSLContext:
        return self._certificates()


def _onward(answer: Answer, question: Question) -> httpx2.URL:
    seen = httpx2.URL(answer.url)
    if question.method != "GET":
        message = f"{seen.host} sends us elsewhere instead of answering. Nothing was kept; check its address."
        raise SourceRefused(message)
    return address(answer.headers["location"], seen)


def _refuse_for_now(host: str, status: int, headers: httpx2.Headers, turn: Turn) -> None:
    if (left := used_up(status, headers)) is not None:
        turn.rest(left, f"{host} has answered as many questions as it does in that time.")
        if status in {403, 429}:
            raise SourceResting(_all_used_up(host, left), retry_after=left)
    if status not in TRY_LATER and status < 500:
        return
    seconds = retry_after(headers.get("retry-after", ""))
    if seconds is not None:
        turn.wait(seconds)
    turn.failed(f"{host} asked us to come back later (status {status}).")
    message = f"{host} asked us to come back later (status {status}). {LATER}"
    raise SourceUnavailable(message, retry_after=seconds)


def _all_used_up(host: str, seconds: float) -> str:
    again = datetime.now(UTC) + timedelta(seconds=seconds)
    return (
        f"{host} has answered as many questions as it does at a time, and answers again at {again:%Y-%m-%d %H:%M} UTC. "
        f"{LATER}"
    )


@contextmanager
def _told_as_sentences(host: str, turn: Turn) -> Iterator[None]:
    try:
        yield
    except (httpcore2.TimeoutException, *BROKEN) as error:
        problem = _sentence(host, error)
        turn.failed(problem)
        raise SourceUnavailable(f"{problem} {LATER}") from error


def _sentence(host: str, error: Exception) -> str:
    if isinstance(error, httpcore2.TimeoutException):
        return f"{host} did not answer in time."
    return f"{host} could not be reached, or broke off its answer ({str(error) or type(error).__name__})."
