"""Split of a reference into title, authors and the rest.

`**Title**, Authors, *Venue* 2023` · `Title. Authors. Venue, Year.` · `Authors. "Title". Venue` · `Title | remark`
"""

import re
from collections.abc import Callable

from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.vocabulary.author_names import (
    DASH,
    EDGES,
    NO_STOP,
    PIPE,
    STOP,
    VENUE_LIKE,
    CitationParts,
    are_surnames,
    is_name,
    lone,
    names_in,
    parse_inverted_names,
    part_rest,
    surname_first,
)

_BOLD = re.compile(
    r"(?P<before>.{0,200}?)(?P<mark>\*\*|__|~~)(?P<title>[^*~\n]{2,400}?)(?P=mark)(?P<rest>.*)", re.DOTALL
)
_ITALIC = re.compile(r"(?<![\w*_])(?P<mark>[*_])(?![\s*_])(?P<title>[^*\n]{2,800}?)(?<!\\)(?P=mark)(?![\w*])")
_QUOTED = re.compile(
    r"^(?P<before>.{0,600}?)(?:[“«「『《〈]|(?<!\w)\")(?P<title>[^“”«»「」『』《》〈〉\"]{8,300})[”»」』》〉\"](?P<rest>.*)$",
    re.DOTALL,
)
_LIST_MARK = re.compile(r"(?:\[\w{1,12}\]|\d{1,2}-)\s?(?=[A-Z])")  # “[Top]Title”, “3-Title”
_CO_AUTHORS = re.compile(r"\s?\((?=with [*_/]{0,2}[A-Z][^()\s]{0,30}\s[A-Z])with [^()]{5,200}\)(?=\.?$|\.?\s|,)")
_BY = re.compile(r"[\s,，.]\s?(?:by|By|作者[:：]?|著者[:：]?|[Aa]uthors?\s?[:：])\s(?=\S)")
_COMMA = re.compile(r"\s?[,，]\s")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_UNPARTED = re.compile(r"[A-Za-z0-9 '’:;/+&-]{1,300}")  # text without any separator
_PARTING = (" -", " by ", " By ", "uthor")
_TWO, _SHORT, _LONG = 2, 3, 300
_LOOKED_AT = 3000


def parse_citation(reference: str) -> CitationParts:
    """Split a reference. Without a separator, all words are the title."""
    text = reference[:_LOOKED_AT].strip()
    if "(with " in text and (coauthors := _CO_AUTHORS.search(text)):
        inner = parse_citation(
            f"{text[: coauthors.start()].rstrip()} {text[coauthors.end() :].lstrip()}{reference[_LOOKED_AT:]}"
        )
        return inner._replace(remainder=f"{coauthors[0].strip()} {inner.remainder}".strip())
    if _UNPARTED.fullmatch(text) and not any(word in text for word in _PARTING):
        return CitationParts(_strip_title(text))
    for part in _PARTERS:
        citation = part(text)
        if citation and citation.title.strip(EDGES):
            return _finish_citation(citation, reference[_LOOKED_AT:])
    return CitationParts(_strip_title(text), (), reference[_LOOKED_AT:])


def _finish_citation(citation: CitationParts, overflow: str) -> CitationParts:
    title = _strip_title(citation.title)
    if citation.authors:
        return CitationParts(title, citation.authors, (citation.remainder + overflow).strip(EDGES))
    parts = part_rest(citation.remainder)
    return CitationParts(title, parts.authors, (parts.remainder + overflow).strip())


def _strip_title(title: str) -> str:
    """Return the title without surrounding separators and the final full stop."""
    text = title.strip().strip(" \t,，;；|｜*_-–—:：").strip()
    if text.startswith("[") and text.endswith("]") and text.count("[") == 1:
        text = text[1:-1]
    return text[:-1] if text.endswith((".", "。")) and not text.endswith("..") else text


