"""Approximate text metrics for drawings: width, wrapping and truncation."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

WIDE, NARROW = 13.0, 6.6  # pixels of a character at font size 13
BOLD_FACTOR = 1.14  # width of bold text relative to normal
_SLIM, _BROAD = frozenset("ijlt.,:;'|!()[]{} -fr"), frozenset("mwMWOQGD@%")


def text_width(text: str) -> float:
    """Return the approximate width in pixels at font size 13."""
    return sum(map(_character_width, text))


@lru_cache(4_096)  # the same names are drawn repeatedly
def wrap_text(text: str, width: float, most: int) -> tuple[str, ...]:
    """Wrap text to at most `most` lines of this width, with an ellipsis if it is cut.

    Lines break between words if possible.
    """
    lines: list[str] = []
    left = list(_split_words(" ".join(text.split())))
    while left and len(lines) < most:
        last = len(lines) == most - 1
        line = _take_line(left, width)
        if last and left:
            line = _truncate_text(line + "".join(left), width)
        lines.append(line.strip())
    return tuple(line for line in lines if line)


def _take_line(left: list[str], width: float) -> str:
    """Remove and return what fits in a line; split a word that is wider than a line."""
    line = ""
    while left and text_width((line + left[0]).rstrip()) <= width:
        line += left.pop(0)
    if not line and left:
        piece = left.pop(0)
        line = _truncate_text(piece, width, end="")
        left.insert(0, piece[len(line) :])
    return line


def _truncate_text(text: str, width: float, end: str = "…") -> str:
    if text_width(text.rstrip()) <= width:
        return text
    room = width - text_width(end)
    kept: list[str] = []
    for character in text:
        room -= _character_width(character)
        if room < 0 and kept:
            break
        kept.append(character)
    return "".join(kept).rstrip() + end


def _split_words(text: str) -> Iterator[str]:
    """Yield words with the space after them, and wide (CJK) characters singly.

    A line may break after each of them.
    """
    piece = ""
    for character in text:
        piece += character
        if character in " -/" or unicodedata.east_asian_width(character) in "WF":
            yield piece
            piece = ""
    if piece:
        yield piece


@lru_cache(4_096)
def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return WIDE
    if unicodedata.combining(character):
        return 0.0
    if character in _SLIM:
        return NARROW * 0.65
    return NARROW * (1.4 if character in _BROAD or character.isupper() else 1.12)
