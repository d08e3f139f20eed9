"""Lists: one entry per item, with its continuation lines and the nested items that describe it.

A nested item that is an entry of its own knows its parent items. In a list of papers, an item without an address is a
paper known by its title.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from readtrack.infra.text.titles.clean import (
    clean_title,
    could_be_title,
    is_broken_off,
    looks_like_title,
    names_a_paper,
)
from readtrack.infra.text.titles.dates import iso_date
from readtrack.infra.text.titles.marks import Marks, rating_of, take_status
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, OpenItem, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.headlines import stated_status, stated_status_reason, weak
from readtrack.ingest.parser.headings.lines_below import venue_below_address
from readtrack.ingest.parser.headings.outline import no_topic_reason, topic_of
from readtrack.ingest.parser.headings.properties import is_property, read_properties, with_properties
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_unlinked_entry
from readtrack.ingest.parser.items.diary import find_reading
from readtrack.ingest.parser.items.extract_text import remark
from readtrack.ingest.parser.items.find_links import TextLink, find_links, is_bare, split_around_links
from readtrack.ingest.parser.items.link_groups import group_links, has_words, is_extra
from readtrack.ingest.parser.items.link_roles import (
    SHOWING,
    STRONG,
    calls_it_a_paper,
    has_name,
    is_own,
    role_from_label,
    role_of,
)
from readtrack.ingest.parser.items.phrases import merge_links, read_piece, read_signed
from readtrack.ingest.parser.items.signed_titles import SignedTitle, Splitter, find_splitters
from readtrack.ingest.parser.items.subjects import heading_subject, is_question, is_task
from readtrack.ingest.parser.items.title_runs import are_titles, may_be_among_titles
from readtrack.ingest.parser.items.unlinked import as_diary_line
from readtrack.ingest.parser.reasons import IS_ABOUT_LIST
from readtrack.ingest.parser.vocabulary.author_names import names_in, part_rest
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

_LOOKED_AT = 200
_MIN_SIBLINGS = 3
_MIN_TITLE_SPACES = 3
_MIN_NUMBERED_WORDS, _MAX_WRAPPED = 2, 4
_TALK = re.compile(r"(?:we|i|you|it|they|this|that|these|those|here|there|let|my|our|please)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\d|[(（\[]\d")
_LIST_ITEM = re.compile(r"[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)]|\[\d{1,3}\]")
_LIST_ENDS = ("#", "|", "```", "<", "**")
_VENUE_TAG = re.compile(
    r"[(\[（【`][^()\[\]（）【】`]{0,60}(?:(?:19|20)\d\d|['’‘]\s?\d\d)[^()\[\]（）【】`]{0,30}[)\]）】`]|^\W{0,3}(?:\d\d|(?:19|20)\d\d)-[A-Z]{2}"
    r"|,\s(?:19|20)\d\d(?:,\s[A-Z][\w&. -]{1,40})?\.?$"
)
_FIELD = re.compile(
    r"[*_]{0,2}(?P<name>authors?|by|venue|conference|journal|published(?: in)?|publication|date|year|"
    r"作者|著者|会议|会議|期刊|发表|学会|日期|时间|年)[*_]{0,2}\s?[:：][*_]{0,2}\s*(?P<value>.+)",
    re.IGNORECASE,
)
_YEAR_AND_VENUE = re.compile(
    r"(?P<year>(?:19|20)\d\d),?\s(?P<venue>[A-Z][a-z]{0,8}[A-Z][A-Za-z]{0,12})"
    r"(?:,\s[A-Z][\w&. ]{1,30}|\s?\([^()]{2,80}\))?"
)
_VENUES = frozenset({"venue", "conference", "journal", "会议", "会議", "期刊", "学会"})
_PEOPLE = frozenset({"author", "authors", "by", "作者", "著者"})
_MAX_TEXT_CHARS = 20_000
_BULLET = re.compile(
    r"(?:(?:[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)]|\[\d{1,3}\](?=\s\S))(?=\s|$)|[•‣◦▪●○・])\s*"
)
_TOPICS_BELOW = re.compile(  # `Topics of interest are:`, but not `Papers on these topics:`
    r"(?!.*\b(?:papers?|reading|articles?)\b)(?:.*\b(?:topics|subjects|areas|themes|keywords|interests)\b[^.:：]{0,60}|"
    r".*(?:テーマ|キーワード|主题|关键词|方向)[^。:：]{0,20})[:：]",
    re.IGNORECASE,
)
_CODED = re.compile(r"`(?P<name>[^`]{2,100})`:?")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_AUTHORS = re.compile(r"(?P<mark>[*_])(?P<names>[^*_]{5,600})(?P=mark)")
_MAX_CONTINUED = 50
_MAX_ABSORBED = 200
_FIRST_FEW = 3
_OTHER_SHAPES = ("```", "~~~", "|", "#", ">", "<")


def lists_papers(page: NoteDocument, index: int) -> bool:
    """Return True if at least half of the items around name a paper by its address or venue."""
    indent = page.lines[index].indent
    cached = page.lists.get(indent)
    if cached is None or not cached[0] <= index < cached[1]:
        cached = (index, *_looked_over(page, index, indent))
        page.lists[indent] = cached
    return cached[2]


def _looked_over(page: NoteDocument, start: int, indent: int) -> tuple[int, bool]:
    """Return the index up to which items were inspected, and whether most of them are papers."""
    papers = items = 0
    index = start
    while index < min(len(page.lines), start + _LOOKED_AT):
        text = page.text(index)
        if text.startswith(_LIST_ENDS) or (text and page.lines[index].indent < indent):
            break
        if _LIST_ITEM.match(text) and page.lines[index].indent == indent:
            items += 1
            papers += _names_paper(page, index, text)
        index += 1
    return max(index, start + 1), items >= _MIN_SIBLINGS and 2 * papers >= items


def _names_paper(page: NoteDocument, index: int, text: str) -> bool:
    if any(link.ref.scheme in STRONG or link.paper_kind == "paper" for link in page.links_at(index)):
        return True
    return _VENUE_TAG.search(text[:1000]) is not None and text.count(" ") >= _MIN_TITLE_SPACES


def lists_titles(page: NoteDocument, index: int) -> bool:
    """Return True if the items around are titles without addresses, and this one may be one of them."""
    indent = page.lines[index].indent
    cached = page.title_lists.get(indent)
    if cached is None or not cached[0] <= index < cached[1]:
        items = [*_unlinked_items(page, index, indent)]
        end = items[-1] + 1 if items else index + 1
        are_topics = _TOPICS_BELOW.fullmatch(page.text(index - 1) or page.text(index - 2)) is not None
        cached = (index, end, not are_topics and are_titles([_text_of_item(page, item) for item in items]))
        page.title_lists[indent] = cached
    return cached[2] and may_be_among_titles(_text_of_item(page, index))


def _split_signed(page: NoteDocument, index: int, text: str) -> tuple[SignedTitle, str] | None:
    """Split an item where its list has title and authors in one form. The second value: its text from an address on.

    An item with the addresses of several works, and notes on a paper, are read whole.
    """
    splitter = None if page.outline.paper else _splitters(page).get(index)
    before = _before_address(text)
    signed = splitter.split(before.strip()) if splitter else None
    address = text[len(before) :]
    is_one = len(group_links(address, find_links(address), in_list=True)) <= 1
    return (signed, address) if signed and is_one else None


def _is_among_titles(page: NoteDocument, index: int, text: str) -> bool:
    """Return True for an item of a list of titles, or of signed titles if its own authors are missing."""
    return lists_titles(page, index) or (index in _splitters(page) and may_be_among_titles(text))


def _splitters(page: NoteDocument) -> Mapping[int, Splitter]:
    """Return what splits the items of lists with title and authors in one form, by the index of the item."""
    if page.signed_items is None:
        by_indent: dict[int, list[list[int]]] = {}
        for items in _lists_of(page):
            by_indent.setdefault(page.lines[items[0]].indent, []).append(items)
        page.signed_items = {}
        for lists in by_indent.values():
            splitters = find_splitters([[_words_of(page, item) for item in items] for items in lists])
            for items, splitter in zip(lists, splitters, strict=True):
                page.signed_items.update(dict.fromkeys(items, splitter) if splitter else {})
    return page.signed_items


def _lists_of(page: NoteDocument) -> Iterator[list[int]]:
    """Yield the items of each list, by index, but those whose title is a link. Deeper items do not end a list."""
    open_lists: dict[int, list[int]] = {}
    for index, line in enumerate(page.lines):
        if not line.text:
            continue
        is_item = _BULLET.match(line.text) is not None
        is_end = line.text.startswith(_LIST_ENDS)
        for indent in [indent for indent in open_lists if is_end or line.indent < indent]:
            yield open_lists.pop(indent)
        if is_item and not any(map(has_name, page.links_at(index)[:1])):
            open_lists.setdefault(line.indent, []).append(index)
    yield from open_lists.values()


def _words_of(page: NoteDocument, index: int) -> str:
    return _before_address(_text_of_item(page, index)).strip()


def _before_address(text: str) -> str:
    links = find_links(text)
    return text[: links[0].start] if links else text


def _unlinked_items(page: NoteDocument, start: int, indent: int) -> Iterator[int]:
    for index in range(start, min(len(page.lines), start + _LOOKED_AT)):
        text = page.text(index)
        if text.startswith(_LIST_ENDS) or (text and page.lines[index].indent < indent):
            return
        if _BULLET.match(text) and page.lines[index].indent == indent and not page.links_at(index):
            yield index


def _text_of_item(page: NoteDocument, index: int) -> str:
    text = page.text(index)
    return take_status(without_bullet(text)).remainder if is_bullet(text) else text


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
        venue, year = find_venue(part_rest(text).remainder)
        if venue and year and not (tail.venue or head.venue):
            return _with_venue(result, venue, year)
        return _with_text(_with_venue(result, tail.venue or head.venue, tail.year or head.year), remark(tail.title))
    if head.venue and not remark(head.title):
        return _with_venue(entry, head.venue, head.year)
    return _with_rating(entry, text) or _with_date(entry, text) or _with_text(entry, text)


def _with_rating(entry: ParsedEntry, text: str) -> ParsedEntry | None:
    """Return the entry with the rating that the text consists of."""
    rating = rating_of(text)
    return replace(entry, rating=entry.rating or rating) if rating else None


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
    return _with_venue(entry, head.venue or value.strip()[:100], head.year)


def _with_venue(entry: ParsedEntry, venue: str, year: int | None) -> ParsedEntry:
    return entry if entry.venue or not venue else replace(entry, venue=venue, year=entry.year or year)


def _with_text(entry: ParsedEntry, text: str) -> ParsedEntry:
    if not text.strip() or len(entry.text) > _MAX_TEXT_CHARS:
        return entry
    return replace(entry, text=f"{entry.text}\n{text}".strip())


def is_bullet(text: str) -> bool:
    return _BULLET.match(text) is not None


def without_bullet(text: str) -> str:
    mark = _BULLET.match(text)
    return text[mark.end() :] if mark else text


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    mark = _BULLET.match(page.text(start))
    if not mark:
        return None
    line = page.lines[start]
    if heading := _HEADING.match(line.text, mark.end()):
        return _headed(page, start, line.text[heading.end() :])
    body = line.text[mark.end() :]
    item = Marks(body) if find_reading(body) else take_status(body)
    if (code_name := _CODED.fullmatch(item.remainder)) and _heads_papers(page, start, start + 1):
        return _headed(page, start, code_name["name"])
    if _has_nested(page, start) and (name := _heading_name(page, start, item.remainder)):
        return _headed(page, start, name)
    page.close_items(line.indent)
    end = _continued(page, start, has_address=bool(find_links(item.remainder)))
    text = item.remainder
    for index in range(start + 1, end):
        is_broken = page.lines[index - 1].raw.endswith("  ") and not page.text(index)[:1].islower()
        text = f"{text}{' | ' if is_broken else ' '}{page.text(index)}"
    title, end = _title_below(page, start, end) if names_in(text) else ("", end)
    text = f"{text}. {title}" if title else text
    context = place_item(page, line.number, line.number + end - start - 1, item.status)
    entries = _read_text(page, start, end, text, context, among_papers=bool(title) or lists_papers(page, start))
    if (run := read_properties(page, end, line.indent + 1)).fields and len(entries) == 1:
        end, entries = run.end, [with_properties(entries[0], run, page.lines[run.end - 1].number)]
    end, entries = _with_nested(page, start, end, entries)
    if page.outline.is_of_date and not _has_nested(page, start):
        entries = [as_diary_line(entries[0]), *entries[1:]]
    page.nest(_open(line.indent, entries[0], text))
    return EntryBlock(end - start, entries)


def _read_text(
    page: NoteDocument, start: int, end: int, text: str, context: ItemContext, *, among_papers: bool
) -> list[ParsedEntry]:
    heads_papers = _heads_papers(page, start, end)
    is_remark = bool(page.items) and page.items[-1].is_linked_paper
    signed = None if heads_papers or is_remark else _split_signed(page, start, text)
    if signed:
        return [read_signed(*signed, context)]
    return read_piece(
        text,
        context,
        in_list=True,
        references=page.outline.references,
        among_papers=(among_papers or page.venue is not None) and not heads_papers,
        is_title=not among_papers and not heads_papers and not is_remark and _is_among_titles(page, start, text),
    )


def _headed(page: NoteDocument, index: int, name: str) -> EntryBlock:
    """Parse an item that is a heading, such as `- ### 2010`, for the items nested under it.

    Its properties say nothing about them.
    """
    line = page.lines[index]
    end = read_properties(page, index + 1, line.indent + 1).end
    name = name.strip(" #*_")
    reason, topic = no_topic_reason(name), topic_of(name)
    status = stated_status(page, name)
    if status:
        reason, topic = stated_status_reason(name), ""
    subject = _subject_above(page, index) if reason == IS_ABOUT_LIST.format(name=name) else ""
    page.close_items(line.indent)
    span = line.number, page.lines[end - 1].number
    topics = place_item(page, *span, None).topics
    page.nest(OpenItem(line.indent, topic or subject, "", heading="" if topic else name, status=status))
    entry = ParsedEntry(*span, 1, "topic", title=topic, topics=topics)
    if not topic:
        entry = ParsedEntry(*span, 1, "junk", title=name, topics=topics, decision="skip", reason=reason)
    return EntryBlock(end - index, [entry])


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


def _continued(page: NoteDocument, start: int, *, has_address: bool) -> int:
    """Return the index after the item.

    Deeper lines without a bullet continue it. A line with a second address is an entry of its own.
    """
    end = start + 1
    while end < min(len(page.lines), start + _MAX_CONTINUED):
        text = page.text(end)
        if not text or is_bullet(text) or text.startswith(("```", "|", "#", ">", "<")) or is_property(text):
            break
        links = page.links_at(end)
        is_deeper = page.lines[end].indent > page.lines[start].indent
        is_detail = is_deeper and not has_address and _is_detail(page.text(end - 1), text)
        if is_detail and not _has_address_after(page, start, end):
            break
        if not is_deeper and not (
            _breaks_off(page.text(end - 1), text, has_address=has_address)
            or (not has_address and (_only_links(text, links) or _leads_to_address(page, start, end)))
            or (not has_address and _begins_with_paper(text, links))
            or (has_address and _only_links(text, links) and is_extra(links))
        ):
            break
        if links and has_address and is_bare(text, links):
            break
        if not has_address and weak(page, end) and is_bullet(page.text(end + 1)):
            break  # a bold line that heads nested items
        has_address = has_address or bool(links)
        end += 1
    return end


def _is_detail(above: str, text: str) -> bool:
    """Return True for a line of its own with the authors or the venue of the item above, which is complete."""
    if is_broken_off(above) or above.endswith((",", "，", ":", "：", "-")):
        return False
    return _FIELD.fullmatch(text) is not None or says_where(text) or len(part_rest(text).authors) > 1


def _has_address_after(page: NoteDocument, start: int, index: int) -> bool:
    """Return True if an address follows in the deeper lines of the item, as its last line."""
    for position in range(index, index + _MAX_WRAPPED):
        text = page.text(position)
        if not text or is_bullet(text) or page.lines[position].indent <= page.lines[start].indent:
            return False
        if page.links_at(position):
            return True
    return False


def _leads_to_address(page: NoteDocument, start: int, index: int) -> bool:
    """Return True for an unindented address of the item, or a line of its title or venue above that address.

    Three addresses below an item are a list that it heads.
    """
    item = page.text(start)
    mark = _BULLET.match(item)
    title = item[mark.end() :] if mark else item
    is_numbered = mark is not None and _NUMBERED.match(item) is not None
    if len(title.split()) < (_MIN_NUMBERED_WORDS if is_numbered else _MIN_TITLE_SPACES + 1):
        return False
    if title.endswith("。") or _TALK.match(title) or is_task(title) or is_question(title):
        return False
    for position in range(index, index + _MAX_WRAPPED):
        text, above = page.text(position), page.text(position - 1)
        if is_bare(text, page.links_at(position)):
            return _count_addresses(page, position) < _MIN_SIBLINGS
        is_wrapped = text[:1].islower() or is_broken_off(above) or above.endswith((",", ":", "-"))
        if not text or is_bullet(text) or text.startswith(_OTHER_SHAPES) or not (is_wrapped or says_where(text)):
            return False
    return False


def _count_addresses(page: NoteDocument, start: int) -> int:
    """Return the number of bare addresses from a line on, at most three."""
    index = start
    while index < start + _MIN_SIBLINGS and is_bare(page.text(index), page.links_at(index)):
        index += 1
    return index - start


def _only_links(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for unindented links that belong to the item: `[[Paper](address)] [[Code](address)]`."""
    has_role_labels = all(link.label is not None and role_from_label(link.label) for link in links)
    return bool(links) and has_role_labels and not has_words(" ".join(split_around_links(text, list(links))))


