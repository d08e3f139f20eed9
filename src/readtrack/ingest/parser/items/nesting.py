"""Nested items that describe the paper above: authors, venue, remarks, versions, code, slides."""

import re
from collections.abc import Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import looks_like_title
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.extract_text import remark
from readtrack.ingest.parser.items.find_links import TextLink, find_links, is_bare, split_around_links
from readtrack.ingest.parser.items.link_groups import group_links
from readtrack.ingest.parser.items.link_roles import calls_it_a_paper, has_name, is_own, role_from_label, role_of
from readtrack.ingest.parser.items.phrases import merge_links
from readtrack.ingest.parser.vocabulary.line_kinds import is_question
from readtrack.ingest.parser.vocabulary.title_affixes import take_head
from readtrack.ingest.parser.vocabulary.trailing_names import part_rest

_FIELD = re.compile(
    r"[*_]{0,2}(?P<name>authors?|by|venue|conference|journal|published(?: in)?|publication|date|year|"
    r"作者|著者|会议|会議|期刊|发表|学会|日期|时间|年)[*_]{0,2}\s?[:：][*_]{0,2}\s*(?P<value>.+)",
    re.IGNORECASE,
)
_YEAR_AND_VENUE = re.compile(
    r"(?P<year>(?:19|20)\d\d),?\s(?P<venue>[A-Z][a-z]{0,8}[A-Z][A-Za-z]{0,12})"
    r"(?:,\s[A-Z][\w&. ]{1,30}|\s?\([^()]{2,80}\))?"
)
_PEOPLE = frozenset({"author", "authors", "by", "作者", "著者"})
_LONGEST_TEXT = 20_000


def absorb(entry: ParsedEntry, text: str, last: int) -> ParsedEntry | None:
    """Return the paper with the details of one nested line, or None if the line is an entry of its own."""
    if entry.kind != "paper":
        return None
    links = find_links(text)
    if not links:
        return None if is_question(text) else _with_words(replace(entry, last=last), text)
    if not _is_beside(entry, links, text):
        return None
    merged = merge_links(replace(entry, last=last), links)
    rest = remark(*split_around_links(text, links))
    return _with_words(merged, rest) if rest and not role_from_label(rest) else merged


def says_where(text: str) -> bool:
    """Return True for only a venue and date, such as `2016 RecSys, Google` or `OSDI'22`."""
    head = take_head(text)
    return _YEAR_AND_VENUE.fullmatch(text.strip()) is not None or bool(head.venue and not remark(head.title))


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
    if _all_generic(links, text) or (not entry.identifiers and _is_its_address(links, text)):
        return True
    is_paper = entry.paper_kind == "paper"
    return is_paper and all(link.paper_kind != "paper" and role_of(link) != "own" for link in links)


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
        looks_like_title(text) and not _FIELD.match(text) and not role_from_label(text) and not part_rest(text).authors
    )


def _with_words(entry: ParsedEntry, text: str) -> ParsedEntry:
    field = _FIELD.fullmatch(text.strip())
    if field:
        return _with_field(entry, field["name"].casefold(), field["value"])
    if match := _YEAR_AND_VENUE.fullmatch(text.strip()):
        return _with_text(_with_venue(entry, match["venue"], int(match["year"])), text)
    head = take_head(text)
    parts = part_rest(head.title)
    if parts.authors and not entry.authors:
        tail = take_head(parts.remainder)
        result = replace(entry, authors=parts.authors)
        return _with_text(_with_venue(result, tail.venue or head.venue, tail.year or head.year), remark(tail.title))
    if head.venue and not remark(head.title):
        return _with_venue(entry, head.venue, head.year)
    return _with_text(entry, text)


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
    return _with_venue(entry, head.venue or value.strip()[:100], head.year)


def _with_venue(entry: ParsedEntry, venue: str, year: int | None) -> ParsedEntry:
    return entry if entry.venue or not venue else replace(entry, venue=venue, year=entry.year or year)


def _with_text(entry: ParsedEntry, text: str) -> ParsedEntry:
    if not text.strip() or len(entry.text) > _LONGEST_TEXT:
        return entry
    return replace(entry, text=f"{entry.text}\n{text}".strip())
