"""Lists: one entry per item, with its continuation lines and the nested items that describe it.

A nested item that is an entry of its own knows its parent items. In a list of papers, an item without an address is a
paper known by its title.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from readtrack.infra.text.titles.clean import clean_title, looks_like_title, names_a_paper
from readtrack.infra.text.titles.marks import Marks, take_status
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, OpenItem, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.headlines import stated_status, stated_status_reason
from readtrack.ingest.parser.headings.outline import build_heading_entry, no_topic_reason, topic_of
from readtrack.ingest.parser.headings.properties import read_properties, with_properties
from readtrack.ingest.parser.headings.venues_below_addresses import venue_below_address
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_unlinked_entry
from readtrack.ingest.parser.items.diary import find_reading, is_chore
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.items.link_roles import SHOWING, STRONG, has_name
from readtrack.ingest.parser.items.phrases import read_piece, read_signed
from readtrack.ingest.parser.items.subjects import heading_subject, is_task
from readtrack.ingest.parser.items.unlinked import as_diary_line
from readtrack.ingest.parser.lines import ends_with_break_tag
from readtrack.ingest.parser.lists.item_extent import (
    find_item_end,
    has_nested_items,
    iter_nested_items,
    join_item_lines,
    text_of_line,
)
from readtrack.ingest.parser.lists.list_contents import is_among_titles, lists_papers, names_work, split_signed
from readtrack.ingest.parser.lists.list_items import BULLET, has_own_address, is_bullet, place_item, text_of_item
from readtrack.ingest.parser.lists.nested_details import FIELD, absorb, says_where, takes_link_below, with_venue
from readtrack.ingest.parser.reasons import IS_ABOUT_LIST
from readtrack.ingest.parser.vocabulary.author_names import names_in, part_rest
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

_VENUES = frozenset({"venue", "conference", "journal", "会议", "会議", "期刊", "学会"})
_CODED = re.compile(r"`(?P<name>[^`]{2,100})`:?")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_FIRST_FEW = 3
_MIN_WORDS_OF_PAGE = 3
_SEVERAL_WORKS = re.compile(r"\b(?:papers|articles|posts|books|resources|links|reading list)\b", re.IGNORECASE)
_DAY = re.compile(r"(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?[:：]?")
_BEGINS_WORK = ("[", "“[", '"[', "「[", "《[", "<http", "http")


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    mark = BULLET.match(page.text(start))
    if not mark:
        return None
    line = page.lines[start]
    body = line.text[mark.end() :]
    if heading := _HEADING.match(body):
        return _headed(page, start, body[heading.end() :])
    item = Marks(body) if find_reading(body) else take_status(body)
    if name := _name_of_list(page, start, item.remainder):
        return _headed(page, start, name)
    page.close_items(line.indent)
    end = find_item_end(page, start, has_address=bool(find_links(item.remainder)))
    text = _join_lines(page, start, end, item.remainder)
    title, end = _title_below(page, start, end) if names_in(text) else ("", end)
    text, end = _with_page_below(page, start, end, f"{text}. {title}" if title else text)
    context = place_item(page, line.number, line.number + end - start - 1, item.status)
    entries = _read_text(page, start, end, text, context, among_papers=bool(title) or lists_papers(page, start))
    if (run := read_properties(page, end, line.indent + 1)).fields and len(entries) == 1:
        end, entries = run.end, [with_properties(entries[0], run, page.lines[run.end - 1].number)]
    end, entries = _with_nested(page, start, end, entries)
    if page.outline.is_of_date and not has_nested_items(page, start):
        entries = [as_diary_line(entries[0]), *entries[1:]]
    page.nest(_open(line.indent, entries[0], text))
    return EntryBlock(end - start, entries)


def _name_of_list(page: NoteDocument, start: int, text: str) -> str:
    """Return the name of an item that heads those nested under it: "`attention`", `May 2020`. "" for other items."""
    heads_papers = _heads_papers(page, start, start + 1)
    if heads_papers and (code_name := _CODED.fullmatch(text)):
        return code_name["name"]
    is_work = names_work(page, start, text) and not heads_papers
    return _heading_name(page, start, text) if not is_work and has_nested_items(page, start) else ""


def _join_lines(page: NoteDocument, start: int, end: int, first: str) -> str:
    """Return the text of an item. `first`: that of its first line."""
    text = first
    for index in range(start + 1, end):
        text = f"{text}{' | ' if _is_broken(page, index) else ' '}{text_of_line(page, index)}"
    return text


def _is_broken(page: NoteDocument, index: int) -> bool:
    """Return True for a line that begins anew: the writer ended the one above with two spaces or `<br>`."""
    above, text = page.lines[index - 1], page.text(index)
    has_break = above.raw.endswith("  ") or (ends_with_break_tag(above.raw) and not above.text.endswith((":", ",")))
    return has_break and not text[:1].islower()


def _read_text(
    page: NoteDocument, start: int, end: int, text: str, context: ItemContext, *, among_papers: bool
) -> list[ParsedEntry]:
    heads_papers = _heads_papers(page, start, end)
    is_remark = bool(page.items) and page.items[-1].is_linked_paper
    signed = None if heads_papers or is_remark else split_signed(page, start, text)
    if signed:
        return [read_signed(*signed, context)]
    return read_piece(
        text,
        context,
        in_list=True,
        references=page.outline.references,
        among_papers=(among_papers or page.venue is not None) and not heads_papers,
        is_title=not among_papers and not heads_papers and not is_remark and is_among_titles(page, start, text),
    )


def _headed(page: NoteDocument, index: int, name: str) -> EntryBlock:
    """Parse an item that is a heading, such as `- ### 2010`, for the items nested under it.

    Its properties say nothing about them.
    """
    line = page.lines[index]
    end = read_properties(page, index + 1, line.indent + 1).end
    name = name.strip(" #*_")
    status = stated_status(page, name)
    topic = "" if status else topic_of(name)
    reason = stated_status_reason(name) if status else no_topic_reason(name)
    subject = _subject_above(page, index) if reason == IS_ABOUT_LIST.format(name=name) else ""
    page.close_items(line.indent)
    span = page.numbers(index, end)
    topics = place_item(page, *span, None).topics
    page.nest(OpenItem(line.indent, topic or subject, "", heading="" if topic else name, status=status))
    return EntryBlock(end - index, [build_heading_entry(*span, name, topic, topics, reason)])


def _subject_above(page: NoteDocument, index: int) -> str:
    """Return the topic of the item above that `- Papers` or `- Code` goes on with: nothing else is nested below it.

    The list has such a label for several topics. A single one may stand below anything.
    """
    label = page.lines[index]
    sibling = next((item for item in page.items if item.indent == label.indent), None)
    if sibling is None or not (sibling is page.items[-1] or sibling.heading):
        return ""
    labels = (line for line in page.lines if line.text == label.text and line.indent == label.indent)
    return sibling.topic if any(line is not label for line in labels) else ""


def _with_nested(page: NoteDocument, start: int, end: int, entries: list[ParsedEntry]) -> tuple[int, list[ParsedEntry]]:
    """Merge nested items into the paper above, up to the first that is an entry of its own."""
    if len(entries) > 1 or entries[0].kind in {"blank", "junk", "question"}:
        return end, entries
    nested = [*islice(iter_nested_items(page, start, end), _FIRST_FEW * 2)]
    entry = entries[0]
    if entry.kind != "paper" and (_link_below(page, entry, nested) or _venue_below(page, entry, nested)):
        entry = _as_paper(entry)
    for index, after in iter_nested_items(page, start, end):
        if _is_title_with_remark(page, index, after) and not entry.identifiers:
            break
        last, venue = page.lines[after - 1].number, venue_below_address(page, index)
        if venue and entry.kind == "paper":
            merged: ParsedEntry | None = with_venue(replace(entry, last=last), venue.venue, venue.year)
        else:
            merged = absorb(entry, join_item_lines(page, index, after), last)
        if merged is None:
            break
        entry, end = merged, after
    return end, [entry]


def _is_title_with_remark(page: NoteDocument, start: int, end: int) -> bool:
    """Return True for an item such as `- A Title of Words<br>` above a line about it: it is no detail of another."""
    is_broken = end - start > 1 and ends_with_break_tag(page.lines[start].raw)
    return is_broken and looks_like_title(clean_title(text_of_item(page, start)))


def _title_below(page: NoteDocument, start: int, end: int) -> tuple[str, int]:
    """Return the title nested right below an item that only has its authors, and the index after it."""
    below = next(iter_nested_items(page, start, end), None)
    title = join_item_lines(page, *below) if below and not page.links_at(below[0]) else ""
    return (title, below[1]) if below and names_a_paper(clean_title(title)) else ("", end)


def _with_page_below(page: NoteDocument, start: int, end: int, text: str) -> tuple[str, int]:
    """Return several words as the title of the page whose address is all that is nested below them, and the end.

    A paper has its own title, below which the words are a topic.
    """
    nested = [*islice(iter_nested_items(page, start, end), 2)]
    name = heading_subject(text)
    if len(nested) != 1 or len(name.split()) < _MIN_WORDS_OF_PAGE or no_topic_reason(name) or find_links(text):
        return text, end
    if is_task(name) or is_chore(name) or _SEVERAL_WORKS.search(name):
        return text, end
    below = join_item_lines(page, *nested[0])
    links = find_links(below)
    if len(links) != 1 or links[0].ref.scheme in STRONG or not is_bare(below, links):
        return text, end
    return f"[{name}]({links[0].address})", nested[0][1]


def _link_below(page: NoteDocument, entry: ParsedEntry, nested: Sequence[tuple[int, int]]) -> bool:
    """Return True if the words above are the title and the first link below only marks the paper."""
    linked_items = [item for item in nested if page.links_at(item[0])]
    first_item = next(iter(linked_items), None)
    if first_item and len(linked_items) > 1 and page.links_at(first_item[0])[0].label is None:
        first_item = _find_only_paper(page, linked_items)
    return first_item is not None and takes_link_below(entry, join_item_lines(page, *first_item))


def _find_only_paper(page: NoteDocument, items: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the address of a paper next to only its code, slides or video, None in a list of addresses."""
    links = [page.links_at(start)[0] for start, _ in items]
    papers = [item for item, link in zip(items, links, strict=True) if link.paper_kind == "paper"]
    others = [link for link in links if link.paper_kind != "paper"]
    return papers[0] if len(papers) == 1 and all(link.paper_kind in SHOWING for link in others) else None


