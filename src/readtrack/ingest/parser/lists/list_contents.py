"""What the items of a list are: papers with addresses, titles alone, or titles with their authors."""

import re
from collections.abc import Iterator, Mapping
from statistics import fmean

from readtrack.infra.text.titles.clean import could_be_title
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.outline import is_list_of_works
from readtrack.ingest.parser.items.diary import is_errand
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.items.link_groups import group_links
from readtrack.ingest.parser.items.link_roles import STRONG, has_name, role_from_label
from readtrack.ingest.parser.items.signed_titles import SignedTitle, Splitter, find_splitters
from readtrack.ingest.parser.items.subjects import is_task
from readtrack.ingest.parser.items.title_runs import are_titles, is_talk, look_like_titles, may_be_among_titles
from readtrack.ingest.parser.lists.list_items import BULLET, is_bullet, text_of_item

_LOOKED_AT = 200
MIN_SIBLINGS = 3
MIN_TITLE_SPACES = 3
_MOST = 0.6
_REMARK_LETTERS = 12
_LIST_ITEM = re.compile(r"[-*+–•‣◦▪●○・·]|\d{1,3}[.)、]|[（(]\d{1,3}[）)]|\[\d{1,3}\]")
_LIST_ENDS = ("#", "|", "```", "<", "**")
_SEVERAL_WORDS = re.compile(r"[A-Z][\w'’-]*(?:\s[\w'’&-]+){1,8}")  # `Programmed Inequality`
_BOX = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+\[[ xX✓✔✅/]\]\s")
_IN_BOLD = re.compile(rf"(?:[-*+•]|\d{{1,3}}[.)])\s+\*\*(?=[^*{CJK_LETTERS}]{{20}})[^*]{{20,300}}\*\*")
_BEGINS_NAME = re.compile(rf"[A-Z{CJK_LETTERS}]")
_BEGINS_LATIN_NAME = re.compile("[A-Z]")
_FIRST_LINES = 5
_VENUE_TAG = re.compile(
    r"[(\[（【`][^()\[\]（）【】`]{0,60}(?:(?:19|20)\d\d|['’‘]\s?\d\d)[^()\[\]（）【】`]{0,30}[)\]）】`]|^\W{0,3}(?:\d\d|(?:19|20)\d\d)-[A-Z]{2}"
    r"|,\s(?:19|20)\d\d(?:,\s[A-Z][\w&. -]{1,40})?\.?$"
)
_TOPICS_BELOW = re.compile(  # `Topics of interest are:`, but not `Papers on these topics:`
    r"(?!.*\b(?:papers?|reading|articles?)\b)(?:.*\b(?:topics|subjects|areas|themes|keywords|interests)\b[^.:：]{0,60}|"
    r".*(?:テーマ|キーワード|主题|关键词|方向)[^。:：]{0,20})[:：]",
    re.IGNORECASE,
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
        if text.startswith(_LIST_ENDS) or (text and page.lines[index].indent < indent):
            break
        if _LIST_ITEM.match(text) and page.lines[index].indent == indent:
            items += 1
            papers += _names_paper(page, index, text)
        index += 1
    return max(index, start + 1), items >= MIN_SIBLINGS and 2 * papers >= items


def _names_paper(page: NoteDocument, index: int, text: str) -> bool:
    if any(link.ref.scheme in STRONG or link.paper_kind == "paper" for link in page.links_at(index)):
        return True
    return _VENUE_TAG.search(text[:1000]) is not None and text.count(" ") >= MIN_TITLE_SPACES


def lists_titles(page: NoteDocument, index: int) -> bool:
    """Return True if the items around are titles without addresses, and this one may be one of them."""
    indent = page.lines[index].indent
    cached = page.title_lists.get(indent)
    if cached is None or not cached[0] <= index < cached[1]:
        items = [*_unlinked_items(page, index, indent)]
        end = items[-1] + 1 if items else index + 1
        are_topics = _TOPICS_BELOW.fullmatch(page.text(index - 1) or page.text(index - 2)) is not None
        told = [_could_be_told(page, item) for item in items] if page.outline.lists_works else []
        are_told = len(told) >= MIN_SIBLINGS and fmean(told) >= _MOST
        cached = (index, end, not are_topics and (are_told or are_titles([text_of_item(page, item) for item in items])))
        page.title_lists[indent] = cached
    is_told = page.outline.lists_works and _could_be_told(page, index)
    return cached[2] and (is_told or may_be_among_titles(text_of_item(page, index)))


def _could_be_told(page: NoteDocument, index: int) -> bool:
    """Return True for a numbered item that may be a title where the heading says so: below `Papers`."""
    text = text_of_item(page, index)
    is_numbered = page.text(index)[:1].isdigit() and _BEGINS_LATIN_NAME.match(text) is not None
    return is_numbered and could_be_title(text) and not (is_talk(text) or is_errand(text))


def split_signed(page: NoteDocument, index: int, text: str) -> tuple[SignedTitle, str] | None:
    """Split an item where its list has title and authors in one form. The second value: its text from an address on.

    An item with the addresses of several works, and notes on a paper, are read whole.
    """
    splitter = None if page.outline.paper else _splitters(page).get(index)
    before = _before_address(text)
    signed = splitter.split(before.strip()) if splitter else None
    address = text[len(before) :]
    is_one = len(group_links(address, find_links(address), in_list=True)) <= 1
    return (signed, address) if signed and is_one else None


def is_among_titles(page: NoteDocument, index: int, text: str) -> bool:
    """Return True for an item of a list of titles, or of signed titles if its own authors are missing."""
    if names_work(page, index, text):
        return True
    return lists_titles(page, index) or (index in _splitters(page) and may_be_among_titles(text))


def names_work(page: NoteDocument, index: int, text: str) -> bool:
    """Return True for an item that the heading above says to be a work, whatever its form."""
    is_below_works = page.outline.names_works and not page.lines[index].indent
    if is_below_works and (could_be_title(text) or _SEVERAL_WORDS.fullmatch(text)):
        is_work = not is_talk(text)
    else:
        is_work = _is_marked_work(page, index) and not role_from_label(text)
    is_else = page.links_at(index) or is_task(text) or is_errand(text)
    return is_work and not is_else and not _heads_group(page, index)


def _is_marked_work(page: NoteDocument, index: int) -> bool:
    """Return True for an item with a box to check, or in bold, in a list of what to read: `- [x] BERT`."""
    item = page.text(index)
    if _BOX.match(item) is None and not (
        _IN_BOLD.fullmatch(item) and look_like_titles([text_of_item(page, index).strip("*")])
    ):
        return False
    names = [*(heading.name for heading in page.outline.open[-1:]), _first_line(page)]
    return any(map(is_list_of_works, names))


def _heads_group(page: NoteDocument, index: int) -> bool:
    """Return True for an item with others below it that may be works: not remarks, or `code` and the like.

    Below several English words, many in Japanese or Chinese are a remark.
    """
    text = text_of_item(page, index)
    is_english = text.count(" ") > MIN_TITLE_SPACES and not CJK.search(text)
    for below in range(index + 1, min(len(page.lines), index + _LOOKED_AT)):
        line = page.lines[below]
        if not line.text:
            continue
        if line.indent <= page.lines[index].indent:
            return False
        words = text_of_item(page, below) if is_bullet(line.text) else ""
        is_remark = is_english and len(CJK.findall(words)) >= _REMARK_LETTERS
        if page.links_at(below) or (_BEGINS_NAME.match(words) and not is_remark and not role_from_label(words)):
            return True
    return False


def _first_line(page: NoteDocument) -> str:
    return next((line.text for line in page.lines[:_FIRST_LINES] if line.text), "")


def _splitters(page: NoteDocument) -> Mapping[int, Splitter]:
    """Return what splits the items of lists with title and authors in one form, by the index of the item."""
    if page.signed_items is None:
        by_indent: dict[int, list[list[int]]] = {}
        for items in _lists_of(page):
            by_indent.setdefault(page.lines[items[0]].indent, []).append(items)
        page.signed_items = {}
        for lists in by_indent.values():
            splitters = find_splitters([[_words_of(page, item) for item in items] for items in lists])
            for items, splitter in zip(lists, splitters, strict=True):
                page.signed_items.update(dict.fromkeys(items, splitter) if splitter else {})
    return page.signed_items


def _lists_of(page: NoteDocument) -> Iterator[list[int]]:
    """Yield the items of each list, by index, but those whose title is a link. Deeper items do not end a list."""
    open_lists: dict[int, list[int]] = {}
    for index, line in enumerate(page.lines):
        if not line.text:
            continue
        is_item = BULLET.match(line.text) is not None
        is_end = line.text.startswith(_LIST_ENDS)
        for indent in [indent for indent in open_lists if is_end or line.indent < indent]:
            yield open_lists.pop(indent)
        if is_item and not any(map(has_name, page.links_at(index)[:1])):
            open_lists.setdefault(line.indent, []).append(index)
    yield from open_lists.values()


def _words_of(page: NoteDocument, index: int) -> str:
    return _before_address(text_of_item(page, index)).strip()


def _before_address(text: str) -> str:
    links = find_links(text)
    return text[: links[0].start] if links else text


def _unlinked_items(page: NoteDocument, start: int, indent: int) -> Iterator[int]:
    for index in range(start, min(len(page.lines), start + _LOOKED_AT)):
        text = page.text(index)
        if text.startswith(_LIST_ENDS) or (text and page.lines[index].indent < indent):
            return
        if BULLET.match(text) and page.lines[index].indent == indent and not page.links_at(index):
            yield index
