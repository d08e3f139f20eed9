"""Construction of one entry from links and text, with the decision to add, review or skip it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readtrack.infra.text import urls
from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper
from readtrack.infra.text.titles.site_suffixes import without_host
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_roles import STRONG, calls_it_a_paper, is_note_on_works, is_own, role_of
from readtrack.ingest.parser.reasons import (
    LINKED,
    OMITTED_LINK,
    SEARCH_LIKELY_TITLE,
    SEARCH_POSSIBLE_TITLE,
    SEARCH_WITHOUT_TITLE,
    UNLINKED,
)
from readtrack.ingest.parser.vocabulary.author_tags import read_author_tag
from readtrack.ingest.parser.vocabulary.file_names import read_file_name
from readtrack.ingest.parser.vocabulary.venues import take_tag
from readtrack.metadata.types import WebLink

_CALL = re.compile(
    r"/(?:cfp|calls?-for-[a-z]{4,20}|call_for_papers|important-dates|dates|deadlines?)(?=[/?#.]|$)", re.IGNORECASE
)
_CITED_AND_NAME = re.compile(r"(?P<cited>.{4,100}?(?:19|20)\d\d[a-z]?)(?:\s\((?P<name>[^()]{2,40})\))?")


@dataclass(frozen=True)
class ItemContext:
    """The context of a piece of a note: its lines, topics, status and parent bullet."""

    first: int
    last: int
    topics: tuple[str, ...] = ()
    status: str | None = None
    parent_text: str = ""  # the text of the parent bullet if it is not a topic


@dataclass(slots=True)
class ItemText:
    """The note's text about a link. `title` is verbatim, not yet cleaned."""

    title: str = ""
    text: str = ""
    topic: str = ""
    venue: str = ""
    year: int | None = None
    status: str | None = None
    authors: tuple[str, ...] = ()
    published: str = ""
    read_on: str = ""
    rating: str = ""
    abstract: str = ""


def build_entry(
    link: TextLink, item_text: ItemText, context: ItemContext, extras: Sequence[TextLink] = ()
) -> ParsedEntry:
    """Build an entry: a paper, a lead from a search page, or junk with a reason."""
    item_text = _add_parent_text(item_text, context)
    if link.ref.scheme in STRONG:
        return _build_linked_paper(link, item_text, context, extras)
    terms = urls.search_terms(link.address) if link.address else None
    if terms is not None:
        is_stated = item_text.authors or item_text.venue
        if is_stated and not urls.junk_reason(link.address) and could_be_title(clean_title(item_text.title)):
            return _build_paper_entry("paper", clean_title(item_text.title), item_text, context, links=(link,))
        return _build_search_entry(link, terms, item_text, context)
    reason = urls.junk_reason(link.address) if link.address else None
    return (
        _build_junk_entry(link, item_text, context, reason)
        if reason
        else _build_linked_paper(link, item_text, context, extras)
    )


def build_unlinked_entry(item_text: ItemText, context: ItemContext, extras: Sequence[TextLink] = ()) -> ParsedEntry:
    """Build a paper without a link to it. Its code or a video may be linked."""
    item_text = _add_parent_text(item_text, context)
    return _build_paper_entry("paper", clean_title(item_text.title), item_text, context, links=extras)


def _build_linked_paper(
    link: TextLink, item_text: ItemText, context: ItemContext, extras: Sequence[TextLink]
) -> ParsedEntry:
    kind = link.paper_kind
    item_text = replace(item_text, title=without_host(item_text.title, link.address))
    if link.ref.scheme in STRONG:
        item_text = _with_cited_authors(item_text)
    item_text = _with_tagged_venue(item_text, kind)
    if (kind == "page" and item_text.venue and not _CALL.search(link.plain)) or (
        kind in {"page", "article"} and calls_it_a_paper(link.text)
    ):
        kind = "paper"
    title = clean_title(item_text.title, "" if link.ref.scheme in STRONG else link.plain)
    is_dated_title = bool(item_text.year) and could_be_title(title)
    if kind == "page" and (is_dated_title or names_a_paper(title)) and is_note_on_works(link):
        unlinked = _build_paper_entry("paper", title, item_text, context, links=(link, *extras))
        return replace(unlinked, reason=LINKED)
    same_work = [link, *filter(is_own, extras)] if kind == "paper" else [link]
    identifiers = _identifiers_of(same_work)
    return _build_paper_entry(kind, title, item_text, context, links=(link, *extras), identifiers=identifiers)


