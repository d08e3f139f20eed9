"""Labelled lines: `Title: …`, `**Authors**: …`, `- Link: …`, `doi:: …`, `論文：…`, `| …`."""

import re
from typing import NamedTuple

from readtrack.ingest.parser.headings.vocabulary import FIELD_NAMES

_LINE = re.compile(
    r"(?:[-*+•・>]\s{1,3}|\d{1,2}[.)]\s)?(?:\[[ xX]\]\s)?[*_`]{0,3}[\[【]?"
    r"(?P<name>[^\s:：*_`\[\]【】][^:：*_`\[\]【】]{0,40}?)[\]】]?"
    r"(?:[*_`]{0,3}\s?(?:::|[:：])[*_`]{0,3}|(?<=[】\]])(?!\()[*_`]{0,3})\s?(?P<value>\S.*)"
)
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]+\\s?")
_IN_BRACKETS = re.compile(r"\s?[(（][^()（）]{0,30}[)）]")
_KEY_OF = {name: key for key, names in FIELD_NAMES.items() for name in names}
_LONGEST_NAME = 40


class LabeledValue(NamedTuple):
    """A labelled value.

    `key` is title, link, authors, venue, date, read_on, status, rating, topics, abstract or extra.
    """

    key: str
    value: str


def parse_label(text: str) -> LabeledValue | None:
    """Return the key and value of a labelled line, or None if the label is unknown."""
    if ":" not in text and "：" not in text and "】" not in text:
        return None
    match = _LINE.match(text[:4000])
    if not match:
        return None
    key = key_of(match["name"])
    if not key:
        return None
    return LabeledValue(key, (match["value"] + text[4000:]).strip())


def key_of(name: str) -> str:
    """Return the key of a label, also for "Venue / source" and "Code (robot)", or "" if it is unknown."""
    text = name if name.isascii() else _EMOJI.sub("", name)
    text = _IN_BRACKETS.sub("", text) if "(" in text or "（" in text else text
    text = text.casefold().replace("-", " ").replace("_", " ")
    if len(text) > _LONGEST_NAME:
        return ""
    key = _KEY_OF.get(" ".join(text.split()), "")
    return key or next((key for part in text.split("/") if (key := _KEY_OF.get(" ".join(part.split()), ""))), "")


def has_label(text: str) -> bool:
    """Return True for a line with any label, such as `Surfaced via: …`."""
    return (":" in text or "：" in text) and _LINE.match(text[:200]) is not None
