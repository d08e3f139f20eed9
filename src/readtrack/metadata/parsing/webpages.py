"""Metadata of web pages.

In order of preference: citation tags, JSON-LD, Dublin Core, Open Graph, the page title.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urljoin

from readtrack.infra.text import person_names
from readtrack.infra.text.urls import canonicalize_url, safe_url, split_url
from readtrack.metadata import sources
from readtrack.metadata.parsing import authors, dates, latex, markup, venues
from readtrack.metadata.parsing.html_head import PageHead
from readtrack.metadata.parsing.json_ld import ARTICLES
from readtrack.metadata.parsing.page_titles import TitleContext, headline
from readtrack.metadata.parsing.plain_text import tidy
from readtrack.metadata.types import Metadata, Ref, WebLink

MAX_TITLE_CHARS, MAX_NAME_CHARS, MAX_AUTHORS, MAX_VENUE_CHARS, MAX_ABSTRACT_CHARS = 1000, 300, 5000, 300, 50_000
_CATALOGUED = ("dc.title", "dcterms.title", "eprints.title", "prism.title")
_SHOWN = ("og:title", "twitter:title")
_CREATORS = ("dc.creator", "dcterms.creator", "eprints.creators_name")
_BYLINES = ("author", "article:author", "og:article:author")
_DATES = (
    "citation_publication_date", "citation_date", "citation_cover_date", "dc.date.issued", "dcterms.issued",
    "prism.publicationdate", "citation_year", "citation_online_date",
)  # fmt: skip
_LESS_SURE_DATES = ("dc.date", "dcterms.date", "article:published_time", "og:article:published_time")
_CONTAINERS = (
    "citation_conference_title", "citation_journal_title", "citation_inbook_title", "citation_book_title",
    "citation_conference", "prism.publicationname",
)  # fmt: skip
_ABSTRACTS = ("citation_abstract", "dcterms.abstract", "dc.description.abstract")
_DESCRIPTIONS = ("dc.description", "og:description", "description", "twitter:description")
_NAMES = ("citation_doi", "citation_arxiv_id", "prism.doi", "dc.identifier", "dcterms.identifier")
_LANGUAGES = ("citation_language", "dc.language", "dcterms.language")
_PREPRINTS = re.compile(
    r"arxiv|biorxiv|medrxiv|chemrxiv|ssrn|\bcorr\b|preprint|research ?square|submitted to", re.IGNORECASE
)
_BY = re.compile(r"(?<!\s)\s*(?:(?:written|posted) )?by:?\s+", re.IGNORECASE)
_AND_OTHERS = re.compile(r"[\s,]{1,3}(?:et\W{0,2}al\b\.?|and others)\s{0,3}$", re.IGNORECASE)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_].*)?")
_TOP_LEVEL = re.compile(
    r"(?:\.(?:com?|org|net|edu|gov|ac|io|dev|ai|cc|cn|jp|uk|de|fr|tw|kr|in|us|me|info|press|blog))+$"
)


def metadata_from_head(head: PageHead, ref: Ref, *, tails: Sequence[str] = ()) -> Metadata:
    """Build the metadata of the page of `ref`; missing fields are blank.

    `tails` are suffixes of the site's titles.
    """
    work = _work(head)
    year, day = dates.day(head.first(*_DATES) or _text_value(work, "published") or head.first(*_LESS_SURE_DATES))
    container = _plain_text(head.first(*_CONTAINERS), MAX_VENUE_CHARS)
    authors = tuple(_authors(head, work))[:MAX_AUTHORS]
    return Metadata(
        ref=ref,
        stage=_stage(head, container, authors),
        title=_title(head, work, ref, tails=tails)[:MAX_TITLE_CHARS],
        authors=authors,
        year=year,
        published_on=day,
        venue=venues.short_venue(container, year)[:MAX_VENUE_CHARS],
        abstract=_abstract(head, work),
        language=_language(head, work),
        links=tuple(_links(head, ref)),
        identifiers=tuple(dict.fromkeys(_identifiers(head, work, ref))),
        raw=head.to_raw(),
    )


def _work(head: PageHead) -> dict[str, object]:
    """Return the JSON-LD work of this page: the one with its title, or the only one.

    Videos only on video pages.
    """
    is_video = head.first("og:type").startswith("video")
    works = [work for work in head.ld if work.get("type") in ARTICLES or is_video]
    if len(works) == 1:
        return works[0]
    visible_title = head.first(*_SHOWN) or head.title
    return next(
        (work for work in works if _text_value(work, "title") and _text_value(work, "title") in visible_title), {}
    )


def _title(head: PageHead, work: dict[str, object], ref: Ref, *, tails: Sequence[str]) -> str:
    if citation_title := latex.decode_latex(_plain_text(head.first("citation_title"), MAX_TITLE_CHARS)):
        return citation_title
    candidates = (
        _text_value(work, "title"),
        *(head.first(name) for name in (*_CATALOGUED, *_SHOWN)),
        head.heading,
        head.title,
    )
    context = _title_context(head, work, ref, tails)
    titles = (headline(_plain_text(text, MAX_TITLE_CHARS), context) for text in candidates)
    return next((title for title in titles if title), "")


def _title_context(head: PageHead, work: dict[str, object], ref: Ref, tails: Sequence[str]) -> TitleContext:
    """Return the site's names, from the page and its host.

    Front pages get none, as their title is the site's name.
    """
    url_parts = split_url(sources.url(ref))
    if url_parts is None or not url_parts.path:
        return TitleContext(title_suffixes=tails)
    names = [head.first("og:site_name"), head.first("application-name"), *_texts(work, "sites")]
    host = _TOP_LEVEL.sub("", url_parts.host)
    return TitleContext([*names, host, *host.split(".")], [url_parts.path, url_parts.segments[-1]], tails)


def _authors(head: PageHead, work: dict[str, object]) -> Iterator[str]:
    """Yield the authors in order, from the most reliable source that has any."""
    for name in _author_texts(head, work):
        author = person_names.given_first(latex.decode_latex(_plain_text(name, MAX_NAME_CHARS))[:MAX_NAME_CHARS])
        if not authors.is_nobody(author):
            yield author


def _author_texts(head: PageHead, work: dict[str, object]) -> Iterator[str]:
    joint_tags = head.all("citation_authors")
    texts = head.all("citation_author") or joint_tags or head.all(*_CREATORS) or _texts(work, "authors")
    if not texts and not head.first("citation_title"):
        texts = tuple(_BY.sub("", line, count=1) for line in head.all(*_BYLINES) if not authors.is_nobody(line))
    for text in texts:
        names_text = _AND_OTHERS.sub("", text)
        yield from _people(names_text, several=texts == joint_tags or names_text != text)


def _people(text: str, *, several: bool) -> Sequence[str]:
    """Split one tag into names: at semicolons, at "and" as in BibTeX, or at commas between complete names."""
    if ";" in text or "；" in text:
        return re.split("[;；]", text)
    parts = re.split(r" and ", text)
    if len(parts) > 1 and all("," in part for part in parts):
        return parts
    names = re.split(r", and |, | and ", text)
    minimum = 2 if several or "," not in text else 3
    return names if len(names) >= minimum and all(" " in name.strip() for name in names) else (text,)


def _stage(head: PageHead, container: str, authors: Sequence[str]) -> str:
    if head.first("citation_arxiv_id") or _PREPRINTS.search(container):
        return "preprint"
    return "published" if container and authors else "page"


def _abstract(head: PageHead, work: dict[str, object]) -> str:
    """Return the abstract.

    For papers, descriptions are not used, because they contain citations or advertising.
    """
    text = head.first(*_ABSTRACTS) or _text_value(work, "abstract") or head.abstract
    if not text and not head.first("citation_title", "citation_journal_title", "citation_conference_title"):
        text = _without_repetition(_text_value(work, "description") or head.first(*_DESCRIPTIONS))
    return _plain_text(text, MAX_ABSTRACT_CHARS)


def _without_repetition(text: str) -> str:
    """Remove the second half of a text that some publishers write twice."""
    middle = len(text) // 2
    return text[:middle].strip() if text[:middle].strip() == text[middle:].strip() else text


def _language(head: PageHead, work: dict[str, object]) -> str:
    tags = (head.first(*_LANGUAGES), _text_value(work, "language"), head.language, head.first("og:locale"))
    matches = (_LANGUAGE.fullmatch(text) for text in tags)
    return next((language[1].lower() for language in matches if language), "")


def _links(head: PageHead, ref: Ref) -> Iterator[WebLink]:
    own_links = sources.by_name(ref.scheme).links(ref.key)
    yield from own_links
    pdf_url = head.first("citation_pdf_url")
    pdf = _absolute_url(sources.url(ref), pdf_url) if pdf_url else ""
    if safe_url(pdf) and pdf not in {canonicalize_url(link.url) for link in own_links}:
        yield WebLink(pdf, "pdf")


def _absolute_url(page: str, address: str) -> str:
    try:
        return canonicalize_url(urljoin(page, address))
    except ValueError:  # Not a URL, e.g. http://[
        return ""


def _identifiers(head: PageHead, work: dict[str, object], ref: Ref) -> Iterable[Ref]:
    """Return other identifiers of the work on the page; mere URLs do not count."""
    tag_texts = [text for name in _NAMES for text in head.all(name)]
    texts = [*tag_texts, *_texts(work, "names"), head.canonical, head.first("og:url")]
    refs = (sources.recognize(text) for text in texts if text)
    return [name for name in refs if name and name != ref and name.scheme != "url"]


def _plain_text(text: str, max_length: int) -> str:
    return tidy(markup.strip_markup(text[: 2 * max_length]), max_length)


def _text_value(work: dict[str, object], name: str) -> str:
    value = work.get(name)
    return value if isinstance(value, str) else ""


def _texts(work: dict[str, object], name: str) -> tuple[str, ...]:
    value = work.get(name)
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
