"""Titles of web pages without the name of the site that stands behind them, or in their place."""

import re
from collections.abc import Collection, Sequence
from unicodedata import normalize

_BAR = re.compile(r"\s+[|｜\-‐–—·•:»«]\s+|\s*[｜|]\s*")
_NOTHING = re.compile(  # what pages are called that have no title of their own
    r"home(?:page)?|index(?: of .*)?|untitled(?: document)?|document|loading|redirecting|please wait|welcome|error|"
    r"log ?in|sign ?in|sign ?up|登录|登陆|注册|首页|加载中|ログイン|新規登録|ホーム|forum|no title|new tab|"
    r"github|gitlab|youtube|bilibili|知乎|知乎专栏|微信公众平台|zenn|qiita|note|medium|"
    r"weixin official accounts platform|openreview|google docs|google drive|notion|twitter|x|hugging face|arxiv|usenix|"
    r"acm digital library|ieee xplore",
)
_LONGEST_TAIL = 60  # letters: longer than any name of a site


def headline(title: str, sites: Collection[str], tails: Sequence[str] = ()) -> str:
    """The title of the work; blank when it is only the name of the site, or no title at all."""
    for tail in tails:
        title = title.strip().removesuffix(tail.strip()).strip() if title.strip() != tail.strip() else ""
    known = {letters for site in sites if (letters := _letters(site))}
    while (shorter := _without_tail(title, known)) != title:
        title = shorter
    letters = _letters(title)
    return "" if letters in known or says_nothing(title) else title


def says_nothing(title: str) -> bool:
    """Whether it is no title of a work: "Loading...", "登录"."""
    return not _letters(title) or _NOTHING.fullmatch(normalize("NFKC", title).strip(" .…!|-").lower()) is not None


def _without_tail(title: str, known: Collection[str]) -> str:
    """Without what stands behind the last bar, when that is a name of the site."""
    bar = next(iter(reversed(list(_BAR.finditer(title)))), None)
    if bar is None or not title[: bar.start()].strip():
        return title
    letters = _letters(title[bar.end() :])
    return title[: bar.start()].strip() if letters in known and len(letters) <= _LONGEST_TAIL else title


def _letters(text: str) -> str:
    return "".join(sign for sign in normalize("NFKC", text).casefold() if sign.isalnum())
