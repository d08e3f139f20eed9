"""Exported chats: who wrote a message and when, on a line above the message or before it, and previews of its links.

Examples: `Ada Lovelace  9:00 AM`, `[2024-01-02 09:00] Ada: …`, `12/31/23, 9:00 PM - Ada: …`, `张三 2024-01-02 09:00`,
`[12-Nov-24 08:41 PM] ada`, and `10:11`, a name and the message between tabs.
"""

import re

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.clean import could_be_title, names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS, SITES
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import find_links, is_bare, split_around_links
from readtrack.ingest.parser.items.link_roles import STRONG
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import as_diary_line
from readtrack.ingest.parser.reasons import CHAT_HEAD
from readtrack.ingest.parser.vocabulary.title_affixes import take_head
from readtrack.ingest.parser.vocabulary.venues import known_tag_in

_TIME = r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY = (
    r"(?:(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[/.]\d{1,2}[/.](?:\d\d){1,2}|"
    r"\d{1,2}-[A-Z][a-z]{2}-(?:\d\d){1,2}|"
    r"(?i:today|yesterday)(?:\sat)?)"
)
_WHO = r"[^\W\d_][^\d:：\[\](){}/|#*<>]{0,40}?"
_HEAD = re.compile(rf"{_WHO}[\s—–-]{{1,4}}[\[(]?(?:{_DAY}[,，]?\s{{1,3}})?{_TIME}[\])]?")
_HEAD_DATED = re.compile(rf"[\[(]{_DAY}[,，]?\s{_TIME}[\])]\s{{1,3}}[^\W_][\w .#-]{{0,39}}")
_HEAD_IN_TABS = re.compile(rf"{_TIME}\t[^\t]{{1,40}}\t")
_MARKER = re.compile(r"\{[A-Z][a-z]{2,20}\}")  # of exports: {Embed}, {Reactions}
_LAST_MARKER = "{Reactions}"
_PIECES = re.compile(
    rf"[{CJK_LETTERS}：，。、！？「」『』《》“”\"<>（）【】]+|\s?[-=]>\s?|\*\*|\s(?=[(]arXiv)", re.IGNORECASE
)
_CAPITALIZED = re.compile(r"[A-Z][\w-]+(?:\s(?:(?:of|the|for|and|in|on|with|a|to)\s){0,2}[A-Z][\w-]+){1,20}")
_HEAD_BEFORE = re.compile(
    rf"(?:[\[(](?:{_DAY}[,，]?\s)?{_TIME}[\])]|{_DAY}[,，]?\s{_TIME}\s[-–—])\s{{1,3}}{_WHO}[:：]\s{{1,3}}(?=\S)"
)
_CLOCK = re.compile(r"\d[:：]\d\d")
_SITE = re.compile(rf"(?:[\w-]{{1,60}}\.){{1,4}}[a-z]{{2,10}}|{SITES}", re.IGNORECASE)
_SEVERAL, _MAX_LINES, _MAX_HEAD_CHARS = 3, 12, 80
_EDGES, _BRACKETS = " \t*_>,，;；:：\"'“”<", "()[]"
_NAME = "chats"


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if not _CLOCK.search(text, 0, _MAX_HEAD_CHARS) or not _is_chat(page):
        return None
    number = page.lines[start].number
    words = _words_behind_head(page, start)
    if words:
        context = ItemContext(number, number, page.outline.topics)
        message = _read_titled_message(page, start, [words])
        return message or EntryBlock(1, [*map(as_diary_line, read_piece(words, context, in_list=False))])
    if not _is_head(text):
        return None
    head_entry = ParsedEntry(number, number, 1, "junk", decision="skip", reason=CHAT_HEAD)
    message = _read_titled_message(page, start + 1, []) or _read_message(page, start + 1)
    return EntryBlock(1 + message.count, [head_entry, *message.entries])


def _words_behind_head(page: NoteDocument, index: int) -> str:
    """Return the words after who wrote them and when, "" without such a head before words."""
    if head := _HEAD_BEFORE.match(page.text(index)):
        return page.text(index)[head.end() :]
    in_tabs = _HEAD_IN_TABS.match(page.lines[index].raw) if index < len(page.lines) else None
    return clean_line(page.lines[index].raw[in_tabs.end() :]) if in_tabs else ""


