"""Addresses and bare identifiers in one text, with the Markdown round them: [label](address), arXiv:2305.15778."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from readtrack import sources
from readtrack.sources import Ref, addresses

_LOOK_BACK = 700
_OPENS = re.compile(r"\]\s{0,2}\(\s{0,2}<?$")
_CLOSES = re.compile(r"\s{0,2}>?(?:\s{1,2}[\"'][^\"'\n]{0,200}[\"'])?\s{0,2}\)\]?")
_REVERSED = re.compile(r"\(([^()]{1,300})\)\[\s?$")
_ID = re.compile(
    r"(?P<arxiv>(?<![A-Za-z0-9])arxiv\s?[:：]\s?(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Za-z]{2})?/\d{7})(?:v\d{1,2})?)|"
    r"(?P<new>(?<![A-Za-z0-9_./:%=&?#-])\d{4}\.\d{4,5}(?:v\d{1,2})?(?![A-Za-z0-9_/%-]|\.\d))|"
    r"(?P<old>(?<![A-Za-z0-9_./:%=&?#-])(?:astro-ph|cond-mat|cs|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|nlin|nucl-ex|nucl-th|"
    r"physics|q-bio|quant-ph|stat)(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,2})?(?![A-Za-z0-9_/-]))|"
    r"(?P<doi>(?:(?<![A-Za-z0-9])doi\s?[:：]\s?)?(?<![A-Za-z0-9_./%=-])10\.\d{4,9}/[\x21\x23-\x3b\x3d\x3f-\x7e]{1,300})",
    re.IGNORECASE,
)
_DOI_TAIL = ".,;:!?'\"*_`}]"


@dataclass(frozen=True, slots=True)
class Found:
    """`start`/`end` take in the markup. `label` is None without a link text.

    `address` is out of its wrappers, "" for a bare identifier; `plain` is its one spelling, or the identifier's.
    """

    start: int
    end: int
    address: str
    ref: Ref
    label: str | None
    plain: str
    paper_kind: str


def find(text: str) -> list[Found]:
    """Everything in the text that names something, in order. Pictures are left out; what no source knows, too."""
    return list(_remembered(text)) if _may_hold_any(text) else []


def is_bare(text: str, found: list[Found]) -> bool:
    """Nothing but one address or identifier stands in the text."""
    return (
        len(found) == 1 and found[0].label is None and not (text[: found[0].start] + text[found[0].end :]).strip(" <>")
    )


def without(text: str, found: list[Found]) -> list[str]:
    """What stands before, between and behind the finds: one piece more than there are finds."""
    edges = [0, *(edge for each in found for edge in (each.start, each.end)), len(text)]
    return [text[edges[i] : max(edges[i], edges[i + 1])] for i in range(0, len(edges), 2)]


@lru_cache(maxsize=8)  # the shapes ask for the same line one after the other; it may be a very long one
def _remembered(text: str) -> tuple[Found, ...]:
    return tuple(_found(text))


def _may_hold_any(text: str) -> bool:
    return "/" in text or "." in text


def _found(text: str) -> Iterator[Found]:
    position = 0
    for start, end, address in addresses.find_addresses(text):
        begin, finish, label = _marked_up(text, start, end)
        if begin < position:
            begin = position if label is None else begin
        yield from _bare_ids(text, position, begin)
        picture = begin > 0 and text[begin - 1] == "!" and label is not None
        inner = addresses.unwrap(address)
        ref = None if picture else sources.recognise(inner)
        if ref is not None:
            yield Found(max(begin, position), finish, inner, ref, label, addresses.canonical(inner), _kind(ref))
        position = max(position, finish)
    yield from _bare_ids(text, position, len(text))


def _marked_up(text: str, start: int, end: int) -> tuple[int, int, str | None]:
    """Where the link begins and ends with its markup, and its text."""
    low = max(0, start - _LOOK_BACK)
    before = text[low:start]
    opening = _OPENS.search(before[-6:])
    if opening:
        bracket = _partner(before, len(before[:-6]) + opening.start())
        if bracket is not None:
            label = before[bracket + 1 : len(before[:-6]) + opening.start()]
            closing = _CLOSES.match(text, end)
            return low + bracket, closing.end() if closing else end, label.strip("[] ")
    turned = _REVERSED.search(before) if before.endswith(("[", "[ ")) else None
    if turned:
        return low + turned.start(), end + text[end : end + 1].count("]"), turned[1]
    return start, end, None


def _partner(text: str, closing: int) -> int | None:
    """The place of the bracket that opens what is closed at `closing`."""
    depth = 0
    for place in range(closing, -1, -1):
        depth += (text[place] == "]") - (text[place] == "[")
        if depth == 0:
            return place
    return None


def _bare_ids(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _ID.finditer(text, start, end):
        written = match[0].rstrip(_DOI_TAIL) if match["doi"] else match[0]
        if match["doi"] and written.count(")") > written.count("("):
            written = written[: written.rindex(")")]
        ref = sources.recognise(re.sub(r"\s", "", written.replace("：", ":")))
        if ref is not None and ref.scheme != "url":
            yield Found(match.start(), match.start() + len(written), "", ref, None, sources.url(ref), _kind(ref))


def _kind(ref: Ref) -> str:
    return sources.by_name(ref.scheme).kind(ref.key)
