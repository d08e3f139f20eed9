"""Bookmark managers' JSON: Karakeep's export, and what linkding's API answers.

Each bookmark has an address, tags, a note, and whether it is unread or archived.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, join_texts
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.json_lists import Item, JsonList, build_block, read_list, text_of, texts_in
from readtrack.ingest.parser.reasons import BOOKMARK_WITHOUT_ADDRESS

_LIST = re.compile(r'\s*(?:\{(?s:.{0,300}?)"(?:bookmarks|results)"\s{0,20}:\s{0,20})?\[(?=\s{0,200}\{)')
_TELLING = re.compile(r'"(?:tag_names|is_archived|createdAt)"\s{0,20}:')
_HEAD_LINES = 40
_HEAD_CHARS = 20_000


def begins_bookmarks(sample: str) -> bool:
    """Return True if a text that begins like this is a list of bookmarks."""
    start = find_bookmarks(sample)
    item = sample[start : start + _HEAD_CHARS]
    return start > 0 and '"url"' in item and _TELLING.search(item) is not None


def find_bookmarks(text: str) -> int:
    """Return the offset after the bracket that opens the list, 0 if there is none."""
    match = _LIST.match(text)
    return match.end() if match else 0


def is_bookmark(fields: Mapping[str, Any]) -> bool:
    return "tags" in fields or "tag_names" in fields


def build_bookmark_entry(item: Item, line: int) -> ParsedEntry:
    """Build the entry of a bookmark that begins on that line. A text or an image has no address."""
    fields = item.fields
    content = fields["content"] if isinstance(fields.get("content"), dict) else {}
    marks = take_reading_marks(texts_in(fields.get("tag_names") or fields.get("tags")))
    title = text_of(fields.get("title")) or text_of(fields.get("website_title")) or text_of(content.get("title"))
    texts = (fields.get("note"), fields.get("notes"), fields.get("description"), content.get("text"))
    text = join_texts(*map(text_of, texts))
    links = find_links(text_of(fields.get("url")) or text_of(content.get("url")))
    if links:
        context = ItemContext(line, line, marks.topics, _status(fields) or marks.status)
        return build_entry(links[0], ItemText(title, text, rating=marks.rating), context)
    entry = ParsedEntry(line, line, 1, "snippet", title=title, topics=marks.topics, text=text)
    return entry if text else replace(entry, kind="junk", decision="skip", reason=BOOKMARK_WITHOUT_ADDRESS)


def _status(fields: Mapping[str, Any]) -> str | None:
    """Return the status. Archived bookmarks count as read, as in the exports of other services."""
    if fields.get("unread") is True:
        return "to_read"
    return "read" if fields.get("archived") is True or fields.get("is_archived") is True else None


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not page.text(start).startswith(("[", "{")):
        return None
    if not begins_bookmarks(page.raw_text(start, start + _HEAD_LINES)):
        return None
    text = page.raw_text(start)
    items = read_list(text, find_bookmarks(text), is_bookmark)
    return build_block(page, start, items, build_bookmark_entry) if items else None


LIST = JsonList(find_bookmarks, is_bookmark, build_bookmark_entry)
SHAPE = Shape("bookmark_json", 5, read)
