"""Exported chats: who wrote a message and when, on a line above the message or before it, and previews of its links.

Examples: `Ada Lovelace  9:00 AM`, `[2024-01-02 09:00] Ada: …`, `12/31/23, 9:00 PM - Ada: …`, `张三 2024-01-02 09:00`.
"""

import re

from readtrack.infra.text.titles.vocabulary import SITES
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import is_bare
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import as_diary_line
from readtrack.ingest.parser.reasons import CHAT_HEAD

_TIME = r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY = (
    r"(?:(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[/.]\d{1,2}[/.](?:\d\d){1,2}|"
    r"(?i:today|yesterday)(?:\sat)?)"
)
_WHO = r"[^\W\d_][^\d:：\[\](){}/|#*<>]{0,40}?"
_HEAD = re.compile(rf"{_WHO}[\s—–-]{{1,4}}[\[(]?(?:{_DAY}[,，]?\s{{1,3}})?{_TIME}[\])]?")
_HEAD_BEFORE = re.compile(
    rf"(?:[\[(](?:{_DAY}[,，]?\s)?{_TIME}[\])]|{_DAY}[,，]?\s{_TIME}\s[-–—])\s{{1,3}}{_WHO}[:：]\s{{1,3}}(?=\S)"
)
_CLOCK = re.compile(r"\d[:：]\d\d")
_SITE = re.compile(rf"(?:[\w-]{{1,60}}\.){{1,4}}[a-z]{{2,10}}|{SITES}", re.IGNORECASE)
_SEVERAL, _MAX_LINES, _MAX_HEAD_CHARS = 3, 12, 80
_NAME = "chats"


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if not _CLOCK.search(text, 0, _MAX_HEAD_CHARS) or not _is_chat(page):
        return None
    number = page.lines[start].number
    if head := _HEAD_BEFORE.match(text):
        context = ItemContext(number, number, page.outline.topics)
        return EntryBlock(1, [*map(as_diary_line, read_piece(text[head.end() :], context, in_list=False))])
    if not _is_head(text):
        return None
    head_entry = ParsedEntry(number, number, 1, "junk", decision="skip", reason=CHAT_HEAD)
    message = _read_message(page, start + 1)
    return EntryBlock(1 + message.count, [head_entry, *message.entries])


def _is_chat(page: NoteDocument) -> bool:
    """Return True if several lines of the note say who wrote what comes next. A single one may be an appointment."""
    if _NAME not in page.format_states:
        heads = (line for line in page.lines if _is_head(line.text) or _HEAD_BEFORE.match(line.text))
        page.format_states[_NAME] = sum(1 for _ in zip(range(_SEVERAL), heads, strict=False)) == _SEVERAL
    return bool(page.format_states[_NAME])


def _is_head(text: str) -> bool:
    return len(text) <= _MAX_HEAD_CHARS and _CLOCK.search(text) is not None and _HEAD.fullmatch(text) is not None


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
