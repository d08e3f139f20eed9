"""arXiv: recognition of identifiers in all notations, and its query API."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from readtrack.infra.errors import SourceRefused
from readtrack.infra.http.types import Http, HttpResponse
from readtrack.infra.text.urls import UrlParts, split_url
from readtrack.metadata.parsing import answers, atom, latex
from readtrack.metadata.types import FetchResult, Metadata, Service, Source, WebLink

_NEW = r"(?:0[7-9]|[1-9]\d)(?:0[1-9]|1[0-2])\.\d{4,5}"
_ARCHIVES = (
    r"acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga|"
    r"funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|"
    r"plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_OLD = rf"(?:{_ARCHIVES})(?:\.[a-z]{{2}})?/\d\d(?:0[1-9]|1[0-2])\d{{3}}"
_ID = rf"(?P<id>{_NEW}|{_OLD})(?P<version>v[1-9]\d?)?"
_WRITTEN = re.compile(
    rf"(?:arxiv\s?[:：/]?\s?|(?:doi\s?:\s?)?10\.48550/arxiv\.)?{_ID}(?:\.pdf)?(?:\s*\[[\w.-]+\])?", re.IGNORECASE
)
_FOUND, _WORDS = answers.MAX_RESULTS, 25  # Maximum search results, and maximum words of a title in a query.
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_MATHS = re.compile(r"\$[^$]{1,1000}\$")
_BROWSER_TAB = re.compile(rf"\[{_ID}\]\s+\S.*", re.IGNORECASE | re.DOTALL)
_IN_PATH = re.compile(
    rf"(?:/(?:abs|pdf|html|format|src|e-print|ps|tb|overview|resources|papers|arxiv|forum|ftp/arxiv/papers/\d{{4}}))+/"
    rf"(?:arxiv:)?{_ID}(?:[^\d].*)?",
    re.IGNORECASE,
)
_MIRRORS = (
    "arxiv.org", "ar5iv.org", "alphaxiv.org", "arxiv-vanity.com", "papers.cool", "xxx.lanl.gov", "arxivxplorer.com",
    "arxiv.wiki",
    "huggingface.co", "hf.co", "semanticscholar.org",
)  # fmt: skip


def recognize(text: str) -> str | None:
    match = _match(text)
    return _key(match["id"]) if match else None


def version(text: str) -> str:
    """Return the version in the text ("v2"), or ""."""
    match = _match(text)
    return ((match["version"] or "") if match else "").lower()


def _match(text: str) -> re.Match[str] | None:
    text = text.strip()
    if not text.startswith("http"):
        match = _WRITTEN.fullmatch(text) or _BROWSER_TAB.fullmatch(text)
        if match:
            return match
    parts = split_url(text)
    return _in_address(parts) if parts else None


def _in_address(parts: UrlParts) -> re.Match[str] | None:
    if parts.is_under("doi.org"):
        return _WRITTEN.fullmatch(parts.path[1:]) if parts.path.lower().startswith("/10.48550/arxiv.") else None
    return _IN_PATH.fullmatch(parts.path) if parts.is_under(*_MIRRORS) else None


def _key(identifier: str) -> str:
    """Return the key of an identifier: lower case, without the subject class of old ones.

    For example, math.GT/0309136 becomes math/0309136.
    """
    key = identifier.lower()
    return re.sub(r"\.[a-z]{2}/", "/", key) if "/" in key else key


def url(key: str) -> str:
    return f"https://arxiv.org/abs/{key}"


def links(key: str) -> tuple[WebLink, ...]:
    return (WebLink(url(key), "landing"), WebLink(f"https://arxiv.org/pdf/{key}", "pdf"))


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    """Fetch papers by key.

    Raise SourceUnavailable if arXiv does not explicitly report a paper as unknown.
    """
    unique_keys = dict.fromkeys(keys)
    valid_keys = [key for key in unique_keys if recognize(key) == key]
    reasons = {key: answers.invalid_identifier(key, "arXiv identifier") for key in unique_keys}
    rejected = FetchResult(errors={key: reasons[key] for key in reasons.keys() - set(valid_keys)})
    return answers.merge_results(_ask(http, valid_keys), rejected) if valid_keys else rejected


def _ask(http: Http, keys: Sequence[str]) -> FetchResult:
    """Fetch a batch. arXiv rejects the whole batch for one invalid identifier, so bisect to find it."""
    try:
        return _all_of(http, keys)
    except atom.BadIdentifierError:
        if len(keys) == 1:
            return FetchResult(errors={keys[0]: answers.rejected_identifier(atom.LABEL, keys[0])})
    middle = len(keys) // 2
    return answers.merge_results(_ask(http, keys[:middle]), _ask(http, keys[middle:]))


def _all_of(http: Http, keys: Sequence[str]) -> FetchResult:
    """Request again what an incomplete response omitted, as long as each response adds something."""
    works: dict[str, Metadata] = {}
    while pending := [key for key in keys if key not in works]:
        page = _page(http, pending)
        works |= page.records
        missing = [key for key in pending if key not in works]
        if page.complete:
            return FetchResult(works, missing=frozenset(missing))
        if not page.records:
            return _left_out(missing, works)
    return FetchResult(works)


def _left_out(missing: Sequence[str], works: Mapping[str, Metadata]) -> FetchResult:
    if not works:
        raise answers.unexpected_answer(atom.LABEL, "different papers")
    reason = "arXiv sent nothing for {}. Refresh the metadata later."
    return FetchResult(works, errors={key: reason.format(key) for key in missing})


@dataclass(frozen=True)
class _BatchPage:
    records: Mapping[str, Metadata]
    complete: bool  # All entries that arXiv counts were received and requested.


def _page(http: Http, keys: Sequence[str]) -> _BatchPage:
    """Fetch all keys with one request."""
    from readtrack.metadata.parsing import arxiv_feed

    session = arxiv_feed.FeedSession(_way(http), frozenset(keys))
    works = arxiv_feed.fetch_by_keys(session, keys, http.base("arxiv"))
    return _BatchPage(works, session.total == session.entry_count == len(session.raw))


def search(http: Http, title: str) -> Sequence[Metadata]:
    """Search for papers whose titles contain these words in this order. arXiv's titles are in Latin script."""
    words = _WORD.findall(_MATHS.sub(" ", latex.decode_latex(title)).replace("’", "'"))[:_WORDS]
    if not re.search("[A-Za-z]{3}", " ".join(words)):
        return ()
    from readtrack.metadata.parsing import arxiv_feed

    session = arxiv_feed.FeedSession(_way(http))
    try:
        works = arxiv_feed.fetch_by_query(session, f'ti:"{" ".join(words)}"', http.base("arxiv"), limit=_FOUND)
    except atom.BadIdentifierError as error:
        message = f"arXiv rejected the search for {title!r}. Search for fewer words."
        raise SourceRefused(message) from error
    if session.total and not works:
        raise answers.unexpected_answer(atom.LABEL, "empty page")
    return answers.rank_by_title(title, works.values())