def _venue_below(page: NoteDocument, entry: ParsedEntry, nested: Sequence[tuple[int, int]]) -> bool:
    """Return True if the item may be a title and a line below has its venue or year, the first or one below authors."""
    if not entry.title or entry.kind != "lead":
        return False
    for item in nested:
        body = join_item_lines(page, *item)
        if says_where(body) or _names_venue(body):
            return True
        if not FIELD.fullmatch(body) and not names_in(body):
            return False
    return False


def _names_venue(text: str) -> bool:
    """Return True for a labelled venue, and for authors before a venue with its year."""
    if field := FIELD.fullmatch(text):
        return field["name"].casefold() in _VENUES
    parts = part_rest(text)
    return len(parts.authors) > 1 and all(find_venue(parts.remainder))


def _heading_name(page: NoteDocument, start: int, text: str) -> str:
    """Return the name of an item that heads others: a date, a venue, or a subject above addresses. Else ""."""
    goes_on = text.count("**") % 2 == 1  # in bold, on the next line
    if goes_on or page.links_at(start) or _dates_one_work(page, start, text):
        return ""
    if no_topic_reason(text) or (stated_status(page, text) and _heads_list(page, start)):
        return text
    return heading_subject(text) if _heads_list(page, start) and not take_head(text).venue else ""


