"""Items of a list: their mark, their text, and the topics that they stand below."""

import re

from readtrack.infra.text.titles.marks import take_status
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.link_roles import has_name

BULLET = re.compile(
    r"(?:(?:[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)]|\[\d{1,3}\](?=\s\S))(?=\s|$)|[•‣◦▪●○・])\s*"
)


def text_of_item(page: NoteDocument, index: int) -> str:
    text = page.text(index)
    if not is_bullet(text):
        return text
    return take_status(without_bullet(text)).remainder


def is_bullet(text: str) -> bool:
    return BULLET.match(text) is not None


def without_bullet(text: str) -> str:
    mark = BULLET.match(text)
    return text[mark.end() :] if mark else text


def has_own_address(page: NoteDocument, index: int) -> bool:
    """Return True for an item that is an entry of its own, not a link such as [pdf] of one above."""
    links = page.links_at(index)
    return bool(links) and (links[0].label is None or has_name(links[0]))


def place_item(page: NoteDocument, first: int, last: int, status: str | None) -> ItemContext:
    """Return where an item stands: its lines, and the topics of the headings and items above."""
    topics = [*page.outline.topics, *(item.topic for item in page.items if item.topic)]
    parent_text = page.items[-1].text if page.items and not page.items[-1].topic else ""
    return ItemContext(first, last, tuple(dict.fromkeys(topics)), status, parent_text)
