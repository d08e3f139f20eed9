"""Limit how fast one client asks the API, by token and by address, over all web processes of one server.

A limit is a leaky bucket: all requests of ten minutes at once, or evenly; used-up ones come back one by one. Nothing of
it is in the database, where a count would be a write for each request that reads.
"""

import hashlib
import ipaddress
import math
import mmap
import secrets
import time
from dataclasses import dataclass
from functools import lru_cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readtrack.infra.errors import TooManyRequests
from readtrack.infra.i18n import gettext as _
from readtrack.web.responses import errors

API_PATHS = ("/api/", "/mcp")
WINDOW_SECONDS = 600.0
TOLERANCE_SECONDS = 0.001  # Of sums of many fractions.
ADDRESS_FACTOR = 4  # Several people may share an address.
SLOTS = 1 << 16
IPV6_CLIENT_BITS = 64  # One client has at least that network.


@dataclass(frozen=True)
class Quota:
    """At most `limit` requests in WINDOW_SECONDS. `name` is that of the policy in headers."""

    name: str
    limit: int

    @property
    def policy(self) -> str:
        """Return the item of the RateLimit-Policy header (draft-ietf-httpapi-ratelimit-headers-10)."""
        return f'"{self.name}";q={self.limit};w={WINDOW_SECONDS:.0f}'

    @property
    def request_seconds(self) -> float:
        """Return the seconds in which one request comes back."""
        return WINDOW_SECONDS / self.limit


@dataclass(slots=True)
class Bucket:
    """The bucket of one client. `level`: seconds until it is empty again."""

    quota: Quota
    slot: int
    level: float

    @property
    def wait_seconds(self) -> float:
        """Return the seconds until there is room for one more request, 0.0 if there is."""
        return max(self.level + self.quota.request_seconds - WINDOW_SECONDS - TOLERANCE_SECONDS, 0.0)

    @property
    def item(self) -> str:
        """Return the item of the RateLimit header: what remains, and the seconds until all of it is back."""
        remaining = math.floor((WINDOW_SECONDS - self.level + TOLERANCE_SECONDS) / self.quota.request_seconds)
        return f'"{self.quota.name}";r={remaining};t={math.ceil(self.level)}'


class RateLimiter:
    """The buckets of all clients, in memory that forked processes share.

    A client's slot is found by a keyed hash, so that nobody can choose whom to share one with; who shares one by chance
    shares the limit. A slot holds the monotonic time, the same for all processes, at which its bucket is empty. Two
    processes that write a slot at the same moment count one request too few, which is cheaper than a lock.
    """

    def __init__(self, limit: int) -> None:
        self._token, self._address = Quota("token", limit), Quota("address", limit * ADDRESS_FACTOR)
        self._key = secrets.token_bytes(16)
        self._slots = memoryview(mmap.mmap(-1, SLOTS * 8)).cast("d")

    def count_request(self, *, token: str, address: str) -> tuple[list[Bucket], float]:
        """Count a request if all buckets of the client have room for it.

        Return them, and the seconds after which to try again, 0.0 if it was counted.
        """
        clients = [(self._token, token)] if token else []
        buckets = [self._find_bucket(quota, client) for quota, client in [*clients, (self._address, _network(address))]]
        wait_seconds = max(bucket.wait_seconds for bucket in buckets)
        if not wait_seconds:
            for bucket in buckets:
                bucket.level += bucket.quota.request_seconds
                self._slots[bucket.slot] = time.monotonic() + bucket.level
        return buckets, wait_seconds

    def _find_bucket(self, quota: Quota, client: str) -> Bucket:
        digest = hashlib.blake2b(f"{quota.name} {client}".encode(errors="replace"), key=self._key, digest_size=8)
        slot = int.from_bytes(digest.digest()) % SLOTS
        return Bucket(quota, slot, max(self._slots[slot] - time.monotonic(), 0.0))


class ApiRateLimitMiddleware:
    """Tells each answer of the API what remains, and refuses what is above (429) before anything is looked up."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self._app = app
        self._limiter = RateLimiter(limit) if limit else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._limiter is None or scope["type"] != "http" or not scope["path"].startswith(API_PATHS):
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        buckets, wait_seconds = self._limiter.count_request(
            token=_read_token(scope), address=client[0] if client else ""
        )

        async def send_with_limits(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["RateLimit-Policy"] = ", ".join(bucket.quota.policy for bucket in buckets)
                headers["RateLimit"] = ", ".join(bucket.item for bucket in buckets)
            await send(message)

        if not wait_seconds:
            await self._app(scope, receive, send_with_limits)
            return
        error = TooManyRequests(_("Too many requests. Try again later."), retry_after=math.ceil(wait_seconds))
        await errors.error_response(Request(scope), error)(scope, receive, send_with_limits)


def _read_token(scope: Scope) -> str:
    scheme, _space, secret = Headers(scope=scope).get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


@lru_cache(maxsize=4_096)
def _network(address: str) -> str:
    """Return whom an address stands for: itself, or the network of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((int(parsed), IPV6_CLIENT_BITS), strict=False))
