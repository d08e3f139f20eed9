"""Headings that are papers: one entry from the heading and the details below.

Further lines are notes on the paper.
"""

from dataclasses import replace

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import iso_day, take_date
from readtrack.ingest.parser.document import EntryBlock, NoteDocument
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.lines_below import PaperDetails, read_details
from readtrack.ingest.parser.headings.outline import BOLD, BOLD_PAPER, OutlineHeading
from readtrack.ingest.parser.headings.section import HeadingSection
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, build_unlinked_entry, link_to
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_roles import is_own, role_from_label
from readtrack.ingest.parser.items.phrases import merge_links, read_piece
from readtrack.ingest.parser.vocabulary.title_affixes import take_head


def read_paper(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    """Read the heading and the lines right below with venue, authors and addresses."""
    told = section.told or read_details(page, section.body, section.end)
    level = BOLD_PAPER if section.head.level == BOLD else section.head.level
    page.outline.leave(level)
    end = max(told.end, section.body)
    place = ItemContext(page.lines[section.at].number, page.lines[end - 1].number, page.outline.topics)
    entry = _read_linked_heading(section, told, place) or entry_of(_title(section, told), section.found, told, place)
    heading = OutlineHeading(level, section.name, paper=entry.title or section.name)
    (page.outline.enter_fold if section.head.is_fold else page.outline.enter)(heading)
    return EntryBlock(end - section.at, [entry])


def _read_linked_heading(section: HeadingSection, told: PaperDetails, place: ItemContext) -> ParsedEntry | None:
    """Read a heading with a link like a list item, and fill in the details from below."""
    if not section.found:
        return None
    (entry, *others) = read_piece(section.head.text, place, listed=True)
    if others or entry.paper_kind != "paper" or not entry.title:
        return None
    day = iso_day(take_date(section.name).iso)
    entry = merge_links(entry, told.found)
    return replace(
        entry,
        topics=tuple(dict.fromkeys([*place.topics, *told.topics])),
        text=" · ".join(text for text in (entry.text, *told.text) if text),
        venue=entry.venue or told.venue,
        year=entry.year or told.year,
        status=entry.status or told.status,
        authors=entry.authors or told.authors,
        published=told.published or ("" if entry.published == day else entry.published),
        read_on=told.read_on or day,
        rating=entry.rating or told.rating,
        abstract=told.abstract,
    )


def entry_of(title: str, found: list[TextLink], told: PaperDetails, place: ItemContext) -> ParsedEntry:
    """Build a paper from its title as written, the links in it and the details below."""
    date = take_date(title)
    day = iso_day(date.iso)
    head = take_head(date.rest if day else title)
    said = ItemText(
        head.rest,
        " · ".join(told.text),
        venue=told.venue or head.venue,
        year=told.year or head.year,
        status=told.status or head.status,
        authors=told.authors,
        published=told.published or head.published,
        read_on=told.read_on or day,
        rating=told.rating or head.rating,
        abstract=told.abstract,
    )
    place = replace(place, topics=tuple(dict.fromkeys([*place.topics, *told.topics])))
    links = sorted([*found, *told.found], key=lambda each: not is_own(each))
    if links and is_own(links[0]):
        return build_entry(links[0], said, place, links[1:])
    return _build_unlinked_entry(said, place, links, told.bare)


def _build_unlinked_entry(
    said: ItemText, place: ItemContext, links: list[TextLink], bare: list[TextLink]
) -> ParsedEntry:
    told = said.authors or said.venue
    if links and (not names_a_paper(said.title) or (links[0].paper_kind == "article" and not told)):
        return build_entry(links[0], said, place, links[1:])
    if links and links[0] in bare and links[0].paper_kind == "page":  # the web page of the paper
        return replace(build_entry(links[0], said, place, links[1:]), paper_kind="paper")
    entry = build_unlinked_entry(said, place)
    return replace(entry, links=tuple(dict.fromkeys(link_to(each) for each in links if each.address)))


def _title(section: HeadingSection, told: PaperDetails) -> str:
    """Return the heading or its link text.

    If that is only a short name, return the title from the fields.
    """
    beside = section.words_beside
    label = next((each.label for each in section.found if each.label and not role_from_label(each.label)), "")
    name = label if label and (len(label) >= len(beside) or names_a_paper(label)) else beside or label
    whole = section.name if name == label and len(beside) > len(label) else name
    return told.title if told.title and not names_a_paper(name) else whole or told.title
