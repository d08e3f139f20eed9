"""Titles of web pages without the name of the site that stands behind them, or in their place."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from unicodedata import normalize

_BLOGS = frozenset({"blog", "blogs", "ブログ", "博客", "techblog", "news", "docs", "documentation"})
_BAR = re.compile(r"(?<!\s)(?:\s+[|｜\-‐–—·•:»«]\s+|\s*[｜|]\s*)")
_NOTHING = re.compile(  # what pages are called that have no title of their own
    r"home(?:page)?|index(?: of .*)?|untitled(?: document)?|document|loading|redirecting|please wait|welcome|error|"
    r"log ?in|sign ?in|sign ?up|登录|登陆|注册|首页|加载中|ログイン|新規登録|ホーム|forum|no title|new tab|"
    r"github|gitlab|youtube|bilibili|知乎|知乎专栏|微信公众平台|zenn|qiita|note|medium|"
    r"weixin official accounts platform|openreview|google docs|google drive|notion|twitter|x|hugging face|arxiv|usenix|"
    r"acm digital library|ieee xplore(?: full-text pdf)?:?|google scholar|semantic scholar|researchgate|springerlink|"
    r"sciencedirect|jstor|pubmed|wayback machine|internet archive|hacker news|stack overflow|wikipedia|reddit|linkedin|"
    r"facebook|proceedings|csdn|掘金|博客园|简书|哔哩哔哩|はてなブログ",
)


_BYLINE = re.compile(r" \| by [^|]{1,80}(?: \| [A-Z][a-z]{2}, \d{4})?(?: \| [^|]{1,80})?$")  # as Medium writes it


@dataclass(frozen=True)
class TitleContext:
    """Where a title stands. `sites`: what the site is called, which is no title. `behind`: what else stands behind one.

    `tails`: what this site is known to write behind its titles, with the bar.
    """

    sites: Collection[str] = ()
    behind: Collection[str] = ()
    tails: Sequence[str] = ()


def headline(title: str, place: TitleContext) -> str:
    """The title of the work; blank when it is only the name of the site, or no title at all."""
    for tail in place.tails:
        title = title.removesuffix(tail.rstrip()).rstrip() if title != tail.strip() else ""
    title = _BYLINE.sub("", title)
    sites, behind = _all_letters(place.sites), _all_letters([*place.sites, *place.behind])
    while (shorter := _without_tail(title, behind)) != title:
        title = shorter
    return "" if _letters(title) in sites or is_empty_title(title) else title


def is_empty_title(title: str) -> bool:
    """Whether it is no title of a work: "Loading...", "登录"."""
    return not _letters(title) or _NOTHING.fullmatch(normalize("NFKC", title).strip(" .…!|-").lower()) is not None


def _without_tail(title: str, known: Collection[str]) -> str:
    """Without what stands behind the last bar, when that is a name of the site."""
    bar = next(iter(reversed(list(_BAR.finditer(title)))), None)
    if bar is None or not title[: bar.start()].strip():
        return title
    return title[: bar.start()].strip() if _names_site(title[bar.end() :], known) else title


def _names_site(tail: str, known: Collection[str]) -> bool:
    """Its name, or that of its blog: "AWS Machine Learning Blog" at aws.amazon.com."""
    words = tail.split()
    blog = len(words) > 1 and _letters(words[-1]) in _BLOGS and _letters(words[0]) in known
    return blog or _letters(tail) in known


def _all_letters(names: Collection[str]) -> frozenset[str]:
    return frozenset(letters for name in names if (letters := _letters(name)))


def _letters(text: str) -> str:
    return "".join(sign for sign in normalize("NFKC", text).casefold() if sign.isalnum())
