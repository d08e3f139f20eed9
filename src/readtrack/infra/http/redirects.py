"""One question and where it is asked: which address comes first, which may follow, what of ours goes along."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import httpx2

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.ssrf_guard import Place
from readtrack.infra.text.urls import safe_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})
Exempt = Callable[[httpx2.URL], bool]  # whether an address is below a base of the operator's
HARMLESS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since"})  # any visitor sends them


@dataclass(frozen=True)
class Question:
    """`headers` are those of whoever asks; they go to the place that was asked first, and to no other."""

    method: str
    url: httpx2.URL
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True)
class Hop:
    """A request to make: over https, unless the operator's own base says otherwise.

    `plain` is the same over http, tried when https cannot be connected. There is none once an answer came over https,
    and none for what carries more than any visitor's request does.
    """

    question: Question
    plain: httpx2.URL | None = None
    secure: bool = False  # an answer came over https before

    @property
    def place(self) -> Place:
        return Place.of(self.question.url)

    def led_to(self, url: httpx2.URL, *, seen: httpx2.URL, exempt: Exempt) -> "Hop":
        """The next one, after a redirect that was `seen` at the address that answered."""
        secure = self.secure or seen.scheme == "https"
        there = hop_to(replace(self.question, url=url), exempt, secure=secure)
        if there.place == self.place:
            return there
        return hop_to(replace(self.question, url=url, headers={}), exempt, secure=secure)


def hop_to(question: Question, exempt: Exempt, *, secure: bool = False) -> Hop:
    url = question.url
    if url.scheme == "https" or exempt(url):
        return Hop(question, secure=secure)
    bare = question.method == "GET" and HARMLESS.issuperset(map(str.lower, question.headers)) and not secure
    preferred = replace(question, url=url.copy_with(scheme="https"))
    return Hop(preferred, plain=url if bare else None, secure=secure)


def address(text: str, seen_from: httpx2.URL | None = None) -> httpx2.URL:
    """The address when it is one of the web; raises SourceRefused."""
    try:
        url = seen_from.join(text) if seen_from else httpx2.URL(text)
    except httpx2.InvalidURL:
        url = None
    if url is None or not safe_url(str(url)):
        message = f"{text[:200]!r} is no web address that readtrack would open. Nothing was asked; check the address."
        raise SourceRefused(message)
    return url
