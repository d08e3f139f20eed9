"""Browser tabs as copied by extensions: `address | title`, `title - address`, or `[id] title`."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, is_bare
from readtrack.ingest.parser.vocabulary.citations import parse_citation

_BULLET = re.compile(r"(?:(?:[-*+•]|\d{1,4}[.)])\s+)?")
_BEHIND = re.compile(r"\s+[|｜–—-]\s+(?P<title>\S.*)")
_BEFORE = re.compile(r"(?P<title>.*\S)\s+[|｜–—-]\s+<?")
_ID_FIRST = re.compile(r"\[(?:arXiv:)?[A-Za-z0-9./-]{5,40}\]\s+(?P<title>\S.*)", re.IGNORECASE)
_MAX_TITLE = 500
_ID_AND_ADDRESS = 2


def read(page: NoteDocument, at: int) -> EntryBlock | None:
    found = page.links_at(at)
    if not found or len(found) > _ID_AND_ADDRESS or found[-1].label is not None:
        return None
    if any(each.ref != found[0].ref for each in found):
        return None
    number = page.lines[at].number
    title = _find_title_near_address(page.text(at), found)
    if title:
        return EntryBlock(
            1, [build_entry(_address(found), ItemText(title), ItemContext(number, number, page.outline.topics))]
        )
    title = _find_title_after_identifier(page.text(at))
    below = page.links_at(at + 1) if title else []
    if below and is_bare(page.text(at + 1), below) and below[0].ref == found[0].ref:
        return EntryBlock(
            2, [build_entry(below[0], ItemText(title), ItemContext(number, number + 1, page.outline.topics))]
        )
    return None


def _address(found: list[TextLink]) -> TextLink:
    return next((each for each in found if each.address), found[0])


def _find_title_near_address(text: str, found: list[TextLink]) -> str:
    """Return the title if the line is only an address and a title with a separator."""
    address = _address(found)
    if not address.address or address.label is not None:
        return ""
    before, behind = _without_bullet(text[: address.start]), text[address.end :]
    match = _BEHIND.fullmatch(behind) if not before.strip(" <") else _BEFORE.fullmatch(before)
    if not match or (before.strip(" <") and behind.strip(" >")) or len(match["title"]) > _MAX_TITLE:
        return ""
    if before.strip(" <") and parse_citation(match["title"]).authors:
        return ""  # a reference with its address
    return match["title"]


def _find_title_after_identifier(text: str) -> str:
    """Return the title of `[2305.18290] Title`, whose address is on the next line."""
    match = _ID_FIRST.fullmatch(_without_bullet(text))
    return match["title"] if match and len(match["title"]) <= _MAX_TITLE else ""


def _without_bullet(text: str) -> str:
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else text


SHAPE = Shape("tabs", 28, read)