def _read_titled_message(page: NoteDocument, start: int, words: list[str]) -> EntryBlock | None:
    """Read a message with one address and a title among its words, wherever the two stand.

    `words`: those on the line of the head, which is the first line then.
    """
    index = start + len(words)
    texts, is_over = [*words], False
    while index < min(start + _MAX_LINES, len(page.lines)) and not _begins_message(page, index):
        text = page.text(index)
        if not text and not _MARKER.fullmatch(page.text(index + 1)):
            break
        is_over = is_over or text == _LAST_MARKER
        if text and not is_over and not _MARKER.fullmatch(text):
            texts.append(text)
        index += 1
    links = [link for text in texts for link in find_links(text)]
    if any(_SITE.fullmatch(text) for text in texts):
        return None  # the preview of a link: its title comes after the name of the site
    if (
        not links
        or len({link.ref for link in links}) > 1
        or links[0].label is not None
        or links[0].ref.scheme not in STRONG
    ):
        return None
    rests = [rest for text in texts if (rest := " ".join(split_around_links(text, find_links(text))).strip(_EDGES))]
    title = _find_title(rests)
    if not title:
        return None
    head = take_head(title)
    tag = next(
        (
            tag
            for rest in rests
            for piece in _PIECES.split(rest)
            if (tag := known_tag_in(piece.strip(_EDGES + _BRACKETS)))
        ),
        None,
    )
    venue, year = (tag.venue, tag.year) if tag and tag.year and not head.venue else (head.venue, head.year)
    remark = " ".join(rest for rest in rests if rest != title)
    item_text = ItemText(head.title, text=remark, venue=venue, year=year)
    span = page.lines[start].number, page.lines[index - 1].number
    return EntryBlock(index - start, [build_entry(links[0], item_text, ItemContext(*span, page.outline.topics))])


def _begins_message(page: NoteDocument, index: int) -> bool:
    return _is_head(page.text(index)) or bool(_words_behind_head(page, index))


def _find_title(texts: list[str]) -> str:
    """Return the words that are plainly a title, or else a whole line that may be one."""
    pieces = [piece.strip(_EDGES) for text in texts for piece in _PIECES.split(text)]
    named = next((piece for piece in pieces if names_a_paper(take_head(piece).title)), "")
    capitalized = named or next((piece for piece in pieces if _CAPITALIZED.fullmatch(take_head(piece).title)), "")
    return capitalized or next((text for text in texts if text[0].isupper() and could_be_title(text)), "")


def _is_chat(page: NoteDocument) -> bool:
    """Return True if several lines of the note say who wrote what comes next. A single one may be an appointment."""
    if _NAME not in page.format_states:
        heads = (
            line
            for line in page.lines
            if _is_head(line.text) or _HEAD_BEFORE.match(line.text) or _HEAD_IN_TABS.match(line.raw)
        )
        page.format_states[_NAME] = sum(1 for _ in zip(range(_SEVERAL), heads, strict=False)) == _SEVERAL
    return bool(page.format_states[_NAME])


def _is_head(text: str) -> bool:
    return (
        len(text) <= _MAX_HEAD_CHARS
        and _CLOCK.search(text) is not None
        and any(pattern.fullmatch(text) for pattern in (_HEAD, _HEAD_DATED))
    )


def _read_message(page: NoteDocument, start: int) -> EntryBlock:
    """Read a message without an address, or up to the preview of one: the name of the site, and below it the title.

    Other addresses are read as they are elsewhere.
    """
    index = start
    has_links = False
    while index < start + _MAX_LINES and (text := page.text(index)) and not _is_head(text):
        links = page.links_at(index)
        if is_bare(text, links) and _SITE.fullmatch(page.text(index + 1)) and page.text(index + 2):
            first, last = page.lines[index].number, page.lines[index + 2].number
            context = ItemContext(first, last, page.outline.topics)
            paper = build_entry(links[0], ItemText(page.text(index + 2)), context)
            return EntryBlock(index + 3 - start, [*_read_words(page, start, index), paper])
        has_links = has_links or bool(links)
        index += 1
    return EntryBlock(0, []) if has_links else EntryBlock(index - start, _read_words(page, start, index))


def _read_words(page: NoteDocument, start: int, end: int) -> list[ParsedEntry]:
    """Read the words of a message: they are no topics."""
    if start == end:
        return []
    context = ItemContext(page.lines[start].number, page.lines[end - 1].number, page.outline.topics)
    words = " ".join(page.text(index) for index in range(start, end))
    return [*map(as_diary_line, read_piece(words, context, in_list=False))]


SHAPE = Shape(_NAME, 22, read)
