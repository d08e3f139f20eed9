"""Cleaning of titles from notes, and recognition of texts that are no titles.

Marks, emphasis and site names are removed.
"""

import html
import re
from functools import lru_cache

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.marks import may_be_marked, take_marks
from readtrack.infra.text.titles.site_suffixes import without_tails
from readtrack.infra.text.titles.vocabulary import (
    CJK,
    GENERIC,
    GENERIC_CJK,
    GENERIC_FIRST,
    GENERIC_LAST,
    LETTER_OR_DIGIT,
    SMALL,
)

_MAX_TITLE_CHARS = 500
_EMPHASIS = re.compile(r"(\*\*|__|~~|`)(?=\S)(.{1,500}?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*_$\\])([*_])(?=[^\s*_])([^*_\n]{1,300}?)(?<=\S)\1(?![\w*_])")
_ESCAPED = re.compile(r"\\([\[\](){}*_`#+.!|<>~&-])")
_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|sub|sup|br|span|font|code|kbd|mark|small|p|div|center|ins|del)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_PICTOGRAMS = (
    "[\U0001f000-\U0001faff\u2600-\u26ff\u2701-\u2767\u2794-\u27bf\u2b00-\u2bff\u2300-\u23ff\ufe0f\u200d\u20e3]"
)
_PICTOGRAMS_FIRST = re.compile(rf"(?:{_PICTOGRAMS}|\s|:[a-z0-9_+-]{{2,40}}:(?=\s|$)){{1,40}}")
_PICTOGRAMS_LAST = re.compile(rf"(?:{_PICTOGRAMS}|\s|(?<=\s):[a-z0-9_+-]{{2,40}}:){{1,40}}$")
_FIRST_JUNK, _LAST_JUNK = " \t*_`#¶:：,，;；|｜–—·•>)]）】-", " \t*_`¶:：,，;；|｜–—·•([（【<-"
_QUOTES = [tuple(pair) for pair in ('""', "“”", "「」", "『』", "''", "‘’", "«»", "《》", "„“", "＂＂", "〈〉", "〝〟")]
# E.g. T5: "Exploring the …".
_NAME_AND_TITLE = re.compile(r"[^:\"“”]{1,40}:\s{0,2}[\"“](?P<title>[^\"“”]{12,400})[\"”]")
_ADDRESS_ONLY = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+", re.IGNORECASE)
_GUARDS = (
    "安全中心", "即将离开", "跳转", "重定向", "just a moment", "redirecting", "you are leaving", "attention required",
    "access denied", "are you a human", "are you a robot", "verifying you are human", "checking your browser",
)  # fmt: skip
_NO_TITLES = frozenset(
    [
        *("new tab", "untitled", "404", "404 not found", "403", "403 forbidden", "page not found", "sign in", "login"),
        *("log in", "loading", "无标题", "無題", "登录", "ログイン"),
    ]
)
_MAX_GUARD_CHARS = 100
_LATIN = "pdf|url|github|arxiv|blog|paper|code|ppt"
_GENERIC_CJK = re.compile(
    rf"(?:{_LATIN})?(?:{GENERIC_CJK})[の的はへ]?(?:(?:{GENERIC_CJK}|{_LATIN})[の的はへ]?){{0,3}}", re.IGNORECASE
)
_PARTS_OF_LABEL = re.compile(r"[^\s/&+,|、，()（）\[\]:：·]+")
_NUMBER_BEHIND = re.compile(r"(?<=[a-z])\d{1,2}$|\d{1,2}|v\d")
_LABEL_JUNK = " \t*_`#¶:：,，;；|｜–—·•>[]()（）【】「」<!?→↗🔗-"
_MAX_LABEL_CHARS, _MAX_PARTS = 60, 6
_SENTENCE_END = re.compile(r"[。．！!]\s*$|[a-z0-9)][.]\s*$")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_OTHER_SCRIPT = re.compile("[\u0370-\u1fff]")  # Greek and Cyrillic up to Hebrew, Arabic, Devanagari and Thai
_LEADING_TALK = re.compile(
    r"^(?:see|cf|e\.?g|i\.?e|also|from|in|at|we|i|it|this|that|and|or|but|with|for more|more|check|read|via|source|"
    r"todo|参见|参考|见|详见|参照)\b(?!-\w)",
    re.IGNORECASE,
)
_LEADING_PREPOSITION = re.compile(r"(?:In|From|At|With)\s")
_MAX_ROUNDS, _MIN_LETTERS, _MIN_TITLE_CASE_WORDS = 4, 12, 5
# Plain words: most titles match and need no cleaning.
_MERE_WORDS = re.compile(r"[A-Z][A-Za-z0-9'’,-]*(?::? [A-Za-z0-9][A-Za-z0-9'’,-]*)*(?<=[A-Za-z])")
_BEFORE_TITLES = ("arxiv", "paper", "title", "github")


