"""Org citations: [[cite:key][text]], cite:key, [cite:@key;@other], and links with other schemes."""

import re

from readtrack.infra.text.titles.vocabulary import LETTER_OR_DIGIT
from readtrack.ingest.parser.reasons import CITATION_KEY

_KEYS = re.compile(
    r"\[\[[A-Za-z]{0,12}cite[a-z*]{0,12}:(?P<link>[^\[\]]{1,300})\](?:\[(?P<label>[^\[\]]{0,300})\])?\]|"
    r"\[cite(?:/[\w/-]{1,20})?:(?P<own>[^\[\]]{1,500})\]|"
    r"(?<![\w\[:])(?:auto|paren|text|foot)?cite[a-z]{0,4}:(?P<bare>&?[A-Za-z0-9][\w:.+/,&-]{0,200})",
    re.IGNORECASE,
)
_KEY = re.compile(r"@?&?(?P<key>[^\W_][\w:.+/-]{0,150})")
_OTHER_LINK = re.compile(r"\[\[[a-z][a-z-]{2,20}:(?P<target>[^\[\]]{1,500})\]\[(?P<label>[^\[\]]{1,300})\]\]")
_LABEL_YEAR = re.compile(r"[^:\d]{2,80}(?P<year>(?:19|20)\d\d)\b")
_KEY_YEAR = re.compile(r"[^\W\d_]\W?(?P<year>(?:19|20)\d\d)(?!\d)")


def cited(text: str) -> list[str]:
    """Return the cited keys in order."""
    keys: list[str] = []
    for match in _KEYS.finditer(text) if "cite" in text.casefold() else ():
        if match["own"]:
            keys += [part["key"] for part in re.finditer(r"@(?P<key>[\w:.+/-]{1,150})", match["own"])]
        else:
            keys += [
                part["key"]
                for citation in re.split(r"[,;]", match["link"] or match["bare"])
                if (part := _KEY.match(citation))
            ]
    return [key.rstrip(".:,-") for key in keys]


def without_citations(text: str) -> str:
    return _KEYS.sub("", text).strip(" ,;.").removesuffix("()").rstrip() if "cite" in text.casefold() else text


def cited_only(keys: list[str]) -> str:
    return CITATION_KEY.format(key=keys[0][:100])


def replace_citations(text: str) -> str:
    """Replace citations by their labels."""
    return _KEYS.sub(lambda found: found["label"] or "", text).strip() if "cite" in text.casefold() else text


def cited_year(text: str) -> str:
    """Return the year if the text cites one work as in "Wu et al. 2016: Googles Neural Machine" or `wu-2016-google`."""
    labels = [match["label"] or "" for match in _KEYS.finditer(text)] if "cite" in text.casefold() else []
    years = [match["year"] for label in labels if (match := _LABEL_YEAR.match(label))]
    years = years or [match["year"] for key in cited(text) if (match := _KEY_YEAR.search(key))]
    return years[0] if len(years) == 1 else ""


def is_citation(text: str) -> bool:
    """Return True if the text is only citations, apart from a few letters."""
    return bool(cited(text)) and len(LETTER_OR_DIGIT.findall(without_citations(text))) <= 12


def without_other_links(text: str) -> str:
    """Remove links with other schemes.

    If no other words are left, return the link's title or label. Example: "[[papers:Some title][key]]: Some title"
    becomes "Some title".
    """
    rest = _OTHER_LINK.sub("", text).strip(" :-–—")
    if LETTER_OR_DIGIT.search(rest) or not (match := _OTHER_LINK.search(text)):
        return rest
    return match["target"] if " " in match["target"] else match["label"]