def _with_cited_authors(item_text: ItemText) -> ItemText:
    """Return `Carroll et al. 2020` or `Xu et al. 2025 (BINN)` as authors and year.

    The title is at the address.
    """
    year = item_text.year or item_text.published[:4]  # perhaps split from the title before
    match = _CITED_AND_NAME.fullmatch(item_text.title) or _CITED_AND_NAME.fullmatch(f"{item_text.title}, {year}")
    cited = read_author_tag(match["cited"]) if match and " et al" in match["cited"] else None
    if match is None or cited is None or cited.year is None:
        return item_text
    return replace(
        item_text,
        title="",
        authors=item_text.authors or cited.authors,
        venue=item_text.venue or cited.venue,
        year=item_text.year or cited.year,
        text=join_texts(match["name"] or "", item_text.text),
    )


def _with_tagged_venue(item_text: ItemText, kind: str) -> ItemText:
    """Split the venue from the title, before the site's name is removed, which may be the venue's.

    A page is a paper only if the tag has a year and the words may be a title.
    """
    if item_text.venue or kind not in {"paper", "page"}:
        return item_text
    tag = take_tag(item_text.title)
    if not tag.venue or not could_be_title(tag.remainder) or not (tag.year or kind == "paper"):
        return item_text
    return replace(item_text, title=tag.remainder, venue=tag.venue, year=tag.year or item_text.year)


def _build_paper_entry(
    kind: str,
    title: str,
    item_text: ItemText,
    context: ItemContext,
    *,
    links: Sequence[TextLink],
    identifiers: tuple[str, ...] = (),
) -> ParsedEntry:
    venue, year = item_text.venue, item_text.year
    if kind == "paper" and not venue:
        title, venue, tag_year = read_file_name(title) or take_tag(title)
        year = tag_year or year
    return ParsedEntry(
        context.first,
        context.last,
        1,
        "paper",
        paper_kind=kind,
        identifiers=identifiers,
        links=tuple(dict.fromkeys(link_to(link) for link in links if link.address)),
        title=title,
        topics=_add_topic(context.topics, item_text.topic),
        venue=venue,
        year=year or (int(item_text.published[:4]) if item_text.published else None),
        status=item_text.status or context.status,
        text=item_text.text,
        authors=item_text.authors,
        published=item_text.published,
        read_on=item_text.read_on,
        rating=item_text.rating,
        abstract=item_text.abstract,
        reason="" if identifiers else UNLINKED,
    )


def omitted_link_reason(host: str) -> str:
    """Return the remark for a record whose link to an internal host is left out."""
    return OMITTED_LINK.format(host=host)


def _identifiers_of(links: Sequence[TextLink]) -> tuple[str, ...]:
    """Return one identifier per scheme that identifies a work uniquely, and all others."""
    identifiers: dict[str, str] = {}
    for link in links:
        identifiers.setdefault(link.ref.scheme if link.ref.scheme in STRONG else str(link.ref), str(link.ref))
    return tuple(identifiers.values())


def _build_search_entry(link: TextLink, terms: str, item_text: ItemText, context: ItemContext) -> ParsedEntry:
    """Build a lead from a page of search results if its terms may be a title, else junk."""
    reason = urls.junk_reason(link.address)
    name = clean_title(terms)
    if reason or not could_be_title(name):
        reason = reason or SEARCH_WITHOUT_TITLE.format(terms=terms[:100])
        return _build_junk_entry(link, item_text, context, reason)
    title, venue, year = take_tag(name)
    is_title = names_a_paper(name)
    return ParsedEntry(
        context.first,
        context.last,
        1,
        "lead",
        links=(link_to(link),),
        title=title,
        topics=_add_topic(context.topics, item_text.topic),
        venue=venue,
        year=year,
        text=item_text.text,
        decision="add" if is_title else "review",
        reason=SEARCH_LIKELY_TITLE if is_title else SEARCH_POSSIBLE_TITLE,
    )


def _build_junk_entry(link: TextLink, item_text: ItemText, context: ItemContext, reason: str) -> ParsedEntry:
    return ParsedEntry(
        context.first,
        context.last,
        1,
        "junk",
        links=(link_to(link),),
        title=clean_title(item_text.title, link.plain),
        topics=_add_topic(context.topics, item_text.topic),
        text=item_text.text,
        decision="skip",
        reason=reason,
    )


def link_to(link: TextLink) -> WebLink:
    """Return the address without redirects and tracking parameters, with its role."""
    return WebLink(link.plain, _role(link))


def _role(link: TextLink) -> str:
    role = role_of(link)
    if role != "own":
        return role
    path = link.plain.lower().partition("?")[0]
    return "pdf" if path.endswith((".pdf", "/pdf")) or "/pdf/" in path else "landing"


def _add_topic(topics: tuple[str, ...], label: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*topics, label])) if label else topics


def join_texts(*texts: str) -> str:
    return " · ".join(text for text in texts if text)


def _add_parent_text(item_text: ItemText, context: ItemContext) -> ItemText:
    if not context.parent_text:
        return item_text
    return replace(item_text, text=join_texts(context.parent_text, item_text.text))
