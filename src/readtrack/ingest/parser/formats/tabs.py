"""Browser tabs as extensions copy them: `address | title`, `title - address`, or a title that names the id itself."""

import re

from readtrack.ingest.parser.document import Block, Page, Shape
from readtrack.ingest.parser.items.build_entry import Place, Told, make
from readtrack.ingest.parser.items.find_links import Found, is_bare
from readtrack.ingest.parser.vocabulary.citations import cite

_BULLET = re.compile(r"(?:(?:[-*+•]|\d{1,4}[.)])\s+)?")
_BEHIND = re.compile(r"\s+[|｜–—-]\s+(?P<title>\S.*)")
_BEFORE = re.compile(r"(?P<title>.*\S)\s+[|｜–—-]\s+<?")
_ID_FIRST = re.compile(r"\[(?:arXiv:)?[A-Za-z0-9./-]{5,40}\]\s+(?P<title>\S.*)", re.IGNORECASE)
_MAX_TITLE = 500
_ID_AND_ADDRESS = 2


def read(page: Page, at: int) -> Block | None:
    found = page.found(at)
    if not found or len(found) > _ID_AND_ADDRESS or found[-1].label is not None:
        return None
    if any(each.ref != found[0].ref for each in found):
        return None
    number = page.lines[at].number
    title = _beside(page.text(at), found)
    if title:
        return Block(1, [make(_address(found), Told(title), Place(number, number, page.outline.topics))])
    title = _named(page.text(at))
    below = page.found(at + 1) if title else []
    if below and is_bare(page.text(at + 1), below) and below[0].ref == found[0].ref:
        return Block(2, [make(below[0], Told(title), Place(number, number + 1, page.outline.topics))])
    return None


def _address(found: list[Found]) -> Found:
    return next((each for each in found if each.address), found[0])


def _beside(text: str, found: list[Found]) -> str:
    """The title, when the line is nothing but one address and a title with a mark between them."""
    address = _address(found)
    if not address.address or address.label is not None:
        return ""
    before, behind = _without_bullet(text[: address.start]), text[address.end :]
    match = _BEHIND.fullmatch(behind) if not before.strip(" <") else _BEFORE.fullmatch(before)
    if not match or (before.strip(" <") and behind.strip(" >")) or len(match["title"]) > _MAX_TITLE:
        return ""
    if before.strip(" <") and cite(match["title"]).authors:
        return ""  # a reference, and its address
    return match["title"]


def _named(text: str) -> str:
    """`[2305.18290] Title`, with the address on the line below."""
    match = _ID_FIRST.fullmatch(_without_bullet(text))
    return match["title"] if match and len(match["title"]) <= _MAX_TITLE else ""


def _without_bullet(text: str) -> str:
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else text


SHAPE = Shape("tabs", 28, read)
