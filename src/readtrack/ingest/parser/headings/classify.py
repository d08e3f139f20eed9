"""Classification of headings as note title, topic, paper, part of a paper's notes, or noise.

It uses the heading, the lines below it, and sibling headings of the same level.
"""

import re
from collections import Counter
from collections.abc import Sequence

from readtrack.infra.text.titles.dates import iso_day, take_date
from readtrack.ingest.parser.document import NoteDocument, once_per_note
from readtrack.ingest.parser.headings.evidence import (
    find_only_address,
    is_list_name,
    lists,
    lists_references,
    paper_in,
    plainly_names,
    word_count,
)
from readtrack.ingest.parser.headings.headlines import (
    HeadingSection,
    Headline,
    Role,
    name_of,
    stated_status,
    strong,
    weak,
)
from readtrack.ingest.parser.headings.lines_below import BULLET, PaperDetails, read_details
from readtrack.ingest.parser.headings.outline import (
    ATX_STEP,
    is_part_of_notes,
    names_date,
    no_topic_reason,
    without_number,
    year_named,
)
from readtrack.ingest.parser.headings.venue_names import VenueName, is_clearly_venue, venue_named
from readtrack.ingest.parser.headings.vocabulary import ABOUT_THE_LIST, CITE_THE_LIST, FIELDS_OF_PAPER, squeeze_name
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.link_roles import SHOWING, STRONG, role_from_label
from readtrack.ingest.parser.items.title_runs import are_titles, is_clear_title, is_talk
from readtrack.ingest.parser.vocabulary.author_names import is_name, names_in

_ABOUT = frozenset(map(squeeze_name, ABOUT_THE_LIST))
_CITE = frozenset(map(squeeze_name, CITE_THE_LIST))
_FIELDS = frozenset(map(squeeze_name, FIELDS_OF_PAPER))
_READING = re.compile(
    r"\b(?:read|reading|diary|journal|log|logs)\b|日记|日記|日誌|読書|読んだ|読みました|閱讀|阅读",
    re.IGNORECASE,
)
_EMPTY_BRACKETS = re.compile(r"[(\[（【][\s,|/·]*[)\]）】]")
_FENCE = re.compile(r"(?P<mark>`{3,20}|~{3,20})[^`~]*")
_BIBTEX = re.compile(r"@\w{3,20}\s?\{|```\s?(?:bibtex|bib)", re.IGNORECASE)
_TALK = re.compile(r"\b(?:we|my|our|should|(?<!of )things|stuff|ideas?|todo|questions?)\b", re.IGNORECASE)
_LOOKED_AHEAD = 40
_BEGINS_ITEM = frozenset("-*+|[0123456789")
_FEW, _SHORT_NAME = 2, 3


def sections_of(page: NoteDocument) -> dict[int, HeadingSection]:
    """Return the sections by the index of their heading's line. Computed once per note."""
    if page.sections is None:
        sections = _sections(page)
        page.sections = {section.index: section for section in sections}
        _assign_roles(page, sections)
    return page.sections


def _sections(page: NoteDocument) -> list[HeadingSection]:
    sections: list[HeadingSection] = []
    open_sections: list[HeadingSection] = []
    for index, head in _headlines(page):
        if sections:
            sections[-1].end = index
        links = find_links(head.text)
        section = HeadingSection(index, head, _name_of_heading(head.text, links), len(page.lines), links)
        while open_sections and open_sections[-1].head.level >= head.level:
            open_sections.pop()
        if open_sections:
            section.parent = open_sections[-1]
            section.parent.children.append(section)
        open_sections.append(section)
        sections.append(section)
    return sections


def _name_of_heading(text: str, links: Sequence[TextLink]) -> str:
    """Return the name of a heading without what links beside it only say about themselves: `Week 1 [slides](…)`."""
    if not links or not all(role_from_label(link.text) in SHOWING for link in links):
        return name_of(text)
    words = _EMPTY_BRACKETS.sub("", " ".join(split_around_links(text, list(links))))
    return name_of(words) or name_of(text)


