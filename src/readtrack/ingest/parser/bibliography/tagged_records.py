"""Tagged records of reference managers: RIS ("TY - JOUR") and EndNote ("%0 Journal Article")."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from readtrack.ingest.parser.lines import TextLine

_RIS = re.compile(r"(?P<tag>[A-Z][A-Z0-9])\s{0,4}-(?:\s{1,4}(?P<value>.*))?")
_ENDNOTE = re.compile(r"%(?P<tag>[0-9A-Z@?!#$&\]~<>()\[^|*+,:=;'/\-])(?:\s(?P<value>.*))?")
_RIS_TYPE = re.compile(r"TY\s{0,4}-(?:\s|$)")
_ENDNOTE_TYPE = re.compile(r"%0\s\w")
_TAGS = frozenset(
    [
        "A1", "A2", "AB", "AU", "C1", "C7", "CT", "DA", "DB", "DO", "DP", "EP", "ET", "ID", "IS", "J1", "J2",
        "JA", "JF", "JO", "KW", "L1", "L2", "LA", "LK", "M1", "M3", "N1", "N2", "PB", "PY", "SN", "SP", "ST",
        "T1", "T2", "TI", "UR", "VL", "Y1", "Y2",
    ]
)  # fmt: skip
_MOST_LINES = 3000


@dataclass
class TaggedRecord:
    """A record of `count` lines.

    `values`: by tag, in order. `closed`: it has the end that its format requires.
    """

    count: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)
    closed: bool = False

    def add(self, tag: str, value: str) -> None:
        self.values.setdefault(tag, []).append(value.strip())

    def first(self, *tags: str) -> str:
        return next((value for tag in tags for value in self.values.get(tag, ()) if value), "")

    def every(self, *tags: str) -> list[str]:
        return [value for tag in tags for value in self.values.get(tag, ()) if value]


def begins_ris(text: str) -> bool:
    return text.startswith("TY") and _RIS_TYPE.match(text) is not None


def is_headless_ris(lines: Sequence[TextLine], start: int) -> bool:
    """Return True for three tagged lines in a row whose TY line is missing or misspelt."""
    tags = [match["tag"] for line in lines[start : start + 3] if (match := _RIS.fullmatch(line.text))]
    return len(tags) == 3 and set(tags) <= _TAGS


def begins_endnote(text: str) -> bool:
    return text.startswith("%0 ") and _ENDNOTE_TYPE.match(text) is not None


def read_ris(lines: Sequence[TextLine], start: int) -> TaggedRecord:
    """Parse up to ER.

    Without ER, the record ends before the next TY, or at an untagged line after a blank line.
    """
    record = TaggedRecord()
    last_tag, has_blank = "", False
    for index in range(start, min(start + _MOST_LINES, len(lines))):
        text = lines[index].text
        match = _RIS.fullmatch(text)
        if index > start and begins_ris(text):
            break
        if match and match["tag"] == "ER":
            record.count, record.closed = index - start + 1, True
            break
        if match:
            last_tag = match["tag"]
            record.add(last_tag, match["value"] or "")
        elif text and has_blank:
            break
        elif text:
            record.values[last_tag][-1] += " " + text
        has_blank = has_blank or not text
        record.count = index - start + 1 if text else record.count
    return record


def read_endnote(lines: Sequence[TextLine], start: int) -> TaggedRecord:
    """Parse up to a blank line or the next %0."""
    record = TaggedRecord(closed=True)
    last_tag = ""
    for index in range(start, min(start + _MOST_LINES, len(lines))):
        text = lines[index].text
        match = _ENDNOTE.fullmatch(text)
        if not text or (index > start and begins_endnote(text)):
            break
        if match:
            last_tag = match["tag"]
            record.add(last_tag, match["value"] or "")
        else:
            record.values[last_tag][-1] += " " + text
        record.count = index - start + 1
    return record
