"""Identifiers, metadata, and the two kinds of module that know them: a Source recognizes, a Service is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from readtrack.infra.http.types import Http

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
    """What one service said of one work. Blank means: it did not say.

    `stage` is the form of the work that is described: "published", "preprint" or "page". `identifiers` are its other
    names as the service has them: claims, checked by title and authors before anything is joined.
    """

    ref: Ref
    service: str = ""  # who said it; blank: the site of `ref` itself
    stage: str = "page"
    kind: str = ""
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
    raw: str = ""  # the answer as it came, mail addresses taken out: what `Service.read` takes


@dataclass(frozen=True)
class FetchResult:
    """The answer to a batch: every key asked for stands in exactly one of the three."""

    found: Mapping[str, Metadata] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()  # the source answered well and does not know it
    refused: Mapping[str, str] = field(default_factory=dict)  # key -> sentence


@dataclass(frozen=True)
class BibliographyItem:
    """A work that another one cites, by its lasting names: those of one place in a list."""

    names: tuple[Ref, ...]
    title: str = ""
    year: int | None = None


Fetch = Callable[[Http, Sequence[str]], FetchResult]


Read = Callable[[str, str], Metadata]


Search = Callable[[Http, str], Sequence[Metadata]]


FetchCited = Callable[[Http, str], Sequence[BibliographyItem] | None]


FIELDS = frozenset({"title", "authors", "year", "venue", "abstract", "published", "preprint"})
"""What a paper can lack: the last two are the identifier of its published form, or of its preprint."""


@dataclass(frozen=True)
class PaperDescription:
    """What is known of a paper when it is decided whom to ask about it. `links`: its addresses, as written."""

    refs: tuple[Ref, ...]
    title: str = ""
    kind: str = "paper"
    links: tuple[str, ...] = ()

    def keys(self, *schemes: str) -> tuple[str, ...]:
        """Those of its identifiers that are of these schemes."""
        return tuple(ref.key for ref in self.refs if ref.scheme in schemes)


@dataclass(frozen=True)
class Service:
    """Who is asked for metadata: a site about what it publishes itself, or an index about the works of others.

    `asks`: with which keys it can be asked about a paper; none, when it cannot. Keys are its own: an identifier's key,
    "DOI:10.1145/1", a title. `own`: the schemes of which it is the authority: it is asked first and always; any other
    service only while something of what it `adds` (see FIELDS) is missing. `read(key, raw)`: a stored answer again,
    without the network. `search`: works of a title, at most ten, the likeliest first. `cited`: what a stored answer
    says that its work cites. `ask_cited`: the same for a key, by one further request; None when the work is not known.
    """

    name: str
    label: str  # how people call it: "Crossref"
    order: int
    asks: Callable[[PaperDescription], tuple[str, ...]]
    fetch: Fetch
    read: Read
    own: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()
    batch: int = 1  # how many keys `fetch` takes at once
    interval: float = 1.0  # seconds between two requests, over all processes
    search: Search | None = None
    cited: Callable[[str], Sequence[BibliographyItem]] | None = None
    ask_cited: FetchCited | None = None
    by_title: bool = False  # its keys are titles
    scattered: bool = False  # its keys lie on many hosts: one that does not answer holds up no other


@dataclass(frozen=True)
class Source:
    """One site. `recognise` takes one address or identifier, trimmed, and is pure; `url` is its inverse.

    `order`: who is asked first (arXiv 10, DOI 20 … generic web 1000). `kind` tells the paper's kind of a key.
    `examples`: text -> key, or None for texts that must not be recognised; run as tests. `hosts`: and all below.
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