def read(key: str, raw: str) -> Metadata:
    """Read a stored entry."""
    count = f"<o:totalResults xmlns:o='{atom.NAMES['opensearch']}'>1</o:totalResults>"
    feed = HttpResponse(200, {}, f"<feed xmlns='{atom.ATOM}'>{count}{raw}</feed>".encode(errors="replace"), url(key))
    from readtrack.metadata.parsing import arxiv_feed

    session = arxiv_feed.FeedSession(lambda _url: feed, frozenset({key}))
    try:
        return arxiv_feed.fetch_by_keys(session, [key], "")[key]
    except (KeyError, atom.BadIdentifierError) as error:
        raise answers.unexpected_answer(atom.LABEL, "not this paper") from error


def _way(http: Http) -> Callable[[str], HttpResponse]:
    return lambda url: http.get(url, {"accept": "application/atom+xml"})


def key_of(entry_id: str) -> str:
    return recognize(entry_id) or ""


SOURCE = Source(
    name="arxiv",
    recognise=recognize,
    url=url,
    order=10,
    hosts=("doi.org", *_MIRRORS),
    version=version,
    links=links,
    label=lambda key: f"arXiv {key}",
    examples={
        "https://arxiv.org/abs/2305.15778": "2305.15778",
        "https://arxiv.org/pdf/2305.15778": "2305.15778",
        "https://arxiv.org/pdf/2305.15778.pdf": "2305.15778",
        "http://www.arxiv.org/pdf/2408.03505v2.pdf": "2408.03505",
        "https://export.arxiv.org/abs/2305.15778v1": "2305.15778",
        "https://arxiv.org/html/2305.15778v2#S1": "2305.15778",
        "https://ar5iv.labs.arxiv.org/html/2305.15778": "2305.15778",
        "https://www.alphaxiv.org/abs/2305.15778": "2305.15778",
        "https://huggingface.co/papers/2305.15778": "2305.15778",
        "https://doi.org/10.48550/arXiv.2305.15778": "2305.15778",
        "https://arxiv.org/ftp/arxiv/papers/2305/2305.15778.pdf": "2305.15778",
        "https://papers.cool/arxiv/2305.15778": "2305.15778",
        "arXiv:2305.15778v2 [cs.LG]": "2305.15778",
        "2305.15778": "2305.15778",
        "0704.0001v1": "0704.0001",
        "[2305.18290] Direct Preference Optimization": "2305.18290",
        "hep-th/9901001": "hep-th/9901001",
        "cs.LG/0601001": "cs/0601001",
        "https://arxiv.org/abs/math.GT/0309136v1": "math/0309136",
        "https://arxiv.org/pdf/quant-ph/0201082v1.pdf": "quant-ph/0201082",
        "2399.15778": None,
        "2305.157": None,
        "https://arxiv.org/list/cs.LG/recent": None,
        "https://arxiv.org/search/?query=2305.15778": None,
        "https://example.org/abs/2305.15778": None,
        "see arXiv:2305.15778 for details": None,
    },
)


SERVICE = Service(
    name="arxiv",
    label="arXiv",
    order=10,
    select_keys=lambda about: about.keys("arxiv"),
    fetch=fetch,
    read=read,
    own_schemes=frozenset({"arxiv"}),
    batch=50,
    interval=3.0,
    search=search,
)
