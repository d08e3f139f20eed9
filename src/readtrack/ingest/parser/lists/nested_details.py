"""What a line nested below a paper says of it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import could_be_title, looks_like_title, names_a_paper
from readtrack.infra.text.titles.dates import iso_date
from readtrack.infra.text.titles.marks import rating_of
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.find_links import TextLink, find_links, is_bare, split_around_links
from readtrack.ingest.parser.items.link_groups import group_links
from readtrack.ingest.parser.items.link_roles import (
    SHOWING,
    calls_it_a_paper,
    has_name,
    is_own,
    role_from_label,
    role_of,
)
from readtrack.ingest.parser.items.phrases import merge_links
from readtrack.ingest.parser.items.subjects import is_question
from readtrack.ingest.parser.items.words_behind_title import remark
from readtrack.ingest.parser.vocabulary.author_names import part_rest
from readtrack.ingest.parser.vocabulary.title_affixes import take_head
from readtrack.ingest.parser.vocabulary.venues import Venue, match_venue

FIELD = re.compile(
    r"[*_]{0,2}(?P<name>authors?|by|venue|conference|journal|published(?: in)?|publication|date|year|"
    r"作者|著者|会议|会議|期刊|发表|学会|日期|时间|年)[*_]{0,2}\s?[:：][*_]{0,2}\s*(?P<value>.+)",
    re.IGNORECASE,
)
_YEAR_AND_VENUE = re.compile(
    r"(?P<year>(?:19|20)\d\d),?\s(?P<venue>[A-Z][a-z]{0,8}[A-Z][A-Za-z]{0,12})"
    r"(?:,\s[A-Z][\w&. ]{1,30}|\s?\([^()]{2,80}\))?"
)
_PLACE_IN_BOOK = re.compile(  # `Currently on page 300/710`, `ch. 3 of 12`
    r"(?:(?:i'?m\s)?(?:currently|now)\s)?(?:(?:on|at|in|up to|read to|until)\s)?"
    r"(?:pages?|pg\.?|pp?\.|chapter|ch\.)\s?(?P<at>\d{1,4})\s?(?:/|of|out of)\s?(?P<of>\d{1,4})(?:\spages)?\W?",
    re.IGNORECASE,
)
_FRAMES = re.compile(r"(?:[\[「【][^\[\]「」【】]{2,60}[\]」】]\s{0,2}){2,5}")
_FRAMED = re.compile(r"[^\[\]「」【】]{2,60}(?=[\]」】])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PEOPLE = frozenset({"author", "authors", "by", "作者", "著者"})
_MAX_TEXT_CHARS = 20_000


def absorb(entry: ParsedEntry, text: str, last: int) -> ParsedEntry | None:
    """Return the paper with the details of one nested line, or None if the line is an entry of its own."""
    if entry.kind != "paper":
        return None
    links = find_links(text)
    if not links and entry.paper_kind == "article" and _cites_a_paper(text):
        return None
    if not links:
        return None if is_question(text) else _with_words(replace(entry, last=last), text)
    if entry.paper_kind in SHOWING and could_be_title(entry.title) and _is_its_address(links, text):
        entry = replace(entry, identifiers=())  # the title above a video and the paper is the paper's
    elif not _is_beside(entry, links, text):
        return None
    merged = merge_links(replace(entry, last=last), links)
    rest = remark(*split_around_links(text, links))
    return _with_words(merged, rest) if rest and not role_from_label(rest) else merged


def _cites_a_paper(text: str) -> bool:
    """Return True for the title of a paper and its venue, below an article about it: `Scaling Memcache, NSDI'13`."""
    head = take_head(text)
    return bool(head.venue and head.year) and looks_like_title(head.title)


def says_where(text: str) -> bool:
    """Return True for only a venue and date, such as `2016 RecSys, Google` or `OSDI'22`."""
    head = take_head(text)
    return _YEAR_AND_VENUE.fullmatch(text.strip()) is not None or bool(head.venue and not remark(head.title))


def read_place(text: str) -> Venue | None:
    """Return the venue and year of words that only say where a paper appeared: `ICRA 2017`, `「2017」「ICRA」`."""
    if not _FRAMES.fullmatch(text):
        return Venue("", *take_head(text)[1:3]) if says_where(text) else None
    parts = _FRAMED.findall(text)
    year = next((int(part) for part in parts if _YEAR.fullmatch(part)), None)
    venue = next(filter(None, map(match_venue, parts)), None)
    return Venue("", venue.venue if venue else "", year) if year else venue


def takes_link_below(entry: ParsedEntry, text: str) -> bool:
    """Return True for a title without an address above a generic link such as [paper](…)."""
    links = find_links(text)
    if not links or entry.identifiers:
        return False
    if entry.title and entry.kind == "lead" and _is_its_address(links, text):
        return True
    if not _all_generic(links, text):
        return False
    members = group_links(text, links, in_list=True)[0].links
    return any(is_own(link) and (link.paper_kind == "paper" or calls_it_a_paper(link.label or "")) for link in members)


def _is_beside(entry: ParsedEntry, links: Sequence[TextLink], text: str) -> bool:
    """Return True if all links are generic, or none is a paper while the entry is one."""
    if _is_another_preprint(entry, links):
        return False
    if _all_generic(links, text) or (not entry.identifiers and _is_its_address(links, text)):
        return True
    is_paper = entry.paper_kind == "paper" and not any(names_a_paper(link.label or "") for link in links)
    return is_paper and all(link.paper_kind != "paper" and role_of(link) != "own" for link in links)


def _is_another_preprint(entry: ParsedEntry, links: Sequence[TextLink]) -> bool:
    """Return True if a link is to another paper on arXiv than that of the entry: no paper is there twice."""
    known = [name for name in entry.identifiers if name.startswith("arxiv:")]
    return bool(known) and any(link.ref.scheme == "arxiv" and str(link.ref) not in known for link in links)


def _is_its_address(links: Sequence[TextLink], text: str) -> bool:
    """Return True for a line that is only a paper's address, below a title without one."""
    return len(links) == 1 and links[0].paper_kind == "paper" and is_bare(text, list(links))