def _begins_with_paper(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for an unindented link to the paper with remarks behind it: `[[Paper](address)] 2024.11 …`."""
    return bool(links) and calls_it_a_paper(links[0].label or "") and not has_words(text[: links[0].start])


def _breaks_off(above: str, below: str, *, has_address: bool) -> bool:
    """Return True if the line above is incomplete, or the line below lists authors."""
    if (authors := _AUTHORS.match(below)) and names_in(authors["names"]):
        return True
    if has_address:
        return False
    return (
        above.count("**") % 2 == 1
        or _leaves_quotation_open(above)
        or (is_broken_off(above) and " " in above)
        or (below[0].islower() and above.endswith((",", "-")))
    )


def _leaves_quotation_open(text: str) -> bool:
    return (text.count('"') % 2 == 1 and ' "' in text) or text.count("“") > text.count("”")


def _with_nested(page: NoteDocument, start: int, end: int, entries: list[ParsedEntry]) -> tuple[int, list[ParsedEntry]]:
    """Merge nested items into the paper above, up to the first that is an entry of its own."""
    if len(entries) > 1 or entries[0].kind in {"blank", "junk", "question"}:
        return end, entries
    nested = [*islice(_nested(page, start, end), _FIRST_FEW * 2)]
    entry = entries[0]
    if entry.kind != "paper" and (_link_below(page, entry, nested) or _venue_below(page, entry, nested)):
        entry = _as_paper(entry)
    for index, after in _nested(page, start, end):
        last, venue = page.lines[after - 1].number, venue_below_address(page, index)
        if venue and entry.kind == "paper":
            merged: ParsedEntry | None = _with_venue(replace(entry, last=last), venue.venue, venue.year)
        else:
            merged = absorb(entry, _body(page, index, after), last)
        if merged is None:
            break
        entry, end = merged, after
    return end, [entry]


def _title_below(page: NoteDocument, start: int, end: int) -> tuple[str, int]:
    """Return the title nested right below an item that only has its authors, and the index after it."""
    below = next(_nested(page, start, end), None)
    title = _body(page, *below) if below and not page.links_at(below[0]) else ""
    return (title, below[1]) if below and names_a_paper(clean_title(title)) else ("", end)


def _link_below(page: NoteDocument, entry: ParsedEntry, nested: Sequence[tuple[int, int]]) -> bool:
    """Return True if the words above are the title and the first link below only marks the paper."""
    linked_items = [item for item in nested if page.links_at(item[0])]
    first_item = next(iter(linked_items), None)
    if first_item and len(linked_items) > 1 and page.links_at(first_item[0])[0].label is None:
        first_item = _find_only_paper(page, linked_items)
    return first_item is not None and takes_link_below(entry, _body(page, *first_item))


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
        body = _body(page, *item)
        if says_where(body) or _names_venue(body):
            return True
        if not _FIELD.fullmatch(body) and not names_in(body):
            return False
    return False


def _names_venue(text: str) -> bool:
    """Return True for a labelled venue, and for authors before a venue with its year."""
    if field := _FIELD.fullmatch(text):
        return field["name"].casefold() in _VENUES
    parts = part_rest(text)
    return len(parts.authors) > 1 and all(find_venue(parts.remainder))


def _nested(page: NoteDocument, line_index: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each deeper item below. A single blank line does not end the list."""
    index = end
    for _ in range(_MAX_ABSORBED):
        start = index + (not page.text(index))
        is_deeper = page.lines[min(start, len(page.lines) - 1)].indent > page.lines[line_index].indent
        if (
            not page.text(start)
            or not (is_deeper or _is_next_detail(page, line_index, start))
            or page.text(start).startswith(_OTHER_SHAPES)
        ):
            return
        index = _continued(page, start, has_address=bool(page.links_at(start)))
        yield start, index


def _is_next_detail(page: NoteDocument, item_index: int, index: int) -> bool:
    """Return True for an unindented venue directly below the address of an item, or a further address."""
    if index - 1 <= item_index:
        return False
    is_address, is_below = (is_bare(page.text(line), page.links_at(line)) for line in (index, index - 1))
    if not is_address:
        return is_below and venue_below_address(page, index) is not None
    return is_below or (index - 2 > item_index and venue_below_address(page, index - 1) is not None)


def _body(page: NoteDocument, start: int, end: int) -> str:
    return " ".join([_text_of_item(page, start), *(page.text(index) for index in range(start + 1, end))])


def _has_nested(page: NoteDocument, start: int) -> bool:
    below = start + 1 if page.text(start + 1) else start + 2
    return bool(page.text(below)) and page.lines[below].indent > page.lines[start].indent


def _heading_name(page: NoteDocument, start: int, text: str) -> str:
    """Return the name of an item that heads others: a date, a venue, or a subject above addresses. Else ""."""
    if page.links_at(start):
        return ""
    if no_topic_reason(text) or (stated_status(page, text) and _heads_list(page, start)):
        return text
    return heading_subject(text) if _heads_list(page, start) and not take_head(text).venue else ""


def _heads_list(page: NoteDocument, start: int) -> bool:
    """Return True if two of the first items below have addresses of their own, so that this is their heading."""
    items = [index for index, _ in islice(_nested(page, start, start + 1), _FIRST_FEW * 2) if page.links_at(index)]
    return sum(has_own_address(page, index) for index in items) > 1


def has_own_address(page: NoteDocument, index: int) -> bool:
    """Return True for an item that is an entry of its own, not a link such as [pdf] of one above."""
    links = page.links_at(index)
    return bool(links) and (links[0].label is None or has_name(links[0]))


def _heads_papers(page: NoteDocument, index: int, end: int) -> bool:
    """Return True if items below link to papers, so that this one is their heading."""
    links = [link for start, _ in islice(_nested(page, index, end), _FIRST_FEW) for link in page.links_at(start)]
    return any(link.paper_kind == "paper" and (link.label is None or has_name(link)) for link in links)


def _as_paper(entry: ParsedEntry) -> ParsedEntry:
    context = ItemContext(entry.first, entry.last, entry.topics, entry.status)
    return replace(
        build_unlinked_entry(ItemText(entry.title or entry.text, venue=entry.venue, year=entry.year), context),
        part=entry.part,
    )


def place_item(page: NoteDocument, first: int, last: int, status: str | None) -> ItemContext:
    """Return where an item stands: its lines, and the topics of the headings and items above."""
    topics = [*page.outline.topics, *(item.topic for item in page.items if item.topic)]
    parent_text = page.items[-1].text if page.items and not page.items[-1].topic else ""
    return ItemContext(first, last, tuple(dict.fromkeys(topics)), status, parent_text)


def _open(indent: int, entry: ParsedEntry, text: str) -> OpenItem:
    if entry.kind == "topic":
        return OpenItem(indent, entry.title, entry.title)
    is_linked_paper = entry.kind == "paper" and bool(entry.identifiers)
    return OpenItem(indent, "", entry.title or entry.text or text[:200], is_linked_paper=is_linked_paper)


SHAPE = Shape("bullets", 50, read)
