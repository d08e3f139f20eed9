"""The words of a reference taken apart: which of them are the title, who wrote it, and what remains.

`**Title**, Authors, *Venue* 2023` · `Title. Authors. Venue, Year.` · `Authors. "Title". Venue` · `Title | remark`
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from readtrack.notes.words.letters import CJK
from readtrack.notes.words.people import is_name, names_in, surname_first
from readtrack.notes.words.vocabulary import VENUES

_BOLD = re.compile(r"(?P<before>.{0,200}?)(?P<mark>\*\*|__)(?P<title>[^*\n]{2,400}?)(?P=mark)(?P<rest>.*)", re.DOTALL)
_ITALIC = re.compile(r"(?<![\w*_])(?P<mark>[*_])(?![\s*_])(?P<title>[^*\n]{2,800}?)(?<!\\)(?P=mark)(?![\w*])")
_QUOTED = re.compile(
    r"^(?P<before>.{0,600}?)(?:[“«「『《〈]|(?<!\w)\")(?P<title>[^“”«»「」『』《》〈〉\"]{8,300})[”»」』》〉\"](?P<rest>.*)$",
    re.DOTALL,
)
_PIPE = re.compile(r"\s?[|｜]\s?")
_STOP = re.compile(r"(?P<mark>[.。]|[?？!！]\.?)\s{0,3}(?=\s|[*_]|[A-Z\u3040-\u9fff])")
_NO_STOP = re.compile(
    r"(?:^|[\s(.-])(?:[A-Z]|et al|vs|e\.g|i\.e|cf|no|vol|dr|mr|ms|prof|st|inc|jr|sr|eds?|fig|sec|"
    r"ch|pp|approx|w\.r\.t|\d)$",
    re.IGNORECASE,
)
_BY = re.compile(r"[\s,，.]\s?(?:by|By|作者[:：]?|著者[:：]?|[Aa]uthors?\s?[:：])\s(?=\S)")
_COMMA = re.compile(r"\s?[,，]\s")
_DASH = re.compile(r"\s[-–—]{1,3}\s|\s?——\s?")
_VENUE_LIKE = re.compile(
    rf"\W{{0,3}}(?:(?:in|at|to appear in|proc\.?(?:eedings)?(?: of)?(?: the)?)\s)?"
    rf"(?:(?:USENIX|ACM|IEEE|Findings of)\s)?(?:{VENUES}|arxiv|preprint|corr|under review|"
    r"tech(?:nical)? report|thesis)(?![a-z]).{0,60}|"
    r"\W{0,3}in\s(?:the\s)?(?:ACM|IEEE|Proceedings|Proc)\b.{0,80}|\W{0,3}(?:19|20)\d\d\W{0,3}|"
    r"\W{0,3}(?:ACM|IEEE|USENIX)\s[\w &]{2,40}\s(?:19|20)\d\d\W{0,3}|"
    r".{0,60},\s?vol\.?\s\d{1,4}\b.{0,80}|"
    r".{0,60}(?:conference|journal|workshop|transactions|proceedings|symposium)\b.{0,80}",
    re.IGNORECASE,
)
_EDGES = " \t-–—:：,，;；/·•|｜*_.。"
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_TWO, _SHORT, _LONG = 2, 3, 300
_LOOKED_AT = 3000


class Citation(NamedTuple):
    title: str
    authors: tuple[str, ...] = ()
    rest: str = ""


def cite(words: str) -> Citation:
    """The title is all of the words when nothing parts them."""
    text = words[:_LOOKED_AT].strip()
    for part in _PARTERS:
        found = part(text)
        if found and found.title.strip(_EDGES):
            return _finished(found, words[_LOOKED_AT:])
    return Citation(_closed(text), (), words[_LOOKED_AT:])


def part_rest(rest: str) -> Citation:
    """What stands behind a title: its authors, and what remains. The title is blank."""
    plain = _without_italics(rest).strip(_EDGES)
    plain = plain[1:-1] if plain.startswith("(") and plain.endswith(")") and plain.count("(") == 1 else plain
    if not plain:
        return Citation("")
    if "a" <= plain[0] <= "z":  # no name begins so: running text is done with at once
        return Citation("", (), rest.strip(_EDGES))
    for pattern in (_STOP, _DASH, _PIPE):
        for match in pattern.finditer(plain, 0, 2000):
            if pattern is _STOP and _NO_STOP.search(plain, max(0, match.start() - 12), match.start()):
                continue
            authors = names_in(plain[: match.start()]) or _lone(plain[: match.start()])
            if authors:
                return Citation("", authors, plain[match.end() :].strip(_EDGES))
            break
    return _names_before_commas(plain) or Citation("", names_in(plain), "" if names_in(plain) else rest.strip(_EDGES))


def _lone(text: str) -> tuple[str, ...]:
    return (text.strip(_EDGES),) if is_name(text) and not _VENUE_LIKE.fullmatch(text) else ()


def _names_before_commas(plain: str) -> Citation | None:
    """`A. Author, B. Writer, NeurIPS 2023`: as many names as there are."""
    if (others := re.search(r"\bet\.?\s?al\b\.?", plain[:600])) and (authors := names_in(plain[: others.end()])):
        return Citation("", authors, plain[others.end() :].strip(_EDGES))
    pieces = re.split(r"\s?[,，;；]\s?(?:and\s)?|\sand\s", plain[:1500])
    count = next((index for index, piece in enumerate(pieces) if not is_name(piece)), len(pieces))
    if count == 0 or (count == 1 and not (len(pieces) > 1 and _VENUE_LIKE.fullmatch(pieces[1]))):
        return None
    ends = plain.find(pieces[count - 1], sum(map(len, pieces[: count - 1]))) + len(pieces[count - 1])
    return Citation("", tuple(piece.strip(_EDGES) for piece in pieces[:count]), plain[ends:].strip(_EDGES))


def _finished(found: Citation, more: str) -> Citation:
    title = _closed(found.title)
    if found.authors:
        return Citation(title, found.authors, (found.rest + more).strip(_EDGES))
    behind = part_rest(found.rest)
    return Citation(title, behind.authors, (behind.rest + more).strip())


def _closed(title: str) -> str:
    """Without the stop behind it and joints round it."""
    plain = title.strip().strip(" \t,，;；|｜*_-–—:：").strip()
    if plain.startswith("[") and plain.endswith("]") and plain.count("[") == 1:
        plain = plain[1:-1]
    return plain[:-1] if plain.endswith((".", "。")) and not plain.endswith("..") else plain


def _bold(text: str) -> Citation | None:
    """Bold words are the title; a short bold name that goes on without a stop is its beginning."""
    match = _BOLD.match(text) if "**" in text or "__" in text else None
    if not match:
        return None
    before, title, rest = match["before"].strip(), match["title"].strip(), match["rest"]
    words = len(_WORD.findall(title)) + len(CJK.findall(title)) // 2
    if words < _SHORT and (quoted := _quoted(rest.lstrip(" :"))):
        return quoted  # **Name** "Title"
    if before.strip(_EDGES + '[](){}<>（）【】"“'):
        authors = names_in(before)
        if before.endswith(('"', "“")):
            return Citation(
                title,
                authors,
                rest.lstrip(' .,"”') if authors else f"{before[:-1].strip(_EDGES)}; {rest.lstrip(' .,”' + chr(34))}",
            )
        return Citation(title, authors, rest) if authors and words >= _SHORT else _again(text)
    goes_on = (
        re.match(r"\s*[:：]\s*\S|\s+[a-z]|\s+(?=[A-Z(])", rest) if not title.endswith((".", "。", "?", "!")) else None
    )
    if title.endswith((":", "：")) or (
        goes_on and words <= 2 * _SHORT and not rest.strip().startswith(("(", "[", "*", "_"))
    ):
        return _again(text)
    return Citation(title, (), rest) if words or not _WORD.search(rest) else _again(text)


def _again(text: str) -> Citation | None:
    """Without its bold marks."""
    plain = re.sub(r"\*\*|__", "", text)
    return next((found for part in _PARTERS[1:] if (found := part(plain))), Citation(plain))


def _quoted(text: str) -> Citation | None:
    match = _QUOTED.match(text)
    if not match or len(_WORD.findall(match["title"])) + len(CJK.findall(match["title"])) < _SHORT:
        return None
    before, rest = match["before"].strip(_EDGES + "<("), match["rest"]
    authors = names_in(before) or _lone(before)
    if (before and not authors) or re.match(r"\s*[:：]\s*\w|\s[a-z]+\s[a-z]", rest):
        return None
    return Citation(match["title"], authors, rest)


def _italic(text: str) -> Citation | None:
    match = _ITALIC.search(text[:1500]) if "*" in text or "_" in text else None
    if not match:
        return None
    before, inside, rest = text[: match.start()], match["title"], text[match.end() :]
    if before.strip(_EDGES + '[](){}<>（）【】"“'):
        authors = names_in(before) or _dated_names(before.rstrip(" .,"))
        if authors and len(_WORD.findall(inside)) >= _SHORT and not _VENUE_LIKE.fullmatch(inside):
            return Citation(inside, authors, rest)
        inner = _sentences(before) or _by(before) or _commas(before)
        if inner:
            return Citation(inner.title, inner.authors, f"{inner.rest} {text[match.start() :]}")
        sure = (
            names_in(inside)
            or _VENUE_LIKE.match(inside)
            or "et al" in inside
            or before.rstrip().endswith((".", ",", "?"))
        )
        return Citation(before, (), text[match.start() :]) if sure else None
    if len(_WORD.findall(inside)) >= _TWO and not names_in(inside) and "et al" not in inside:
        return Citation(inside, (), rest)
    return None


def _piped(text: str) -> Citation | None:
    match = _PIPE.search(text)
    if not match or len(_WORD.findall(text[: match.start()])) + len(CJK.findall(text[: match.start()])) < 2:
        return None
    first = cite(text[: match.start()]) if "|" not in text[: match.start()] else Citation(text[: match.start()])
    return Citation(first.title, first.authors, f"{first.rest} {text[match.end() :]}".strip())


def _sentences(text: str) -> Citation | None:
    """The first sentence is the title, unless it is a list of names."""
    for match in _STOP.finditer(text, 4, 1500):
        head, tail = text[: match.start()], text[match.end() :]
        if _is_no_stop(match["mark"], head):
            continue
        if match["mark"][0] in "?？!！":
            sure = match["mark"].endswith(".") or _VENUE_LIKE.match(tail) or names_in(tail)
            if not sure and len(part_rest(tail).authors) < _TWO:
                continue
            head += match["mark"][0]
        authors = names_in(head) or _dated_names(head)
        if authors and tail.strip():
            inner = _sentences(tail) or _italic(tail) or _commas(tail) or Citation(tail)
            return Citation(inner.title, authors, inner.rest)
        if len(_WORD.findall(head)) + len(CJK.findall(head)) >= 2:
            return Citation(head, (), tail)
    return None


def _is_no_stop(mark: str, head: str) -> bool:
    """The point of an abbreviation or an initial; that of "et al." ends a list of names."""
    if mark[0] not in ".。" or not _NO_STOP.search(head, max(0, len(head) - 12)):
        return False
    return "et al" not in head[-6:] or not names_in(head)


def _dated_names(head: str) -> tuple[str, ...]:
    """`Author, A. and Writer, B. (2020)`."""
    plain = re.sub(r"[\s,]{0,3}[(\[]?(?:19|20)\d\d[a-z]?[)\]]?\s*$", "", head)
    return names_in(plain) or surname_first(plain) if plain != head else ()


def _by(text: str) -> Citation | None:
    for match in _BY.finditer(text, 0, 600):
        behind = part_rest(text[match.end() :])
        if (behind.authors or "uthor" in match[0] or "者" in match[0]) and len(
            _WORD.findall(text[: match.start()])
        ) >= 2:
            return Citation(text[: match.start()], behind.authors, behind.rest)
    return None


def _names_first(text: str) -> Citation | None:
    """`A. Author, B. Writer, Title of Their Paper, Venue 2020`."""
    pieces = _COMMA.split(text[:1500])
    count = next((index for index, piece in enumerate(pieces) if not is_name(piece.removeprefix("and "))), len(pieces))
    if count < _TWO or count == len(pieces) or len(_WORD.findall(pieces[count])) < _SHORT:
        return None
    names = tuple(piece.removeprefix("and ").strip(_EDGES) for piece in pieces[:count])
    tail = text[text.index(pieces[count]) :]
    inner = _commas(tail) or Citation(tail)
    return Citation(inner.title, names, inner.rest)


def _commas(text: str) -> Citation | None:
    """`Title, A. Author, B. Writer, Venue 2020`: parted where the names or the venue begin."""
    for match in _COMMA.finditer(text, 8, 600):
        head, tail = text[: match.start()], text[match.end() :]
        if len(_WORD.findall(head)) < _SHORT or head.count("(") != head.count(")"):
            continue
        if "et al" in head[-8:] and (authors := names_in(head)):
            return Citation(tail, authors)
        if _VENUE_LIKE.fullmatch(tail[:200]):
            return Citation(head, (), tail)
        behind = part_rest(tail)
        if is_name(tail) and len(tail.split()) <= _SHORT and not CJK.search(tail):
            return Citation(head, (tail.strip(_EDGES),), "")
        if len(behind.authors) > 1 or (behind.authors and (_VENUE_LIKE.match(behind.rest) or "et al" in tail)):
            return Citation(head, behind.authors, behind.rest)
    return None


def _dashed(text: str) -> Citation | None:
    """`Title - Authors`, `Title — Venue 2023`; other dashes are part of the title."""
    for match in _DASH.finditer(text, 4, 600):
        head, tail = text[: match.start()], text[match.end() :]
        if _VENUE_LIKE.fullmatch(tail[:200]) or part_rest(tail).authors:
            return Citation(head, (), tail)
        if (authors := names_in(head)) and len(_WORD.findall(tail)) >= _SHORT:
            return Citation(tail, authors, "")
    return None


def _long(text: str) -> Citation | None:
    """Of a very long text the first phrase."""
    if len(text) <= _LONG:
        return None
    match = re.search(r"[。；;\n]|\.\s|\s[-–—]\s|[:：]\s", text[20 : 2 * _LONG])
    end = match.start() + 20 if match else text.rfind(" ", 0, _LONG)
    return Citation(text[:end], (), text[end:]) if end > 0 else None


def _without_italics(text: str) -> str:
    return re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", text) if "*" in text or "_" in text else text


_PARTERS: tuple[Callable[[str], Citation | None], ...] = (
    _bold,
    _quoted,
    _piped,
    _italic,
    _sentences,
    _by,
    _dashed,
    _names_first,
    _commas,
    _long,
)