def _all_generic(links: Sequence[TextLink], text: str) -> bool:
    groups = group_links(text, list(links), in_list=True)
    members = [link for group in groups for link in group.links]
    return (
        len(groups) == 1
        and all(link.label is not None and not has_name(link) for link in members)
        and not _has_title(groups[0].before)
    )


def _has_title(before: str) -> bool:
    text = take_head(before).title.strip(" :：*_[(（【<")
    return (
        looks_like_title(text) and not FIELD.match(text) and not role_from_label(text) and not part_rest(text).authors
    )


def _with_words(entry: ParsedEntry, text: str) -> ParsedEntry:
    field = FIELD.fullmatch(text.strip())
    if field:
        return _with_field(entry, field["name"].casefold(), field["value"])
    if match := _YEAR_AND_VENUE.fullmatch(text.strip()):
        return _with_text(with_venue(entry, match["venue"], int(match["year"])), text)
    head = take_head(text)
    parts = part_rest(head.title)
    if parts.authors and not entry.authors:
        tail = take_head(parts.remainder)
        result = replace(entry, authors=parts.authors)
        venue, year = find_venue(part_rest(text).remainder)
        if venue and year and not (tail.venue or head.venue):
            return with_venue(result, venue, year)
        return _with_text(with_venue(result, tail.venue or head.venue, tail.year or head.year), remark(tail.title))
    if entry.authors and not entry.venue and (alone := match_venue(text)):  # below the authors
        head = head._replace(title="", venue=alone.venue, year=alone.year)
    if head.venue and not remark(head.title):
        return with_venue(entry, head.venue, head.year)
    return _with_rating(entry, text) or _with_date(entry, text) or _with_text(_with_progress(entry, text), text)


def _with_rating(entry: ParsedEntry, text: str) -> ParsedEntry | None:
    """Return the entry with the rating that the text consists of."""
    rating = rating_of(text)
    return replace(entry, rating=entry.rating or rating) if rating else None


def _with_progress(entry: ParsedEntry, text: str) -> ParsedEntry:
    """Return the entry with the status that the page or chapter somebody is at tells."""
    place = _PLACE_IN_BOOK.fullmatch(text.strip()) if entry.status in {None, "to_read"} else None
    if place is None:
        return entry
    return replace(entry, status="read" if place["at"] == place["of"] else "reading")


def _with_date(entry: ParsedEntry, text: str) -> ParsedEntry | None:
    """Return the entry with the date that the text consists of."""
    date = iso_date(text)
    return replace(entry, published=entry.published or date, year=entry.year or int(date[:4])) if date else None


def _with_field(entry: ParsedEntry, name: str, value: str) -> ParsedEntry:
    if name in _PEOPLE:
        authors = part_rest(value).authors or tuple(
            part.strip() for part in re.split(r"[,，;；、]", value) if part.strip()
        )
        return replace(entry, authors=entry.authors or authors[:200])
    head = take_head(value)
    if name in {"date", "year", "日期", "时间", "年"}:
        head = take_head(f"[{value}] x")
        return (
            replace(entry, published=entry.published or head.published) if head.published else _with_text(entry, value)
        )
    return with_venue(entry, head.venue or value.strip()[:100], head.year)


def with_venue(entry: ParsedEntry, venue: str, year: int | None) -> ParsedEntry:
    return entry if entry.venue or not venue else replace(entry, venue=venue, year=entry.year or year)


def _with_text(entry: ParsedEntry, text: str) -> ParsedEntry:
    if not text.strip() or len(entry.text) > _MAX_TEXT_CHARS:
        return entry
    return replace(entry, text=f"{entry.text}\n{text}".strip())
