"""Lenient parser of front matter, the fields between `---` lines at the start of a note."""

import re
from collections.abc import Sequence

_KEY = re.compile(r"(?P<key>[^\s:#\-][^:]{0,60}?)\s?:(?:\s+(?P<value>.*)|$)")
_ITEM = re.compile(r"-\s+(?P<value>.*)")
_WIKI = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|([^\[\]]{0,300}))?\]\]")
_BLOCK_MARKS = frozenset({">", "|", ">-", "|-", ">+", "|+"})
_LONGEST = 120


def end_of(texts: Sequence[str]) -> int:
    """Return the index of the closing line, or -1 if the note has no front matter."""
    if not texts or texts[0] not in {"---", "+++"}:
        return -1
    closing = {"---": {"---", "..."}, "+++": {"+++"}}[texts[0]]
    for index, text in enumerate(texts[1:_LONGEST], 1):
        if text in closing:
            return index if _looks_right(texts[1:index]) else -1
    return -1


def fields(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the values by lower-case name. A list has several values; nested names are skipped."""
    told: dict[str, list[str]] = {}
    key, block = "", False
    for text in texts:
        item = _ITEM.match(text)
        pair = None if item or (block and not _KEY.match(text)) else _KEY.match(text.replace(" = ", ": ", 1))
        if pair:
            key = " ".join(pair["key"].strip("\"'").casefold().replace("_", " ").replace("-", " ").split())
            value = (pair["value"] or "").strip()
            block = value in _BLOCK_MARKS
            told[key] = [] if block else _values(value)
        elif item and key:
            told[key] += _values(item["value"])
        elif text and key:
            told[key] = [" ".join([*told[key], text])] if len(told[key]) < 2 else told[key]
    return told


def _looks_right(texts: Sequence[str]) -> bool:
    keys = sum(_KEY.match(text.replace(" = ", ": ", 1)) is not None for text in texts)
    others = sum(bool(text) and not text.startswith(("-", "#")) for text in texts) - keys
    return keys > 0 and others <= keys * 2


def _values(value: str) -> list[str]:
    value = _WIKI.sub(lambda link: link[2] or link[1], value)
    if value.startswith("[") and value.endswith("]"):
        return [piece for each in value[1:-1].split(",") if (piece := _strip_quotes(each))]
    return [plain] if (plain := _strip_quotes(value)) else []


def _strip_quotes(value: str) -> str:
    plain = value.strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1]
    return plain.strip()
