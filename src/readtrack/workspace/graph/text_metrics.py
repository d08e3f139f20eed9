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
def wrap_text(text: str, width: float, max_lines: int) -> tuple[str, ...]:
    """Wrap text to at most `max_lines` lines of this width, with an ellipsis if it is cut.

    Lines break between words if possible.
    """
    lines: list[str] = []
    remaining = list(_split_words(" ".join(text.split())))
    while remaining and len(lines) < max_lines:
        is_last = len(lines) == max_lines - 1
        line = _take_line(remaining, width)
        if is_last and remaining:
            line = _truncate_text(line + "".join(remaining), width)
        lines.append(line.strip())
    return tuple(line for line in lines if line)


def _take_line(remaining: list[str], width: float) -> str:
    """Remove and return what fits in a line; split a word that is wider than a line."""
    line = ""
    while remaining and text_width((line + remaining[0]).rstrip()) <= width:
        line += remaining.pop(0)
    if not line and remaining:
        word = remaining.pop(0)
        line = _truncate_text(word, width, end="")
        remaining.insert(0, word[len(line) :])
    return line


def _truncate_text(text: str, width: float, end: str = "…") -> str:
    if text_width(text.rstrip()) <= width:
        return text
    available = width - text_width(end)
    characters: list[str] = []
    for character in text:
        available -= _character_width(character)
        if available < 0 and characters:
            break
        characters.append(character)
    return "".join(characters).rstrip() + end


def _split_words(text: str) -> Iterator[str]:
    """Yield words with the space after them, and wide (CJK) characters singly.

    A line may break after each of them.
    """
    word = ""
    for character in text:
        word += character
        if character in " -/" or unicodedata.east_asian_width(character) in "WF":
            yield word
            word = ""
    if word:
        yield word


@lru_cache(4_096)
def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return WIDE
    if unicodedata.combining(character):
        return 0.0
    if character in _SLIM:
        return NARROW * 0.65
    return NARROW * (1.4 if character in _BROAD or character.isupper() else 1.12)
