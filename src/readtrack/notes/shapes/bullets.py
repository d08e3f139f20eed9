"""Lists: one item an entry, with the lines that continue it. A nested item knows what it is nested under."""

import re

from readtrack.notes.entry import Entry
from readtrack.notes.found import find, is_bare
from readtrack.notes.making import Place
from readtrack.notes.page import Block, OpenItem, Page, Shape
from readtrack.notes.phrases import read_piece

_BULLET = re.compile(r"(?:(?:[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)])(?=\s|$)|[•‣◦▪●○・])\s*")
_CHECKBOX = re.compile(r"\[(?P<mark>[ xX✓✔])\](?=\s|$)\s*")
_MAX_CONTINUED = 50


def is_bullet(text: str) -> bool:
    return _BULLET.match(text) is not None


def read(page: Page, at: int) -> Block | None:
    mark = _BULLET.match(page.text(at))
    if not mark:
        return None
    line = page.lines[at]
    body, status = _checked(line.text[mark.end() :])
    page.close_items(line.indent)
    end = _continued(page, at, has_address=bool(find(body)))
    text = " ".join([body, *(page.text(index) for index in range(at + 1, end))])
    place = _place(page, line.number, line.number + end - at - 1, status)
    entries = read_piece(text, place, listed=True, references=page.outline.references)
    page.nest(_open(line.indent, entries[0], text))
    return Block(end - at, entries)


def _checked(body: str) -> tuple[str, str | None]:
    box = _CHECKBOX.match(body)
    if not box:
        return body, None
    return body[box.end() :], "to_read" if box["mark"] == " " else "read"


def _continued(page: Page, at: int, *, has_address: bool) -> int:
    """The index behind the item: deeper lines without a bullet continue it; a second address is an entry of its own."""
    end = at + 1
    while end < min(len(page.lines), at + _MAX_CONTINUED):
        text = page.text(end)
        if (
            not text
            or is_bullet(text)
            or page.lines[end].indent <= page.lines[at].indent
            or text.startswith(("```", "|"))
        ):
            break
        found = page.found(end)
        if found and has_address and is_bare(text, found):
            break
        has_address = has_address or bool(found)
        end += 1
    return end


def _place(page: Page, first: int, last: int, status: str | None) -> Place:
    topics = [*page.outline.topics, *(item.topic for item in page.items if item.topic)]
    within = page.items[-1].text if page.items and not page.items[-1].topic else ""
    return Place(first, last, tuple(dict.fromkeys(topics)), status, within)


def _open(indent: int, entry: Entry, text: str) -> OpenItem:
    if entry.kind == "topic":
        return OpenItem(indent, entry.title, entry.title)
    return OpenItem(indent, "", entry.title or entry.text or text[:200])


SHAPE = Shape("bullets", 50, read)