def _dates_one_work(page: NoteDocument, start: int, text: str) -> bool:
    """Return True for a day that goes on with nothing but a work in the lines below, which have no bullet."""
    if not _DAY.fullmatch(text) or not page.text(start + 1).startswith(_BEGINS_WORK):
        return False
    end = find_item_end(page, start, has_address=False)
    has_items = is_bullet(page.text(end)) and page.is_deeper(end, start)
    return not has_items and sum(len(page.links_at(index)) for index in range(start + 1, end)) == 1


def _heads_list(page: NoteDocument, start: int) -> bool:
    """Return True if two of the first items below have addresses of their own, so that this is their heading."""
    items = islice(iter_nested_items(page, start, start + 1), _FIRST_FEW * 2)
    return sum(has_own_address(page, index) for index, _ in items) > 1


def _heads_papers(page: NoteDocument, index: int, end: int) -> bool:
    """Return True if items below link to papers, so that this one is their heading."""
    items = islice(iter_nested_items(page, index, end), _FIRST_FEW)
    links = [link for start, _ in items for link in page.links_at(start)]
    return any(link.paper_kind == "paper" and (link.label is None or has_name(link)) for link in links)


def _as_paper(entry: ParsedEntry) -> ParsedEntry:
    context = ItemContext(entry.first, entry.last, entry.topics, entry.status)
    return replace(
        build_unlinked_entry(ItemText(entry.title or entry.text, venue=entry.venue, year=entry.year), context),
        part=entry.part,
    )


def _open(indent: int, entry: ParsedEntry, text: str) -> OpenItem:
    if entry.kind == "topic":
        return OpenItem(indent, entry.title, entry.title)
    is_linked_paper = entry.kind == "paper" and bool(entry.identifiers)
    return OpenItem(indent, "", entry.title or entry.text or text[:200], is_linked_paper=is_linked_paper)


SHAPE = Shape("bullets", 50, read)
