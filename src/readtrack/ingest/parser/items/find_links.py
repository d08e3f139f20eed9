"""Detection of addresses and identifiers in a text, with their Markdown.

Examples: [label](address), arXiv:2305.15778. A link to a local PDF counts too: `file:` and its path as written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from readtrack.infra.text import urls
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

_LOOK_BACK, _LONG = 700, 4000
_LIST_MARK = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_OPENS = re.compile(r"\]\s{0,2}\(\s{0,2}<?$")
_CLOSES = re.compile(r"\s{0,2}>?(?:\s{1,2}[\"'][^\"'\n]{0,200}[\"'])?\s{0,2}\)\]?")
_REVERSED = re.compile(r"\(([^()]{1,300})\)\[\s?$")
_NAMED_BY_ARXIV = re.compile(  # `papers/2501.01005v1.pdf`: five digits since 2015, four before
    r"(?:^|/)(?P<id>(?:(?:1[5-9]|2\d)\d\d\.\d{5}|(?:0[7-9]|1[0-4])\d\d\.\d{4})(?:v\d{1,2})?)\.pdf$", re.IGNORECASE
)
_OTHER_FOLDER = re.compile(r"(?:^|/)(?:annotated|translat(?:ed|ions?)|slides|scans)/[^/]+$", re.IGNORECASE)
_OTHER_LABEL = re.compile(
    r"(?:(?:my|our|handwritten|annotated)\s){0,2}(?:notes|translation|scan|slides)|.{0,20}(?:訳|译|笔记|批注)",
    re.IGNORECASE,
)
_LOCAL_PDF = re.compile(
    r"\]\(\s?<?(?P<path>(?![a-z][a-z0-9+.-]{1,10}:|www\.|#)[^()<>\n]{0,300}(?:\([^()<>\n]{0,100}\)[^()<>\n]{0,200})?\.pdf)"
    r"(?:#[^()\s]{0,60})?>?\s?\)\]?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\s*(?:https?:?/{0,2}|www\.|[a-z0-9.-]{1,60}\.[a-z]{2,10}/)\S*\s*", re.IGNORECASE)
# The rest of a link text that is an address, up to the address that it repeats.
_REPEATED = re.compile(r"[^\s\[\]()]{0,200}\]\s{0,2}\(\s{0,2}<?(?:https?://|www\.)", re.IGNORECASE)
_SLIDES = re.compile(r"slides?|lectures?|ppt|讲义|スライド|课件", re.IGNORECASE)
_PICTURE = re.compile(r"!\[(?P<alt>[^\[\]]{0,200})\](?:\([^()]{0,1000}\))?")
_APART = r"(?<![A-Za-z0-9_./:%=&?#-])"
_VERSION = r"(?:v\d{1,2})?"
_FIELD = (
    r"(?:astro-ph|cond-mat|cs|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|nlin|nucl-ex|nucl-th|physics|q-bio|"
    r"quant-ph|stat)(?:\.[A-Z]{2})?"
)
_ID = re.compile(
    # `arXiv:2305.15778`, `arxiv 2305.15778v2`, `arXiv: hep-th/9711200`
    r"(?<![A-Za-z0-9])arxiv(?:\s?[:：]\s?|\s(?=\d))"
    rf"(?P<arxiv>(?:\d{{4}}\.\d{{4,5}}|[a-z-]+(?:\.[A-Za-z]{{2}})?/\d{{7}}){_VERSION})|"
    # `2305.15778`, `ArXiv, abs/2305.15778`
    rf"{_APART}(?:abs/)?\d{{4}}\.\d{{4,5}}{_VERSION}(?![A-Za-z0-9_/%-]|\.\d)|"
    # `hep-th/9711200`
    rf"{_APART}{_FIELD}/\d{{7}}{_VERSION}(?![A-Za-z0-9_/-])|"
    # `10.1145/3297858`, `doi: 10.1002/…8<693::AID-ASI4>3.0.CO;2-O`
    r"(?P<doi>(?:(?<![A-Za-z0-9])doi\s?[:：]\s?)?(?<![A-Za-z0-9_./%=-])10\.\d{4,9}/"
    r"(?:[\x21\x23-\x3b\x3d\x3f-\x7e]|<\d[^\s<>]{0,20}::[^\s<>]{1,30}>(?=\d)){1,300})",
    re.IGNORECASE,
)
_DIGITS_OF_AN_ID = re.compile(r"\d{4}\.\d{4}|/\d{7}|10\.\d{4}")
_DOI_TAIL = ".,;:!?'\"*_`}]"


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link or identifier in a text.

    `start`/`end` include the markup. `label`: the link text or an image's alt text, None without one and if it is
    itself an address. `address`: without redirects, "" for a bare identifier. `plain`: the canonical address, also for
    identifiers.
    """

    start: int
    end: int
    address: str
    ref: Ref
    label: str | None
    plain: str
    paper_kind: str

    @property
    def text(self) -> str:
        """The link text, "" without one."""
        return self.label or ""


def find_links(text: str) -> list[TextLink]:
    """Return the links and identifiers in order. Images and unrecognised addresses are left out."""
    if "/" not in text and "." not in text:
        return []
    mark = _LIST_MARK.match(text)  # a line with and without its list mark shares one cache entry
    if not mark:
        return list(_get_links(text))
    shift = mark.end()
    return [
        TextLink(link.start + shift, link.end + shift, link.address, link.ref, link.label, link.plain, link.paper_kind)
        for link in _get_links(text[shift:])
    ]


def names_address(label: str) -> bool:
    """Return True for a link text that is an address, as in `[https://example.org/a](https://example.org/a)`."""
    return _ADDRESS.fullmatch(label) is not None


