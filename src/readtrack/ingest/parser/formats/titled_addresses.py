"""Browser tabs as a title line above its addresses; also bare addresses, one per line."""

import re
from dataclasses import dataclass, field, replace

from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper
from readtrack.infra.text.titles.dates import take_date
from readtrack.infra.text.titles.vocabulary import LETTER
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.lines_below import find_labeled_address, parse_label
from readtrack.ingest.parser.headings.venues_below_addresses import venue_below_address
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, find_links, is_bare, split_around_links
from readtrack.ingest.parser.items.link_groups import find_titled_link
from readtrack.ingest.parser.items.link_roles import OWN, role_from_label, role_of
from readtrack.ingest.parser.lists.list_items import is_bullet
from readtrack.ingest.parser.reasons import SECOND_ADDRESS
from readtrack.ingest.parser.vocabulary.author_names import is_name, names_in
from readtrack.ingest.parser.vocabulary.journals import take_journal
from readtrack.ingest.parser.vocabulary.title_affixes import take_head
from readtrack.ingest.parser.vocabulary.venues import Venue

_MAX_TITLE, _MIN_QUOTED = 400, 2
_SIGN = re.compile(r"[■□◆◇●▼▽★☆◎▶►]\s?")
_OCCASION = re.compile(
    r"(?:lecture|week|session|class|day|part|chapter|module|unit|talk)\s?(?:\d|[:：])|presented|speaker", re.IGNORECASE
)
_JOINTS = " \t:：,，、;；|/·-–—<>()（）"
_SHOWN, _SHOWING = frozenset({"paper", "code"}), frozenset({"slides", "video"})


@dataclass
class _Row:
    """An entry to build: its lines, its address, and the addresses of its slides and video."""

    first: int
    last: int
    link: TextLink
    extras: list[TextLink] = field(default_factory=list)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    is_title = _find_address(page, start) is None
    title = _find_title(page, start) if is_title else ""
    if is_title and not title:
        return None
    first = start + is_title
    lines = _read_labeled_lines(page, first, title) if title else []
    lines += _read_address_lines(page, first + len(lines), is_titled=is_title)
    if not lines:
        return None
    venue_index = first + len(lines)
    venue = venue_below_address(page, venue_index) if title else None
    if venue:
        lines += [[], *_read_address_lines(page, venue_index + 1, is_titled=True)]
    addresses = [(page.lines[index].number, link) for index, links in enumerate(lines, first) for link in links]
    links = [link for _, link in addresses]
    papers = [link for link in links if link.paper_kind == "paper"] if _SIGN.match(page.text(start)) else []
    main_link = (papers[0] if len(papers) == 1 else find_titled_link(links)) if title else None
    rows = _group_by_entry(page.lines[start].number, addresses, main_link)
    entries = [_build_entry(page, row, title, main_link) for row in rows]
    is_quoted = title.startswith(">") and entries[0].kind == "paper" and _is_digest(page)
    page.quoted_paper = entries[0].title if is_quoted else ""
    if venue:
        entries[0] = _add_venue(entries[0], venue, page.lines[venue_index].number)
    return EntryBlock(first + len(lines) - start, entries)


@once_per_note
def _is_digest(page: NoteDocument) -> bool:
    """Return True for a note with several quoted titles over an address: the items below each are notes on it."""
    quoted = (index for index in range(len(page.lines)) if page.text(index).startswith(">"))
    return (
        sum(not page.links_at(index) and _find_address(page, index + 1) is not None for index in quoted) >= _MIN_QUOTED
    )


def _read_address_lines(page: NoteDocument, start: int, *, is_titled: bool) -> list[list[TextLink]]:
    """Return the links of each line of addresses from an index on."""
    lines: list[list[TextLink]] = []
    while links := _find_addresses(page, start + len(lines), is_titled=is_titled):
        lines.append(links)
    return lines


def _add_venue(entry: ParsedEntry, venue: Venue, last: int) -> ParsedEntry:
    """Return the entry with the venue on its last line."""
    if entry.kind != "paper":
        return replace(entry, last=max(entry.last, last))
    return replace(entry, last=max(entry.last, last), venue=entry.venue or venue.venue, year=entry.year or venue.year)


def _group_by_entry(first: int, addresses: list[tuple[int, TextLink]], main_link: TextLink | None) -> list[_Row]:
    """Group the addresses by entry.

    Slides and videos under a title belong to its paper or code, and so do addresses that say what they are. Code is
    kept separate.
    """
    rows: list[_Row] = []
    extras = [link for _, link in addresses if main_link and link is not main_link and _is_beside(main_link, link)]
    for number, link in addresses:
        is_extra = any(link is extra for extra in extras)
        if rows and (is_extra or link.ref == rows[-1].link.ref or number == rows[-1].last):
            rows[-1].last = number
        elif not is_extra:
            rows.append(_Row(number if rows else first, number, link))
    main_row = next((row for row in rows if main_link and row.link.ref == main_link.ref), None)
    if main_row:
        main_row.extras = extras
    return rows


