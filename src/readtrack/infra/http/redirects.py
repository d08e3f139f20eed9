"""One question and where it is asked: which address comes first, which may follow, what of ours goes along."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import httpx2

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.ssrf_guard import NetworkOrigin
from readtrack.infra.text.urls import safe_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})
Exempt = Callable[[httpx2.URL], bool]  # whether an address is below a base of the operator's
HARMLESS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since"})  # any visitor sends them


@dataclass(frozen=True)
class HttpRequest:
    """`headers` are those of whoever asks; they go to the place that was asked first, and to no other."""

    method: str
    url: httpx2.URL
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True)
class RequestHop:
    """A request to make: over https, unless the operator's own base says otherwise.

    `plain` is the same over http, tried when https cannot be connected. There is none once an answer came over https,
    and none for what carries more than any visitor's request does.
    """

    question: HttpRequest
    plain: httpx2.URL | None = None
    secure: bool = False  # an answer came over https before

    @property
    def place(self) -> NetworkOrigin:
        return NetworkOrigin.from_url(self.question.url)

    def follow_redirect(self, url: httpx2.URL, *, seen: httpx2.URL, exempt: Exempt) -> "RequestHop":
        """The next one, after a redirect that was `seen` at the address that answered."""
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
    """The address when it is one of the web; raises SourceRefused."""
    try:
        url = seen_from.join(text) if seen_from else httpx2.URL(text)
    except httpx2.InvalidURL:
        url = None
    if url is None or not safe_url(str(url)):
        message = f"{text[:200]!r} is no web address that readtrack would open. Nothing was asked; check the address."
        raise SourceRefused(message)
    return url
