"""Headings that are papers: one entry from the heading and the details below.

Further entries below it become notes on the paper; entries below a date get that reading date.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.compare import title_letters
from readtrack.infra.text.titles.dates import iso_day, take_date
from readtrack.infra.text.titles.marks import status_of, take_status
from readtrack.infra.text.titles.vocabulary import LETTER
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.evidence import (
    find_reference,
    is_only_address,
    rating_behind,
    title_behind_year,
    title_between,
)
from readtrack.ingest.parser.headings.headlines import HeadingSection
from readtrack.ingest.parser.headings.lines_below import BULLET, PaperDetails, read_details
from readtrack.ingest.parser.headings.outline import BOLD, BOLD_PAPER, OutlineHeading, is_part_of_notes, topics_of
from readtrack.ingest.parser.headings.venue_names import VenueName
from readtrack.ingest.parser.items.build_entry import (
    ItemContext,
    ItemText,
    build_entry,
    build_unlinked_entry,
    join_texts,
    link_to,
)
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_roles import is_own, role_from_label
from readtrack.ingest.parser.items.phrases import merge_links, read_piece
from readtrack.ingest.parser.items.unlinked import begins_with_authors
from readtrack.ingest.parser.reasons import LINKED, NOTE_ON_PAPER, UNLINKED
from readtrack.ingest.parser.vocabulary.author_names import CitationParts
from readtrack.ingest.parser.vocabulary.journals import take_journal
from readtrack.ingest.parser.vocabulary.title_affixes import split_remark, take_hashtags, take_head

_NAMED = frozenset({"lead", "topic", "paper"})
_TAG = re.compile(r"(?:[-*+]\s)?#(?P<name>[^\W\d][\w-]{1,30})")
_WORDS = re.compile(r"[^\W\d_]{3}")
_MAX_QUOTED_CHARS = 100


def read_paper(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    """Read the heading and the lines right below with venue, authors and addresses."""
    reference, end = (
        _find_reference_below(page, section) if is_only_address(section) else (find_reference(section), section.body)
    )
    details = (section.details if end == section.body else None) or read_details(page, end, section.end)
    if reference:
        venue, year = find_venue(reference.remainder)
        marks = take_status(section.head.text)
        tags = topics_of(take_hashtags(marks.remainder)[1])
        details = replace(
            details,
            status=details.status or marks.status,
            topics=(*details.topics, *tags),
            authors=reference.authors or details.authors,
            venue=venue or details.venue,
            year=year or details.year,
        )
    level = BOLD_PAPER if section.head.level == BOLD else section.head.level
    page.outline.leave(level)
    end = max(details.end, section.body)
    context = ItemContext(page.lines[section.index].number, page.lines[end - 1].number, page.outline.topics)
    title, year = title_behind_year(page, section)
    if year:
        details = replace(details, year=details.year or year)
    title = title or (reference.title if reference else _title(section, details))
    entry = _read_linked_heading(section, details, context) or entry_of(title, section.links, details, context)
    if not entry.status and (status := _tagged_status(page, end, section.end)):
        entry = replace(entry, status=status)
    if not entry.rating and title_between(section):
        entry = replace(entry, rating=rating_behind(section))
    if entry.read_on and not entry.status and _is_noted(page, end, section.end):
        entry = replace(entry, status="read")
    heading = OutlineHeading(level, section.name, paper=entry.title or section.name)
    (page.outline.enter_fold if section.head.is_fold else page.outline.enter)(heading)
    return EntryBlock(end - section.index, [entry])


def _find_reference_below(page: NoteDocument, section: HeadingSection) -> tuple[CitationParts | None, int]:
    """Return the reference right below a heading that is only an address, and the index of the line behind it."""
    index = next((index for index in range(section.body, section.end) if page.text(index)), section.body)
    citation = parse_citation(page.text(index))
    is_reference = index < section.end and begins_with_authors(page.text(index), citation)
    return (citation, index + 1) if is_reference else (None, section.body)


def _tagged_status(page: NoteDocument, start: int, stop: int) -> str | None:
    """Return the status of a tag alone in the notes on a paper: `- #待读`."""
    tags = (_TAG.fullmatch(page.text(index)) for index in range(start, stop) if "#" in page.text(index)[:4])
    return next((status for tag in tags if tag and (status := status_of(tag["name"]))), None)


def _read_linked_heading(section: HeadingSection, details: PaperDetails, context: ItemContext) -> ParsedEntry | None:
    """Read a heading with a link like a list item, and fill in the details from below."""
    if not section.links:
        return None
    marks = take_status(section.head.text)
    (entry, *others) = read_piece(marks.remainder, context, in_list=True)
    if others or entry.paper_kind != "paper" or not entry.title:
        return None
    day = iso_day(take_date(section.name).iso)
    entry = merge_links(entry, details.links)
    return replace(
        entry,
        topics=tuple(dict.fromkeys([*entry.topics, *details.topics])),
        text=join_texts(entry.text, *details.text),
        venue=entry.venue or details.venue,
        year=entry.year or details.year,
        status=entry.status or marks.status or details.status,
        authors=entry.authors or details.authors,
        published=details.published or ("" if entry.published == day else entry.published),
        read_on=details.read_on or day,
        rating=entry.rating or details.rating,
        abstract=details.abstract,
    )


def entry_of(title: str, title_links: list[TextLink], details: PaperDetails, context: ItemContext) -> ParsedEntry:
    """Build a paper from its title as written, the links in it and the details below."""
    title, tags = take_hashtags(title)
    date = take_date(title)
    day = iso_day(date.iso)
    name, remark = split_remark(date.remainder if day else title)
    head = take_head(name)
    words, journal, journal_year = ("", "", None) if head.venue else take_journal(head.title)
    beside = head.title.replace(words, "").replace(journal, "") if journal else ""
    texts = [remark, beside.strip(" ,.|-–—:") if _WORDS.search(beside) else "", *details.text]
    year, published = details.year or head.year or journal_year, details.published or head.published
    item_text = ItemText(
        words or head.title,
        " · ".join(filter(None, texts)),
        venue=details.venue or head.venue or journal,
        year=year,
        status=details.status or head.status,
        authors=details.authors or head.authors,
        published="" if year and iso_day(published) and not published.startswith(str(year)) else published,
        read_on=details.read_on or day,
        rating=details.rating or head.rating,
        abstract=details.abstract,
    )
    own_topics = [*details.topics, *topics_of(tags)]
    context = replace(context, topics=tuple(dict.fromkeys([*context.topics, *own_topics])))
    links = sorted([*title_links, *details.links], key=lambda each: not is_own(each))
    if links and is_own(links[0]):
        return build_entry(links[0], item_text, context, links[1:])
    return _build_unlinked_entry(item_text, context, links, details.bare_links)


def _build_unlinked_entry(
    item_text: ItemText, context: ItemContext, links: list[TextLink], bare_links: list[TextLink]
) -> ParsedEntry:
    has_source = item_text.authors or item_text.venue
    if links and (not names_a_paper(item_text.title) or (links[0].paper_kind == "article" and not has_source)):
        return build_entry(links[0], item_text, context, links[1:])
    if links and links[0] in bare_links and links[0].paper_kind == "page":  # the web page of the paper
        return replace(build_entry(links[0], item_text, context, links[1:]), paper_kind="paper")
    entry = build_unlinked_entry(item_text, context)
    return replace(entry, links=tuple(dict.fromkeys(link_to(link) for link in links if link.address)))


def _is_noted(page: NoteDocument, start: int, stop: int) -> bool:
    """Return True if there are notes below a dated title: it was read on that day, not planned for it."""
    return any(LETTER.search(page.text(index)) and not page.links_at(index) for index in range(start, stop))


def _title(section: HeadingSection, details: PaperDetails) -> str:
    """Return the heading or its link text.

    If that is only a short name, or a field has a whole reference, return the title from the fields.
    """
    if between := title_between(section):
        return f"{take_date(section.name).iso} {between}".lstrip()
    text = section.words_beside
    label = next((link.label for link in section.links if link.label and not role_from_label(link.label)), "")
    name = label if label and (len(label) >= len(text) or names_a_paper(label)) else text or label
    full_name = section.name if name == label and len(text) > len(label) else name
    is_known = details.title and (details.cited is not None or not names_a_paper(name))
    return details.title if is_known else full_name or details.title


def apply_outer_headings(page: NoteDocument, entries: Sequence[ParsedEntry]) -> list[ParsedEntry]:
    """Turn entries without an address below a paper into remarks, and set reading dates and venues.

    Reference lists are left unchanged.
    """
    outline, venue = page.outline, page.venue or page.front_venue
    paper = "" if outline.references else outline.paper
    completed = [*entries]
    if page.quoted_paper and page.previous == "bullets" and not any(map(_states_facts, entries)):
        paper = page.quoted_paper
    if paper:
        counts = Counter(entry.first for entry in entries)
        words = (_words_of(page, entry) if counts[entry.first] == 1 else "" for entry in entries)
        completed = [_remark(entry, paper, said) for entry, said in zip(entries, words, strict=True)]
    if venue:  # other papers in the notes on one may have appeared anywhere
        completed = [entry if paper not in {"", entry.title} else _set_venue(entry, venue) for entry in completed]
    return [_set_read_on(entry, outline.reading_date) for entry in completed]


def _states_facts(entry: ParsedEntry) -> bool:
    """Return True for what is told of a work, not of a remark."""
    return bool(entry.authors or entry.venue or entry.year or entry.status)


def _words_of(page: NoteDocument, entry: ParsedEntry) -> str:
    """Return the words of an item or line, "" for cells of tables."""
    start = entry.first - page.lines[0].number
    text = " ".join(page.text(index) for index in range(start, start + entry.last - entry.first + 1))
    return "" if text.startswith(("|", "<")) else take_status(BULLET.sub("", text)).remainder


def _set_venue(entry: ParsedEntry, venue: VenueName) -> ParsedEntry:
    """Set the venue of a paper below a venue's heading. What looks like a title there is a paper."""
    is_title = entry.kind == "lead" and entry.reason == UNLINKED and names_a_paper(entry.title)
    is_page = entry.kind == "paper" and entry.paper_kind == "page" and names_a_paper(entry.title)
    if entry.venue or not (is_title or is_page or (entry.kind == "paper" and entry.paper_kind == "paper")):
        return entry
    return replace(entry, kind="paper", paper_kind="paper", venue=venue.venue, year=entry.year or venue.year)


def _remark(entry: ParsedEntry, paper: str, words: str) -> ParsedEntry:
    """Return an entry without an address as a remark. `words`: all of its item, "" if other entries are in it.

    Questions of a form, such as "What is it about?", become remarks too.
    """
    is_form_question = entry.kind == "question" and is_part_of_notes(entry.text)
    if (
        (entry.kind not in _NAMED and not is_form_question)
        or entry.identifiers
        or entry.title == paper
        or entry.reason == LINKED
    ):
        return entry
    text = entry.text or entry.title
    reason = NOTE_ON_PAPER.format(paper=paper[:_MAX_QUOTED_CHARS])
    return ParsedEntry(
        entry.first,
        entry.last,
        entry.part,
        "snippet",
        topics=entry.topics,
        text=text if title_letters(words) in {"", title_letters(text)} else words,
        reason=reason,
    )


def _set_read_on(entry: ParsedEntry, day: str) -> ParsedEntry:
    if not day or entry.kind != "paper" or entry.read_on:
        return entry
    return replace(entry, read_on=day)
