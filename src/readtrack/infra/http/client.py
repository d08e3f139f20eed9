"""The outgoing HTTP client: SSRF checks, https first, rate limits, and caps on size, time and redirects.

Only this package opens connections. Code that needs the network receives an HttpClient.
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

from readtrack.infra.errors import SourceRateLimited, SourceRefused, SourceUnavailable
from readtrack.infra.http.proxy import Proxy, ProxyTunnel
from readtrack.infra.http.redirects import REDIRECTS, HttpRequest, RequestHop, build_hop, require_web_url
from readtrack.infra.http.responses import DAY_SECONDS, body_too_large, read_body, retry_after, seconds_until_reset
from readtrack.infra.http.ssrf_guard import (
    PORTS,
    BaseUrl,
    Deadline,
    NetworkOrigin,
    Resolve,
    SafeNetworkBackend,
    system_addresses,
)
from readtrack.infra.http.types import (
    OFFLINE,
    RETRYING_LATER,
    CatalogLookup,
    HttpResponse,
    RateLimiter,
    RateLimitSlot,
    UnlimitedRateLimiter,
    unreachable,
)
from readtrack.infra.http.webhooks import WebhookSender
from readtrack.infra.mail import Mail
from readtrack.infra.text.urls import inner_reason

__all__ = ["DAY_SECONDS", "HttpClient", "RateLimitSlot", "RateLimiter", "UnlimitedRateLimiter", "retry_after"]

TRY_LATER = frozenset({408, 425, 429})  # And every 5xx.
DEFAULT_INTERVAL_SECONDS = 2.0  # Seconds between two requests to a host without its own interval.
NO_CONNECTION = (httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.ProxyError)
BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError, zlib.error, EOFError)


def never_blocked(_host: str) -> bool:
    return False


def never_exempt(_url: httpx2.URL) -> bool:
    return False


def create_tls_context() -> SSLContext:
    """Return a TLS context that always verifies certificates and ignores the environment."""
    return httpx2.create_ssl_context(trust_env=False)


class EmptyCatalog:
    """A catalog without entries."""

    def look_up(self, _refs: Sequence[object]) -> Mapping[Any, Any]:
        return {}

    def find_title(self, _title: str) -> Sequence[Any]:
        return ()


class HttpClient:
    """The Http implementation for sources.

    Only URLs below `bases`, which the operator set, may resolve to internal addresses. Hosts that `closed` matches are
    never contacted, not even below a base. With a `proxy`, all requests except those to internal bases go through it:
    to an address checked here, or, with `proxy_resolves`, to the host name, which the proxy resolves.
    """

    def __init__(
        self,
        *,
        agent: str,
        gate: RateLimiter,
        intervals: Mapping[str, float],  # Seconds between two requests, by host.
        bases: Mapping[str, str],
        offline: bool = False,
        closed: Callable[[str], bool] = never_blocked,
        proxy: str = "",
        proxy_resolves: bool = False,
        known: CatalogLookup | None = None,  # Consulted before a service is contacted.
        mail: Mail | None = None,  # Sends mail.
        webhooks: WebhookSender | None = None,  # Sends webhooks.
        connect: float = 5.0,
        total: float = 30.0,
        max_bytes: int = 5_000_000,
        max_redirects: int = 5,
        resolve: Resolve = system_addresses,
        certificates: Callable[[], SSLContext] = create_tls_context,
    ) -> None:
        self._agent, self._gate, self._intervals = agent, gate, intervals
        self._bases, self._offline, self._closed = bases, offline, closed
        self._proxy, self._proxy_resolves = Proxy.from_url(proxy) if proxy else None, proxy_resolves
        self.known = known or EmptyCatalog()
        self.mail, self.webhooks = mail, webhooks
        self._connect, self._total = connect, total
        self._max_bytes, self._max_redirects = max_bytes, max_redirects
        self._resolve, self._certificates = resolve, certificates
        self._inner = [BaseUrl.from_url(require_web_url(base)) for base in bases.values() if base]

    def base(self, name: str) -> str:
        if name not in self._bases:
            raise SourceRefused(f"No address is configured for {name}.")
        return self._bases[name]

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        """Send a GET request and follow redirects.

        304 and 4xx are returned as responses. Raise SourceUnavailable if the request may succeed later and
        SourceRefused if it will not.
        """
        return self._follow(HttpRequest("GET", require_web_url(url), headers or {}))

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        """Send `body` as JSON. A redirect is not followed."""
        content = json.dumps(body, ensure_ascii=False).encode()
        all_headers = {"content-type": "application/json", **(headers or {})}
        return self._follow(HttpRequest("POST", require_web_url(url), all_headers, content))

    def post_form(self, url: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None) -> HttpResponse:
        """Send form fields. A redirect is not followed."""
        all_headers = {"content-type": "application/x-www-form-urlencoded", **(headers or {})}
        return self._follow(HttpRequest("POST", require_web_url(url), all_headers, urlencode(fields).encode()))

    def deliver(self, url: str, content: bytes, headers: Mapping[str, str]) -> HttpResponse:
        """Send `content` as it is, and return the answer with whatever status. A redirect is not followed."""
        return self._follow(HttpRequest("POST", require_web_url(url), headers, content, any_status=True))

    def _follow(self, request: HttpRequest) -> HttpResponse:
        if self._offline:
            raise SourceRefused(OFFLINE, code="offline")
        is_exempt = self._is_exempt if self._is_exempt(request.url) else never_exempt
        hop, remaining_seconds = build_hop(request, is_exempt), self._total
        for _ in range(self._max_redirects + 1):
            exempt_origins = frozenset({hop.origin}) if is_exempt(hop.question.url) else frozenset[NetworkOrigin]()
            backend = SafeNetworkBackend(self._resolve, exempt_origins, Deadline(remaining_seconds), self._connect)
            response = self._send_request(hop, backend)
            if request.any_status or response.status not in REDIRECTS or "location" not in response.headers:
                return response
            response_url = httpx2.URL(response.url)
            hop = hop.follow_redirect(
                _redirect_target(response, request), response_url=response_url, is_exempt=is_exempt
            )
            remaining_seconds = backend.clock.remaining_seconds
        message = f"{request.url.host} sent more than {self._max_redirects} redirects. Check the address."
        raise SourceRefused(message)

    def _is_exempt(self, url: httpx2.URL) -> bool:
        return any(base.covers(url) for base in self._inner)

    def _send_request(self, hop: RequestHop, backend: SafeNetworkBackend) -> HttpResponse:
        """Send one request after checking the host and waiting for the rate limiter.

        Plain http is tried only if the https connection fails.
        """
        self._check_host_allowed(hop.origin, backend)
        host = hop.origin.host
        with self._rate_limit_slot(host) as slot, _translate_errors(host, slot):
            backend.clock.restart()  # The wait for the rate limiter does not count.
            try:
                return self._exchange(hop.question, hop.question.url, backend=backend, slot=slot)
            except NO_CONNECTION:
                if hop.plain is None:
                    raise
            return self._exchange(hop.question, hop.plain, backend=backend, slot=slot)

    def _check_host_allowed(self, origin: NetworkOrigin, backend: SafeNetworkBackend) -> None:
        if self._closed(origin.host):
            raise SourceRefused(f"{origin.host} is a blocked site.")
        if backend.is_exempt(origin):
            return
        if origin.port not in PORTS.values():
            message = f"{origin.host}:{origin.port} is not allowed. Only ports 80 and 443 are."
            raise SourceRefused(message)
        if reason := inner_reason(origin.host):
            raise SourceRefused(reason)

    def _rate_limit_slot(self, host: str) -> AbstractContextManager[RateLimitSlot]:
        return self._gate.acquire(host, self._intervals.get(host, DEFAULT_INTERVAL_SECONDS))

    def _exchange(
        self, request: HttpRequest, url: httpx2.URL, *, backend: SafeNetworkBackend, slot: RateLimitSlot
    ) -> HttpResponse:
        """Send the request and read the response; the body is skipped for redirects and 304."""
        with self._open(request, url, backend) as response:
            headers = httpx2.Headers(response.headers)
            if not request.any_status:
                _check_retry_status(url.host, response.status, headers, slot)
            has_no_body = response.status == 304 or (response.status in REDIRECTS and "location" in headers)
            body = b"" if has_no_body else self._body(url.host, headers, response)
            return HttpResponse(response.status, dict(headers), body, str(url))

    @contextmanager
    def _open(self, request: HttpRequest, url: httpx2.URL, backend: SafeNetworkBackend) -> Iterator[httpcore2.Response]:
        """Open a new connection for the request.

        Connections are not reused, so that deadline and checked address stay the same for the whole request.
        """
        headers = {"accept": "*/*", **request.headers, **self._identity}
        prepared = httpx2.Request(request.method, url, headers=headers, content=request.content)
        core_request = httpcore2.Request(
            request.method,
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=prepared.headers.raw,
            content=request.content,
            extensions={"timeout": {"connect": self._connect, "read": self._total, "write": self._total}},
        )
        with self._pool(url, backend) as pool:
            response = pool.handle_request(core_request)
            try:
                yield response
            finally:
                response.close()

    def _pool(self, url: httpx2.URL, backend: SafeNetworkBackend) -> httpcore2.ConnectionPool:
        tls = self._tls if url.scheme == "https" else None  # Creating the context is slow.
        origin = NetworkOrigin.from_url(url)
        if self._proxy is None or (backend.is_exempt(origin) and inner_reason(origin.host)):
            return httpcore2.ConnectionPool(ssl_context=tls, network_backend=backend)
        if not self._proxy_resolves:
            tunnel = ProxyTunnel(self._proxy, backend, self._resolve, self._connect)
            return httpcore2.ConnectionPool(ssl_context=tls, network_backend=tunnel)
        backend.vet_if_resolvable(origin.host, origin.port)
        return self._proxy.pool(self._resolve, backend.clock, connect=self._connect, tls=tls)

    @property
    def _identity(self) -> Mapping[str, str]:
        return {"user-agent": self._agent, "accept-encoding": "gzip", "connection": "close"}

    def _body(self, host: str, headers: httpx2.Headers, response: httpcore2.Response) -> bytes:
        """Read the body. Raise SourceRefused if it exceeds max_bytes after decompression."""
        content_length = headers.get("content-length", "")
        if content_length.isdecimal() and (len(content_length) > 15 or int(content_length) > self._max_bytes):
            raise body_too_large(host, self._max_bytes)
        content_encoding = headers.get("content-encoding", "")
        return read_body(host, response.iter_stream(), encoding=content_encoding, limit=self._max_bytes)

    @cached_property
    def _tls(self) -> SSLContext:
        return self._certificates()


def _redirect_target(response: HttpResponse, request: HttpRequest) -> httpx2.URL:
    response_url = httpx2.URL(response.url)
    if request.method != "GET":
        raise SourceRefused(f"{response_url.host} answered with a redirect. Check its address.")
    return require_web_url(response.headers["location"], response_url)


def _check_retry_status(host: str, status: int, headers: httpx2.Headers, slot: RateLimitSlot) -> None:
    if (reset_seconds := seconds_until_reset(status, headers)) is not None:
        slot.pause(reset_seconds, f"The rate limit of {host} is reached.")
        if status in {403, 429}:
            raise SourceRateLimited(_quota_message(host, reset_seconds), retry_after=reset_seconds)
    if status not in TRY_LATER and status < 500:
        return
    seconds = retry_after(headers.get("retry-after", ""))
    if seconds is not None:
        slot.wait(seconds)
    problem = f"{host} is temporarily unavailable (status {status})."
    slot.failed(problem)
    raise SourceUnavailable(f"{problem} {RETRYING_LATER}", retry_after=seconds)


def _quota_message(host: str, seconds: float) -> str:
    reset_at = datetime.now(UTC) + timedelta(seconds=seconds)
    return f"The rate limit of {host} is reached. Retrying after {reset_at:%Y-%m-%d %H:%M} UTC."


@contextmanager
def _translate_errors(host: str, slot: RateLimitSlot) -> Iterator[None]:
    try:
        yield
    except (httpcore2.TimeoutException, *BROKEN) as error:
        problem = _error_message(host, error)
        slot.failed(problem)
        raise SourceUnavailable(f"{problem} {RETRYING_LATER}") from error


def _error_message(host: str, error: Exception) -> str:
    if isinstance(error, httpcore2.TimeoutException):
        return f"{host} did not respond in time."
    return unreachable(host, error)