def _cite_by_bold(text: str) -> CitationParts | None:
    """Split at a bold title.

    A short bold name that continues without a full stop is only the beginning of the title.
    """
    match = _BOLD.match(text) if "**" in text or "__" in text or "~~" in text else None
    if not match:
        return None
    before, title, rest = match["before"].strip(), match["title"].strip(), match["rest"]
    length = len(_WORD.findall(title)) + len(CJK.findall(title)) // 2
    if (length < _SHORT or rest.lstrip().startswith((":", "："))) and (
        citation := _cite_by_quotes(rest.lstrip(" :："))
    ):
        return citation  # **Name** "Title"
    if before.strip(EDGES + '[](){}<>（）【】"“'):
        authors = names_in(before)
        if before.endswith(('"', "“")):
            return CitationParts(
                title,
                authors,
                rest.lstrip(' .,"”') if authors else f"{before[:-1].strip(EDGES)}; {rest.lstrip(' .,”' + chr(34))}",
            )
        return CitationParts(title, authors, rest) if authors and length >= _SHORT else _cite_without_bold(text)
    continuation = (
        re.match(r"\s*[:：]\s*\S|\s+[a-z]|\s+(?=[A-Z(])", rest) if not title.endswith((".", "。", "?", "!")) else None
    )
    if title.endswith((":", "：")) or (
        continuation
        and length <= 2 * _SHORT
        and not rest.strip().startswith(("(", "[", "*", "_"))
        and len(part_rest(rest).authors) < _TWO
    ):
        return _cite_without_bold(text)
    return CitationParts(title, (), rest) if length or not _WORD.search(rest) else _cite_without_bold(text)


def _cite_without_bold(text: str) -> CitationParts | None:
    unmarked = re.sub(r"\*\*|__|~~", "", text)
    return next((citation for part in _PARTERS[1:] if (citation := part(unmarked))), CitationParts(unmarked))


def _cite_by_quotes(text: str) -> CitationParts | None:
    match = _QUOTED.match(text)
    if match and (names := _surnames_before(match)):
        return CitationParts(_LIST_MARK.sub("", match["title"]), names, match["rest"])
    if not match or len(_WORD.findall(match["title"])) + len(CJK.findall(match["title"])) < _SHORT:
        return None
    before, rest = match["before"].strip(EDGES + "<("), match["rest"]
    authors = names_in(before) or parse_inverted_names(before) or lone(before)
    if (before and not authors) or re.match(r"\s*[:：]\s*\w|\s[a-z]+\s[a-z]", rest):
        return None
    return CitationParts(match["title"], authors, rest)


def _surnames_before(match: re.Match[str]) -> tuple[str, ...]:
    """Return surnames before a quoted title that nothing but a full stop follows.

    Example: `Halevy, Norvig, and Pereira, “Title”`.
    """
    before = match["before"].rstrip()
    return are_surnames(before) if before.endswith(",") and not match["rest"].strip(EDGES) else ()


def _cite_by_italics(text: str) -> CitationParts | None:
    match = _ITALIC.search(text[:1500]) if "*" in text or "_" in text else None
    if not match:
        return None
    before, italics, rest = text[: match.start()], match["title"], text[match.end() :]
    if before.strip(EDGES + '[](){}<>（）【】"“'):
        authors = names_in(before) or _dated_names(before.rstrip(" .,"))
        if authors and len(_WORD.findall(italics)) >= _SHORT and not VENUE_LIKE.fullmatch(italics):
            return CitationParts(italics, authors, rest)
        citation = _cite_by_sentences(before) or _cite_by_keyword(before) or _cite_by_commas(before)
        if citation:
            return CitationParts(citation.title, citation.authors, f"{citation.remainder} {text[match.start() :]}")
        is_certain = (
            names_in(italics)
            or VENUE_LIKE.match(italics)
            or "et al" in italics
            or before.rstrip().endswith((".", ",", "?"))
        )
        return CitationParts(before, (), text[match.start() :]) if is_certain else None
    if len(_WORD.findall(italics)) >= _TWO and not names_in(italics) and "et al" not in italics:
        return CitationParts(italics, (), rest)
    return None


def _cite_by_pipes(text: str) -> CitationParts | None:
    match = PIPE.search(text)
    if not match or len(_WORD.findall(text[: match.start()])) + len(CJK.findall(text[: match.start()])) < 2:
        return None
    first = (
        parse_citation(text[: match.start()])
        if "|" not in text[: match.start()]
        else CitationParts(text[: match.start()])
    )
    return CitationParts(first.title, first.authors, f"{first.remainder} {text[match.end() :]}".strip())


_YEAR_FIRST = re.compile(r"(?P<year>(?:19|20)\d\d)[a-z]?[.:,]\s+(?=\S)")


