"""Exported and copied chats: who wrote a message and when, above the message or before it.

Examples: `Ada Lovelace  9:00 AM`, `[2024-01-02 09:00] Ada: …`, `12/31/23, 9:00 PM - Ada: …`, `张三 2024-01-02 09:00`,
`[12-Nov-24 08:41 PM] ada`, `10:11 <ada> …`, `10:11`, a name and the message between tabs, a name above its time, and a
message in JSON on each line.
"""

import json
import re
from dataclasses import dataclass, replace

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.vocabulary import SITES
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note, skip_lines
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.sentence_titles import find_titles
from readtrack.ingest.parser.items.title_runs import is_clear_title
from readtrack.ingest.parser.items.unlinked import as_diary_line
from readtrack.ingest.parser.reasons import CHAT_HEAD

_TIME = r"(?:(?:上午|下午|午前|午後|凌晨|晚上|中午)\s?)?\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAYS = (
    r"(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?",  # 2024-01-02, 2024年1月2日
    r"\d{1,2}[/.-]\d{1,2}[/.-](?:\d\d){1,2}",  # 12/31/23
    r"\d{1,2}-[A-Z][a-z]{2}-(?:\d\d){1,2}",  # 12-Nov-24
    r"(?:[A-Z][a-z]{2,8},?\s)?[A-Z][a-z]{2,8}\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,\s\d{4})?",  # Tuesday, January 2nd, 2024
    r"\d{1,2}\s[A-Z][a-z]{2,8}\.?(?:\s\d{4})?",  # 2 January 2024
    r"(?i:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    r"昨天|今天|前天|昨日|今日|星期.",
)
_DAY = f"(?:{'|'.join(_DAYS)})"
_STAMP = rf"[\[(]?(?:{_DAY}(?:[,，]|\sat)?\s{{1,3}})?{_TIME}[\])]?"
_WHO = r"(?:\+\d[\d ]{6,20}|[^\W\d_][^\n\t:：\[\]{}|<>/#*]{0,40}?(?:#\d{4})?)"
_HEAD_BEFORE = re.compile(
    rf"{_STAMP}\s{{0,3}}[-–—]?\s{{0,3}}(?:(?P<name>{_WHO})[:：]\s{{1,3}}|<\s?[@+%&~]?(?P<nick>[^<>\s]{{1,30}})>\s{{1,3}})(?=\S)"
)
_HEAD_ABOVE = re.compile(rf"(?P<name>{_WHO})[,，]?[\s—–-]{{1,4}}{_STAMP}")
_HEAD_BEHIND = re.compile(rf"{_STAMP}\s{{1,4}}(?P<name>{_WHO})")
_HEAD_IN_BRACKETS = re.compile(rf"\[(?P<name>{_WHO})[,，]?\s{_STAMP}\]\s{{1,3}}(?=\S)")  # `[ada 10:02] message`
_HEAD_IN_TABS = re.compile(rf"{_TIME}\t(?P<name>[^\t]{{1,40}})\t")
_ALONE = re.compile(_STAMP)
_NOTICE = re.compile(rf"{_STAMP}\s{{0,3}}(?:[-–—*]{{1,3}}!?[-–—]?\s|\*\s)")  # `09:15 -!- ada has joined`
_NAME = re.compile(rf"{_WHO}\.?")
_CLOCK = re.compile(r"\d[:：]\d\d")
_SITE = re.compile(rf"(?:[\w-]{{1,60}}\.){{1,4}}[a-z]{{2,10}}|{SITES}", re.IGNORECASE)
_REPLIED = re.compile(r"(?:[-–—]\s){4,}[-–—]?")  # below the message that is answered
_MARKER = re.compile(  # of exports: {Embed}, [Forwarded from Ada], a line with the day
    r"\{[A-Z][a-z]{2,20}\}|\[[^\[\]]{1,60}\]|[-–—]{6,}|[-–—]{3,}[^-–—].{0,29}?[-–—]{3,}"
)
_QUOTED = re.compile(r"(?:>\s?)+")
_ANSWERED = re.compile(r"replied to (?:a|your) thread:")
_SLACK_LINK = re.compile(r"<(?P<address>https?://[^\s<>|]{1,2000})\|(?P<label>[^<>]{1,300})>")
_STARTS_SOMETHING = ("# ", "## ", "### ", "|", "```", "~~~")
_SEVERAL, _MAX_LINES, _MAX_HEAD_CHARS, _MAX_NAME_WORDS = 3, 40, 90, 5


@dataclass(frozen=True, slots=True)
class _Head:
    """Who wrote a message.

    `words`: those on the same line. `count`: the lines of the head, 0 if it shares one. `is_sure`: no appointment.
    """

    name: str
    words: str = ""
    count: int = 1
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class _Message:
    """The words of a message, one line each, and the index after it."""

    words: str
    end: int


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _is_chat(page):
        return None
    head = _read_head(page, start)
    if head is None:
        return None
    message = _read_message(page, start, head)
    if not message.words:
        return skip_lines(page, start, message.end, CHAT_HEAD)
    body = start + head.count
    entries = skip_lines(page, start, body, CHAT_HEAD).entries if head.count else []
    is_title = "\n" not in message.words and is_clear_title(message.words)
    words = read_piece(message.words, page.context(body, message.end), in_list=False, is_title=is_title)
    return EntryBlock(message.end - start, [*entries, *map(as_diary_line, words)])