@lru_cache(maxsize=256)  # The same text is cleaned several times while a line is parsed.
def clean_title(text: str, address: str = "") -> str:
    """Return the title without marks, emphasis and site names.

    Return "" for a URL, an interstitial page, or a word such as "link".
    """
    if _is_clean(text):
        return "" if _is_guard(text) or is_generic(text) else text
    title = _unescape(clean_line(text[: 4 * _MAX_TITLE_CHARS])) if text else ""
    for _ in range(_MAX_ROUNDS):
        previous = title
        title = _unwrapped(_trimmed(without_emphasis(title)))
        title = without_tails(take_marks(title).remainder, address)
        if title == previous:
            break
    if not LETTER_OR_DIGIT.search(title) or _ADDRESS_ONLY.fullmatch(title) or _is_guard(title) or is_generic(title):
        return ""
    return title[:_MAX_TITLE_CHARS].rstrip()


def _is_clean(text: str) -> bool:
    if len(text) > _MAX_TITLE_CHARS or not _MERE_WORDS.fullmatch(text) or may_be_marked(text):
        return False
    return not text.casefold().startswith(_BEFORE_TITLES) and "et al" not in text


@lru_cache(maxsize=1024)
def is_generic(text: str) -> bool:
    """Return True for a link text that names the kind of target instead of a title: [Paper], [pdf], こちら."""
    if len(text) > 2 * _MAX_LABEL_CHARS:
        return False
    words = without_emphasis(clean_line(text)).strip(_LABEL_JUNK).casefold()
    if not words or words in GENERIC:
        return True
    if not words.isascii() and _GENERIC_CJK.fullmatch(words):
        return True
    return len(words) <= _MAX_LABEL_CHARS and _names_only_forms(words)


def _names_only_forms(words: str) -> bool:
    """Return True for combinations of generic words: "link to pdf", "paper & code".

    Not for "code review", a subject.
    """
    parts: list[str] = []
    for label in _PARTS_OF_LABEL.findall(words):
        part = _NUMBER_BEHIND.sub("", label)
        if part and part not in GENERIC and part not in GENERIC_FIRST:
            return False
        parts += [part] if part else []
    if not 0 < len(parts) <= _MAX_PARTS:
        return not parts
    is_combination = len(parts) == 1 or any(mark in words for mark in "/&+,|、，(（")
    return is_combination or " ".join(parts) in GENERIC or parts[-1] in GENERIC_LAST or parts[0] in GENERIC_FIRST


@lru_cache(maxsize=256)
def looks_like_title(text: str) -> bool:
    """Return True if a phrase in running text is clearly a title.

    Requires capitalized words in English, no full stop, and a limited length.
    """
    words = _WORD.findall(text)
    if not 4 <= len(text) <= 300 or _SENTENCE_END.search(text) or is_broken_off(text):
        return False
    if _LEADING_TALK.match(text) and not (_LEADING_PREPOSITION.match(text) and _is_in_title_case(words)):
        return False
    if CJK.search(text):
        return len(text) <= 80 and "。" not in text
    if _is_of_other_script(text):  # titles have the capitals of a sentence, or none
        return not text.lstrip('«“"„(').lstrip()[:1].islower() and len(text) >= _MIN_LETTERS
    return len(words) >= 3 and _capitals(words) >= 0.5