def _headlines(page: NoteDocument) -> list[tuple[int, Headline]]:
    heads: list[tuple[int, Headline]] = []
    fence = ""
    skip = -1
    for index, line in enumerate(page.lines):
        text = line.text
        if index > skip and text.startswith(("```", "~~~")) and (mark := _FENCE.fullmatch(text)):
            fence = "" if fence and text.startswith(fence) else fence or mark["mark"]
        elif not fence and text and index > skip and (head := strong(page, index)):
            heads.append((index, head))
            skip = index + head.count - 1
    return heads if not fence else _list_unfenced_headlines(page)


def _list_unfenced_headlines(page: NoteDocument) -> list[tuple[int, Headline]]:
    """Return the headings of a note with an unclosed fence, which is ignored."""
    return [
        (index, head)
        for index, line in enumerate(page.lines)
        if line.text.startswith("#") and (head := strong(page, index))
    ]


def _assign_roles(page: NoteDocument, sections: list[HeadingSection]) -> None:
    for section in sections:
        if _is_noise(page, section):
            section.role = Role.NOISE
        elif (
            _has_author_heading(page, section)
            or _has_field_heading(page, section)
            or paper_in(page, section)
            or _has_section_parts(page, section)
        ):
            section.role = Role.PAPER
    _assign_roles_below_venues(page, sections)
    _assign_sibling_roles(page, sections)
    _assign_part_roles(page, sections)
    _assign_unnamed_role(page, sections)
    _assign_title_role(sections)
    _mark_venues(sections)
    page.front_venue = page.front_venue or _venue_of_title(sections)
    page.front_status = page.front_status or _status_of_title(page, sections)


def _venue_of_title(sections: list[HeadingSection]) -> VenueName | None:
    """Return the venue that the first heading names if it heads the whole note: the others beside it are days."""
    if not sections or not is_clearly_venue(sections[0].name):
        return None
    others = [section.name for section in sections[1:] if section.head.level <= sections[0].head.level]
    return venue_named(sections[0].name) if all(map(names_date, others)) else None


def _status_of_title(page: NoteDocument, sections: list[HeadingSection]) -> str | None:
    """Return the status that the first heading states for the whole note: nothing to read is below it alone."""
    if not sections or sections[0].children:
        return None
    lines = range(sections[0].body, sections[0].end)
    if len(sections) == 1 or any(page.links_at(index) or _may_name_work(page.text(index)) for index in lines):
        return None
    return stated_status(page, sections[0].name)


def _may_name_work(text: str) -> bool:
    item = BULLET.sub("", text)
    is_item = item != text and item[:1].isupper() and len(item.split()) > _SHORT_NAME and not is_talk(item)
    return is_clear_title(text) or is_item


def _mark_venues(sections: list[HeadingSection]) -> None:
    """Mark headings such as NSDI, which may also be subjects, as venues.

    The headings around tell: a year above or below, or most of the same level are venues too.
    """
    by_parent: dict[tuple[HeadingSection | None, int], list[HeadingSection]] = {}
    for section in sections:
        by_parent.setdefault((section.parent, section.head.level), []).append(section)
    for siblings in by_parent.values():
        venues = [section for section in siblings if venue_named(without_number(section.name))]
        among_venues = len(venues) >= _FEW and len(venues) * 2 >= len(siblings)
        for section in venues:
            around = [each.name for each in (section.parent, *section.children) if each is not None]
            section.is_venue = among_venues or any(map(year_named, around))


