"""Services for sites whose metadata is read from the head of their HTML pages."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import RETRYING_LATER, Http, HttpResponse
from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing import answers
from readtrack.metadata.parsing.html_head import BY_HAND, PageHead, parse_head
from readtrack.metadata.parsing.login_walls import CHECK_ADDRESS, SIGN_IN, is_barred, is_failing, wall_reason
from readtrack.metadata.parsing.webpages import metadata_from_head
from readtrack.metadata.types import FetchResult, Metadata, PaperDescription, Ref, Service, Source

_NOT_THERE = frozenset({404, 410})
_WANTED = {"accept": "text/html, application/xhtml+xml"}
_PAGE = re.compile(r"\s*(?:text/html|application/xhtml\+xml)\s*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_SIGN_IN_AT = re.compile(
    r"(?:accounts|login|signin|passport|sso|idp|auth)\..+|[^/]+/(?:.+/)?(?:log-?in|sign-?in|unhuman|wappoc_appmsgcaptcha)"
    r"(?:[/.].*)?"
)
_FILES = {"application/pdf": "a PDF file", "video": "a video", "audio": "an audio file", "image": "an image"}


def page_service(
    source: Source,
    *,
    label: str,
    stage: str,
    order: int,
    tails: Sequence[str] = (),
    interval: float = 2.0,
    address: Callable[[str], str] | None = None,
    other_addresses: Callable[[str], Sequence[str]] = lambda _key: (),
    base: str = "",
    requires_tags: bool = False,
    opens: Callable[[str], bool] | None = None,
    correct: Callable[[Metadata], Metadata] = lambda said: said,
    to_page: Callable[[str], str] | None = None,
) -> Service:
    """Build a service that reads a site's pages.

    `tails` are suffixes of its titles. `other_addresses` gives alternative URLs of a page. `base` names a configurable
    base URL that replaces the site's own. `requires_tags` means that pages of works have citation tags, so that pages
    without them
    are something else. `opens` tells whether a key has a page. `correct` corrects the metadata. `to_page` maps a known
    link to its page, for sites where a key alone gives no URL; that page is then requested.
    """
    to_address = address or source.url
    pages = _PageService(
        source,
        addresses=lambda key: (key,) if _is_page(key) else (to_address(key), *other_addresses(key)),
        stage=stage,
        title_suffixes=tuple(tails),
        base=base,
        tagged=requires_tags,
        adjust=correct,
    )
    has_page = opens or (lambda key: not source.shortened(key))

    def asks(description: PaperDescription) -> tuple[str, ...]:
        keys = description.keys(source.name)
        keys_by_page = {key: source.recognise(key) for key in map(to_page, description.links)} if to_page else {}
        return (
            *filter(has_page, keys),
            *(page for page, key in keys_by_page.items() if key in keys and not has_page(key)),
        )

    return Service(
        name=source.name,
        label=label,
        order=order,
        select_keys=asks,
        fetch=pages.fetch,
        read=pages.read,
        own_schemes=frozenset({source.name}),
        interval=interval,
    )


@dataclass(frozen=True)
class _PageService:
    """The implementation for one site."""

    source: Source
    addresses: Callable[[str], Sequence[str]]
    stage: str
    title_suffixes: tuple[str, ...]
    base: str
    tagged: bool
    adjust: Callable[[Metadata], Metadata]

    def fetch(self, http: Http, keys: Sequence[str]) -> FetchResult:
        """Fetch each page separately.

        Absent pages are missing; login walls and other content types are refused.
        """
        return answers.fetch_one_by_one(keys, lambda key: self._ask(http, key))

    def read(self, key: str, raw: str) -> Metadata:
        """Read a stored head.

        Pages without authors get the stage "page", because they cannot describe a paper reliably.
        """
        own_key = self.source.recognise(key) if _is_page(key) else key
        record = metadata_from_head(
            PageHead.from_raw(raw), Ref(self.source.name, own_key or key), tails=self.title_suffixes
        )
        record_stage = self.stage if record.authors else "page"
        return self.adjust(record if self.stage == "page" else replace(record, stage=record_stage))

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
            parts = urlsplit(address)
            rest = parts.path + (f"?{parts.query}" if parts.query else "")
            yield http.base(self.base).rstrip("/") + rest if self.base else address

    def _interpret_answer(self, key: str, address: str, answer: HttpResponse) -> Metadata | str:
        reason = _redirect_reason(address, answer.url) or _not_page_reason(answer)
        if reason:
            return reason
        head = _head(answer)
        if wall := wall_reason(answer.status, head):
            return wall
        if is_failing(head) or _is_truncated(answer.body) or (self.tagged and not head.first("citation_title")):
            raise SourceUnavailable(f"{_host(address)} sent an incomplete or unexpected page. {RETRYING_LATER}")
        record = self.read(key, head.to_raw())
        return record if record.title else f"The page at {_host(address)} has no readable title. {BY_HAND}"


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


def _redirect_reason(requested_url: str, final_url: str) -> str:
    """Return the reason why a redirect did not lead to the requested page; "" if it may have."""
    final, requested = split_url(final_url), split_url(requested_url)
    if final is None or requested is None or final == requested:
        return ""
    if _SIGN_IN_AT.fullmatch(final.host + final.path.lower()):
        return SIGN_IN
    is_front_page = requested.path and not final.path and not final.query
    return f"The address redirects to the home page of {final.host}. {CHECK_ADDRESS}" if is_front_page else ""


def _not_page_reason(answer: HttpResponse) -> str:
    """Return the reason why the response is not an HTML page; "" if it is one."""
    content_type = _type(answer).strip().lower()
    if (
        _PAGE.fullmatch(content_type)
        or (not content_type and answer.body.lstrip()[:1] in {b"<", b""})
        or answer.status >= 300
    ):
        return ""
    kind = content_type.partition(";")[0].strip()[:60]
    description = (
        _FILES.get(kind) or _FILES.get(kind.partition("/")[0]) or f"a file of an unsupported type ({kind or 'unknown'})"
    )
    return f"The address leads to {description}, which readtrack can't read. {BY_HAND}"


def _is_truncated(body: bytes) -> bool:
    """Return True if the page ends within its head, so that authors may be missing."""
    lower_body = body.lower()
    return not lower_body.strip() or (
        b"<head" in lower_body and b"</head" not in lower_body and b"<body" not in lower_body
    )
