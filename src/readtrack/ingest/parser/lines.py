"""A note as lines: where they end, how far they are indented, and their text without what no eye can see."""

import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")
_TAB = 4
_WIDTH = {" ": 1, "\t": _TAB, "\u00a0": 1, "\u3000": 2, "\ufeff": 0}
# Controls, zero-width and bidi marks, BOM, object replacement, tag characters: dropped. Odd spaces: one space.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffc\U000e0000-\U000e007f]",
)
_SPACES = re.compile("[\\s\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Line:
    """`raw`: the line as it stands, without its end. `text`: what a person sees of it, trimmed. `indent`: columns."""

    number: int
    raw: str
    text: str
    indent: int


def split(text: str) -> list[Line]:
    """Lines end at LF, CRLF or CR only. A line end at the end of the note begins no further line."""
    pieces = _LINE_END.split(text)
    if pieces[-1] == "":
        pieces.pop()
    return [Line(number, raw, clean(raw), _indent(raw)) for number, raw in enumerate(pieces, 1)]


def clean(text: str) -> str:
    """Safe to show and to store: one kind of space, no controls, no bidi overrides, no half characters."""
    if text.isprintable() and "\ufffc" not in text and "  " not in text:  # most lines: nothing to look for
        return text.strip()
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    return _SPACES.sub(" ", _UNSEEN.sub("", text)).strip()


def _indent(raw: str) -> int:
    columns = 0
    for character in raw:
        if character not in _WIDTH:
            break
        columns += _WIDTH[character] if character != "\t" else _TAB - columns % _TAB
    return columns
