"""Titles as notes give them, made clean: site tails, counters and marks cut; what is no title told apart."""

import html
import re
from urllib.parse import urlsplit

from readtrack.notes.lines import clean
from readtrack.notes.vocabulary import GENERIC, GENERIC_FIRST, SITES, SMALL

_MAX = 500
_TAIL = re.compile(rf"(?:\s+[-–—|·•｜:：/]\s+|\s*[|｜]\s*|_(?=[^\x00-\x7f]|CSDN)|\s+-)(?:{SITES})\s*$", re.IGNORECASE)
_LAST_PART = re.compile(r"\s[-–—|·•｜]\s(?P<name>[^-–—|·•｜]{1,40})$")
_GITHUB_TAIL = re.compile(r"\s+at\s+[\w./-]{1,80}\s+·\s+[\w.-]+/[\w.-]+\s*$")
_COUNTER = re.compile(
    r"^[(（]\s*\d[^()（）]{0,30}(?:私信|消息|信息|条|封|通知|件|unread|notifications?|messages?)"
    r"[^()（）]{0,20}[)）]\s*|"
    r"^\(\d{1,4}\+?\)\s+",
    re.IGNORECASE,
)
_ARXIV_TAB = re.compile(r"^\[(?:arXiv:)?(?:\d{4}\.\d{4,5}|[a-z.-]+/\d{7})(?:v\d+)?\]\s*", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*|__|~~|`)(?=\S)(.{1,500}?)(?<=\S)\1")
_ESCAPED = re.compile(r"\\([\[\](){}*_`#+.!|<>~-])")
_TRIM = " \t*_`#¶:：,，;；|｜–—·•>"
_PICTOGRAMS_FIRST = re.compile("^[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\\s]+")
_LETTER = re.compile(r"[^\W_]")
_ADDRESS_ONLY = re.compile(r"^(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+$", re.IGNORECASE)
_GENERIC = re.compile(
    rf"(?:(?:{GENERIC_FIRST})\s+)*(?:to\s+)?(?:the\s+)?(?:{GENERIC})s?(?:\s*\d{{1,2}})?",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"安全中心|即将离开|跳转|重定向|just a moment|redirecting|you are leaving|leaving \w+|attention required|"
    r"access denied|"
    r"are you a (?:human|robot)|"
    r"^(?:new tab|untitled|无标题|無題|404(?: not found)?|403(?: forbidden)?|"
    r"sign in|log ?in|登录|ログイン|loading\.*)$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。！!]\s*$|[a-z0-9)][.]\s*$")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEADING_TALK = re.compile(
    r"^(?:see|cf|e\.?g|i\.?e|also|from|in|at|we|i|it|this|that|and|or|but|with|for more|more|check|read|via|source|"
    r"todo|参见|参考|见|详见|参照)\b",
    re.IGNORECASE,
)


def clean_title(text: str, address: str = "") -> str:
    """The title alone. Blank for what is no title: an address, a guard page, a word such as "link"."""
    if not text:
        return ""
    title = _PICTOGRAMS_FIRST.sub("", _ESCAPED.sub(r"\1", html.unescape(clean(text[: 4 * _MAX]))))
    title = _COUNTER.sub("", _ARXIV_TAB.sub("", without_emphasis(title)))
    title = _without_tails(title, address).strip(_TRIM)
    if not _LETTER.search(title) or _ADDRESS_ONLY.match(title) or _NO_TITLE.search(title) or is_generic(title):
        return ""
    return _unwrapped(title)[:_MAX].rstrip()


def is_generic(text: str) -> bool:
    """A link text that says what is behind the link, not what it is called: [Paper], [pdf], こちら."""
    words = without_emphasis(clean(text[:80])).strip(_TRIM + "[]()（）【】「」")
    return not words or _GENERIC.fullmatch(words) is not None


def looks_like_title(text: str) -> bool:
    """In running text, only what is plainly a title counts as one: capitals in English, no full stop, not too long."""
    words = _WORD.findall(text)
    if not 4 <= len(text) <= 300 or _SENTENCE_END.search(text) or _LEADING_TALK.match(text) or is_broken_off(text):
        return False
    if _CJK.search(text):
        return len(text) <= 80 and "。" not in text
    return len(words) >= 3 and _capitals(words) >= 0.5


def is_broken_off(text: str) -> bool:
    """Ends in "of", "the" and the like: the words lead up to the address, they do not name it."""
    words = _WORD.findall(text[-40:])
    return bool(words) and words[-1].lower() in SMALL and text.endswith(words[-1])


def names_a_paper(text: str) -> bool:
    """Stricter still, for a text without any link: an English title of several capitalised words."""
    words = _WORD.findall(text)
    return not _CJK.search(text) and looks_like_title(text) and len(words) >= 4 and _capitals(words) > 0.75


def could_be_title(text: str) -> bool:
    """For what somebody typed into a search box, where capitals are rare."""
    return not _CJK.search(text) and len(_WORD.findall(text)) >= 4


def _capitals(words: list[str]) -> float:
    weighty = [word for word in words if word.lower() not in SMALL]
    return sum(word[0].isupper() for word in weighty) / max(len(weighty), 1)


def without_emphasis(text: str) -> str:
    return _EMPHASIS.sub(r"\2", text) if "*" in text or "_" in text or "`" in text or "~" in text else text


def _unwrapped(title: str) -> str:
    """Quotation marks round the whole title are the note's, not the title's."""
    for opening, closing in ('""', "“”", "「」", "『』", "''"):
        if title.startswith(opening) and title.endswith(closing) and title.count(opening) <= 2 and len(title) > 2:
            return title[1:-1].strip()
    return title


def _without_tails(title: str, address: str) -> str:
    labels = _host_labels(address)
    for _ in range(4):
        shorter = _GITHUB_TAIL.sub("", _TAIL.sub("", title))
        part = _LAST_PART.search(shorter[-60:])
        if part and _squeezed(part["name"]) in labels:
            shorter = shorter[: len(shorter) - len(part[0])]
        if shorter == title or not shorter.strip():
            break
        title = shorter
    return title


def _host_labels(address: str) -> frozenset[str]:
    """The names by which a site may sign its titles: pytorch.org -> pytorch, pytorchorg."""
    try:
        host = (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return frozenset()
    labels = host.split(".")[:-1]
    return frozenset([_squeezed(host), *(label for label in labels if len(label) > 2)])


def _squeezed(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
