"""Headings: with marks (#, underlines, bold lines, ¶), and short bare lines with a list right below them."""

import re

from readtrack.notes.entry import Entry
from readtrack.notes.found import is_bare
from readtrack.notes.making import Place
from readtrack.notes.outline import ATX_STEP, BARE, BOLD, PILCROW, Heading, lists_references, no_topic_reason, topic_of
from readtrack.notes.page import Block, Page, Shape
from readtrack.notes.phrases import read_piece
from readtrack.notes.shapes.bullets import is_bullet
from readtrack.notes.titles import without_emphasis
from readtrack.notes.wording import is_question

_ATX = re.compile(r"(#{1,6})\s+(?P<name>\S.*?)\s*#*")
_UNDERLINE = re.compile(r"={3,}|-{3,}")
_BOLD = re.compile(
    r"(\*\*|__)(?P<name>[^*_]{1,120})\1\s?[:：]?|<summary>(?P<summary>[^<>]{1,120})</summary>", re.IGNORECASE
)
_LINKS = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_TAGS = re.compile(r"<[^<>]{1,200}>")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDS = re.compile(r"[.。!！?？,，、;；]$")
_BARE_LETTERS, _BARE_WORDS, _BARE_CJK = 40, 4, 20
_MAX_NAME = 200
_HEADS_A_LIST = 3  # addresses under one short line: fewer are the two addresses of one title


def read(page: Page, at: int) -> Block | None:
    marked = _marked(page, at)
    if marked is None:
        return None
    level, name, count = marked
    number = page.lines[at].number
    if page.found(at):
        page.outline.enter(Heading(level, name))
        place = Place(number, number + count - 1, page.outline.topics)
        return Block(count, read_piece(name, place, listed=True))
    name = heading_name(name)
    pilcrow = page.text(at).endswith("¶")
    page.outline.enter(Heading(level, name, topic_of(name), references=pilcrow or lists_references(name)))
    return Block(count, [_entry(page, name, number, count)])


def heading_name(text: str) -> str:
    """A heading without links, marks and pictures."""
    plain = _EMOJI.sub(" ", _TAGS.sub("", _LINKS.sub(r"\1", text[: 4 * _MAX_NAME])))
    return " ".join(without_emphasis(plain).split()).strip(" *_#¶:：").strip()[:_MAX_NAME]


def _entry(page: Page, name: str, number: int, count: int) -> Entry:
    reason = no_topic_reason(name)
    kind, decision = ("junk", "skip") if reason else ("topic", "add")
    title = name if reason else topic_of(name)
    outer = page.outline.topics if reason else page.outline.topics[:-1]
    return Entry(number, number + count - 1, 1, kind, title=title, topics=outer, decision=decision, reason=reason)


def _marked(page: Page, at: int) -> tuple[int, str, int] | None:
    """Level, name and number of lines of the heading here."""
    text = page.text(at)
    if atx := _ATX.fullmatch(text):
        return len(atx[1]) * ATX_STEP, atx["name"], 1
    if text.endswith("¶") and len(text) <= _MAX_NAME:
        return PILCROW, text, 1
    if bold := _BOLD.fullmatch(text):
        return BOLD, bold["name"] or bold["summary"], 1
    if not _could_be_bare(page, at):
        return None
    if _UNDERLINE.fullmatch(page.text(at + 1)):
        return ATX_STEP * (1 if page.text(at + 1).startswith("=") else 2), text, 2
    return (BARE, text, 1) if _heads_a_list(page, at) else None


def _could_be_bare(page: Page, at: int) -> bool:
    """Short, alone at the left, no sentence, no question, no address."""
    text, line = page.text(at), page.lines[at]
    if page.text(at - 1) or line.indent or len(text) > _BARE_LETTERS or len(text.split()) > _BARE_WORDS:
        return False
    if _ENDS.search(text) or is_bullet(text) or text.startswith(("|", ">", "<")) or len(_CJK.findall(text)) > _BARE_CJK:
        return False
    return not is_question(text) and not page.found(at)


def _heads_a_list(page: Page, at: int) -> bool:
    if is_bullet(page.text(at + 1)):
        return True
    if not page.text(at + 1):
        return is_bullet(page.text(at + 2))
    below = set()
    for index in range(at + 1, at + 1 + _HEADS_A_LIST):
        found = page.found(index)
        if not is_bare(page.text(index), found):
            break
        below.add(found[0].ref)
    return len(below) >= _HEADS_A_LIST or (len(below) > 0 and bool(no_topic_reason(page.text(at))))


SHAPE = Shape("headings", 40, read)
