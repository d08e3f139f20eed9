"""Finding of URLs in free text."""

import re
from collections.abc import Iterator

from readtrack.infra.text.urls.normalize import MAX_LENGTH, TRAILING, safe_url, with_scheme

# Without a scheme, only www. and hosts that hardly occur otherwise.
_START = re.compile(
    r"https?://|(?<![\w@./=&?%-])(?:www\.(?=[a-z0-9-]+\.)|"
    r"(?:arxiv\.org|doi\.org|dx\.doi\.org|dl\.acm\.org|github\.com|openreview\.net|aclanthology\.org|youtu\.be|"
    r"youtube\.com|huggingface\.co|zenn\.dev|speakerdeck\.com|mp\.weixin\.qq\.com|zhuanlan\.zhihu\.com)(?=/\S))",
    re.IGNORECASE,
)
_MAX_NESTING = 8  # Maximum depth of nested brackets.
# ASCII URL characters, hyphens of other lengths, and Latin, Greek and Cyrillic letters. CJK, full-width forms, quotes
# and spaces end a URL.
_LETTER = r"[!#$%&()*+,\-./0-9:;=?@A-Z\[\]_a-z~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f\u2010-\u2012]"
_RUN = re.compile(f"{_LETTER}{{1,{MAX_LENGTH + 1}}}")
_NEXT = re.compile(r"(?<![,;)\]])[,;)\]]+(?=https?://)", re.IGNORECASE)
_BRACKET = re.compile(r"[()\[\]]")
_CLOSING = {")": "(", "]": "["}


def find_addresses(text: str) -> list[tuple[int, int, str]]:
    """Return the URLs in a text as (start, end, URL). A missing scheme is added to the URL."""
    return list(_iter_addresses(text))


def _iter_addresses(text: str) -> Iterator[tuple[int, int, str]]:
    position = 0
    while (start_and_end := _beginning(text, position)) is not None:
        start, search_end = start_and_end
        end = _end(text, start)
        position = max(end, search_end)
        address = safe_url(with_scheme(text[start:end]))
        if address:
            yield start, end, address


def _beginning(text: str, position: int) -> tuple[int, int] | None:
    """Return the start of the next URL and the end of its prefix.

    Fast path for URLs with a scheme.
    """
    scheme, point = text.find("://", position), text.find(".", position)
    if scheme < 0 and point < 0:
        return None
    for name in ("https", "http"):
        if scheme - len(name) >= position and text.startswith(name, scheme - len(name)) and not 0 <= point < scheme:
            return scheme - len(name), scheme + 3
    match = _START.search(text, position)
    return match.span() if match else None


def _end(text: str, start: int) -> int:
    run = _RUN.match(text, start)
    candidate = run[0] if run else ""
    next_url = _NEXT.search(candidate) if candidate.count("://") > 1 else None
    candidate = candidate[: next_url.start()] if next_url else candidate
    return start + len(_balanced(candidate).rstrip(TRAILING))


def _balanced(candidate: str) -> str:
    """Cut a URL before the first unbalanced bracket."""
    open_brackets: list[tuple[str, int]] = []
    if not _BRACKET.search(candidate):
        return candidate
    for bracket in _BRACKET.finditer(candidate):
        position, letter = bracket.start(), bracket[0]
        if len(open_brackets) > _MAX_NESTING:
            break
        if letter in _CLOSING.values():
            open_brackets.append((letter, position))
        else:
            if not open_brackets or open_brackets[-1][0] != _CLOSING[letter]:
                return candidate[: open_brackets[0][1] if open_brackets else position]
            open_brackets.pop()
    return candidate[: open_brackets[0][1]] if open_brackets else candidate
