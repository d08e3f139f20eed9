"""Identifiers, metadata, and the interfaces of sources and services.

Sources recognize identifiers, services fetch metadata.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from readtrack.infra.http.types import Http

MAX_KEY_BYTES = 1_000  # Bytes; PostgreSQL's index limit is about twice as much.


@dataclass(frozen=True, order=True)
class Ref:
    """A permanent identifier: scheme and key, `arxiv:2305.15778`. Stored as an Identifier."""

    scheme: str
    key: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.key}"

    @classmethod
    def parse(cls, text: str) -> "Ref":
        """Parse the result of str(). Raise ValueError if there is no scheme."""
        scheme, colon, key = text.partition(":")
        if not (scheme and colon and key):
            raise ValueError(f"{text!r} is not an identifier of the form scheme:key.")
        return cls(scheme, key)


@dataclass(frozen=True)
class WebLink:
    """A URL and its role: landing, pdf, html, video, slides, code, commentary."""

    url: str
    role: str


@dataclass(frozen=True)
class DatedVersion:
    """A dated version of a paper: "v2", or "published"."""

    label: str
    published_at: datetime | None = None


@dataclass(frozen=True)
class Metadata:
    """Metadata of a work from one service. Blank fields were not provided.

    `stage` is the described version: "published", "preprint" or "page". `identifiers` are further identifiers according
    to the service; they are verified by title and authors before papers are merged.
    """

    ref: Ref
    service: str = ""  # Blank: the site of `ref` itself.
    stage: str = "page"
    kind: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    publication_type: str = ""
    abstract: str = ""
    language: str = ""
    arxiv_class: str = ""  # The primary subject class on arXiv: "cs.DC".
    links: tuple[WebLink, ...] = ()
    identifiers: tuple[Ref, ...] = ()
    versions: tuple[DatedVersion, ...] = ()
    remark: str = ""  # E.g. "withdrawn".
    raw: str = ""  # The response without mail addresses, as input for `Service.read`.


@dataclass(frozen=True)
class FetchResult:
    """The result of a batch; each requested key is in exactly one of the three."""

    records: Mapping[str, Metadata] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()  # The service reports them as unknown.
    errors: Mapping[str, str] = field(default_factory=dict)  # Key -> sentence.


@dataclass(frozen=True)
class BibliographyItem:
    """A cited work with its persistent identifiers, from one entry of a reference list."""

    names: tuple[Ref, ...]
    title: str = ""
    year: int | None = None


Fetch = Callable[[Http, Sequence[str]], FetchResult]


Read = Callable[[str, str], Metadata]


Search = Callable[[Http, str], Sequence[Metadata]]


FetchCited = Callable[[Http, str], Sequence[BibliographyItem] | None]


FIELDS = frozenset({"title", "authors", "year", "venue", "abstract", "published", "preprint"})
"""Fields a paper may lack.

The last two are an identifier of its published version or of its preprint.
"""


@dataclass(frozen=True)
class PaperDescription:
    """Known data of a paper, used to choose services. `links` are its URLs as written."""

    refs: tuple[Ref, ...]
    title: str = ""
    kind: str = "paper"
    links: tuple[str, ...] = ()

    def keys(self, *schemes: str) -> tuple[str, ...]:
        """Return the keys of its identifiers with these schemes."""
        return tuple(ref.key for ref in self.refs if ref.scheme in schemes)


@dataclass(frozen=True)
class Service:
    """A metadata service: a site for its own publications, or an index of other works.

    `select_keys` returns the keys with which it can be queried about a paper, if any. Keys are service-specific: an
    identifier's key, "DOI:10.1145/1", a title. `own_schemes` are the schemes it is the authority for: it is queried
    first and always; other services only while a field in `adds` (see FIELDS) is missing. `read(key, raw)` parses a
    stored response without the network. `search` returns at most ten works for a title, most likely first. `cited`
    returns the works cited in a stored response. `fetch_cited` fetches them for a key with one more request, None if
    the work is unknown.
    """

    name: str
    label: str  # Display name: "Crossref".
    order: int
    select_keys: Callable[[PaperDescription], tuple[str, ...]]
    fetch: Fetch
    read: Read
    own_schemes: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()
    batch: int = 1  # Keys per call of `fetch`.
    interval: float = 1.0  # Seconds between two requests, across all processes.
    search: Search | None = None
    cited: Callable[[str], Sequence[BibliographyItem]] | None = None
    fetch_cited: FetchCited | None = None
    by_title: bool = False  # Its keys are titles.
    has_many_hosts: bool = False  # Its keys are on many hosts, so one that fails must not delay the others.


@dataclass(frozen=True)
class Source:
    """A site. `recognise` is pure and takes a stripped URL or identifier; `url` is its inverse.

    `order` is the position in which sources are tried (arXiv 10, DOI 20 … generic web 1000). `kind` returns a paper's
    kind for a key. `examples` map texts to keys, or None if they must not be recognized; tests run them. `hosts`
    include subdomains.
    """

    name: str
    recognise: Callable[[str], str | None]
    url: Callable[[str], str]
    order: int
    examples: Mapping[str, str | None]
    hosts: tuple[str, ...] = ()  # It recognizes no URLs on other hosts; () for any host.
    kind: Callable[[str], str] = lambda _key: "paper"
    version: Callable[[str], str] = lambda _text: ""  # "v2" if the URL names a version.
    links: Callable[[str], tuple[WebLink, ...]] = lambda _key: ()
    shortened: Callable[[str], bool] = lambda _key: False  # The key shortens a longer URL, which is stored as a link.
    label: Callable[[str], str] = str  # Display form: "arXiv 2305.15778".
