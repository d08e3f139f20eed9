"""Everything else: running text. Takes every line, so that none is lost."""

import re

from readtrack.notes.making import Place
from readtrack.notes.page import Block, Page, Shape
from readtrack.notes.phrases import read_piece
from readtrack.notes.shapes.bullets import is_bullet

_QUOTE = re.compile(r"^(?:>\s?)+")
_ENDS_A_SENTENCE = re.compile(r"[.。!！?？:：;；]$")
_STARTS_SOMETHING = ("#", "|", ">", "```", "~~~", "**", "<")
_WRAPPED_AT = 60
_MAX_LINES = 200


def read(page: Page, at: int) -> Block | None:
    end = at + 1
    while end - at < _MAX_LINES and _goes_on(page, end):
        end += 1
    text = " ".join(_QUOTE.sub("", page.text(index)) for index in range(at, end))
    place = Place(page.lines[at].number, page.lines[end - 1].number, page.outline.topics)
    return Block(end - at, read_piece(text, place, listed=False))


def _goes_on(page: Page, at: int) -> bool:
    """A long line that does not end a sentence was wrapped; short lines are thoughts of their own."""
    above, here = page.text(at - 1), page.text(at)
    if len(above) < _WRAPPED_AT or _ENDS_A_SENTENCE.search(above) or not here or here.startswith(_STARTS_SOMETHING):
        return False
    return not is_bullet(here) and not page.found(at) and not page.found(at - 1) and not page.found(at + 1)


SHAPE = Shape("prose", 1000, read)
