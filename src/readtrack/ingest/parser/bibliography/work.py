"""A work as described in a bibliography, and the entry built from it.

Its date is as precise as the bibliography states it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from readtrack.infra.text import urls
from readtrack.infra.text.titles.clean import without_emphasis
from readtrack.infra.text.titles.dates import MONTHS, iso_date
from readtrack.ingest.parser.bibliography.publication_types import with_publication_type
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import (
    ItemContext,
    ItemText,
    build_entry,
    build_unlinked_entry,
    omitted_link_reason,
)
from readtrack.ingest.parser.items.find_links import TextLink, find_links
from readtrack.ingest.parser.reasons import NAMELESS

WEB_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)
_ABOUT_IT = frozenset({"code", "video", "slides"})  # kinds of material about a paper, never the paper itself
_YEAR = re.compile(r"(?<!\d)(?P<year>1[89]\d\d|20\d\d)(?!\d)")
_ISO = re.compile(r"(?P<year>\d{4})(?:[-/](?P<month>\d{1,2})(?:[-/](?P<day>\d{1,2}))?)?(?![\d-])")
_MONTH_NAME = re.compile(r"[^\W\d_]{3,}")
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?")
_NUMBER = re.compile(r"\d{1,2}")


@dataclass(frozen=True)
class BibliographyWork:
    """A work in a bibliography.

    `addresses`: what identifies the work, most reliable first; `others`: further links. `kind`: "" for a paper or
    unknown. `language`: as the bibliography writes it. `on_the_web`: treat it as a web page unless its identifier says
    otherwise. `has_credits`: it names authors, title and year, so a page at an unknown site is a paper.
    """

    title: str = ""
    item_text: ItemText = field(default_factory=ItemText)
    addresses: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    kind: str = ""
    publication_type: str = ""
    language: str = ""
    on_the_web: bool = False
    has_credits: bool = False
    error: str = ""
    key: str = ""


def entry_of(work: BibliographyWork, context: ItemContext) -> ParsedEntry:
    """Build the entry of the work. It is flagged for review if the bibliography entry is broken."""
    context = replace(context, topics=tuple(dict.fromkeys([*context.topics, *work.topics])))
    item_text = replace(work.item_text, title=work.title)
    main, extras = choose_links(work)
    language = code[0] if (code := _LANGUAGE.fullmatch(work.language)) else ""
    entry = build_entry(main, item_text, context, extras) if main else build_unlinked_entry(item_text, context, extras)
    if entry.kind == "junk" and (item_text.authors or item_text.published):  # a work, whatever its address is
        entry = build_unlinked_entry(item_text, context, [*([main] if main else []), *extras])
    if entry.kind == "paper" and (hosts := _internal_hosts(work)):
        entry = replace(entry, reason=omitted_link_reason(hosts[0]))
    is_plain = entry.title == without_emphasis(work.title)  # Records are not Markdown: the marks belong to the title.
    if entry.kind == "paper" and (is_plain or not entry.title):
        entry = replace(entry, title=work.title)
    entry = replace(entry, language=language)
    if not main and not entry.title:
        return replace(entry, kind="lead", paper_kind="", decision="review", reason=NAMELESS)
    if work.has_credits and entry.paper_kind == "page":
        entry = replace(entry, paper_kind="paper")
    if work.kind and entry.kind == "paper" and not _is_strong(main):
        entry = replace(entry, paper_kind=work.kind)
    entry = with_publication_type(entry, work.publication_type)
    return replace(entry, decision="review", reason=work.error) if work.error and entry.kind == "paper" else entry


def choose_links(work: BibliographyWork) -> tuple[TextLink | None, list[TextLink]]:
    """Return the link that identifies the work, and its other links. Links to internal hosts are left out.

    Of several identifiers, the first is the one whose page the bibliography gives as the work's address.
    """
    pages_first = sorted(work.addresses, key=lambda text: "://" not in text)
    links = [link for link in _links_in(pages_first) if not urls.internal_host(link.address)]
    strong_links = [link for link in links if _is_strong(link)]
    main = next(iter(strong_links or links), None)
    others = [link for link in _links_in(work.others) if not urls.internal_host(link.address)]
    if main and not work.on_the_web:
        main = None if main.paper_kind in _ABOUT_IT else replace(main, paper_kind="paper")
    rest = {link.ref: link for link in (*strong_links[1:], *links, *others) if main is None or link.ref != main.ref}
    return main, list(rest.values())


def _links_in(texts: Iterable[str]) -> Iterator[TextLink]:
    return (link for text in texts for link in find_links(text))


def _internal_hosts(work: BibliographyWork) -> list[str]:
    hosts = (urls.internal_host(link.address) for link in _links_in((*work.addresses, *work.others)))
    return [host for host in hosts if host]


def _is_strong(link: TextLink | None) -> bool:
    return link is not None and link.paper_kind == "paper" and link.ref.scheme != "url"


def to_doi_address(doi: str) -> str:
    """Return `doi:10.1000/1` for `10.1000/1` and `doi: 10.1000/1`. A web address and "" stay as they are."""
    if not doi or WEB_ADDRESS.match(doi):
        return doi
    return f"doi:{doi.removeprefix('doi:').removeprefix('DOI:').strip()}"


def format_published(date: str, month: str = "", day: str = "") -> str:
    """Return 2023, 2023-05 or 2023-05-16 from a year or date, a month as a word or number, and a day.

    "" without a year.
    """
    match = _ISO.match(date.strip())
    if match and match["month"]:
        return format_iso_date(match["year"], match["month"], match["day"] or "")
    year = _YEAR.search(date)
    if not year:
        return ""
    if not month and (iso := iso_date(date)):
        return iso
    return format_iso_date(year["year"], _month(month), day if _NUMBER.fullmatch(day) else _day(month))


def format_iso_date(year: str, month: str = "", day: str = "") -> str:
    """Return the date in ISO format, or only the year if the date is impossible."""
    published = iso_date("-".join(f"{int(part):02}" for part in (year, month, day) if part)) if year else ""
    return published or year


def _month(text: str) -> str:
    word = _MONTH_NAME.search(text)
    if word and word[0].lower() in MONTHS:
        return str(MONTHS[word[0].lower()])
    number = _NUMBER.fullmatch(text.strip())
    return number[0] if number and 1 <= int(number[0]) <= 12 else ""


def _day(month: str) -> str:
    """Return the day in a month field such as "16~may" or "May 16": BibTeX has no field for the day."""
    number = _NUMBER.search(month)
    return number[0] if number and _MONTH_NAME.search(month) else ""
