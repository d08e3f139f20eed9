"""Sites and services: what they recognise and tell. Pure but for `fetch`; one file per site, found by discovery."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Protocol

LONGEST_KEY = 1_000  # bytes: more than twice as many do not fit into an index of PostgreSQL


@dataclass(frozen=True, order=True)
class Ref:
    """A name for ever: scheme + key, `arxiv:2305.15778`. Stored, it is an Identifier."""

    scheme: str
    key: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.key}"

    @classmethod
    def parse(cls, text: str) -> "Ref":
        """The inverse of str(); raises ValueError when there is no scheme."""
        scheme, colon, key = text.partition(":")
        if not (scheme and colon and key):
            raise ValueError(f"{text!r} is no identifier of the form scheme:key.")
        return cls(scheme, key)


@dataclass(frozen=True)
class WebLink:
    """An address and its role: landing, pdf, html, video, slides, code, commentary."""

    url: str
    role: str


@dataclass(frozen=True)
class DatedVersion:
    """One dated form of a paper, as a source tells it: "v2", or "published"."""

    label: str
    dated: datetime | None = None


@dataclass(frozen=True)
class Metadata:
    """What one source said of one identifier. Blank means: it did not say."""

    ref: Ref
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    abstract: str = ""
    language: str = ""
    links: tuple[WebLink, ...] = ()
    identifiers: tuple[Ref, ...] = ()
    versions: tuple[DatedVersion, ...] = ()
    remark: str = ""  # e.g. "withdrawn"
    raw: str = ""  # the answer as it came, for parsing again later


@dataclass(frozen=True)
class Fetched:
    """The answer to a batch: every key asked for stands in exactly one of the three."""

    found: Mapping[str, Metadata] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()  # the source answered well and does not know it
    refused: Mapping[str, str] = field(default_factory=dict)  # key -> sentence


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, whole and within the caps."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    url: str  # after redirects


class Http(Protocol):
    """The way out that a source is given (egress.Egress). Raises SourceUnavailable and SourceRefused only."""

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer: ...

    def base(self, name: str) -> str:
        """The base address that the operator set for a service."""
        ...


Fetch = Callable[[Http, Sequence[str]], Fetched]


@dataclass(frozen=True)
class Source:
    """One site. `recognise` takes one address or identifier, trimmed, and is pure; `url` is its inverse.

    `order`: who is asked first (arXiv 10, DOI 20 … generic web 1000). `kind` tells the paper's kind of a key.
    `examples`: text -> key, or None for texts that must not be recognised; run as tests. `hosts`: and all below.
    `batch`: how many keys `fetch` takes at once; sources without `fetch` give no metadata yet.
    """

    name: str
    recognise: Callable[[str], str | None]
    url: Callable[[str], str]
    order: int
    examples: Mapping[str, str | None]
    hosts: tuple[str, ...] = ()  # it knows no web address anywhere else; () when it may know any
    kind: Callable[[str], str] = lambda _key: "paper"
    version: Callable[[str], str] = lambda _text: ""  # "v2" when the address names a version
    links: Callable[[str], tuple[WebLink, ...]] = lambda _key: ()
    shortened: Callable[[str], bool] = lambda _key: False  # names an address that is longer than the key, a link has it
    label: Callable[[str], str] = str  # how a person writes it: "arXiv 2305.15778"
    fetch: Fetch | None = None
    batch: int = 1


@cache
def all_sources() -> tuple[Source, ...]:
    """Every site, in the order of asking. A module here without SOURCE fails at start, on purpose."""
    names = [m.name for m in pkgutil.iter_modules(__path__) if m.name != "addresses"]
    found = [importlib.import_module(f"{__name__}.{name}").SOURCE for name in names]
    return tuple(sorted(found, key=lambda source: source.order))


@cache
def by_name(name: str) -> Source:
    """The site of that scheme; raises KeyError."""
    return {source.name: source for source in all_sources()}[name]


def recognise(text: str) -> Ref | None:
    """The identifier that an address or id names, or None. Wrappers come off first; junk is not told apart here."""
    from readtrack.sources import addresses  # noqa: PLC0415 - it lives inside this package

    plain = addresses.unwrap(text.strip())
    if len(plain) > addresses.MAX_LENGTH:
        return None
    where = addresses.parts(plain) if plain.startswith(("https://", "http://")) else None
    for source in _at_home(where.host) if where else all_sources():
        key = source.recognise(plain)
        if key is not None and _fits(key):
            return Ref(source.name, key)
    return None


@lru_cache(maxsize=512)
def _at_home(host: str) -> tuple[Source, ...]:
    """Whom to ask of an address there, in the order of asking: those at home on that host, and those at home on any."""
    from readtrack.sources import addresses  # noqa: PLC0415 - it lives inside this package

    there = addresses.Parts(host, "")
    return tuple(source for source in all_sources() if not source.hosts or there.at(*source.hosts))


def named(text: str) -> Ref | None:
    """Like recognise, and takes our own spelling too, `usenix:osdi23/ren`: for what a person or a script gives."""
    scheme, _, key = text.strip().partition(":")
    source = {source.name: source for source in all_sources()}.get(scheme)
    if source is not None and _fits(key) and source.recognise(source.url(key)) == key:
        return Ref(scheme, key)
    return recognise(text)


def url(ref: Ref) -> str:
    """The address where an identifier can be opened."""
    return by_name(ref.scheme).url(ref.key)


def _fits(key: str) -> bool:
    return 0 < len(key.encode(errors="replace")) <= LONGEST_KEY