def _is_in_title_case(words: list[str]) -> bool:
    """Return True for at least five words with all their capitals: `In Search of an Understandable Algorithm`."""
    return len(words) >= _MIN_TITLE_CASE_WORDS and _capitals(words) == 1


def is_foreign(text: str) -> bool:
    """Return True for CJK and other scripts, in which a title looks like any other phrase."""
    return CJK.search(text) is not None or _is_of_other_script(text)


def _is_of_other_script(text: str) -> bool:
    """Return True if most letters are of a script other than Latin and CJK, such as Cyrillic or Devanagari."""
    return not text.isascii() and 2 * len(_OTHER_SCRIPT.findall(text)) > len(LETTER_OR_DIGIT.findall(text))


def is_broken_off(text: str) -> bool:
    """Return True if the text ends with a word like "of" or "the".

    Such a text introduces a URL and does not name it.
    """
    words = _WORD.findall(text[-40:])
    return bool(words) and words[-1].lower() in SMALL and text.endswith(words[-1])


@lru_cache(maxsize=256)
def names_a_paper(text: str) -> bool:
    """Return True if a text without a link is clearly a title: English, with several capitalized words.

    Stricter than `looks_like_title`.
    """
    words = _WORD.findall(text)
    return not CJK.search(text) and looks_like_title(text) and len(words) >= 4 and _capitals(words) > 0.75


def could_be_title(text: str) -> bool:
    """Return True if a search query may be a title.

    Capitals are not required, because few people type them.
    """
    return not CJK.search(text) and len(_WORD.findall(text)) >= 4


def without_emphasis(text: str) -> str:
    """Remove Markdown emphasis, code and strikethrough marks.

    Keep stars and dashes inside words and formulas.
    """
    if "*" not in text and "_" not in text and "`" not in text and "~" not in text:
        return text
    without_marks = _EMPHASIS.sub(r"\2", text)
    return _ITALIC.sub(r"\2", without_marks) if "*" in without_marks or "_" in without_marks else without_marks


def _unescape(text: str) -> str:
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return " ".join(_TAG.sub(" ", text).split()) if "<" in text else text


def _trimmed(title: str) -> str:
    """Remove pictograms and separators at the ends, and the final full stop."""
    if not title.isascii() or title.startswith(":") or title.endswith(":"):
        first_match = _PICTOGRAMS_FIRST.match(title)
        title = title[first_match.end() :] if first_match else title
        last_match = _PICTOGRAMS_LAST.search(title, max(0, len(title) - 80))
        title = title[: last_match.start()] if last_match else title
    title = title.lstrip(_FIRST_JUNK).rstrip(_LAST_JUNK).removesuffix(" #")
    has_final_stop = title.endswith((".", "。", "．")) and not title.endswith(("..", "。。"))
    return title[:-1].rstrip() if has_final_stop else title


def _unwrapped(title: str) -> str:
    """Remove quotation marks around the whole title."""
    for opening, closing in _QUOTES:
        if title.startswith(opening) and title.rstrip(".,").endswith(closing) and title.count(opening) <= 2:
            unquoted = title.rstrip(".,")[1:-1].strip()
            return unquoted if unquoted and (opening == closing or closing not in unquoted) else title
    name_match = _NAME_AND_TITLE.fullmatch(title)
    return name_match["title"] if name_match else title


def _is_guard(title: str) -> bool:
    """Return True for titles of interstitial and error pages."""
    if len(title) > _MAX_GUARD_CHARS:
        return False
    folded_title = title.casefold()
    return folded_title.rstrip(".") in _NO_TITLES or any(map(folded_title.__contains__, _GUARDS))


def _capitals(words: list[str]) -> float:
    content_words = [word for word in words if word.lower() not in SMALL]
    return sum(word[0].isupper() for word in content_words) / max(len(content_words), 1)
