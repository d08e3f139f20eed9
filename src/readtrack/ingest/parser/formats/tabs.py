"""Browser tabs as copied by extensions: `address | title`, `title - address`, or `[id] title`."""

import re

from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.items.build_entry import ItemText, build_entry
from readtrack.ingest.parser.items.find_links import TextLink, is_bare
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

_BULLET = re.compile(r"\A(?:[-*+•]|\d{1,4}[.)])\s+")
_BEHIND = re.compile(r"\s+[|｜–—-]\s+(?P<title>\S.*)")
_BEFORE = re.compile(r"(?P<title>.*\S)\s+[|｜–—-]\s+<?")
_ID_FIRST = re.compile(r"\[(?:arXiv:)?[A-Za-z0-9./-]{5,40}\]\s+(?P<title>\S.*)", re.IGNORECASE)
_MAX_TITLE = 500
_ID_AND_ADDRESS = 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    links = page.links_at(start)
    if not links or len(links) > _ID_AND_ADDRESS or links[-1].label is not None or page.text(start).startswith(".. ["):
        return None
    if any(link.ref != links[0].ref for link in links):
        return None
    title = _find_title_near_address(page.text(start), links)
    if title:
        return EntryBlock(1, [build_entry(_address(links), ItemText(title), page.context(start, start + 1))])
    title = _find_title_after_identifier(page.text(start))
    links_below = page.links_at(start + 1) if title else []
    if links_below and is_bare(page.text(start + 1), links_below) and links_below[0].ref == links[0].ref:
        return EntryBlock(2, [build_entry(links_below[0], ItemText(title), page.context(start, start + 2))])
    return None


def _address(links: list[TextLink]) -> TextLink:
    return next((link for link in links if link.address), links[0])


def _find_title_near_address(text: str, links: list[TextLink]) -> str:
    """Return the title if the line is only an address and a title with a separator."""
    address = _address(links)
    if not address.address or address.label is not None:
        return ""
    before, after = _BULLET.sub("", text[: address.start]), text[address.end :]
    match = _BEHIND.fullmatch(after) if not before.strip(" <") else _BEFORE.fullmatch(before)
    if not match or (before.strip(" <") and after.strip(" >")) or len(match["title"]) > _MAX_TITLE:
        return ""
    if before.strip(" <") and (parse_citation(match["title"]).authors or take_head(match["title"]).authors):
        return ""  # a reference with its address
    return match["title"]


def _find_title_after_identifier(text: str) -> str:
    """Return the title of `[2305.18290] Title`, whose address is on the next line."""
    match = _ID_FIRST.fullmatch(_BULLET.sub("", text))
    return match["title"] if match and len(match["title"]) <= _MAX_TITLE else ""


SHAPE = Shape("tabs", 28, read)
