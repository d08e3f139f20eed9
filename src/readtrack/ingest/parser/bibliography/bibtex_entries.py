"""Parser of BibTeX entries and their fields. Lines of broken entries belong to an entry too."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from readtrack.infra.text.printable import clean
from readtrack.ingest.parser.lines import TextLine

_BEGINS = re.compile(r"\s{0,40}@(?P<type>[A-Za-z]{2,30})\s{0,10}(?P<open>[{(])(?P<rest>.*)", re.DOTALL)
_KEY = re.compile(r"\s*(?P<key>[^,={}\"\s][^,={}\"\n]{0,300}?)?\s*(?P<end>,|$)")
_NAME = re.compile(r"[\s,]*(?P<name>[A-Za-z][\w.:+/-]{0,60})\s*=\s*")
_NEXT_NAME = re.compile(r"\n\s{0,40}[A-Za-z][\w-]{0,60}\s{0,20}=")
_BARE = re.compile(r"[^\s,#{}\"]{1,300}")
_JOINT = re.compile(r"\s*#\s*")
_SIGNS = re.compile(r"\\.|[{}]", re.DOTALL)
_MOST_LINES = 2000
_UNCLOSED = 60


@dataclass(frozen=True)
class RawEntry:
    """A BibTeX entry of `count` lines. `fault`: a message if it is broken, otherwise ""."""

    count: int
    type: str
    key: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""


def begins(text: str) -> bool:
    return text.lstrip()[:1] == "@" and _BEGINS.match(text[:200]) is not None


def read_entry(lines: Sequence[TextLine], at: int, strings: dict[str, str]) -> RawEntry | None:
    """Parse the entry that begins on the line at that index.

    `strings`: abbreviations so far, extended by @string entries.
    """
    begin = _BEGINS.match(clean(lines[at].raw))
    if begin is None:
        return None
    count, closed = _extent(lines, at, begin["open"])
    below = (clean(line.raw) for line in lines[at + 1 : at + count] if not line.text.startswith("%"))
    text = "\n".join([begin["rest"], *below])
    kind = begin["type"].lower()
    body = _body(text, begin["open"]) if closed else text
    if kind in {"comment", "preamble"}:
        return RawEntry(count, kind)
    if kind == "string":
        strings |= {name.lower(): value for name, value in _fields(body, strings)[0].items()}
        return RawEntry(count, kind)
    key = _KEY.match(body)
    fields, whole = _fields(body[key.end() :] if key else body, strings)
    return RawEntry(count, kind, (key["key"] or "").strip() if key else "", fields, _fault(closed=closed, whole=whole))


def _fault(*, closed: bool, whole: bool) -> str:
    if not closed:
        return "The entry is not closed; its fields were read as far as they go. Please look whether they are right."
    return "" if whole else "A part of the entry could not be read; the rest was. Please look whether it is right."


def _extent(lines: Sequence[TextLine], at: int, opening: str) -> tuple[int, bool]:
    """Return the number of lines of the entry and whether it is closed.

    An unclosed entry ends before the next entry or blank line.
    """
    depth = 0
    for index in range(at, min(at + _MOST_LINES, len(lines))):
        raw = lines[index].raw
        if index > at and raw.startswith("@") and begins(raw):
            return index - at, False
        depth += _depth(raw)
        if depth <= 0 and (raw.rstrip(" \t,").endswith(")") if opening == "(" else (index > at or "}" in raw)):
            return index - at + 1, True
    blank = (index for index in range(at + 1, min(at + _UNCLOSED, len(lines))) if not lines[index].text)
    return next(blank, min(at + _UNCLOSED, len(lines))) - at, False


def _depth(raw: str) -> int:
    signs = [sign[0] for sign in _SIGNS.finditer(raw)]
    return signs.count("{") - signs.count("}")


def _body(text: str, opening: str) -> str:
    """Return the text between the entry's brackets."""
    place = text.rfind("}" if opening == "{" else ")")
    return text[:place] if place >= 0 else text


def _fields(text: str, strings: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Return the fields by lower-case name, and whether all of the text was parsed.

    The first of duplicate fields wins.
    """
    found: dict[str, str] = {}
    position, whole = 0, True
    while name := _NAME.match(text, position):
        value, position = _value(text, name.end(), strings)
        found.setdefault(name["name"].lower(), value)
        if not _NAME.match(text, position) and text[position:].strip(" ,\n\t\r"):
            whole = False
            following = _NEXT_NAME.search(text, position)
            position = following.start() if following else len(text)
    return found, whole and not text[position:].strip(" ,\n\t\r})")


def _value(text: str, position: int, strings: Mapping[str, str]) -> tuple[str, int]:
    pieces: list[str] = []
    while True:
        piece, position = _piece(text, position, strings)
        pieces.append(piece)
        joint = _JOINT.match(text, position)
        if not joint:
            return "".join(pieces), position
        position = joint.end()


def _piece(text: str, position: int, strings: Mapping[str, str]) -> tuple[str, int]:
    sign = text[position : position + 1]
    if sign == "{":
        end = _closing(text, position)
        return text[position + 1 : end], end + 1
    if sign == '"':
        end = _closing_quote(text, position)
        return text[position + 1 : end], end + 1
    bare = _BARE.match(text, position)
    return (strings.get(bare[0].lower(), bare[0]), bare.end()) if bare else ("", position)


def _closing(text: str, position: int) -> int:
    """Return the position of the matching closing brace.

    An unclosed value ends before the next field.
    """
    depth = 0
    for sign in _SIGNS.finditer(text, position):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if depth == 0 and sign[0] == "}":
            return sign.start()
    following = _NEXT_NAME.search(text, position)
    return following.start() if following else len(text)


def _closing_quote(text: str, position: int) -> int:
    depth = 0
    for place in range(position + 1, len(text)):
        sign = text[place]
        depth += (sign == "{") - (sign == "}")
        if sign == '"' and depth <= 0 and text[place - 1] != "\\":
            return place
    return len(text)
