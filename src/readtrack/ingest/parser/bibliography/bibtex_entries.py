"""Parser of BibTeX entries and their fields. Lines of broken entries belong to an entry too."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from readtrack.infra.text.normalize import clean_line
from readtrack.ingest.parser.lines import TextLine
from readtrack.ingest.parser.reasons import NOT_CLOSED, PARTLY_READ

_BEGINS = re.compile(r"\s{0,40}@(?P<type>[A-Za-z]{2,30})\s{0,10}(?P<open>[{(])(?P<rest>.*)", re.DOTALL)
_KEY = re.compile(r"\s*(?P<key>[^,={}\"\s][^,={}\"\n]{0,300}?)?\s*(?:,|$)")
_NAME = re.compile(r"[\s,]*(?P<name>[A-Za-z][\w.:+/-]{0,60})\s*=\s*")
_NEXT_NAME = re.compile(r"\n\s{0,40}[A-Za-z][\w-]{0,60}\s{0,20}=")
_BARE = re.compile(r"[^\s,#{}\"]{1,300}")
_JOINT = re.compile(r"\s*#\s*")
_SIGNS = re.compile(r"\\.|[{}]", re.DOTALL)
_MAX_LINES = 2000
_MAX_HEAD_LINES = 3
_MAX_UNCLOSED_LINES = 60


@dataclass(frozen=True)
class RawEntry:
    """A BibTeX entry of `count` lines. `error`: a message if it is broken, otherwise ""."""

    count: int
    type: str
    key: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    error: str = ""


def begins(text: str) -> bool:
    return text.lstrip()[:1] == "@" and _BEGINS.match(text[:200]) is not None


def read_head(raw: str) -> tuple[str, str]:
    """Return the type and the key of the entry that these lines begin with, without reading its fields."""
    match = _BEGINS.match("\n".join(map(clean_line, raw.split("\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES])))
    key = _KEY.match(match["rest"]) if match else None
    return match["type"].lower() if match else "", (key["key"] or "").strip() if key else ""


def read_entry(lines: Sequence[TextLine], start: int, strings: dict[str, str]) -> RawEntry | None:
    """Parse the entry that begins on the line at that index.

    `strings`: abbreviations so far, extended by @string entries.
    """
    match = _BEGINS.match(clean_line(lines[start].raw))
    if match is None:
        return None
    count, is_closed = _extent(lines, start, match["open"])
    lines_below = (clean_line(line.raw) for line in lines[start + 1 : start + count] if not line.text.startswith("%"))
    text = "\n".join([match["rest"], *lines_below])
    kind = match["type"].lower()
    body = _body(text, match["open"]) if is_closed else text
    if kind in {"comment", "preamble"}:
        return RawEntry(count, kind)
    if kind == "string":
        strings |= {name.lower(): value for name, value in _fields(body, strings)[0].items()}
        return RawEntry(count, kind)
    key = _KEY.match(body)
    fields, is_complete = _fields(body[key.end() :] if key else body, strings)
    return RawEntry(
        count,
        kind,
        (key["key"] or "").strip() if key else "",
        fields,
        _fault(is_closed=is_closed, is_complete=is_complete),
    )


def _fault(*, is_closed: bool, is_complete: bool) -> str:
    if not is_closed:
        return NOT_CLOSED
    return "" if is_complete else PARTLY_READ


def _extent(lines: Sequence[TextLine], start: int, bracket: str) -> tuple[int, bool]:
    """Return the number of lines of the entry and whether it is closed.

    An unclosed entry ends before the next entry or blank line.
    """
    depth = 0
    end = min(start + _MAX_LINES, len(lines))
    for index in range(start, end):
        raw = lines[index].raw
        if index > start and raw.startswith("@") and begins(raw):
            end = index
            break
        depth += _depth(raw)
        if depth <= 0 and (raw.rstrip(" \t,").endswith(")") if bracket == "(" else (index > start or "}" in raw)):
            return index - start + 1, True
    end = min(start + _MAX_UNCLOSED_LINES, end)
    return next((index for index in range(start + 1, end) if not lines[index].text), end) - start, False


def _depth(raw: str) -> int:
    if "\\" not in raw:
        return raw.count("{") - raw.count("}")
    signs = [sign[0] for sign in _SIGNS.finditer(raw)]
    return signs.count("{") - signs.count("}")


def _body(text: str, bracket: str) -> str:
    """Return the text between the entry's brackets."""
    position = text.rfind("}" if bracket == "{" else ")")
    return text[:position] if position >= 0 else text


def _fields(text: str, strings: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Return the fields by lower-case name, and whether all of the text was parsed.

    The first of duplicate fields wins.
    """
    fields: dict[str, str] = {}
    position, is_complete = 0, True
    while name := _NAME.match(text, position):
        value, position = _value(text, name.end(), strings)
        fields.setdefault(name["name"].lower(), value)
        if not _NAME.match(text, position) and text[position:].strip(" ,\n\t\r"):
            is_complete = False
            next_name = _NEXT_NAME.search(text, position)
            position = next_name.start() if next_name else len(text)
    return fields, is_complete and not text[position:].strip(" ,\n\t\r})")


def _value(text: str, position: int, strings: Mapping[str, str]) -> tuple[str, int]:
    parts: list[str] = []
    while True:
        part, position = _piece(text, position, strings)
        parts.append(part)
        joint = _JOINT.match(text, position)
        if not joint:
            return "".join(parts), position
        position = joint.end()


def _piece(text: str, position: int, strings: Mapping[str, str]) -> tuple[str, int]:
    sign = text[position : position + 1]
    if sign == "{":
        end = _closing(text, position)
        return text[position + 1 : end], end + 1
    if sign == '"':
        end = _closing_quote(text, position)
        return text[position + 1 : end], end + 1
    word = _BARE.match(text, position)
    return (strings.get(word[0].lower(), word[0]), word.end()) if word else ("", position)


def _closing(text: str, position: int) -> int:
    """Return the position of the matching closing brace.

    An unclosed value ends before the next field.
    """
    end = text.find("}", position)
    if end >= 0 and text.find("{", position + 1, end) < 0 and text.find("\\", position, end) < 0:
        return end
    depth = 0
    for sign in _SIGNS.finditer(text, position):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if depth == 0 and sign[0] == "}":
            return sign.start()
    next_name = _NEXT_NAME.search(text, position)
    return next_name.start() if next_name else len(text)


def _closing_quote(text: str, position: int) -> int:
    depth = 0
    for index in range(position + 1, len(text)):
        sign = text[index]
        depth += (sign == "{") - (sign == "}")
        if sign == '"' and depth <= 0 and text[index - 1] != "\\":
            return index
    return len(text)