def _cite_by_sentences(text: str) -> CitationParts | None:
    """Split at the first sentence, which is the title unless it is a list of names."""
    for match in STOP.finditer(text, 4, 1500):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if _is_no_stop(match["mark"], head):
            continue
        if match["mark"][0] in "?？!！":
            is_end = match["mark"].endswith(".") or VENUE_LIKE.match(tail) or names_in(tail)
            if not is_end and len(part_rest(tail).authors) < _TWO:
                continue
            head += match["mark"][0]
        authors = names_in(head) or _dated_names(head) or (lone(head) if tail[:4].isdigit() else ())
        if authors and tail.strip():
            year = _YEAR_FIRST.match(tail)
            tail = tail[year.end() :] if year else tail
            citation = (
                _cite_by_sentences(tail) or _cite_by_italics(tail) or _cite_by_commas(tail) or CitationParts(tail)
            )
            return CitationParts(
                citation.title, authors, f"{citation.remainder} {year['year']}" if year else citation.remainder
            )
        if len(_WORD.findall(head)) + len(CJK.findall(head)) >= 2:
            return CitationParts(head, (), tail)
    return None


def _is_no_stop(mark: str, head: str) -> bool:
    """Return True for the point of an abbreviation or initial. "et al." may end a list of names."""
    if mark[0] not in ".。" or not NO_STOP.search(head, max(0, len(head) - 12)):
        return False
    return "et al" not in head[-6:] or not names_in(head)


def _dated_names(head: str) -> tuple[str, ...]:
    """Return names in `Author, A. and Writer, B. (2020)`."""
    names = re.sub(r"[\s,]{0,3}[(\[]?(?:19|20)\d\d[a-z]?[)\]]?\s*$", "", head)
    return names_in(names) or surname_first(names) if names != head else ()


def _cite_by_keyword(text: str) -> CitationParts | None:
    for match in _BY.finditer(text, 0, 600):
        parts = part_rest(text[match.end() :])
        if (parts.authors or "uthor" in match[0] or "者" in match[0]) and len(
            _WORD.findall(text[: match.start()])
        ) >= 2:
            return CitationParts(text[: match.start()], parts.authors, parts.remainder)
    return None


def _cite_names_first(text: str) -> CitationParts | None:
    """Split `A. Author, B. Writer, Title of Their Paper, Venue 2020`."""
    parts = _COMMA.split(text[:1500])
    count = next((index for index, part in enumerate(parts) if not is_name(part.removeprefix("and "))), len(parts))
    if count < _TWO or count == len(parts) or len(_WORD.findall(parts[count])) < _SHORT:
        return None
    names = tuple(part.removeprefix("and ").strip(EDGES) for part in parts[:count])
    tail = text[text.index(parts[count]) :]
    citation = _cite_by_commas(tail) or CitationParts(tail)
    return CitationParts(citation.title, names, citation.remainder)


def _cite_by_commas(text: str) -> CitationParts | None:
    """Split `Title, A. Author, B. Writer, Venue 2020` where the names or the venue begin."""
    for match in _COMMA.finditer(text, 8, 600):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if len(_WORD.findall(head)) < _SHORT or head.count("(") != head.count(")"):
            continue
        if "et al" in head[-8:] and (authors := names_in(head)):
            return CitationParts(tail, authors)
        if VENUE_LIKE.fullmatch(tail[:200]):
            return CitationParts(head, (), tail)
        parts = part_rest(tail)
        if is_name(tail) and len(tail.split()) <= _SHORT and not CJK.search(tail):
            return CitationParts(head, (tail.strip(EDGES),), "")
        if len(parts.authors) > 1 or (parts.authors and (VENUE_LIKE.match(parts.remainder) or "et al" in tail)):
            return CitationParts(head, parts.authors, parts.remainder)
    return None


def _cite_by_dashes(text: str) -> CitationParts | None:
    """Split `Title - Authors` or `Title — Venue 2023`. Other dashes are part of the title."""
    for match in DASH.finditer(text, 4, 600):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if VENUE_LIKE.fullmatch(tail[:200]) or part_rest(tail).authors:
            return CitationParts(head, (), tail)
        if (authors := names_in(head)) and len(_WORD.findall(tail)) >= _SHORT:
            return CitationParts(tail, authors, "")
    return None


def _cite_long_text(text: str) -> CitationParts | None:
    """Split a very long text after its first phrase."""
    if len(text) <= _LONG:
        return None
    match = re.search(r"[。；;\n]|\.\s|\s[-–—]\s|[:：]\s", text[20 : 2 * _LONG])
    end = match.start() + 20 if match else text.rfind(" ", 0, _LONG)
    return CitationParts(text[:end], (), text[end:]) if end > 0 else None


_PARTERS: tuple[Callable[[str], CitationParts | None], ...] = (
    _cite_by_bold,
    _cite_by_quotes,
    _cite_by_pipes,
    _cite_by_italics,
    _cite_by_sentences,
    _cite_by_keyword,
    _cite_by_dashes,
    _cite_names_first,
    _cite_by_commas,
    _cite_long_text,
)
