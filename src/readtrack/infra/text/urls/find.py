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
# and spaces end a URL: `https://arxiv.org/abs/2305.15778を読む`.
_LETTER = r"[!#$%&()*+,\-./0-9:;=?@A-Z\[\]_a-z~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f\u2010-\u2012]"
_RUN = re.compile(f"{_LETTER}{{1,{MAX_LENGTH + 1}}}")
# CJK belongs to a URL behind its `/wiki/`, in the name of a file, or where nothing else stands in the text.
_CJK = r"\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WITH_CJK = re.compile(f"(?:{_LETTER}|[{_CJK}]){{1,{MAX_LENGTH + 1}}}")
_FILE_END = re.compile(r"\.(?:pdf|html?|md|docx?|pptx?)(?![A-Za-z0-9_/])", re.IGNORECASE)
_PARTICLES = "をはがのにでともへ的是和在与这那了很"  # begin the words behind a URL
_HIRAGANA = re.compile(r"[\u3040-\u309f]")  # begins sentences more often than names
_WORDS_BEHIND = re.compile("を|です|による|から|参照|에서|을|를|(?<=\\))の")  # behind the name of a page
# So it does in the target of a Markdown link and in angle brackets.
_OPENING = re.compile(r"(?:\]\s{0,2}\(\s{0,2}<?|<)$")
_ENCLOSED = re.compile(rf"[^\s<>\"]{{1,{MAX_LENGTH + 1}}}")
_CJK_STOP = re.compile("[、。，；「」『』]")
_CLOSING_MARK = re.compile(r"\s{0,2}>|\s{0,2}\)|\s{1,2}[\"'][^\"'\n]{0,200}[\"']\s{0,2}\)")
_NEXT = re.compile(r"(?<![,;)\]])[,;)\]]+(?=https?://)", re.IGNORECASE)
_SICI = re.compile(r"<\d[^\s<>]{0,20}::[^\s<>]{1,30}>\d[^\s<>]{0,40}")  # in a DOI: `…49:8<693::AID-ASI4>3.0.CO;2-O`
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
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
    enclosed_end = _enclosed_end(text, start)
    if enclosed_end is not None:
        return enclosed_end
    run = _RUN.match(text, start)
    candidate = run[0] if run else ""
    if sici := _SICI.match(text, start + len(candidate)):
        candidate += sici[0]
    next_url = _NEXT.search(candidate) if candidate.count("://") > 1 else None
    candidate = candidate[: next_url.start()] if next_url else candidate
    if candidate.endswith("/") and (whole := _match_with_cjk(text, start, start + len(candidate))) is not None:
        candidate = whole
    return start + len(_balanced(candidate).rstrip(TRAILING))


def _match_with_cjk(text: str, start: int, end: int) -> str | None:
    """Return the URL that goes on with CJK, if it does."""
    whole = _WITH_CJK.match(text, start) if end < len(text) and not text[end].isascii() else None
    if whole is None or text[end] in _PARTICLES:
        return None
    next_url = _SCHEME.search(whole[0], end - start)
    url = whole[0][: next_url.start()].rstrip(",;)]") if next_url else whole[0]
    if file_end := _FILE_END.search(url, end - start):
        return url[: file_end.end()]
    is_alone = not (text[:start].strip() or text[whole.end() :].strip() or _HIRAGANA.match(text[end]))
    if not is_alone and not text.endswith("/wiki/", start, end):
        return None
    words = _WORDS_BEHIND.search(url, end - start + 1)
    return url[: words.start()] if words else url


def _enclosed_end(text: str, start: int) -> int | None:
    """Return the end of a URL with letters of any script between marks that enclose it."""
    if text[max(start - 1, 0)] not in "(< " or not _OPENING.search(text[max(start - 6, 0) : start]):
        return None
    enclosed = _ENCLOSED.match(text, start)
    is_unusual = enclosed is not None and ("'" in enclosed[0] or not enclosed[0].isascii())
    url = _balanced(enclosed[0]) if enclosed and is_unusual else ""
    is_whole = url and not _CJK_STOP.search(url) and _CLOSING_MARK.match(text, start + len(url))
    return start + len(url) if is_whole else None


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
