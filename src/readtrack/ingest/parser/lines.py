"""Notes as lines: line ends, indentation, and text without invisible characters."""

import re
from dataclasses import dataclass

from readtrack.infra.text.printable import clean

_LINE_END = re.compile(r"\r\n|\n|\r")
_TAB_WIDTH = 4
_WIDTH = {" ": 1, "\t": _TAB_WIDTH, "\u00a0": 1, "\u3000": 2, "\ufeff": 0}


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line.

    `raw`: verbatim, without the line end. `text`: the visible text, stripped. `indent`: in columns.
    """

    number: int
    raw: str
    text: str
    indent: int


def split(text: str) -> list[TextLine]:
    """Split at LF, CRLF and CR only.

    A line end at the end of the note does not begin another line.
    """
    raw_lines = _LINE_END.split(text)
    if raw_lines[-1] == "":
        raw_lines.pop()
    return [TextLine(number, raw, clean(raw), _indent(raw)) for number, raw in enumerate(raw_lines, 1)]


def _indent(raw: str) -> int:
    columns = 0
    for character in raw:
        if character not in _WIDTH:
            break
        columns += _WIDTH[character] if character != "\t" else _TAB_WIDTH - columns % _TAB_WIDTH
    return columns
