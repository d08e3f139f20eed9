"""Lists of papers, where an item without an address is a paper known by its title."""

import re

from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.items.link_roles import STRONG

_LOOKED_AT = 200
_MIN_SIBLINGS = 3
_ITEM = re.compile(r"[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)]|\[\d{1,3}\]")
_ENDS = ("#", "|", "```", "<", "**")
_TAGGED = re.compile(
    r"[(\[（【][^()\[\]（）【】]{0,60}(?:(?:19|20)\d\d|['’‘]\s?\d\d)[^()\[\]（）【】]{0,30}[)\]）】]|^\W{0,3}(?:\d\d|(?:19|20)\d\d)-[A-Z]{2}"
    r"|,\s(?:19|20)\d\d(?:,\s[A-Z][\w&. -]{1,40})?\.?$"
)


def lists_papers(page: NoteDocument, index: int) -> bool:
    """Return True if at least half of the items around name a paper by its address or venue."""
    indent = page.lines[index].indent
    cached = page.lists.get(indent)
    if cached is None or not cached[0] <= index < cached[1]:
        cached = (index, *_looked_over(page, index, indent))
        page.lists[indent] = cached
    return cached[2]


def _looked_over(page: NoteDocument, start: int, indent: int) -> tuple[int, bool]:
    """Return the index up to which items were inspected, and whether most of them are papers."""
    papers = items = 0
    index = start
    while index < min(len(page.lines), start + _LOOKED_AT):
        text = page.text(index)
        if text.startswith(_ENDS) or (text and page.lines[index].indent < indent):
            break
        if _ITEM.match(text) and page.lines[index].indent == indent:
            items += 1
            papers += _names_paper(page, index, text)
        index += 1
    return max(index, start + 1), items >= _MIN_SIBLINGS and 2 * papers >= items


def _names_paper(page: NoteDocument, index: int, text: str) -> bool:
    if any(link.ref.scheme in STRONG or link.paper_kind == "paper" for link in page.links_at(index)):
        return True
    return _TAGGED.search(text[:1000]) is not None and text.count(" ") >= _MIN_SIBLINGS
