"""Lenient parser of front matter, the fields between `---` lines at the start of a note."""

import re
from collections.abc import Sequence

_KEY = re.compile(r"(?P<key>[^\s:#\-][^:]{0,60}?)\s?:(?:\s+(?P<value>.*)|$)")
_ITEM = re.compile(r"-\s+(?P<value>.*)")
_WIKI = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|([^\[\]]{0,300}))?\]\]")
_BLOCK_MARKS = frozenset({">", "|", ">-", "|-", ">+", "|+"})
_MAX_CHARS = 120


def end_of(texts: Sequence[str]) -> int:
    """Return the index of the closing line, or -1 if the note has no front matter."""
    if not texts or texts[0] not in {"---", "+++"}:
        return -1
    end_marks = {"---": {"---", "..."}, "+++": {"+++"}}[texts[0]]
    for index, text in enumerate(texts[1:_MAX_CHARS], 1):
        if text in end_marks:
            return index if _looks_right(texts[1:index]) else -1
    return -1


def fields(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the values by lower-case name. A list has several values; nested names are skipped."""
    result: dict[str, list[str]] = {}
    key, block = "", False
    for text in texts:
        item = _ITEM.match(text)
        pair = None if item or (block and not _KEY.match(text)) else _KEY.match(text.replace(" = ", ": ", 1))
        if pair:
            key = " ".join(pair["key"].strip("\"'").casefold().replace("_", " ").replace("-", " ").split())
            value = (pair["value"] or "").strip()
            block = value in _BLOCK_MARKS
            result[key] = [] if block else _values(value)
        elif item and key:
            result[key] += _values(item["value"])
        elif text and key:
            result[key] = [" ".join([*result[key], text])] if len(result[key]) < 2 else result[key]
    return result


def _looks_right(texts: Sequence[str]) -> bool:
    keys = sum(_KEY.match(text.replace(" = ", ": ", 1)) is not None for text in texts)
    other_lines = sum(bool(text) and not text.startswith(("-", "#")) for text in texts) - keys
    return keys > 0 and other_lines <= keys * 2


def _values(value: str) -> list[str]:
    value = _WIKI.sub(lambda link: link[2] or link[1], value)
    if value.startswith("[") and value.endswith("]"):
        return [item for part in value[1:-1].split(",") if (item := _strip_quotes(part))]
    return [text] if (text := _strip_quotes(value)) else []


def _strip_quotes(value: str) -> str:
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.strip()
