"""Browser tabs as a title line above its addresses; also bare addresses, one per line."""

from dataclasses import replace

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, is_bare

_MAX_TITLE = 400


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    title = "" if _address(page, at) else _title(page, at)
    if not title and not _address(page, at):
        return None
    entries: list[ParsedEntry] = []
    seen: TextLink | None = None
    index = at + bool(title)
    while (found := _address(page, index)) is not None:
        number = page.lines[index].number
        if seen is not None and found.ref == seen.ref:
            entries[-1] = replace(entries[-1], last=number)
        elif title and entries:
            entries.append(_second(found, title, ItemContext(number, number, page.outline.topics)))
        else:
            first = number if entries else page.lines[at].number
            entries.append(build_entry(found, ItemText(title), ItemContext(first, number, page.outline.topics)))
        seen = found
        index += 1
    return EntryBlock(index - at, entries)


def _title(page: NoteDocument, at: int) -> str:
    """Return the line above an address, unless it is prose or has an address itself."""
    text = page.text(at)
    if (
        _address(page, at + 1) is None
        or len(text) > _MAX_TITLE
        or text.endswith("。")
        or is_bullet(text)
        or page.links_at(at)
    ):
        return ""
    return text


def _address(page: NoteDocument, at: int) -> TextLink | None:
    text = page.text(at)
    found = page.links_at(at)
    return found[0] if is_bare(text, found) else None


def _second(found: TextLink, title: str, place: ItemContext) -> ParsedEntry:
    """Build the entry of a second address under the same title: for review, as it may be another work.

    Code is kept separate.
    """
    entry = build_entry(found, ItemText(), place)
    if entry.kind != "paper" or entry.paper_kind == "code":
        return entry
    reason = f"The second address under the title “{title[:200]}”: the same work, or another one? It was kept apart."
    return replace(entry, decision="review", reason=reason)


SHAPE = Shape("titled_addresses", 60, read)
