"""Construction of one entry from links and text, with the decision to add, review or skip it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readtrack.infra.text import urls
from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_roles import STRONG, calls_it_a_paper, is_own, role_of
from readtrack.ingest.parser.vocabulary.venues import take_tag
from readtrack.metadata.types import WebLink

_CALL = re.compile(
    r"/(?:cfp|calls?-for-[a-z]{4,20}|call_for_papers|important-dates|dates|deadlines?)(?=[/?#.]|$)", re.IGNORECASE
)
UNLINKED = "Named without any address; to be found."


@dataclass(frozen=True)
class ItemContext:
    """The context of a piece of a note: its lines, topics, status and parent bullet."""

    first: int
    last: int
    topics: tuple[str, ...] = ()
    status: str | None = None
    within: str = ""  # the text of the parent bullet if it is not a topic


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


def build_entry(found: TextLink, told: ItemText, place: ItemContext, extras: Sequence[TextLink] = ()) -> ParsedEntry:
    """Build an entry: a paper, a lead from a search page, or junk with a reason."""
    told = replace(told, text=_join_texts(place.within, told.text)) if place.within else told
    if found.ref.scheme in STRONG:
        return _paper(found, told, place, extras)
    terms = urls.search_terms(found.address) if found.address else None
    if terms is not None:
        return _build_search_entry(found, terms, told, place)
    reason = urls.junk_reason(found.address) if found.address else None
    return _build_junk_entry(found, told, place, reason) if reason else _paper(found, told, place, extras)


def build_unlinked_entry(told: ItemText, place: ItemContext, extras: Sequence[TextLink] = ()) -> ParsedEntry:
    """Build a paper without a link to it. Its code or a video may be linked."""
    told = replace(told, text=_join_texts(place.within, told.text)) if place.within else told
    return _build_paper_entry("paper", clean_title(told.title), told, place, found=extras)


def _paper(found: TextLink, told: ItemText, place: ItemContext, extras: Sequence[TextLink]) -> ParsedEntry:
    kind = found.paper_kind
    if (kind == "page" and told.venue and not _CALL.search(found.plain)) or (
        kind in {"page", "article"} and calls_it_a_paper(found.label or "")
    ):
        kind = "paper"
    named = [found, *(extra for extra in extras if _names_the_same(extra))] if kind == "paper" else [found]
    title = clean_title(told.title, "" if found.ref.scheme in STRONG else found.plain)
    return _build_paper_entry(kind, title, told, place, found=(found, *extras), identifiers=_names(named))


def _build_paper_entry(
    kind: str,
    title: str,
    told: ItemText,
    place: ItemContext,
    *,
    found: Sequence[TextLink],
    identifiers: tuple[str, ...] = (),
) -> ParsedEntry:
    venue, year = told.venue, told.year
    if kind == "paper" and not venue:
        title, venue, tagged = take_tag(title)
        year = tagged or year
    return ParsedEntry(
        place.first,
        place.last,
        1,
        "paper",
        paper_kind=kind,
        identifiers=identifiers,
        links=tuple(dict.fromkeys(link_to(each) for each in found if each.address)),
        title=title,
        topics=_add_topic(place.topics, told.topic),
        venue=venue,
        year=year or (int(told.published[:4]) if told.published else None),
        status=told.status or place.status,
        text=told.text,
        authors=told.authors,
        published=told.published,
        read_on=told.read_on,
        rating=told.rating,
        abstract=told.abstract,
        reason="" if identifiers else UNLINKED,
    )


def _names_the_same(extra: TextLink) -> bool:
    """Return True if an extra link is another identifier of the same work.

    A link whose text is a name belongs to another thing.
    """
    return is_own(extra) and (extra.paper_kind == "paper" or calls_it_a_paper(extra.label or ""))


def _names(found: Sequence[TextLink]) -> tuple[str, ...]:
    """Return one identifier per scheme that identifies a work uniquely, and all others."""
    names: dict[str, str] = {}
    for each in found:
        names.setdefault(each.ref.scheme if each.ref.scheme in STRONG else str(each.ref), str(each.ref))
    return tuple(names.values())


def _build_search_entry(found: TextLink, terms: str, told: ItemText, place: ItemContext) -> ParsedEntry:
    """Build a lead from a page of search results if its terms may be a title, else junk."""
    reason = urls.junk_reason(found.address)
    name = clean_title(terms)
    if reason or not could_be_title(name):
        reason = reason or f"A page of search results for “{terms[:100]}”, no title of a paper."
        return _build_junk_entry(found, told, place, reason)
    title, venue, year = take_tag(name)
    sure = names_a_paper(name)
    seems = "looks like" if sure else "may be"
    return ParsedEntry(
        place.first,
        place.last,
        1,
        "lead",
        links=(link_to(found),),
        title=title,
        topics=_add_topic(place.topics, told.topic),
        venue=venue,
        year=year,
        text=told.text,
        decision="add" if sure else "review",
        reason=f"A page of search results; what was searched for {seems} the title of a paper.",
    )


def _build_junk_entry(found: TextLink, told: ItemText, place: ItemContext, reason: str) -> ParsedEntry:
    return ParsedEntry(
        place.first,
        place.last,
        1,
        "junk",
        links=(link_to(found),),
        title=clean_title(told.title, found.plain),
        topics=_add_topic(place.topics, told.topic),
        text=told.text,
        decision="skip",
        reason=reason,
    )


def link_to(found: TextLink) -> WebLink:
    """Return the address without redirects and tracking parameters, with its role."""
    return WebLink(found.plain, _role(found))


def _role(found: TextLink) -> str:
    role = role_of(found)
    if role != "own":
        return role
    path = found.plain.lower().partition("?")[0]
    return "pdf" if path.endswith((".pdf", "/pdf")) or "/pdf/" in path else "landing"


def _add_topic(topics: tuple[str, ...], label: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*topics, label])) if label else topics


def _join_texts(*texts: str) -> str:
    return " · ".join(text for text in texts if text)
