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

    Its `headers` are sent only to the origin of the first URL, not to redirect targets.
    """

    method: str
    url: httpx2.URL
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


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
    def place(self) -> NetworkOrigin:
        return NetworkOrigin.from_url(self.question.url)

    def follow_redirect(self, url: httpx2.URL, *, seen: httpx2.URL, exempt: Exempt) -> "RequestHop":
        """Return the next hop for a redirect to `url`, answered at `seen`.

        Headers are dropped if the origin changes.
        """
        secure = self.secure or seen.scheme == "https"
        there = build_hop(replace(self.question, url=url), exempt, secure=secure)
        if there.place == self.place:
            return there
        return build_hop(replace(self.question, url=url, headers={}), exempt, secure=secure)


def build_hop(question: HttpRequest, exempt: Exempt, *, secure: bool = False) -> RequestHop:
    url = question.url
    if url.scheme == "https" or exempt(url):
        return RequestHop(question, secure=secure)
    bare = question.method == "GET" and HARMLESS.issuperset(map(str.lower, question.headers)) and not secure
    preferred = replace(question, url=url.copy_with(scheme="https"))
    return RequestHop(preferred, plain=url if bare else None, secure=secure)


def require_web_url(text: str, seen_from: httpx2.URL | None = None) -> httpx2.URL:
    """Return the parsed URL. Raise SourceRefused if it is not a web address."""
    try:
        url = seen_from.join(text) if seen_from else httpx2.URL(text)
    except httpx2.InvalidURL:
        url = None
    if url is None or not safe_url(str(url)):
        message = f"{text[:200]!r} is no web address that readtrack would open. Nothing was asked; check the address."
        raise SourceRefused(message)
    return url
