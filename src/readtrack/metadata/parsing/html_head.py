"""Extraction of metadata from the head of a web page."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.metadata.parsing import json_ld, markup
from readtrack.metadata.parsing.charsets import text_of
from readtrack.metadata.parsing.plain_text import tidy

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_PAGE_BYTES = 5_000_000  # Bytes of a page.
MAX_TEXT_CHARS, MAX_LINE_CHARS = 50_000, 4_000  # Maximum characters of an abstract, and of any other field.
_LONGER = {
    "citation_abstract": MAX_TEXT_CHARS,
    "dcterms.abstract": MAX_TEXT_CHARS,
    "dc.description.abstract": MAX_TEXT_CHARS,
}
_LONGER |= {"citation_authors": 4 * MAX_TEXT_CHARS}  # All authors in one tag; truncation would make the list wrong.
MAX_AUTHORS, MAX_TAGS = 5_000, 50  # Tags of one name.
OPENING_CHARS = 400  # Characters of visible text that suffice to recognize a login wall.
_KEPT = re.compile(
    r"citation_(?:title|authors?|publication_date|date|cover_date|online_date|year|conference(?:_title)?|journal_title|"
    r"inbook_title|book_title|doi|arxiv_id|pdf_url|abstract|language)|"
    r"(?:dc|dcterms|eprints|prism)\.(?:title|creator|creators_name|date|date\.issued|issued|publicationdate|identifier|"
    r"doi|abstract|description\.abstract|description|language|publicationname)|"
    r"og:(?:title|site_name|description|type|url|locale)|(?:og:)?article:(?:author|published_time)|"
    r"twitter:(?:title|description)|application-name|author|description"
)
_DUBLIN_CORE = re.compile(r"^(dc|dcterms|eprints|prism)[:.]")
_PEOPLE = frozenset({"citation_author", "dc.creator", "dcterms.creator", "eprints.creators_name"})
_ADDRESSES = frozenset({"citation_pdf_url", "og:url"})
_NOT_SHOWN = frozenset({"script", "style", "template", "svg", "title"})
_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# The last one is used by USENIX.
_ABSTRACTS = frozenset({"abstract", "acl-abstract", "field-name-field-paper-description"})
_MIN_ABSTRACT_CHARS = 100  # Minimum characters of an abstract.
_PIECES, _HEADINGS, _MAX_LANGUAGE_CHARS = 5_000, 20, 40
_CHUNK_BYTES = 32_768  # Bytes.
# Limits of about 0.2 seconds; even large normal pages are far below.
_MAX_SQUARES, _MAX_WALKS = 50_000_000, 200_000_000
BY_HAND = "Open it in a browser and enter the details yourself."
_TOO_MUCH_WORK = f"The page is too complex to read. {BY_HAND}"


@dataclass(frozen=True)
class PageHead:
    """Metadata of a page. `meta` keeps the order of the page.

    `heading` is the heading with which a longer title begins. `abstract` is from the page body. `opening` is the
    beginning of the visible text, used to recognize login walls and not stored.
    """

    title: str = ""
    meta: tuple[tuple[str, str], ...] = ()
    ld: tuple[dict[str, object], ...] = ()
    canonical: str = ""
    language: str = ""
    heading: str = ""
    abstract: str = ""
    opening: str = field(default="", compare=False)

    def all(self, *names: str) -> tuple[str, ...]:
        """Return all values of the first name that has any."""
        values = (tuple(content for name, content in self.meta if name == wanted_name) for wanted_name in names)
        return next((contents for contents in values if contents), ())

    def first(self, *names: str) -> str:
        """Return the first value of the first name that has one, or ""."""
        return next(iter(self.all(*names)), "")

    def to_raw(self) -> str:
        values = {part.name: getattr(self, part.name) for part in fields(self) if part.compare}
        return json.dumps({name: value for name, value in values.items() if value}, ensure_ascii=False)

    @classmethod
    def from_raw(cls, raw: str) -> PageHead:
        """Return the head from its stored form; invalid fields are dropped."""
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise SourceUnavailable("The stored page can't be read. Refresh the metadata.")
        texts = {name: _text(data.get(name)) for name in ("title", "canonical", "language", "heading", "abstract")}
        return cls(meta=tuple(_pairs(data.get("meta"))), ld=tuple(_dicts(data.get("ld"))), **texts)


def parse_head(body: bytes, content_type: str = "") -> PageHead:
    """Parse the head of a page; empty if the page cannot be parsed.

    Raise SourceRefused for a page constructed to take long.
    """
    from lxml import etree

    text = text_of(body[:MAX_PAGE_BYTES], content_type).replace("\0", "\ufffd").encode(errors="replace")
    _check_parse_cost(text)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        page = cast("Element | None", etree.fromstring(text, parser))  # None for an empty document.
    except (etree.XMLSyntaxError, ValueError):
        return PageHead()
    return _head(page) if page is not None else PageHead()


def _check_parse_cost(text: bytes) -> None:
    """Raise SourceRefused if parsing would take long.

    The text is fed in pieces, because the parser finishes each piece before it reports the exception.
    """
    from lxml import etree

    target: Any = _ParseCostTarget(text.count(b"</"))  # It lacks optional methods, which would slow down the parser.
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, target=target)
    with suppress(etree.XMLSyntaxError):
        for start in range(0, len(text), _CHUNK_BYTES):
            parser.feed(text[start : start + _CHUNK_BYTES])


class _ParseCostTarget:
    """A parser target that raises if parsing, or building the tree, would take long.

    An opening tag costs time quadratic in its attributes, a closing tag linear in the number of open tags.
    """

    def __init__(self, end_tag_count: int) -> None:
        self._ends, self._open, self._squares = end_tag_count, 0, 0

    def start(self, _tag: str, attributes: Mapping[str, str]) -> None:
        self._open += 1
        self._squares += len(attributes) ** 2
        if self._squares > _MAX_SQUARES or self._open * self._ends > _MAX_WALKS:
            raise SourceRefused(_TOO_MUCH_WORK)

    def end(self, _tag: str) -> None:
        self._open -= 1

    def close(self) -> None:
        """Return nothing; required of a parser target."""


def _head(page: Element) -> PageHead:
    titles = (title for title in page.iter("title") if all(above.tag != "svg" for above in title.iterancestors()))
    canonical = (link.get("href", "") for link in page.iter("link") if link.get("rel", "").lower() == "canonical")
    title = _element_text(next(titles, None))
    return PageHead(
        title=title,
        meta=tuple(_tags(page)),
        ld=tuple(_works(page)),
        canonical=_address(next(canonical, "")),
        language=tidy(page.get("lang") or page.get(_XML_LANGUAGE) or "", _MAX_LANGUAGE_CHARS),
        heading=_heading(page, title),
        abstract=_abstract(page),
        opening=_opening_words(page),
    )


def _tags(page: Element) -> Iterator[tuple[str, str]]:
    """Yield the supported meta tags in order.

    Tags that may contain mail addresses, affiliations or references are not supported.
    """
    counts: Counter[str] = Counter()
    for tag in page.iter("meta"):
        name = _name(tag.get("name") or tag.get("property") or "")
        content = _content(name, tag.get("content", "")) if _KEPT.fullmatch(name) else ""
        counts[name] += 1
        if content and counts[name] <= (MAX_AUTHORS if name in _PEOPLE else MAX_TAGS):
            yield name, content


def _content(name: str, text: str) -> str:
    return _address(text) if name in _ADDRESSES else tidy(text, _LONGER.get(name, MAX_LINE_CHARS))


def _address(text: str) -> str:
    """Return a URL unchanged, or "" if cleaning would alter it, because it would then be another URL."""
    stripped = text.strip()
    return stripped if len(stripped) <= MAX_LINE_CHARS and tidy(stripped, MAX_LINE_CHARS) == stripped else ""


def _name(name: str) -> str:
    """Normalize a tag name, e.g.

    "DC:Title" to "dc.title", and drop prefixes of publishing software.
    """
    text = name[:100].strip().lower().removeprefix("bepress_")
    return _DUBLIN_CORE.sub(r"\1.", text)


def _works(page: Element) -> Iterator[dict[str, object]]:
    scripts = ["".join(script.itertext()) for script in page.iter("script") if "ld+json" in script.get("type", "")]
    for work in json_ld.list_works(scripts):
        yield {name: _tidy_value(value) for name, value in work.items() if value}


def _tidy_value(value: object) -> object:
    if isinstance(value, list):
        return [tidy(text, MAX_LINE_CHARS) for text in value]
    return tidy(str(value), MAX_TEXT_CHARS)


def _element_text(element: Element | None) -> str:
    return "" if element is None else tidy("".join(islice(element.itertext(), _PIECES)), MAX_LINE_CHARS)


def _heading(page: Element, title: str) -> str:
    """Return the heading with which the title begins if a site or journal name follows in the title, else ""."""
    visible_title = markup.strip_markup(title)
    for element in islice(page.iter("h1", "h2"), _HEADINGS):
        heading = _element_text(element)
        if visible_title.startswith(heading) and len(visible_title) > len(heading) > len(visible_title) / 2:
            return heading
    return ""


def _abstract(page: Element) -> str:
    """Return the abstract from the page body, often the only place where paper pages have it."""
    for element in page.iter("div", "section", "blockquote", "p"):
        labels = {element.get("id", ""), *element.get("class", "").split()}
        if not labels.isdisjoint(_ABSTRACTS) and len(text := _text_of(element)) >= _MIN_ABSTRACT_CHARS:
            return re.sub(r"^abstract\b[\s:.\u2014-]*", "", text, flags=re.IGNORECASE)
    return ""


def _text_of(element: Element) -> str:
    return tidy(" ".join(islice(element.itertext(), _PIECES)), MAX_TEXT_CHARS)


def _opening_words(page: Element) -> str:
    """Return the first words of the visible text."""
    visible_text = ""
    for element in page.iter():
        own_text = element.text if element.tag not in _NOT_SHOWN else ""
        visible_text += "".join(
            f"{text[:OPENING_CHARS]} " for text in (own_text, element.tail) if text and text.strip()
        )
        if len(visible_text) > OPENING_CHARS:
            break
    return tidy(visible_text, OPENING_CHARS)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair):
            yield pair[0], pair[1]


def _dicts(value: object) -> Iterator[dict[str, object]]:
    for member in value if isinstance(value, list) else ():
        if isinstance(member, dict):
            yield member
