"""Lists of works in YAML files, each a mapping in braces: `- {title: "…", authors: "…", arxiv: "…"}`."""

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.front import read_item
from readtrack.ingest.parser.headings.fields import title_of
from readtrack.ingest.parser.headings.yaml_items import read_items
from readtrack.ingest.parser.markup import tile_entries
from readtrack.ingest.parser.reasons import FRONT_MATTER


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read the mappings, with the comments above the first of a file."""
    first = start or _skip_comments(page)
    if not _is_mapping(page.text(first)):
        return None
    end = first
    while _is_mapping(page.text(end)):
        end += 1
    root = read_items(page.lines, first, end)
    if not any(title_of(item.fields) for item in root.children):
        return None
    entries = [entry for item in root.children for entry in read_item(page, item, ())]
    span = page.lines[start].number, page.lines[end - 1].number
    return EntryBlock(end - start, tile_entries(entries, *span, reason=FRONT_MATTER))


def _skip_comments(page: NoteDocument) -> int:
    index = 0
    while index < len(page.lines) and (not page.text(index) or page.text(index).startswith("#")):
        index += 1
    return index


def _is_mapping(text: str) -> bool:
    return text.startswith("- {") and text.endswith("}")


SHAPE = Shape("yaml_lists", 4, read)
