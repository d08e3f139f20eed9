"""Headings: marked ones (#, underlines, bold, summaries, ¶), and bare lines above a list."""

import re
from dataclasses import replace

from readtrack.infra.text.titles.dates import iso_day
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, keep_as_remark, once_per_note
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.title_lists import lists_titles
from readtrack.ingest.parser.headings.classify import bold_parents, find_fold_section, keeps_a_diary, sections_of
from readtrack.ingest.parser.headings.evidence import holds_papers, lists_anything, paper_in
from readtrack.ingest.parser.headings.heading_papers import read_paper
from readtrack.ingest.parser.headings.headlines import (
    HeadingSection,
    Role,
    name_of,
    stated_status,
    stated_status_reason,
    strong,
)
from readtrack.ingest.parser.headings.outline import (
    BARE,
    BOLD,
    CHAPTER,
    PILCROW,
    WHOLE_NOTE,
    OutlineHeading,
    build_heading_entry,
    lists_references,
    no_topic_reason,
    topic_below,
    venue_reason,
    without_number,
)
from readtrack.ingest.parser.headings.venue_names import is_clearly_venue, venue_named
from readtrack.ingest.parser.headings.vocabulary import FOLDS_OF_NOTES, squeeze_name
from readtrack.ingest.parser.items.find_links import TextLink, is_bare
from readtrack.ingest.parser.items.link_groups import names_a_form
from readtrack.ingest.parser.items.link_roles import SHOWING, role_from_label
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.subjects import heading_subject, is_question, is_task
from readtrack.ingest.parser.items.title_runs import is_clear_or_short_title
from readtrack.ingest.parser.lists.list_items import BULLET, has_own_address, is_bullet
from readtrack.ingest.parser.reasons import BOLD_LINE, FOLD_OF_PAPER, HEADING_IN_NOTES, NOTE_TITLE, SECTION_ABOUT_LIST

_HIDING = frozenset(map(squeeze_name, FOLDS_OF_NOTES))
_ENDS = re.compile(r"[.。!！?？,，、;；]$")
_CHAPTER = re.compile(r"[一二三四五六七八九十]{1,3}、\s?[^。！？]{2,40}")
_BARE_LETTERS, _BARE_WORDS, _BARE_CJK = 40, 4, 20
_LEAD_LETTERS, _LEAD_WORDS = 60, 8
_LISTS_WORKS = re.compile(
    r"(?:papers?|works?|articles?|studies|literature|books?|research|readings?) (?:on|about|in|of|for)\s[^,.;!?]+",
    re.IGNORECASE,
)
_MAX_NAME = 200
_NUMBERED = re.compile(r"\d{1,2}[.)]\s+(?P<name>\S.{0,90})")
_DIGITS = re.compile(r"\d\d")
_MIN_NAME, _MAX_VENUE, _FEW_VENUES = 6, 60, 2
_DASHED = re.compile(r"[-*+•]\s")
_LABELLED_TOPIC = re.compile(
    r"(?:topics?|themes?|主题|テーマ|トピック)\s?[:：]\s*(?P<name>(?!(?:tb[ad]|none|n/a)$)\S.*)", re.IGNORECASE
)
_COLONS = (":", "：")
_HEADS_A_LIST = 3  # addresses below a short line that make it a heading; fewer may be the addresses of one title


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    section = sections_of(page).get(start)
    if section is not None:
        return _READERS[section.role](page, section)
    text = page.text(start)
    if text.endswith("¶") and len(text) <= _MAX_NAME and not page.links_at(start):
        return _build_heading_block(page, start, OutlineHeading(PILCROW, name_of(text), references=True))
    section = find_fold_section(page, start)
    if section is not None:
        return _read_fold(page, section)
    chapter = name_of(text) if start in _find_chapters(page) and not page.outline.paper else ""
    if name := chapter or _find_numbered_name(page, start):
        return _build_heading_block(page, start, OutlineHeading(CHAPTER if chapter else BARE, name))
    if (_could_be_bare(page, start) and _heads_a_list(page, start)) or _is_long_heading(page, start):
        if page.previous != "headings":
            _leave_bold(page, name_of(text))
        return _build_heading_block(page, start, OutlineHeading(BARE, name_of(text), references=lists_references(text)))
    return None


def _leave_bold(page: NoteDocument, name: str) -> None:
    """Close a bold line above a bare one if it has entries of its own, or the bare one names no subject of it."""
    if page.outline.open and (page.outline.open[-1].level != BARE or no_topic_reason(name)):
        page.outline.leave_weak()


