"""Browser tabs as a title line above its addresses; also bare addresses, one per line."""

from dataclasses import dataclass, field, replace

from readtrack.infra.text.titles.clean import clean_title, could_be_title, names_a_paper
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, find_links, is_bare
from readtrack.ingest.parser.items.link_groups import find_titled_link
from readtrack.ingest.parser.reasons import SECOND_ADDRESS

_MAX_TITLE = 400
_SHOWN, _SHOWING = frozenset({"paper", "code"}), frozenset({"slides", "video"})


@dataclass
class _Row:
    """An entry to build: its lines, its address, and the addresses of its slides and video."""

    first: int
    last: int
    link: TextLink
    extras: list[TextLink] = field(default_factory=list)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    title = "" if _address(page, start) else _title(page, start)
    index = start + bool(title)
    links: list[TextLink] = []
    if title and (labeled := _labeled_address(page, index)) is not None:
        links, index = [labeled], index + 1
    while (link := _address(page, index)) is not None:
        links.append(link)
        index += 1
    if not links:
        return None
    main_link = find_titled_link(links) if title else None
    rows = _group(page, start, index - len(links), links, main_link)
    return EntryBlock(index - start, [_build(page, row, title, main_link) for row in rows])


def _group(page: NoteDocument, start: int, index: int, links: list[TextLink], main_link: TextLink | None) -> list[_Row]:
    """Group the addresses by entry.

    Slides and videos under a title belong to its paper or code. Code is kept separate.
    """
    rows: list[_Row] = []
    extras = [link for link in links if main_link and main_link.paper_kind in _SHOWN and link.paper_kind in _SHOWING]
    first = page.lines[start].number
    for offset, link in enumerate(links):
        number = page.lines[index + offset].number
        is_extra = any(link is extra for extra in extras)
        if rows and (is_extra or link.ref == rows[-1].link.ref):
            rows[-1].last = number
        elif not is_extra:
            rows.append(_Row(number if rows else first, number, link))
    main_row = next((row for row in rows if main_link and row.link.ref == main_link.ref), None)
    if main_row:
        main_row.extras = extras
    return rows


def _build(page: NoteDocument, row: _Row, title: str, main_link: TextLink | None) -> ParsedEntry:
    context = ItemContext(row.first, row.last, page.outline.topics)
    if main_link is None or row.link.ref == main_link.ref:
        return build_entry(row.link, ItemText(title), context, row.extras)
    return _second(row.link, title, context)


def _title(page: NoteDocument, index: int) -> str:
    """Return the line above an address, unless it is prose or has an address itself."""
    text = page.text(index)
    if _labeled_address(page, index + 1) is not None and _is_plain_title(text):
        return text
    if (
        _address(page, index + 1) is None
        or len(text) > _MAX_TITLE
        or text.endswith("。")
        or is_bullet(text)
        or page.links_at(index)
    ):
        return ""
    return text


def _address(page: NoteDocument, index: int) -> TextLink | None:
    text = page.text(index)
    links = page.links_at(index)
    return links[0] if is_bare(text, links) else None


def _labeled_address(page: NoteDocument, index: int) -> TextLink | None:
    """Return the address of `Source: https://…` or `链接：https://…`, which is only one below a plain title."""
    label = parse_label(page.text(index)) if page.links_at(index) else None
    links = find_links(label.value) if label and label.key == "link" else []
    return links[0] if label and is_bare(label.value, links) else None


def _is_plain_title(text: str) -> bool:
    title = clean_title(text)
    is_title = names_a_paper(title) or (could_be_title(title) and title != text)
    return is_title and not is_bullet(text) and parse_label(text) is None and not find_links(text)


def _second(link: TextLink, title: str, context: ItemContext) -> ParsedEntry:
    """Build the entry of another address under the same title: a paper is for review, as it may be another work."""
    entry = build_entry(link, ItemText(), context)
    if entry.kind != "paper" or entry.paper_kind == "code":
        return entry
    reason = SECOND_ADDRESS.format(title=title[:200])
    return replace(entry, decision="review", reason=reason)


SHAPE = Shape("titled_addresses", 60, read)