@once_per_note
def _is_chat(page: NoteDocument) -> bool:
    """Return True if several lines say who wrote what comes next.

    A time before a few words may be an appointment, unless a person returns.
    """
    heads = [head for index in range(len(page.lines)) if (head := _match_head(page, index))]
    names = {head.name for head in heads}
    return sum(head.is_sure for head in heads) >= _SEVERAL or _SEVERAL <= len(heads) > len(names)


def _read_head(page: NoteDocument, index: int) -> _Head | None:
    """Return the head at a line of a chat, also a time alone, which repeats the sender, and a notice."""
    if head := _match_head(page, index):
        return head
    text = page.text(index)
    return _Head("") if _ALONE.fullmatch(text) or _NOTICE.match(text) else None


def _match_head(page: NoteDocument, index: int) -> _Head | None:
    """Return who wrote the message that begins at a line."""
    text = page.text(index)
    if text.startswith("{"):
        return _match_json(text)
    if _CLOCK.search(text, 0, _MAX_HEAD_CHARS) is None:
        is_above_time = _ALONE.fullmatch(page.text(index + 1)) is not None
        return _Head(text, count=2) if is_above_time and _is_name(text) else None
    return _match_head_before_words(page.lines[index].raw, text) or _match_head_alone(text)


def _match_head_before_words(raw: str, text: str) -> _Head | None:
    if in_tabs := _HEAD_IN_TABS.match(raw):
        return _Head(in_tabs["name"], clean_line(raw[in_tabs.end() :]), 0)
    if (in_brackets := _HEAD_IN_BRACKETS.match(text)) and not _ALONE.match(text):
        return _Head(in_brackets["name"], text[in_brackets.end() :], 0)
    before = _HEAD_BEFORE.match(text)
    return _Head(before["name"] or before["nick"], text[before.end() :], 0) if before else None


def _match_head_alone(text: str) -> _Head | None:
    if len(text) > _MAX_HEAD_CHARS:
        return None
    match = _HEAD_ABOVE.fullmatch(text) or _HEAD_BEHIND.fullmatch(text)
    if match is None or not _is_name(match["name"]):
        return None
    return _Head(match["name"], is_sure=match.re is _HEAD_ABOVE or text.startswith(("[", "(")))


def _match_json(text: str) -> _Head | None:
    """Return the sender and the words of a message in JSON: `{"user": "ada", "text": "…"}`."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not isinstance(message.get("text"), str):
        return None
    name = next((message[key] for key in ("user", "username", "from", "author", "name") if message.get(key)), None)
    words = _SLACK_LINK.sub(_write_link, message["text"]).replace("&gt;", ">").replace("&amp;", "&")
    return _Head(name, words, 0) if isinstance(name, str) else None


def _write_link(link: re.Match[str]) -> str:
    return link["address"] if _SITE.fullmatch(link["label"]) else f"[{link['label']}]({link['address']})"


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and len(text.split()) <= _MAX_NAME_WORDS


def _read_message(page: NoteDocument, start: int, head: _Head) -> _Message:
    """Read up to the next message. The sender may write a title and its address in two messages."""
    index = start + max(head.count, 1)
    lines = head.words.split("\n") if head.words else []
    end = index
    while index < min(start + _MAX_LINES, len(page.lines)) and not _read_head(page, index):
        text = page.text(index)
        if text.startswith(_STARTS_SOMETHING) and not page.text(index - 1):
            break
        if text:
            lines.append(text)
            end = index + 1
        index += 1
    words = "\n".join(_select_words(lines))
    following = _match_head(page, index)
    if following and following.name == head.name and not following.count and _belong_together(words, following.words):
        following_message = _read_message(page, index, replace(following, name=""))
        return _Message(f"{words}\n{following_message.words}", following_message.end)
    return _Message(words, end)


def _select_words(lines: list[str]) -> list[str]:
    """Return the lines that were written, without what they answer. The title of a preview becomes a link."""
    replied = max((index for index, line in enumerate(lines) if _REPLIED.fullmatch(line)), default=-1)
    words: list[str] = []
    is_below_site = False
    for line in lines[replied + 1 :]:
        is_site = _SITE.fullmatch(line) is not None
        above = words[-1] if words else ""
        if is_below_site and "]" not in line and is_bare(above, find_links(above)):
            words[-1] = f"[{line}]({above.strip('<>')})"
        elif not is_site and not _MARKER.fullmatch(line) and not _ANSWERED.match(line):
            words.append(_QUOTED.sub("", line, count=1) if line.startswith(">") else line)
        is_below_site = is_site
    if len(words) > 1 and words[0].startswith('"') and words[-1].endswith('"'):  # several lines in LINE
        words[0], words[-1] = words[0][1:], words[-1][:-1]
    return words


def _belong_together(first: str, second: str) -> bool:
    """Return True for a title without an address and an address without a title."""
    pairs = ((first, second), (second, first))
    return any(
        is_bare(address, find_links(address)) and not find_links(words) and len(find_titles(words)) == 1
        for address, words in pairs
    )


SHAPE = Shape("chats", 22, read)