def _read_topic(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    is_of_one_paper = bool(page.outline.open) and page.outline.open[0].level == WHOLE_NOTE
    if is_of_one_paper and not holds_papers(page, section):
        return _read_part(page, section)
    if section.links and not section.children and not holds_papers(page, section) and not names_a_form(section.name):
        page.outline.leave(section.head.level)
        context = page.context(section.index, section.body)
        entries = read_piece(section.head.text, context, in_list=True)
        if no_topic_reason(section.name):  # `Week 1 [slides](address)`: not those of a paper
            entries = _with_role_of_link(section, entries)
        work = entries[0].title if _is_titled_link(section) and not _heads_titles(page, section) else ""
        page.outline.enter(OutlineHeading(section.head.level, section.name, paper=work))
        return EntryBlock(section.head.count, entries)
    return _build_heading_block(page, section.index, _to_outline_heading(section), section)


def _is_titled_link(section: HeadingSection) -> bool:
    """Return True for a heading that is one link: what is below it is about the work there."""
    return len(section.links) == 1 and name_of(section.links[0].text) == section.name


def _heads_titles(page: NoteDocument, section: HeadingSection) -> bool:
    items = (BULLET.sub("", page.text(index)) for index in range(section.body, section.end))
    return any(is_clear_or_short_title(item) for item in items)


def _read_title(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    """Read the title of the note. It files only entries that no other heading files."""
    if lists_anything(page, section):
        return _build_heading_block(
            page, section.index, replace(_to_outline_heading(section), nearest_only=True), section
        )
    page.outline.enter(replace(_to_outline_heading(section), read_on="", status=stated_status(page, section.name)))
    reason = no_topic_reason(section.name) or NOTE_TITLE
    return _build_empty_block(page, section, section.head.count, reason)


def _read_noise(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    page.outline.enter(_to_outline_heading(section))
    reason = SECTION_ABOUT_LIST.format(name=section.name)
    return _build_empty_block(page, section, section.end - section.index, reason)


def _read_part(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    """Read a heading within the notes on a paper.

    Next to the paper's own heading it counts as below it.
    """
    paper = page.outline.paper
    is_nested = any(heading.paper and heading.level < section.head.level for heading in page.outline.open)
    level = section.head.level + (0 if is_nested else 1)
    page.outline.enter(replace(_to_outline_heading(section), level=level, paper=paper))
    return _build_remark(page, section, HEADING_IN_NOTES.format(paper=paper[:100]) if paper else "")


_READERS = {
    Role.TOPIC: _read_topic,
    Role.PAPER: read_paper,
    Role.TITLE: _read_title,
    Role.PART: _read_part,
    Role.NOISE: _read_noise,
}


def _read_fold(page: NoteDocument, section: HeadingSection) -> EntryBlock:
    if paper_in(page, section):
        return read_paper(page, section)
    if section.head.is_fold and squeeze_name(section.name) in _HIDING and not holds_papers(page, section):
        page.outline.enter_fold(_to_outline_heading(section))
        return _build_remark(page, section, FOLD_OF_PAPER)
    if page.outline.paper and not section.head.is_fold:
        page.outline.enter(replace(_to_outline_heading(section), level=BOLD, paper=page.outline.paper))
        return _build_remark(page, section, HEADING_IN_NOTES.format(paper=page.outline.paper[:100]))
    heading = _to_weak_heading(page, section)
    if heading.level == BOLD and _heads_nothing(page, section):
        return _build_remark(page, section, BOLD_LINE)
    return _build_heading_block(page, section.index, heading, section)


def _heads_nothing(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True if the note or another section ends right below a bold line."""
    index = section.body
    while index < len(page.lines) and not page.text(index):
        index += 1
    return index == len(page.lines) or strong(page, index) is not None


def _build_remark(page: NoteDocument, section: HeadingSection, reason: str) -> EntryBlock:
    return keep_as_remark(page, section.index, section.body, section.name, reason)


def _to_outline_heading(section: HeadingSection) -> OutlineHeading:
    labelled = _LABELLED_TOPIC.fullmatch(section.name)
    return OutlineHeading(
        section.head.level,
        labelled["name"] if labelled else section.name,
        references=lists_references(section.name),
        fold=section.head.is_fold,
        is_of_siblings=labelled is not None,
    )


def _to_weak_heading(page: NoteDocument, section: HeadingSection) -> OutlineHeading:
    """Return the outline's heading for a bold line or summary.

    A bold line may be the parent of marked headings, or follow their entries as the next such parent.
    """
    heading = _to_outline_heading(section)
    if heading.fold:
        return heading
    levels = bold_parents(page)
    level = levels.get(section.index)
    if level is None and page.previous != "headings":
        open_levels = {heading.level for heading in page.outline.open}
        level = next((level for level in levels.values() if level in open_levels), None)
    indent = page.lines[section.index].indent
    return replace(heading, indent=indent) if level is None else replace(heading, level=level)


def _build_heading_block(
    page: NoteDocument, start: int, heading: OutlineHeading, section: HeadingSection | None = None
) -> EntryBlock:
    """Build a topic, or junk with the reason why the heading names no topic."""
    enter = page.outline.enter_fold if heading.fold else page.outline.enter
    enter(heading)
    topics = page.outline.topics
    status = stated_status(page, heading.name)
    is_venue = (section is not None and section.is_venue) or _is_among_venues(page, heading.name)
    topic = "" if status or is_venue else topic_below(topics, heading.name)
    day = _find_day(page, heading.name)
    page.outline.open[-1] = replace(page.outline.open[-1], topic=topic, read_on=day, status=status)
    count = section.head.count if section else 1
    reason = _no_topic_reason(heading.name, status) if not topic else ""
    numbers = page.numbers(start, start + count)
    entry = build_heading_entry(*numbers, heading.name, topic, topics, reason)
    return EntryBlock(count, [entry, *(_list_heading_links(page, section) if section and section.links else [])])


def _is_among_venues(page: NoteDocument, name: str) -> bool:
    """Return True for a venue without a year, such as NSDI, in a note whose other headings are dated venues."""
    return venue_named(without_number(name)) is not None and _has_dated_venues(page)


@once_per_note
def _has_dated_venues(page: NoteDocument) -> bool:
    names = (line.text for line in page.lines if _MIN_NAME <= len(line.text) <= _MAX_VENUE)
    dated = (name_of(name) for name in names if _DIGITS.search(name) and not is_bullet(name))
    return sum(map(is_clearly_venue, dated)) >= _FEW_VENUES


def _no_topic_reason(name: str, status: str | None) -> str:
    return stated_status_reason(name) if status else no_topic_reason(name) or venue_reason(name)


def _list_heading_links(page: NoteDocument, section: HeadingSection) -> list[ParsedEntry]:
    """Return the links in a topic's heading as further entries of its line, filed under the topic."""
    context = page.context(section.index, section.body)
    entries = read_piece(section.head.text, context, in_list=True)
    if names_a_form(section.name):  # [HPCA 2024](address): the proceedings of a conference
        entries = [replace(entry, paper_kind="page", reason="") for entry in entries]
    entries = _with_role_of_link(section, entries)
    return [replace(entry, part=part, last=entry.first) for part, entry in enumerate(entries, 2) if entry.identifiers]


def _with_role_of_link(section: HeadingSection, entries: list[ParsedEntry]) -> list[ParsedEntry]:
    """Return the entry of the only link as what its text says: slides, a video or code."""
    role = role_from_label(section.links[0].text) if len(section.links) == len(entries) == 1 else None
    return [replace(entries[0], paper_kind=role)] if role in SHOWING else entries


def _find_day(page: NoteDocument, name: str) -> str:
    """Return the date of a heading in a reading diary."""
    day = iso_day(name)
    return day if day and keeps_a_diary(page) else ""


def _build_empty_block(page: NoteDocument, section: HeadingSection, count: int, reason: str) -> EntryBlock:
    numbers = page.numbers(section.index, section.index + count)
    return EntryBlock(count, [ParsedEntry(*numbers, 1, "junk", title=section.name, decision="skip", reason=reason)])


def _could_be_bare(page: NoteDocument, index: int) -> bool:
    """Return True for a short, unindented line that is no sentence, question or address."""
    text, line = page.text(index), page.lines[index]
    letters, words = (_LEAD_LETTERS, _LEAD_WORDS) if _leads_to_list(page, index) else (_BARE_LETTERS, _BARE_WORDS)
    if line.indent or len(text) > letters or len(text.split()) > words:
        return False
    if page.text(index - 1) and not _ends_above(page, index):
        return False
    if _ENDS.search(text) or is_bullet(text) or text.startswith(("|", ">", "<")) or len(CJK.findall(text)) > _BARE_CJK:
        return False
    return not is_question(text) and not (" " in text and is_task(text)) and not page.links_at(index)


def _leads_to_list(page: NoteDocument, index: int) -> bool:
    """Return True for words such as `Works on the effects of caches:` right above a list with links."""
    text, below = page.text(index), page.text(index + 1)
    has_links = is_bullet(below) and bool(page.links_at(index + 1))
    return has_links and text.endswith(_COLONS) and _LISTS_WORKS.fullmatch(text[:-1]) is not None


def _ends_above(page: NoteDocument, index: int) -> bool:
    """Return True if a list or addresses further in end right above a line."""
    has_address = bool(page.links_at(index - 1))
    if page.text(index).endswith(_COLONS):
        return has_address or is_bullet(page.text(index - 1))
    return has_address and page.lines[index - 1].indent > page.lines[index].indent


@once_per_note
def _find_chapters(page: NoteDocument) -> frozenset[int]:
    """Return the bare lines `一、…` by index, if at least two of them head lists."""
    matches = [index for index, line in enumerate(page.lines) if _CHAPTER.fullmatch(line.text)]
    lines = [index for index in matches if not page.links_at(index)]
    are_headings = sum(_heads_a_list(page, index) for index in lines) > 1
    return frozenset(lines if are_headings else ())


def _find_numbered_name(page: NoteDocument, start: int) -> str:
    """Return the name in `1. Name` above bullets that are no further in: it heads them. "" if it is something else."""
    number = _NUMBERED.match(page.text(start))
    if not number or page.links_at(start):
        return ""
    below = start + 1 if page.text(start + 1) else start + 2
    is_list = _DASHED.match(page.text(below)) and page.lines[below].indent <= page.lines[start].indent
    return heading_subject(number["name"]) if is_list and has_own_address(page, below) else ""


def _is_long_heading(page: NoteDocument, start: int) -> bool:
    """Return True for a noun phrase directly above a list of addresses, longer than other bare headings."""
    text = page.text(start)
    if not text[:1].isalpha() or page.text(start - 1) or page.lines[start].indent or page.links_at(start):
        return False
    is_list = all(_DASHED.match(page.text(index)) and has_own_address(page, index) for index in (start + 1, start + 2))
    return is_list and bool(heading_subject(text))


def _has_deeper_addresses(page: NoteDocument, start: int) -> bool:
    """Return True for a line above addresses further in, which are several or have words beside them."""
    below = [index for index in (start + 1, start + 2) if page.links_at(index) and page.is_deeper(index, start)]
    return len(below) > 1 or (below == [start + 1] and not is_bare(page.text(start + 1), page.links_at(start + 1)))


def _heads_a_list(page: NoteDocument, start: int) -> bool:
    if is_bullet(page.text(start + 1)) or _has_deeper_addresses(page, start):
        return True
    is_label = page.text(start).endswith(_COLONS)
    if is_label and _labels_entries(page, start):
        return True
    if page.text(start + 1):
        return _heads_addresses(page, start)
    below = (start + 2, start + 3)
    are_links = all(page.links_at(index) and not page.lines[index].indent for index in below)
    return is_bullet(page.text(start + 2)) or (is_label and are_links)


def _labels_entries(page: NoteDocument, start: int) -> bool:
    """Return True for `To read:` or `Attention:` above titles, and for `To read:` above an address."""
    name = name_of(page.text(start))
    status = stated_status(page, name)
    if lists_titles(page, start + 1) and (status or heading_subject(name)):
        return True
    return status is not None and bool(page.links_at(start + 1))


def _heads_addresses(page: NoteDocument, start: int) -> bool:
    """Return True for a line above addresses of several works. The addresses below a title may be those of one."""
    links: list[TextLink] = []
    for index in range(start + 1, start + 1 + _HEADS_A_LIST):
        if not is_bare(page.text(index), page.links_at(index)):
            break
        links.append(page.links_at(index)[0])
    if links and no_topic_reason(page.text(start)):
        return True
    kinds = [link.paper_kind for link in links]
    # One paper with its code, slides or video is below its title.
    is_one_paper = "paper" in kinds and sum(kind not in SHOWING for kind in kinds) == 1
    return len({link.ref for link in links}) >= _HEADS_A_LIST and not is_one_paper


SHAPE = Shape("headings", 40, read)