def is_bare(text: str, links: list[TextLink]) -> bool:
    """Return True if the text is only one address or identifier."""
    if not links or len(links) > 1:
        return False
    return links[0].label is None and not (text[: links[0].start] + text[links[0].end :]).strip(" <>")


def split_around_links(text: str, links: Sequence[TextLink]) -> list[str]:
    """Return the text before, between and after the links: one piece more than there are links."""
    edges = [0, *(edge for link in links for edge in (link.start, link.end)), len(text)]
    return [text[edges[i] : max(edges[i], edges[i + 1])] for i in range(0, len(edges), 2)]


def _get_links(text: str) -> tuple[TextLink, ...]:
    return _links_in_long_text(text) if len(text) > _LONG else _links_in_short_text(text)


@lru_cache(maxsize=2048)  # Lists are looked through ahead, some hundred lines before they are read.
def _links_in_short_text(text: str) -> tuple[TextLink, ...]:
    return tuple(_iter_links(text))


@lru_cache(maxsize=4)
def _links_in_long_text(text: str) -> tuple[TextLink, ...]:
    return tuple(_iter_links(text))


def _iter_links(text: str) -> Iterator[TextLink]:
    files = [*_iter_local_files(text)] if "](" in text and ".pdf" in text.casefold() else []
    if not files:
        yield from _iter_web_links(text)
        return
    end = 0
    for link in sorted([*files, *_iter_web_links(text)], key=lambda one: one.start):
        if link.start >= end:
            yield link
            end = link.end


def _iter_local_files(text: str) -> Iterator[TextLink]:
    for match in _LOCAL_PDF.finditer(text):
        low = max(0, match.start() - _LOOK_BACK)
        bracket = _partner(text[low : match.start() + 1], match.start() - low)
        if bracket is None:
            continue
        label, path = _label(text[low + bracket + 1 : match.start()]), unquote(match["path"].strip())
        kind = "slides" if _SLIDES.search(path) or _SLIDES.fullmatch(label) else "paper"
        is_other = _OTHER_FOLDER.search(path) or _OTHER_LABEL.fullmatch(label)
        named = None if is_other else _NAMED_BY_ARXIV.search(path)
        ref = sources.recognize(named["id"]) if named else None
        address = sources.url(ref) if ref else ""
        yield TextLink(low + bracket, match.end(), "", ref or Ref("file", path), label, address, kind)


def _iter_web_links(text: str) -> Iterator[TextLink]:
    position = 0
    for address_start, address_end, address in urls.find_addresses(text):
        if text[max(address_start - 1, 0)] == "[" and _REPEATED.match(text, address_end):
            continue
        start, end, label = _link_markup(text, address_start, address_end)
        is_labeled = label is not None
        start = start if is_labeled else max(start, position)
        yield from _bare_ids(text, position, start)
        is_picture = is_labeled and start > 0 and text[start - 1] == "!"
        target = urls.unwrap(address)
        ref = None if is_picture else sources.recognize(target)
        if ref is not None:
            label = None if label and names_address(label) else label
            yield TextLink(start, end, target, ref, label, urls.canonicalize_url(target), _kind(ref))
        position = max(position, end)
    yield from _bare_ids(text, position, len(text))


def _link_markup(text: str, start: int, end: int) -> tuple[int, int, str | None]:
    """Return the limits of the link including its markup, and its text."""
    low = max(0, start - _LOOK_BACK)
    before = text[low:start]
    match = _OPENS.search(before[-6:])
    if match:
        bracket = _partner(before, len(before[:-6]) + match.start())
        if bracket is not None:
            label = before[bracket + 1 : len(before[:-6]) + match.start()]
            closing = _CLOSES.match(text, end)
            return low + bracket, closing.end() if closing else end, _label(label)
    reversed_link = _REVERSED.search(before) if before.endswith(("[", "[ ")) else None
    if reversed_link:
        return low + reversed_link.start(), end + text[end : end + 1].count("]"), reversed_link[1]
    return start, end, None


def _label(text: str) -> str:
    """Return the words of a link text.

    Outer brackets are removed, images replaced by their alt text.
    """
    label = _PICTURE.sub(r" \g<alt> ", text).strip() if "!" in text else text.strip()
    while label.startswith("[") and label.endswith("]") and "[" not in label[1:]:
        label = label[1:-1].strip()
    return label


def _partner(text: str, closing: int) -> int | None:
    """Return the position of the bracket that matches the one at `closing`."""
    nearest = text.rfind("[", 0, closing)
    if nearest < 0 or text.find("]", nearest, closing) < 0:
        return nearest if nearest >= 0 else None
    depth = 0
    for index in range(closing, -1, -1):
        depth += (text[index] == "]") - (text[index] == "[")
        if depth == 0:
            return index
    return None


def _bare_ids(text: str, start: int, end: int) -> Iterator[TextLink]:
    if not _DIGITS_OF_AN_ID.search(text, start, end):
        return
    for match in _ID.finditer(text, start, end):
        identifier = match[0].rstrip(_DOI_TAIL) if match["doi"] else match[0]
        if match["doi"] and identifier.count(")") > identifier.count("("):
            identifier = identifier[: identifier.rindex(")")]
        name = f"arxiv:{match['arxiv']}" if match["arxiv"] else identifier.removeprefix("abs/")
        ref = sources.recognize(re.sub(r"\s", "", name.replace("：", ":")))
        if ref is not None and ref.scheme != "url":
            yield TextLink(match.start(), match.start() + len(identifier), "", ref, None, sources.url(ref), _kind(ref))


def _kind(ref: Ref) -> str:
    return sources.by_name(ref.scheme).kind(ref.key)
