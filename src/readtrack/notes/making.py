"""One entry from what was found and what the note says of it: kept, to be looked at, or skipped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readtrack.notes.entry import Entry
from readtrack.notes.found import Found
from readtrack.notes.titles import clean_title, could_be_title, names_a_paper
from readtrack.notes.venues import take_tag
from readtrack.sources import WebLink, addresses

_PAPER_SCHEMES = frozenset(
    {"arxiv", "doi", "usenix", "openreview", "acl", "neurips", "nips", "pmlr", "cvf", "mlsys", "pvldb", "jmlr", "ieee"}
)
_ROLES = {"video": "video", "slides": "slides", "code": "code"}


@dataclass(frozen=True)
class Place:
    """Where a piece of a note stands: its lines, the topics of its headings, and the status that its mark states."""

    first: int
    last: int
    topics: tuple[str, ...] = ()
    status: str | None = None
    within: str = ""  # the text of the bullet that this one is nested under, when that is no topic


@dataclass(frozen=True)
class Told:
    """What the note says of a find. `title` as it stands, not yet cleaned."""

    title: str = ""
    text: str = ""
    topic: str = ""
    venue: str = ""
    year: int | None = None


def make(found: Found, told: Told, place: Place, extras: Sequence[Found] = ()) -> Entry:
    """A paper of its kind, a lead from a search page, or junk with its reason."""
    told = replace(told, text=_joined(place.within, told.text)) if place.within else told
    terms = addresses.search_terms(found.address) if found.address else None
    if terms is not None:
        return _searched(found, terms, told, place)
    reason = addresses.junk_reason(found.address) if found.address else None
    return _junk(found, told, place, reason) if reason else _paper(found, told, place, extras)


def _paper(found: Found, told: Told, place: Place, extras: Sequence[Found]) -> Entry:
    title, venue, year = clean_title(told.title, found.plain), told.venue, told.year
    if found.paper_kind == "paper" and not venue:
        title, venue, year = take_tag(title)
    return Entry(
        place.first,
        place.last,
        1,
        "paper",
        paper_kind=found.paper_kind,
        identifiers=tuple(dict.fromkeys([str(found.ref), *(str(extra.ref) for extra in extras if _same_work(extra))])),
        links=tuple(dict.fromkeys(link_to(each) for each in (found, *extras) if each.address)),
        title=title,
        topics=_with(place.topics, told.topic),
        venue=venue,
        year=year,
        status=place.status,
        text=told.text,
    )


def _searched(found: Found, terms: str, told: Told, place: Place) -> Entry:
    """A result page is never a paper; what was searched for may be the title of one."""
    reason = addresses.junk_reason(found.address)
    name = clean_title(terms)
    if reason or not could_be_title(name):
        reason = reason or f"A page of search results for “{terms[:100]}”, no title of a paper."
        return _junk(found, told, place, reason)
    title, venue, year = take_tag(name)
    sure = names_a_paper(name)
    seems = "looks like" if sure else "may be"
    return Entry(
        place.first,
        place.last,
        1,
        "lead",
        links=(link_to(found),),
        title=title,
        topics=_with(place.topics, told.topic),
        venue=venue,
        year=year,
        text=told.text,
        decision="add" if sure else "review",
        reason=f"A page of search results; what was searched for {seems} the title of a paper.",
    )


def _junk(found: Found, told: Told, place: Place, reason: str) -> Entry:
    return Entry(
        place.first,
        place.last,
        1,
        "junk",
        links=(link_to(found),),
        title=clean_title(told.title, found.plain),
        topics=_with(place.topics, told.topic),
        text=told.text,
        decision="skip",
        reason=reason,
    )


def link_to(found: Found) -> WebLink:
    """The address without wrappers and trackers, and what it leads to."""
    return WebLink(found.plain, _role(found))


def _role(found: Found) -> str:
    if found.paper_kind in _ROLES:
        return _ROLES[found.paper_kind]
    path = found.plain.lower().partition("?")[0]
    return "pdf" if path.endswith((".pdf", "/pdf")) or "/pdf/" in path else "landing"


def _same_work(extra: Found) -> bool:
    return extra.ref.scheme in _PAPER_SCHEMES


def _with(topics: tuple[str, ...], label: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*topics, label])) if label else topics


def _joined(*texts: str) -> str:
    return " · ".join(text for text in texts if text)
