"""Removal of what pages add to titles: site names, and sessions on virtual conference pages (NeurIPS, MLSys)."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

from readtrack.metadata.types import Metadata

_BLOGS = frozenset({"blog", "blogs", "ブログ", "博客", "techblog", "news", "docs", "documentation"})
_BAR = re.compile(r"(?<!\s)(?:\s+[|｜\-‐–—·•:»«]\s+|\s*[｜|]\s*)")
_NOTHING = re.compile(  # Titles of pages that have no title of their own.
    r"home(?:page)?|index(?: of .*)?|untitled(?: document)?|document|loading|redirecting|please wait|welcome|error|"
    r"log ?in|sign ?in|sign ?up|登录|登陆|注册|首页|加载中|ログイン|新規登録|ホーム|forum|no title|new tab|"
    r"github|gitlab|youtube|bilibili|知乎|知乎专栏|微信公众平台|zenn|qiita|note|medium|"
    r"weixin official accounts platform|openreview|google docs|google drive|notion|twitter|x|hugging face|arxiv|usenix|"
    r"acm digital library|ieee xplore(?: full-text pdf)?:?|google scholar|semantic scholar|researchgate|springerlink|"
    r"sciencedirect|jstor|pubmed|wayback machine|internet archive|hacker news|stack overflow|wikipedia|reddit|linkedin|"
    r"facebook|proceedings|csdn|掘金|博客园|简书|哔哩哔哩|はてなブログ",
)


# Byline in titles of Medium.
_BYLINE = re.compile(r" \| by [^|]{1,80}(?: \| [A-Z][a-z]{2}, \d{4})?(?: \| [^|]{1,80})?$")
_SESSION = re.compile(
    r"(?:NeurIPS|MLSys|ICML|ICLR)(?: \d{4})? (?:Expo |Invited )?"
    r"(?:Poster|Oral|Spotlight|Talk|Panel|Workshop|Tutorial)(?: Poster)?:? "
)


@dataclass(frozen=True)
class TitleContext:
    """Context of a title.

    `sites`: names of the site, which are no titles. `trailing_texts`: other suffixes. `title_suffixes` are suffixes
    this site is known to add, including the separator.
    """

    sites: Collection[str] = ()
    trailing_texts: Collection[str] = ()
    title_suffixes: Sequence[str] = ()


def headline(title: str, context: TitleContext) -> str:
    """Return the title of the work; "" if it is only the site's name or a placeholder."""
    for tail in context.title_suffixes:
        title = title.removesuffix(tail.rstrip()).rstrip() if title != tail.strip() else ""
    title = _BYLINE.sub("", title)
    sites, removable_names = _all_letters(context.sites), _all_letters([*context.sites, *context.trailing_texts])
    while (shorter := _without_tail(title, removable_names)) != title:
        title = shorter
    return "" if _letters(title) in sites or is_empty_title(title) else title


def is_empty_title(title: str) -> bool:
    """Return True for placeholders such as "Loading..." and "登录"."""
    return not _letters(title) or _NOTHING.fullmatch(normalize("NFKC", title).strip(" .…!|-").lower()) is not None


def _without_tail(title: str, names: Collection[str]) -> str:
    """Remove the text after the last separator if it is a name of the site."""
    separator = next(iter(reversed(list(_BAR.finditer(title)))), None)
    if separator is None or not title[: separator.start()].strip():
        return title
    return title[: separator.start()].strip() if _names_site(title[separator.end() :], names) else title


def _names_site(tail: str, names: Collection[str]) -> bool:
    """Return True for the name of a site or of its blog: "AWS Machine Learning Blog" at aws.amazon.com."""
    words = tail.split()
    is_blog = len(words) > 1 and _letters(words[-1]) in _BLOGS and _letters(words[0]) in names
    return is_blog or _letters(tail) in names


def _all_letters(names: Collection[str]) -> frozenset[str]:
    return frozenset(letters for name in names if (letters := _letters(name)))


def _letters(text: str) -> str:
    return "".join(sign for sign in normalize("NFKC", text).casefold() if sign.isalnum())


def without_session(record: Metadata) -> Metadata:
    """Remove the session: "NeurIPS Poster A Title" becomes "A Title"."""
    return replace(record, title=_SESSION.sub("", record.title, count=1) or record.title)