def _is_noise(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for headings about the list itself, unless papers are listed below."""
    name = squeeze_name(section.name)
    if name in _CITE:
        return any(_BIBTEX.match(page.text(index)) for index in range(section.body, section.end))
    if name not in _ABOUT or len(section.children) > _FEW:
        return False
    end = section.children[-1].end if section.children else section.end
    papers = sum(link.ref.scheme in STRONG for index in range(section.body, end) for link in page.links_at(index))
    return papers < _FEW


def _has_section_parts(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for a title with subheadings such as Motivation or Method and no lists of links."""
    names = [child.name for child in section.children]
    parts = [is_part_of_notes(name) or squeeze_name(name) in _FIELDS for name in names]
    if len(parts) < _FEW or sum(parts) * 2 < len(parts) or no_topic_reason(section.name):
        return False
    if word_count(section.name) < _SHORT_NAME or is_list_name(section.name):
        return False
    return not any(lists(page, child) >= _FEW for child in section.children)


def _has_author_heading(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for a title directly followed by a heading with its authors, and store the authors."""
    if not section.children or word_count(section.name) < _SHORT_NAME or is_clearly_venue(section.name):
        return False
    subheading = section.children[0]
    if any(page.text(index) for index in range(section.body, subheading.index)):
        return False
    date = take_date(subheading.name)
    # a lone name must be ASCII, follow a title and head no references: "Gradient Descent" looks like a name too
    is_single_name = (
        is_name(date.remainder)
        and date.remainder[:1].isascii()
        and plainly_names(section.name)
        and not lists_references(page, subheading)
    )
    authors = names_in(date.remainder) or ((date.remainder,) if is_single_name else ())
    if not authors or is_part_of_notes(subheading.name) or lists(page, subheading):
        return False
    year = int(date.iso[:4]) if date.iso else None
    section.details = PaperDetails(subheading.body, 1, authors=authors, published=date.iso, year=year)
    return True


def _has_field_heading(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for a title whose first subheading is Metadata, 论文信息 or the like.

    The fields below that are stored.
    """
    if not section.children or section.links or word_count(section.name) < _SHORT_NAME or is_list_name(section.name):
        return False
    subheading = section.children[0]
    if squeeze_name(subheading.name) not in _FIELDS or subheading.index - section.index > _LOOKED_AHEAD // 2:
        return False
    details = read_details(page, subheading.body, subheading.end)
    if details.weight < _FEW or details.title or not (details.own or details.authors or details.venue):
        return False
    details.text += [text for index in range(section.body, subheading.index) if (text := page.text(index))]
    section.details = details
    return True


def _assign_roles_below_venues(page: NoteDocument, sections: list[HeadingSection]) -> None:
    """Make the headings below a venue and its sessions papers if, taken together, they read like titles."""
    by_venue: dict[HeadingSection, list[HeadingSection]] = {}
    for section in sections:
        venue = section.parent
        while venue is not None and not is_clearly_venue(venue.name):
            venue = venue.parent
        if venue is not None and not section.children:
            by_venue.setdefault(venue, []).append(section)
    for leaves in by_venue.values():
        if are_titles([section.name for section in leaves]):
            _make_papers(page, leaves)


def _assign_sibling_roles(page: NoteDocument, sections: list[HeadingSection]) -> None:
    """Make possible titles without lists papers where most headings of their level are papers.

    In a note on the papers of one journal, by its front matter, they are papers in any case.
    """
    by_level: dict[int, list[HeadingSection]] = {}
    for section in sections:
        by_level.setdefault(section.head.level, []).append(section)
    for siblings in by_level.values():
        paper_count = sum(section.role is Role.PAPER for section in siblings)
        topic_count = sum(
            section.role is Role.TOPIC and not section.links and not no_topic_reason(section.name)
            for section in siblings
        )
        if page.front_venue is not None or paper_count >= max(_FEW, topic_count):
            _make_papers(page, siblings)


def _make_papers(page: NoteDocument, sections: list[HeadingSection]) -> None:
    """Make those of the sections papers that may be ones and are nothing else yet."""
    for section in sections:
        if section.role is Role.TOPIC and _could_be_paper(page, section):
            section.role = Role.PAPER


def _could_be_paper(page: NoteDocument, section: HeadingSection) -> bool:
    if section.links or no_topic_reason(section.name) or is_list_name(section.name):
        return False
    if section.parent is not None and section.parent.role is Role.PAPER:
        return False
    if lists(page, section):
        section.details = find_only_address(page, section)
        if section.details is None:
            return False
    items = [text for index in range(section.body, section.end) if (text := page.text(index)).startswith(("- ", "* "))]
    if are_titles([text[2:] for text in items]):
        return False
    return not _TALK.search(section.name) and (word_count(section.name) > _SHORT_NAME or plainly_names(section.name))


def _assign_part_roles(page: NoteDocument, sections: list[HeadingSection]) -> None:
    """Make headings parts of the notes if they are below a paper, or next to one without links below."""
    beside_papers: set[tuple[HeadingSection | None, int]] = set()
    for section in sections:
        place = (section.parent, section.head.level)
        if section.role is Role.PAPER:
            beside_papers.add(place)
            continue
        is_nested = section.parent is not None and section.parent.role in {Role.PAPER, Role.PART}
        if section.role is Role.TOPIC and (is_nested or (place in beside_papers and _holds_nothing(page, section))):
            section.role = Role.PART


def _assign_unnamed_role(page: NoteDocument, sections: list[HeadingSection]) -> None:
    """Make all headings parts if they are typical of notes on one unnamed paper."""
    top_sections = [section for section in sections if section.parent is None and section.role is Role.TOPIC]
    parts = sum(is_part_of_notes(section.name.partition(":")[0]) for section in top_sections)
    if parts < _SHORT_NAME or parts * 2 < len(top_sections) or any(section.role is Role.PAPER for section in sections):
        return
    items = (index for index in range(sections[0].index, len(page.lines)) if page.text(index)[:1] in _BEGINS_ITEM)
    if sum(bool(page.links_at(index)) for index in items) > _FEW:
        return
    for section in sections:
        section.role = Role.PART


def _holds_nothing(page: NoteDocument, section: HeadingSection) -> bool:
    if section.children or section.head.level == ATX_STEP:
        return False
    return not any(page.links_at(index) for index in range(section.index, section.end))


def _assign_title_role(sections: list[HeadingSection]) -> None:
    """Make the first heading the title of the note if it is the only one of the outermost level."""
    if not sections or sections[0].role is not Role.TOPIC or not sections[0].children:
        return
    if sum(section.head.level <= sections[0].head.level for section in sections) == 1:
        sections[0].role = Role.TITLE


@once_per_note
def keeps_a_diary(page: NoteDocument) -> bool:
    """Return True if headings are dates and the note is about reading."""
    sections = list(sections_of(page).values())
    is_about_reading = any(_READING.search(section.name) for section in sections[:1])
    return is_about_reading and any(iso_day(take_date(section.name).iso) for section in sections)


@once_per_note
def bold_parents(page: NoteDocument) -> dict[int, int]:
    """Return the levels of bold lines that are directly above marked headings, by index.

    They are parents of these headings where at least two of them stand above headings of one level.
    """
    levels: dict[int, int] = {}
    for section in sections_of(page).values():
        above = section.index - 1
        while above >= 0 and not page.text(above):
            above -= 1
        if above >= 0 and (head := weak(page, above)) and not head.is_fold and not no_topic_reason(head.text):
            levels[above] = section.head.level - 1
    counts = Counter(levels.values())
    return {index: level for index, level in levels.items() if counts[level] >= _FEW}


def find_fold_section(page: NoteDocument, start: int) -> HeadingSection | None:
    """Return a bold line or summary as a section.

    It ends at the next bold line, summary or heading.
    """
    head = weak(page, start)
    if head is None:
        return None
    end = start + head.count
    while end < min(len(page.lines), start + _LOOKED_AHEAD):
        is_closed = head.is_fold and page.text(end).startswith("</details")
        if is_closed or (page.text(end) and (strong(page, end) or weak(page, end))):
            break
        end += 1
    return HeadingSection(start, head, name_of(head.text), end, find_links(head.text))
