"""Services for sites whose metadata is read from the head of their HTML pages."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http, HttpResponse
from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing import json_answers
from readtrack.metadata.parsing.html_head import PageHead, parse_head
from readtrack.metadata.parsing.login_walls import SIGN_IN, is_barred, is_failing, wall_reason
from readtrack.metadata.parsing.webpages import metadata_from_head
from readtrack.metadata.types import FetchResult, Metadata, PaperDescription, Ref, Service, Source

_LATER = "Nothing was changed; it is asked again later."
_BY_HAND = "Nothing was changed; open it in a browser, and type here what is missing."
_NOT_THERE = frozenset({404, 410})
_WANTED = {"accept": "text/html, application/xhtml+xml"}
_PAGE = re.compile(r"\s*(?:text/html|application/xhtml\+xml)\s*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_SIGN_IN_AT = re.compile(
    r"(?:accounts|login|signin|passport|sso|idp|auth)\..+|[^/]+/(?:.+/)?(?:log-?in|sign-?in|unhuman|wappoc_appmsgcaptcha)"
    r"(?:[/.].*)?"
)
_FILES = {"application/pdf": "a PDF file", "video": "a film", "audio": "a recording", "image": "a picture"}


def page_service(
    source: Source,
    *,
    label: str,
    stage: str,
    order: int,
    tails: Sequence[str] = (),
    interval: float = 2.0,
    address: Callable[[str], str] | None = None,
    elsewhere: Callable[[str], Sequence[str]] = lambda _key: (),
    base: str = "",
    tagged: bool = False,
    opens: Callable[[str], bool] | None = None,
    meant: Callable[[Metadata], Metadata] = lambda said: said,
    written: Callable[[str], str] | None = None,
) -> Service:
    """Build a service that reads a site's pages.

    `tails` are suffixes of its titles. `elsewhere` gives alternative URLs of a page. `base` names a configurable base
    URL that replaces the site's own. `tagged` means that pages of works have citation tags, so that pages without them
    are something else. `opens` tells whether a key has a page. `meant` corrects the metadata. `written` maps a known
    link to its page, for sites where a key alone gives no URL; that page is then requested.
    """
    at = address or source.url
    pages = _PageService(
        source,
        addresses=lambda key: (key,) if _is_page(key) else (at(key), *elsewhere(key)),
        stage=stage,
        tails=tuple(tails),
        base=base,
        tagged=tagged,
        meant=meant,
    )
    has_page = opens or (lambda key: not source.shortened(key))

    def asks(about: PaperDescription) -> tuple[str, ...]:
        keys = about.keys(source.name)
        there = {key: source.recognise(key) for key in map(written, about.links)} if written else {}
        return (*filter(has_page, keys), *(page for page, key in there.items() if key in keys and not has_page(key)))

    return Service(
        name=source.name,
        label=label,
        order=order,
        asks=asks,
        fetch=pages.fetch,
        read=pages.read,
        own=frozenset({source.name}),
        interval=interval,
    )


@dataclass(frozen=True)
class _PageService:
    """The implementation for one site."""

    source: Source
    addresses: Callable[[str], Sequence[str]]
    stage: str
    tails: tuple[str, ...]
    base: str
    tagged: bool
    meant: Callable[[Metadata], Metadata]

    def fetch(self, http: Http, keys: Sequence[str]) -> FetchResult:
        """Fetch each page separately.

        Absent pages are missing; login walls and other content types are refused.
        """
        return json_answers.fetch_one_by_one(keys, lambda key: self._ask(http, key))

    def read(self, key: str, raw: str) -> Metadata:
        """Read a stored head.

        Pages without authors get the stage "page", because they cannot describe a paper reliably.
        """
        named = self.source.recognise(key) if _is_page(key) else key
        said = metadata_from_head(PageHead.from_raw(raw), Ref(self.source.name, named or key), tails=self.tails)
        own = self.stage if said.authors else "page"
        return self.meant(said if self.stage == "page" else replace(said, stage=own))

    def _ask(self, http: Http, key: str) -> Metadata | str | None:
        """Return the metadata, a sentence if the page has none, or None if there is no page."""
        for address in self._at_base(http, key):
            answer = _visit_page(http, address)
            if isinstance(answer, str):
                return answer
            if answer.status not in _NOT_THERE or is_barred(_head(answer)):
                return self._interpret_answer(key, address, answer)
        return None

    def _at_base(self, http: Http, key: str) -> Iterator[str]:
        for address in self.addresses(key):
            where = urlsplit(address)
            rest = where.path + (f"?{where.query}" if where.query else "")
            yield http.base(self.base).rstrip("/") + rest if self.base else address

    def _interpret_answer(self, key: str, address: str, answer: HttpResponse) -> Metadata | str:
        no_page = _redirect_reason(address, answer.url) or _not_page_reason(answer)
        if no_page:
            return no_page
        head = _head(answer)
        if why := wall_reason(answer.status, head):
            return why
        if is_failing(head) or _is_truncated(answer.body) or (self.tagged and not head.first("citation_title")):
            raise SourceUnavailable(f"{_host(address)} sent half a page, or something else in its place. {_LATER}")
        said = self.read(key, head.to_raw())
        return said if said.title else f"The page at {_host(address)} has no title that could be read. {_BY_HAND}"


def _is_page(key: str) -> bool:
    return key.startswith("https://")


def _visit_page(http: Http, address: str) -> HttpResponse | str:
    """Return the response, or a sentence if the page can never be read.

    The page is too large, or its host is not allowed.
    """
    try:
        return http.get(address, _WANTED)
    except SourceRefused as refusal:
        if refusal.code == "offline":  # Offline mode is not a problem of this page.
            raise
        return refusal.message


def _head(answer: HttpResponse) -> PageHead:
    return parse_head(answer.body, _type(answer))


def _host(address: str) -> str:
    return urlsplit(address).netloc


def _type(answer: HttpResponse) -> str:
    return answer.headers.get("content-type", "")


def _redirect_reason(asked: str, answered: str) -> str:
    """Return the reason why a redirect did not lead to the requested page; "" if it may have."""
    there, here = split_url(answered), split_url(asked)
    if there is None or here is None or there == here:
        return ""
    if _SIGN_IN_AT.fullmatch(there.host + there.path.lower()):
        return SIGN_IN
    front = here.path and not there.path and not there.query
    return (
        f"The address leads to the front page of {there.host}. Nothing was changed; check the address." if front else ""
    )


def _not_page_reason(answer: HttpResponse) -> str:
    """Return the reason why the response is not an HTML page; "" if it is one."""
    said = _type(answer).strip().lower()
    if _PAGE.fullmatch(said) or (not said and answer.body.lstrip()[:1] in {b"<", b""}) or answer.status >= 300:
        return ""
    kind = said.partition(";")[0].strip()[:60]
    what = _FILES.get(kind) or _FILES.get(kind.partition("/")[0]) or f"no web page ({kind or 'of no known form'})"
    return f"The address leads to {what}, of which readtrack reads nothing. {_BY_HAND}"


def _is_truncated(body: bytes) -> bool:
    """Return True if the page ends within its head, so that authors may be missing."""
    begun = body.lower()
    return not begun.strip() or (b"<head" in begun and b"</head" not in begun and b"<body" not in begun)
