"""OPML of outliners and feed readers: outlines with children are topics.

No XML parser is used, so entities cannot expand.
"""

import re
from dataclasses import replace
from itertools import zip_longest

from readtrack.infra.text.printable import clean
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import no_topic_reason, topic_of
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.link_spelling import spell
from readtrack.ingest.parser.markup import MarkupBlock
from readtrack.ingest.parser.tags import Tag, tags

_BEGINS = re.compile(r"<opml\b|<outline\s", re.IGNORECASE)
_XML = re.compile(r"<\?xml\b", re.IGNORECASE)
_HEAD = 8
_NAMES = frozenset({"outline", "opml", "body"})
_DEEPEST = 20
_LONGEST = 5_000
_WEB = re.compile(r"https?://|www\.", re.IGNORECASE)
_MARKUP = "Markup of an outline; nothing is made of it."


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    if not _begins(page, at):
        return None
    reading = MarkupBlock(page, at, _count(page, at))
    found = list(tags(reading.text, _NAMES))
    for tag, behind in zip_longest(found, found[1:]):
        _read_tag(reading, tag, holds_others=behind is not None and behind.name == "outline" and not tag.alone)
    return reading.block(markup=_MARKUP)


def _begins(page: NoteDocument, at: int) -> bool:
    raw = page.lines[at].raw.lstrip("\ufeff \t")
    if not raw.startswith("<"):
        return False
    if _XML.match(raw):
        return any("<opml" in line.raw.lower() for line in page.lines[at : at + _HEAD])
    return _BEGINS.match(raw) is not None


def _count(page: NoteDocument, at: int) -> int:
    """Count the lines up to the end tag, or without one, up to the last outline before other text."""
    end = at
    for index in range(at, len(page.lines)):
        raw = page.lines[index].raw.lower()
        if "</opml" in raw:
            return index + 1 - at
        if "<" in raw or ">" in raw or '"' in raw:
            end = index + 1
        elif raw.strip() and end <= index - _HEAD:
            break
    return max(end - at, 1)


def _read_tag(reading: MarkupBlock, tag: Tag, *, holds_others: bool) -> None:
    if tag.name == "/outline" and reading.folders:
        reading.folders.pop()
    if tag.name != "outline":
        return
    topic = _outline(reading, tag, holds_others=holds_others)
    if not tag.alone and len(reading.folders) < _DEEPEST:
        reading.folders.append(topic)


def _outline(reading: MarkupBlock, tag: Tag, *, holds_others: bool) -> str:
    """Add the entries of an outline and return the topic for its children."""
    told = tag.attributes
    words = clean(told.get("text") or told.get("title", ""))[:_LONGEST]
    first, last = reading.line(tag.start), reading.line(tag.end - 1)
    place = ItemContext(first, last, reading.topics)
    address = next((told[name] for name in ("url", "htmlurl", "xmlurl") if _WEB.match(told.get(name, "").strip())), "")
    found = find_links(clean(address))
    note = clean(told.get("_note") or told.get("description", ""))[:_LONGEST]
    if found:
        reading.entries.append(build_entry(found[0], ItemText(words, note), place))
        return ""
    if holds_others:
        return _heading(reading, words, place)
    if words:
        reading.entries += read_piece(spell(f"{words} {note}".strip()), place, listed=True)
    return ""


def _heading(reading: MarkupBlock, words: str, place: ItemContext) -> str:
    if find_links(words):
        reading.entries += read_piece(spell(words), place, listed=True)
        return ""
    reason = no_topic_reason(words) if words else "An outline without any words names no topic; nothing is made of it."
    topic = "" if reason else topic_of(words[:200])
    kind, decision = ("junk", "skip") if reason else ("topic", "add")
    entry = ParsedEntry(place.first, place.last, 1, kind, title=topic or words[:200], topics=place.topics)
    reading.entries.append(replace(entry, decision=decision, reason=reason))
    return topic


SHAPE = Shape("opml", 16, read)
