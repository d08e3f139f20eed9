"""Extraction of the discussed paper from the title of an article, talk or page.

Returning none beats guessing.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from readtrack.infra.text.titles import compare
from readtrack.infra.text.titles.clean import clean_title
from readtrack.infra.text.titles.vocabulary import VENUES, words_of
from readtrack.library.papers.lookup import is_distinctive

_MAX_CHARS = 400
_MIN_TRUNCATED_LETTERS = 20  # minimum letters of a truncated title's beginning
_MIN_QUOTED_LETTERS = 15  # minimum letters of a short title in quotation marks
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"

_PAPER = "(?:论文|論文|文献)"
_READ = (
    "(?:精读|阅读|解读|研读|速读|略读|导读|翻译|学习|分享|解析|浅析|简析|详解|赏析|领读|剖析|拆解|复现|笔记|报告|小结)"
)
_MARKS = (
    rf"{_PAPER}{_READ}{{1,3}}|{_READ}{_PAPER}(?:{_READ})?|(?<![{_CJK}])精读|{_PAPER}の?(?:紹介|解説|要約|まとめ|読み|"
    rf"メモ|輪読|輪講|サーベイ)|を(?:読んだ|読んでみた|読む|読みました|読んでみる)|"
    r"\b(?:paper|article)\s?(?:reading|notes?|review|summary|walkthrough|club|explained|deep dive|breakdown)\b|"
    r"\breading notes?\b|논문\s?(?:리뷰|읽기|정리)|"
    rf"{_PAPER}(?![{_CJK}])"
)
_NUMBER = "[\\d一二三四五六七八九十]{1,3}"  # number in a series, right after the words for reading
_SERIES = (
    rf"(?:系列)?(?:\s?第\s?{_NUMBER}\s?(?:篇|期|回|弹|弾|话|節|节)|\s?[（(]{_NUMBER}[)）]|"
    rf"{_NUMBER}(?=[\]】）)\s:：]|$))?"
)
_MARKED = re.compile(f"(?:{_MARKS}){_SERIES}", re.IGNORECASE)
_MANY = re.compile(
    rf"{_PAPER}(?:汇总|合集|整理|盘点|列表|清单|分类|追踪|写作|投稿|集|推荐|一覧|リスト|速递|速報|精选|大全|方向|趋势|"
    r"の書き方|の読み方)|顶会|最新论文|(?<!\d)\d+\s?(?:篇|本の|papers\b)|参会|会议总结|best papers\b|"
    r"\bpapers (?:of|from|at|in)\b|如何(?:读|阅读|写)|怎么读",
    re.IGNORECASE,
)
_VENUE = re.compile(
    rf"(?:^|[\[【(（「|｜@\s])(?:USENIX\s|ACM\s|IEEE\s)?(?P<venue>(?i:{VENUES}|FAST)|SC|CHI)[\s_-]?['’‘]?"
    r"(?P<year>(?:19|20)\d\d|[0-4]\d)(?!\d)"
)
_QUOTED = re.compile(
    r"《(?P<a>[^《》]{3,300})》|『(?P<b>[^『』]{3,300})』|「(?P<c>[^「」]{3,300})」|[“\"](?P<d>[^“”\"]{3,300})[”\"]"
)
_NAME = r"[A-Za-z][A-Za-z0-9]*(?:[.+/&-][A-Za-z0-9]+){0,3}\+*"
_FIRST_NAME = re.compile(
    rf"(?P<name>{_NAME})(?![A-Za-z0-9])(?:\s*(?=$|[:：,，（(|｜{_CJK}])|\s?[-–—]{{1,3}}(?![A-Za-z0-9]))"
)
_ANY_NAME = re.compile(_NAME)
_BLOG = re.compile(r"_[^_\s]{1,40}的博客.{0,60}$")
_UNCLOSED = re.compile(r"(?<!\s)\s*[（(\[][^()（）\[\]]*$")
_NAMED_BEFORE = re.compile(
    rf"(?:^|[{_CJK}\s:：,，|｜【\[「《])(?:the\s)?(?P<name>{_NAME})\s?[」》]?\s*$", re.IGNORECASE
)
_EDGES = " \t:：,，.。、|｜-–—_/·・~〜～!！#"  # stripped from titles, but a question mark belongs to the title
_BETWEEN = _EDGES + "?？]】)）」"
_MIN_NAME_LETTERS = 4  # letters
_EMPTY_FRAME = re.compile(r"[\[【(（「『<《{][\W\d_]{0,200}[\]】)）」』>》}]")
_BROKEN_OFF = re.compile(r"(?<!\s)\s*(?:…|\.\.\.|⋯)\s*$")
_RUN = re.compile(rf"[^{_CJK}《》「」『』【】]+")
_LETTER = re.compile(r"[A-Za-z]")
_NOT_NAMES = words_of("""
ai | llm | llms | gpu | gpus | cpu | moe | rl | nlp | cv | ml | dl | api | paper | papers | keynote | session | best
workshop | tutorial | survey | talk | arxiv | pdf | ppt | part | review | notes | note | reading | summary | vol | day
the | a | an | on | of | in | at | to | for | and | with | from | how | what | cuda | transformer | attention
inference | training | serving | rdma | kv | cache | rag | agent | agents | open | source | video | slides | demo
poster | award | awards | oral | spotlight
""")


@dataclass(frozen=True)
class DiscussedWork:
    """The work that a title names.

    `by_name`: only the system's name is known; `is_explicit`: the words say that a paper is discussed, without which
    only papers of the library are considered; `is_truncated`: the title is truncated.
    """

    title: str
    venue: str = ""
    year: int | None = None
    by_name: bool = False
    is_explicit: bool = True
    is_truncated: bool = False


def find_discussed_work(title: str) -> DiscussedWork | None:
    """Return the paper that a title says it discusses; None if it names none or several."""
    text = unicodedata.normalize("NFC", " ".join(_BLOG.sub("", title[:_MAX_CHARS]).split()))
    if not _LETTER.search(text) and not _QUOTED.search(text):
        return None
    if _MANY.search(text):
        return None
    venue = _VENUE.search(text)
    marker = _MARKED.search(text)
    venue_and_year = (venue["venue"], _full(venue["year"])) if venue else ("", None)
    work = (
        _find_quoted_work(text, is_marked=bool(marker or venue))
        or _find_titled_work(text, venue)
        or _find_named_system(text, venue, marker)
    )
    if work is None:
        return None
    return replace(work, venue=venue_and_year[0], year=venue_and_year[1], is_explicit=bool(marker or venue))


def _find_quoted_work(text: str, *, is_marked: bool) -> DiscussedWork | None:
    """Return the work in quotation marks, if the surrounding words say that it was read."""
    quotes = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)] if is_marked else []
    works = [work for quote in quotes if (work := _build_work(quote, quoted=True))]
    return works[0] if len(works) == 1 else None


def _find_titled_work(text: str, venue: re.Match[str] | None) -> DiscussedWork | None:
    """Return the work given by a whole title in Latin letters next to a marker."""
    remaining = text if venue is None else f"{text[: venue.start()]} | {text[venue.end() :]}"
    cleaned = _EMPTY_FRAME.sub(" ", _MARKED.sub("\u3007", remaining))
    works = list(filter(None, map(_build_work, _runs(cleaned))))
    return works[0] if len(works) == 1 else None


def _runs(text: str) -> Iterator[str]:
    for run in _RUN.findall(text):
        yield clean_title(run.strip(_EDGES.replace(".", "") + "[](){}<>（）\"'"))


def _build_work(words: str, *, quoted: bool = False) -> DiscussedWork | None:
    is_cut = bool(_BROKEN_OFF.search(words))
    title = _UNCLOSED.sub("", _BROKEN_OFF.sub("", words)).strip(_EDGES)
    letters = len(compare.title_letters(title))
    is_short_quote = quoted and " " in title and letters >= _MIN_QUOTED_LETTERS  # e.g. “GPT4 Technical Report”
    if (is_cut and letters < _MIN_TRUNCATED_LETTERS) or not (is_short_quote or is_distinctive(title)):
        return None
    return DiscussedWork(title, is_truncated=is_cut)


def _find_named_system(text: str, venue: re.Match[str] | None, marker: re.Match[str] | None) -> DiscussedWork | None:
    """Return the work given by a system's name, after its venue or as the only name next to a marker."""
    name_match = None
    if venue:
        name_match = _FIRST_NAME.match(_MARKED.sub(" ", text[venue.end() :]).strip(_BETWEEN))
    elif marker and len(set(filter(_is_distinct, _ANY_NAME.findall(text)))) == 1:
        following = text[marker.end() :].strip(_BETWEEN)
        name_match = _NAMED_BEFORE.search(text[: marker.start()]) or _FIRST_NAME.match(following)
    name = name_match["name"] if name_match else ""
    is_dated = (
        venue is not None
        and name_match is not None
        and name[:1].isupper()
        and name_match.end() < len(name_match.string)
    )
    return DiscussedWork(name, by_name=True) if _is_distinct(name) or (is_dated and _is_name(name)) else None


def _is_distinct(word: str) -> bool:
    """Return True if a word is spelled like a system's name: DistServe, ZeRO-Offload."""
    is_spelled_like_name = any(letter.isupper() for letter in word[1:]) or any(
        sign.isdigit() or sign in "-+" for sign in word
    )
    return is_spelled_like_name and _is_name(word)


def _is_name(word: str) -> bool:
    return len(word) >= _MIN_NAME_LETTERS and not _is_all_generic(word.casefold())


def _is_all_generic(phrase: str) -> bool:
    return all(part in _NOT_NAMES or part.isdigit() for part in re.split(r"[^a-z0-9]+", phrase) if part)


def _full(digits: str) -> int:
    year = int(digits)
    return year if year >= 100 else 2000 + year
