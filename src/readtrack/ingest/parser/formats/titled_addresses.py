"""Browser tabs as a title line above its addresses; also bare addresses, one per line."""

from dataclasses import replace

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, is_bare

_MAX_TITLE = 400


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    title = "" if _address(page, start) else _title(page, start)
    if not title and not _address(page, start):
        return None
    entries: list[ParsedEntry] = []
    previous: TextLink | None = None
    index = start + bool(title)
    while (link := _address(page, index)) is not None:
        number = page.lines[index].number
        if previous is not None and link.ref == previous.ref:
            entries[-1] = replace(entries[-1], last=number)
        elif title and entries:
            entries.append(_second(link, title, ItemContext(number, number, page.outline.topics)))
        else:
            first = number if entries else page.lines[start].number
            entries.append(build_entry(link, ItemText(title), ItemContext(first, number, page.outline.topics)))
        previous = link
        index += 1
    return EntryBlock(index - start, entries)


def _title(page: NoteDocument, index: int) -> str:
    """Return the line above an address, unless it is prose or has an address itself."""
    text = page.text(index)
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


def _second(link: TextLink, title: str, context: ItemContext) -> ParsedEntry:
    """Build the entry of a second address under the same title: for review, as it may be another work.

    Code is kept separate.
    """
    entry = build_entry(link, ItemText(), context)
    if entry.kind != "paper" or entry.paper_kind == "code":
        return entry
    reason = f"The second address under the title “{title[:200]}”. Is it the same work?"
    return replace(entry, decision="review", reason=reason)


SHAPE = Shape("titled_addresses", 60, read)
