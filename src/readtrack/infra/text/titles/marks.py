"""Marks people put on titles: reading status, rating, and list number.

Statuses are those of the model: to_read, reading, paused, read, dropped. Ambiguous marks are ignored.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from readtrack.infra.text.titles.dates import take_date
from readtrack.infra.text.titles.vocabulary import NOT_IN_TEXT, STATUS_WORDS

_SIGNS: dict[str, str] = {
    "read": "✅✔☑✓√🗹🆗💚🟢",
    "to_read": "⬜☐🔲◻◽▢⚪🔳📥🆕❌✗✘✖❎🔴",
    "reading": "🚧📖⏳🔄🏃👀🟡🔶",
    "paused": "⏸💤",
    "dropped": "🗑⛔🚫⏭",
}
# Only unambiguous signs are accepted next to a title.
_SURE_SIGNS = "✅✔☑✓√🗹⬜☐🔲◻◽▢🔳🚧⏸⏳"
# [-] is left out, because Org and Obsidian use it differently.
_BOXES = {
    **dict.fromkeys("xX✓✔✅", "read"),
    " ": "to_read",
    "": "to_read",
    "/": "reading",
}
_SHOUTED = frozenset(
    "TODO DONE NOW LATER NEXT WAIT WAITING HOLD READING STARTED DOING CANCELLED CANCELED INBOX UNREAD TOREAD "  # noqa: SIM905 - a list of words
    "TO-READ DROPPED SKIPPED SKIMMED".split()
)

_STATUS_OF = {word: status for status, words in STATUS_WORDS.items() for word in words}
_SIGN_OF = {sign: status for status, signs in _SIGNS.items() for sign in signs}
_IN_TEXT = {word: status for word, status in _STATUS_OF.items() if word not in NOT_IN_TEXT}
_ALONE = frozenset(word for word in _IN_TEXT if not word.isascii()) | _SHOUTED

_WRAP = r"[*_`~]{0,3}"
_OPEN, _CLOSE = r"[\[【(（<〔「]", r"[\]】)）>〕」]"
_BOX = re.compile(rf"{_WRAP}\[(?P<box>[ xX✓✔✅/o~>!?-]?)\]{_WRAP}(?=\s|$|[^\x00-\x7f])(?!\()\s*")
_SIGN_FIRST = re.compile(rf"{_WRAP}{_OPEN}?(?P<sign>[{_SURE_SIGNS}])\ufe0f?{_CLOSE}?{_WRAP}\s*[:：]?\s*")
_SIGN_LAST = re.compile(rf"\s*{_WRAP}{_OPEN}?(?P<sign>[{_SURE_SIGNS}])\ufe0f?{_CLOSE}?{_WRAP}\s*$")
_IN_FRAME = r"\s?(?P<word>[^\[\]【】()（）<>〔〕「」*_`~]{1,20}?)\s?"
_WORD_FIRST = (
    re.compile(rf"{_WRAP}{_OPEN}{_IN_FRAME}{_CLOSE}{_WRAP}(?!\()\s*[:：]?\s*"),
    re.compile(rf"{_WRAP}(?P<word>[^:：*_`~]{{2,20}}?)\s?{_WRAP}[:：]{_WRAP}\s*(?=\S)"),
    re.compile(rf"{_WRAP}(?P<alone>[A-Z-]{{3,9}}|[\u3040-\u9fff]{{2,7}}){_WRAP}\s+(?=\S)"),
)
_BOX_LAST = re.compile(r"\s\[(?P<box>[xX✓✔✅ ])\]\s*$")
_WORD_LAST = (
    re.compile(rf"\s*{_WRAP}{_OPEN}{_IN_FRAME}{_CLOSE}{_WRAP}\s*$"),
    re.compile(rf"\s+[-–—|｜:：→⇒←]{{1,2}}\s+{_WRAP}(?P<word>[^-–—|｜:：*_`~]{{2,20}}){_WRAP}\s*$"),
    re.compile(r"\s+#(?P<word>[\w-]{2,20})\s*$"),
    re.compile(rf"\s+{_WRAP}(?P<alone>TODO|DONE|UNREAD|TO-?READ|[\u3040-\u9fff]{{2,7}}){_WRAP}\s*$"),
)
# Prefilters that are cheaper than the patterns: first and last letters of status words.
_FIRST_TWO = frozenset(word for word in _STATUS_OF if len(word) == 2)
_FIRST_THREE = frozenset(word[:3] for word in _STATUS_OF)
_LAST_TWO = frozenset(word[-2:] for word in _STATUS_OF)
_WRAPS, _OPENERS, _CLOSERS = "*_`~", "[【(（<〔「", "]】)）>〕」"
_SIGN = re.compile(f"[{_SURE_SIGNS}]")
_MAY_END = re.compile(
    r"[\]】)）>〕」*_`~\u3040-\u9fff]\s*$|\s[-–—|｜:：→⇒←]{1,2}\s|\s#[\w-]{2,20}\s*$|"
    r"(?:TODO|DONE|UNREAD|TO-?READ)[*_`~]{0,3}\s*$"
)
_SHOUTED_WITH_COLON = re.compile(
    r"(?!TODO|UNREAD|TOREAD|TO-READ)[A-Z-]{3,}\s?[:：]"
)  # "READ: Recurrent Adapter …": a name, not a status.

_STAR = r"[⭐🌟★☆✩✪🔥👍👎💯❤]"
_STARS = rf"(?:{_STAR}\ufe0f?\s?(?:[x×*]?\s?\d(?:\.\d)?(?![\w.])\s?)?){{1,10}}"
_SCORE = r"\d{1,2}(?:\.\d)?\s?/\s?(?:5|10|100)(?!\d)"
_RATED = r"(?:rating|score|rate|评分|評分|推荐度|推荐指数|评级|評価|重要度|おすすめ度)\s?[:：=]?\s?"
_RATING_FIRST = re.compile(
    rf"{_WRAP}{_OPEN}?\s?(?P<rating>{_STARS}|{_RATED}(?:{_STARS}|{_SCORE}))\s?{_CLOSE}?{_WRAP}\s*[:：|]?\s*",
    re.IGNORECASE,
)
_RATING_LAST = re.compile(
    rf"\s*[,，|·-]?\s*{_WRAP}{_OPEN}?\s?(?P<rating>{_RATED}(?:{_STARS}|{_SCORE})|{_STARS})\s?{_CLOSE}?{_WRAP}\s*$",
    re.IGNORECASE,
)
_LABEL_OF_RATING = re.compile(_RATED, re.IGNORECASE)
_RATING_CELL = re.compile(
    rf"(?:{_RATED})?(?:{_STARS}|{_SCORE}|\d{{1,2}}(?:\.\d)?\s?(?:stars?|星|分)|[一二三四五]星)", re.IGNORECASE
)
_MAY_RATE = re.compile(_STAR)
_RATES = ("rating", "score", "rate", "评", "評", "推荐", "度")
_SEPARATORS = (" - ", " | ", " : ")
_PLAINLY_UNMARKED = re.compile(  # Matches most titles.
    rf"(?!(?i:no\W|{_RATED}))(?!(?:{'|'.join(sorted(_SHOUTED))})\b)"
    r"(?P<first>[A-Za-z][\w ,'’?!;/+.&-]{0,400})(?::[\w ,'’?!:;/+.&-]{0,400})?"
    r"(?<!DON[E])(?<!TOD[O])(?<!UNREA[D])(?<=[A-Za-z?!])"
)

_NUMBER = re.compile(
    rf"{_WRAP}(?:\d{{1,3}}\s?[.．](?!\d)(?=\s|[\[【*_`\"“(（A-Z\u3040-\u9fff])|\d{{1,3}}\s?[)）、](?=\s|\D)|"
    r"[(（]\d{1,3}[)）](?=\s|\D)|\[\d{1,3}\](?!\()(?=\s)|\[P\d\]\s|(?!9/11|7/7)(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])\s?[:：]\s|[①-⑳❶-❿➀-➓⓪㉑-㉟]|\d\ufe0f?\u20e3|#\d{1,3}[:：.)]?\s|"
    rf"no\.?\s?\d{{1,3}}\s?[.:：)]\s|第\s?[\d一二三四五六七八九十]{{1,3}}\s?[篇个個本章]?\s?[:：、])(?:{_WRAP}(?=\s))?\s*",
    re.IGNORECASE,
)
_COULD_BE_NUMBER = re.compile(r"[\d(（\[#第①-⑳❶-❿➀-➓⓪㉑-㉟*_`]|no", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_SHARE = re.compile(r"(\d{1,3})\s?%")
_STATUS_WORD = re.compile(r"[\w'-]+")
_BEGINNINGS = frozenset(tuple(_STATUS_WORD.findall(word)[:2]) for word in _STATUS_OF) - {()}
_MAY_STATE = re.compile("[%\\[×\u0250-\u2009\u2027-\U0010ffff]")  # shares, boxes, signs and other scripts than Latin
_MAX_ROUNDS = 5
_MAX_WORD_CHARS = 40
_EDGE_CHARS = 60


class Marks(NamedTuple):
    """The text without its marks; `rating` is as written."""

    remainder: str
    status: str | None = None
    rating: str = ""


def status_of(word: str) -> str | None:
    """Return the status of a whole cell, field or Org keyword: "✅", "[x]", "未読", "Yes".

    Return None if it has none.
    """
    if len(word) > _MAX_WORD_CHARS:
        return None
    stripped = word.replace("\ufe0f", "").strip(" \t*_`~|\u3000")
    if stripped in {"[ ]", "[]"}:
        return "to_read"
    if stripped[:1] in _SIGN_OF:  # A sign, alone or followed by a status word.
        return status_of(stripped[1:]) or _SIGN_OF[stripped[0]]
    if _DIGIT.search(stripped):
        return _dated_or_counted(stripped)
    stripped = stripped.strip(" :：[]【】()（）<>〔〕「」。.!！").casefold()
    return "read" if stripped == "x" and "[" in word else _SIGN_OF.get(stripped) or _STATUS_OF.get(stripped)


def may_hold_status(text: str) -> bool:
    """Return False if no part of a text is a status for `status_of`. A cheap prefilter."""
    if _MAY_STATE.search(text):
        return True
    words = _STATUS_WORD.findall(text.casefold())
    return not _BEGINNINGS.isdisjoint(zip(words)) or not _BEGINNINGS.isdisjoint(pairwise(words))


def status_at_start(text: str) -> str | None:
    """Return the status of a field, also one with more words behind it: `read twice`, `to read before Thursday`."""
    if status := status_of(text):
        return status
    words = _STATUS_WORD.findall(text[:_EDGE_CHARS].casefold())
    return next((status for count in (3, 2, 1) if (status := _IN_TEXT.get(" ".join(words[:count])))), None)


def _dated_or_counted(text: str) -> str | None:
    """Return the status of `Done (2023/05)` or `40 %`."""
    if share_match := _SHARE.fullmatch(text):
        percent = int(share_match[1])
        return "reading" if 0 < percent < 100 else "read" if percent == 100 else "to_read"
    rest = take_date(text).remainder
    return status_of(rest) if rest and not _DIGIT.search(rest) else None


def rating_of(cell: str) -> str:
    """Return the cell if it is a rating (stars, 4/5, 五星), else ""."""
    stripped = cell.strip(" *_`")
    return stripped if len(stripped) <= _MAX_WORD_CHARS and _RATING_CELL.fullmatch(stripped) else ""


@lru_cache(maxsize=128)  # The same title is inspected several times while a line is parsed.
def take_marks(text: str) -> Marks:
    """Remove number, checkbox, status and rating around a title, in any order.

    The first status wins.
    """
    marks = Marks(text)
    for _ in range(_MAX_ROUNDS if not _is_plain(text) else 0):
        rest = take_number(marks.remainder)
        rated = take_rating(rest)
        status_marks = take_status(rated.remainder)
        if status_marks.remainder == marks.remainder or not status_marks.remainder:
            return marks._replace(
                status=marks.status or status_marks.status, rating=_join_ratings(marks.rating, rated.rating)
            )
        marks = Marks(
            status_marks.remainder, marks.status or status_marks.status, _join_ratings(marks.rating, rated.rating)
        )
    return marks


@lru_cache(maxsize=128)
def take_status(text: str) -> Marks:
    """Remove one status mark before the text, or else after it."""
    box_match = _BOX.match(text) if text[:4].lstrip("*_`~").startswith("[") else None
    if box_match:
        return Marks(text[box_match.end() :], _BOXES.get(box_match["box"]))
    if text.endswith("]") and (last := _BOX_LAST.search(text, max(len(text) - _EDGE_CHARS, 0))):
        return _without(text, last, _BOXES.get(last["box"]))
    sign = None
    if not text.isascii() and _SIGN.search(text):
        sign = _SIGN_FIRST.match(text) or _SIGN_LAST.search(text, max(len(text) - _EDGE_CHARS, 0))
    return _without(text, sign, _SIGN_OF[sign["sign"]]) if sign else _take_status_word(text)


def take_rating(text: str) -> Marks:
    """Remove a rating such as stars before or after the text."""
    if (text.isascii() or not _MAY_RATE.search(text)) and not _may_score(text):
        return Marks(text)
    match = _RATING_FIRST.match(text) or _RATING_LAST.search(text, max(len(text) - _EDGE_CHARS, 0))
    return (
        _without(text, match, None)._replace(rating=_LABEL_OF_RATING.sub("", match["rating"]).strip())
        if match
        else Marks(text)
    )


def _may_score(text: str) -> bool:
    """Return True if the text may contain a rating like `score: 4/5`."""
    if "/" not in text:
        return False
    folded_text = text.casefold()
    return any(word in folded_text for word in _RATES)


def take_number(text: str) -> str:
    """Remove a list number: `12.`, `(3)`, `3)`, `①`, `[12]`. Numbers that are part of a name stay: 3D, 1.58."""
    match = _NUMBER.match(text) if _COULD_BE_NUMBER.match(text) else None
    return text[match.end() :] if match and match.end() < len(text) else text


def _is_plain(text: str) -> bool:
    if not (text[-1:].isalpha() or text.endswith(("?", "!"))) or any(mark in text for mark in _SEPARATORS):
        return False
    match = _PLAINLY_UNMARKED.fullmatch(text)
    return match is not None and match["first"].strip().casefold() not in _IN_TEXT


def _take_status_word(text: str) -> Marks:
    """Remove a status word before the text, or else after it, where such words can occur."""
    for pattern in _WORD_FIRST if _could_begin(text) and not _SHOUTED_WITH_COLON.match(text) else ():
        if (match := pattern.match(text)) and (status := _status_of_word(match)):
            return _without(text, match, status)
    start = max(len(text) - _EDGE_CHARS, 0)
    for pattern in _WORD_LAST if _could_end(text, start) else ():
        if (match := pattern.search(text, start)) and (status := _status_of_word(match)):
            return _without(text, match, status)
    return Marks(text)


def may_be_marked(words: str) -> bool:
    """Return False if plain words cannot start or end with a status word. A cheap prefilter."""
    return _could_begin(words) or words.endswith(("TODO", "DONE", "UNREAD"))


def _could_begin(text: str) -> bool:
    beginning = text[:_EDGE_CHARS].lstrip(_WRAPS).lstrip(_OPENERS).lstrip()[:3].casefold()
    return beginning[:3] in _FIRST_THREE or beginning[:2] in _FIRST_TWO


def _could_end(text: str, start: int) -> bool:
    last = text[start:].rstrip().rstrip(_WRAPS).rstrip(_CLOSERS).rstrip()[-2:].casefold()
    return last[-2:] in _LAST_TWO and _MAY_END.search(text, start) is not None


def _status_of_word(match: re.Match[str]) -> str | None:
    lone_word = match.groupdict().get("alone")
    if lone_word is not None:
        return _STATUS_OF.get(lone_word.casefold()) if lone_word in _ALONE else None
    return _IN_TEXT.get(match["word"].strip().casefold())


def _without(text: str, match: re.Match[str], status: str | None) -> Marks:
    return Marks((text[: match.start()] + text[match.end() :]).strip(), status)


def _join_ratings(*ratings: str) -> str:
    return " ".join(rating for rating in ratings if rating)
