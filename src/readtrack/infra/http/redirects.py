"""Requests and redirects: https before http, allowed targets, and which headers are forwarded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import httpx2

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.ssrf_guard import NetworkOrigin
from readtrack.infra.text.urls import safe_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})
Exempt = Callable[[httpx2.URL], bool]  # Returns True for a URL below one of the operator's bases.
# Headers that reveal nothing about the sender.
HARMLESS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since"})


@dataclass(frozen=True)
class HttpRequest:
    """A request.

    Its `headers` are sent only to the origin of the first URL, not to redirect targets. `any_status`: every answer
    is returned, those that ask to try later and redirects too.
    """

    method: str
    url: httpx2.URL
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    any_status: bool = False


@dataclass(frozen=True)
class RequestHop:
    """A request about to be sent, over https unless it is below an operator's base with http.

    `plain` is the http URL to try if the https connection fails. It is None once a previous response came over https,
    and for requests that carry a body or more than HARMLESS headers.
    """

    question: HttpRequest
    plain: httpx2.URL | None = None
    secure: bool = False  # A previous response came over https.

    @property
    def origin(self) -> NetworkOrigin:
        return NetworkOrigin.from_url(self.question.url)

    def follow_redirect(self, url: httpx2.URL, *, response_url: httpx2.URL, is_exempt: Exempt) -> "RequestHop":
        """Return the next hop for a redirect to `url`, answered at `response_url`.

        Headers are dropped if the origin changes.
        """
        is_secure = self.secure or response_url.scheme == "https"
        next_hop = build_hop(replace(self.question, url=url), is_exempt, secure=is_secure)
        if next_hop.origin == self.origin:
            return next_hop
        return build_hop(replace(self.question, url=url, headers={}), is_exempt, secure=is_secure)


def build_hop(request: HttpRequest, is_exempt: Exempt, *, secure: bool = False) -> RequestHop:
    url = request.url
    if url.scheme == "https" or is_exempt(url):
        return RequestHop(request, secure=secure)
    allows_plain = request.method == "GET" and HARMLESS.issuperset(map(str.lower, request.headers)) and not secure
    https_request = replace(request, url=url.copy_with(scheme="https"))
    return RequestHop(https_request, plain=url if allows_plain else None, secure=secure)


def require_web_url(text: str, base_url: httpx2.URL | None = None) -> httpx2.URL:
    """Return the parsed URL. Raise SourceRefused if it is not a web address."""
    try:
        url = base_url.join(text) if base_url else httpx2.URL(text)
    except httpx2.InvalidURL:
        url = None
    if url is None or not safe_url(str(url)):
        message = f"{text[:200]!r} is not an allowed web address. Check it."
        raise SourceRefused(message)
    return url
