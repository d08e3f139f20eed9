"""OPML of outliners and feed readers: outlines with children are topics.

No XML parser is used, so entities cannot expand.
"""

import re
from itertools import zip_longest

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.headings.outline import build_heading_entry, topic_of
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.link_spelling import spell
from readtrack.ingest.parser.markup import MarkupBlock, Tag, tags
from readtrack.ingest.parser.reasons import EMPTY_OUTLINE_ITEM, OUTLINE_MARKUP

_BEGINS = re.compile(r"<opml\b|<outline\s", re.IGNORECASE)
_XML = re.compile(r"<\?xml\b", re.IGNORECASE)
_HEAD_LINES = 8
_NAMES = frozenset({"outline", "opml", "body"})
_MAX_NESTING = 20
_MAX_TEXT_CHARS = 5_000
_WEB = re.compile(r"https?://|www\.", re.IGNORECASE)


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _begins(page, start):
        return None
    reading = MarkupBlock(page, start, _count_lines(page, start))
    all_tags = list(tags(reading.text, _NAMES))
    for tag, next_tag in zip_longest(all_tags, all_tags[1:]):
        _read_tag(
            reading, tag, has_children=next_tag is not None and next_tag.name == "outline" and not tag.is_self_closing
        )
    return reading.block(markup=OUTLINE_MARKUP)


def _begins(page: NoteDocument, index: int) -> bool:
    raw = page.lines[index].raw.lstrip("\ufeff \t")
    if not raw.startswith("<"):
        return False
    if _XML.match(raw):
        return any("<opml" in line.raw.lower() for line in page.lines[index : index + _HEAD_LINES])
    return _BEGINS.match(raw) is not None


def _count_lines(page: NoteDocument, start: int) -> int:
    """Count the lines up to the end tag, or without one, up to the last outline before other text."""
    end = start
    for index in range(start, len(page.lines)):
        raw = page.lines[index].raw.lower()
        if "</opml" in raw:
            return index + 1 - start
        if "<" in raw or ">" in raw or '"' in raw:
            end = index + 1
        elif raw.strip() and end <= index - _HEAD_LINES:
            break
    return max(end - start, 1)


def _read_tag(reading: MarkupBlock, tag: Tag, *, has_children: bool) -> None:
    if tag.name == "/outline" and reading.folders:
        reading.folders.pop()
    if tag.name != "outline":
        return
    topic = _read_outline(reading, tag, has_children=has_children)
    if not tag.is_self_closing and len(reading.folders) < _MAX_NESTING:
        reading.folders.append(topic)


def _read_outline(reading: MarkupBlock, tag: Tag, *, has_children: bool) -> str:
    """Add the entries of an outline and return the topic for its children."""
    attributes = tag.attributes
    title = clean_line(attributes.get("text") or attributes.get("title", ""))[:_MAX_TEXT_CHARS]
    first, last = reading.line(tag.start), reading.line(tag.end - 1)
    context = ItemContext(first, last, reading.topics)
    address = next(
        (attributes[name] for name in ("url", "htmlurl", "xmlurl") if _WEB.match(attributes.get(name, "").strip())), ""
    )
    links = find_links(clean_line(address))
    note = clean_line(attributes.get("_note") or attributes.get("description", ""))[:_MAX_TEXT_CHARS]
    if links:
        reading.entries.append(build_entry(links[0], ItemText(title, note), context))
        return ""
    if has_children:
        return _read_heading(reading, title, context)
    if title:
        reading.entries += read_piece(spell(f"{title} {note}".strip()), context, in_list=True)
    return ""


def _read_heading(reading: MarkupBlock, title: str, context: ItemContext) -> str:
    if find_links(title):
        reading.entries += read_piece(spell(title), context, in_list=True)
        return ""
    name = title[:200]
    topic = topic_of(name) if name else ""
    reason = "" if name else EMPTY_OUTLINE_ITEM
    entry = build_heading_entry(context.first, context.last, name, topic, context.topics, reason)
    reading.entries.append(entry)
    return topic


SHAPE = Shape("opml", 16, read)