def _is_beside(main_link: TextLink, link: TextLink) -> bool:
    """Return True for an address that shows the paper of the main link, or is labelled in its block."""
    return main_link.paper_kind in _SHOWN and (link.paper_kind in _SHOWING or link.label is not None)


def _build_entry(page: NoteDocument, row: _Row, title: str, main_link: TextLink | None) -> ParsedEntry:
    context = ItemContext(row.first, row.last, page.outline.topics)
    if main_link is None or row.link.ref == main_link.ref:
        return build_entry(row.link, _read_title(title, row.link), context, row.extras)
    return _build_second_entry(row.link, title, context)


def _read_title(title: str, link: TextLink) -> ItemText:
    """Return the title without the authors, venue or journal beside it: `Title, Lovelace et al., ICML`."""
    words, journal, year = take_journal(title.lstrip("> "))
    if journal and link.paper_kind == "paper":
        return ItemText(words, venue=journal, year=year)
    head = take_head(title) if "et al" in title or title.startswith("**") else None
    citation = parse_citation(head.title) if head else None
    if head is None or citation is None or not (citation.authors or head.authors):
        return ItemText(title)
    venue, year = (head.venue, head.year) if head.venue else find_venue(citation.remainder)
    return ItemText(citation.title, authors=citation.authors or head.authors, venue=venue, year=year)


def _find_title(page: NoteDocument, index: int) -> str:
    """Return the line above an address, unless it is prose or has an address itself."""
    text = _SIGN.sub("", page.text(index), count=1)
    if _read_labeled_lines(page, index + 1, text) and _is_plain_title(text):
        return text
    is_other = len(text) > _MAX_TITLE or text.endswith("。") or is_bullet(text) or page.links_at(index)
    if is_other or not any(map(str.isalnum, text)) or not _find_addresses(page, index + 1, is_titled=True):
        return ""
    label = parse_label(text)
    return "" if label and label.key == "presenter" else text


def _find_address(page: NoteDocument, index: int) -> TextLink | None:
    text = page.text(index)
    links = page.links_at(index)
    return links[0] if is_bare(text, links) else None


def _read_labeled_lines(page: NoteDocument, start: int, title: str) -> list[list[TextLink]]:
    """Return the links of each line below a title that says what they are."""
    address = find_labeled_address(page.text(start), {"link"}) if page.links_at(start) else ""
    if address:  # `Source: https://…`, `链接：https://…`
        return [find_links(address)[:1]]
    return _read_items(page, start) if _may_head_items(title) else []


def _may_head_items(text: str) -> bool:
    """Return True for a line that may be a title: no presenter, lecture or list."""
    is_sentence = text.rstrip("*_").endswith((".", "。", "．", ":", "："))
    tells_who = names_in(text) or is_name(text) or _OCCASION.match(text) or take_date(text).iso
    return len(text) <= _MAX_TITLE and not (is_sentence or tells_who or is_bullet(text))


def _read_items(page: NoteDocument, start: int) -> list[list[TextLink]]:
    """Return the links of each item, `- [pdf](…)`, `- [slides](…)`, if one of them is the paper itself."""
    items: list[list[TextLink]] = []
    index = start
    while is_bullet(page.text(index)) and (links := page.links_at(index)) and _name_roles(page.text(index), links):
        items.append(links)
        index += 1
    return items if sum(role_of(link) == OWN for links in items for link in links) == 1 else []


def _name_roles(text: str, links: list[TextLink]) -> bool:
    """Return True for links whose texts say what each is, and nothing else."""
    is_alone = not LETTER.search("".join(split_around_links(text, links)))
    return is_alone and all(link.label is not None and role_from_label(link.label) for link in links)


def _is_plain_title(text: str) -> bool:
    title = clean_title(text)
    is_title = names_a_paper(title) or (could_be_title(title) and title != text)
    return is_title and not is_bullet(text) and parse_label(text) is None and not find_links(text)


def _find_addresses(page: NoteDocument, index: int, *, is_titled: bool) -> list[TextLink]:
    """Return the links of a line that has only addresses.

    Below a title, there may be several, each with a word for it: `論文：…`, `code: …`.
    """
    text, links = page.text(index), page.links_at(index)
    if not is_titled:
        return links[:1] if is_bare(text, links) else []
    if not links or is_bare(text, links):
        return links
    if any(link.label is not None for link in links) or is_bullet(text):
        return []
    *words, rest = (part.strip(_JOINTS) for part in split_around_links(text, links))
    if rest or not all(not word or role_from_label(word) for word in words):
        return []
    return [
        replace(link, label=word or ("link" if position else None))
        for position, (link, word) in enumerate(zip(links, words, strict=True))
    ]


def _build_second_entry(link: TextLink, title: str, context: ItemContext) -> ParsedEntry:
    """Build the entry of another address under the same title: a paper is for review, as it may be another work."""
    entry = build_entry(link, ItemText(), context)
    if entry.kind != "paper" or entry.paper_kind == "code":
        return entry
    reason = SECOND_ADDRESS.format(title=title[:200])
    return replace(entry, decision="review", reason=reason)


SHAPE = Shape("titled_addresses", 60, read)
