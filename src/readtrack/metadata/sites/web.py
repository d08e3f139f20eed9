"""All other web pages, identified by canonical URL without scheme.

Thus http and https are the same page. The kind is guessed from the URL.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import unquote

from readtrack.infra.i18n import N_
from readtrack.infra.text.urls import UrlParts, canonicalize_url, safe_url, split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.parsing.paper_pages import is_paper_page
from readtrack.metadata.types import MAX_KEY_BYTES, Source, WebLink

PREFIX_CHARS = 280  # Characters of a very long URL kept in its key: enough for the host and the kind.
_SHORTENED = re.compile(r"\?sha256-[0-9a-f]{64}$")
_PLAINLY = re.compile(r"\s*(?:https?://|www\.)", re.IGNORECASE)
_NO_PAGE = re.compile(
    r".*\.(?:pdf|ps|djvu|epub|docx?|pptx?|xlsx?|key|odt|odp|zip|tar|t?gz|bz2|xz|7z|mp[34]|m4[av]|webm|mov|avi|wav|"
    r"png|jpe?g|gif|svg|webp|json|csv|xml|txt|ipynb)(?:\.(?:gz|zip))?"
)
_TAILS = (  # Suffixes of sites that do not state their name in the page.
    " - 博客园", " - 掘金", " - 简书", " - Qiita", "｜note", "-腾讯云开发者社区-腾讯云", "-阿里云开发者社区",
    "-CSDN博客", "_CSDN博客", " - はてなブログ",
    " · GitLab", " - Medium", " | Medium", " - Substack", "_哔哩哔哩_bilibili",
    " on Vimeo", " | SlidesLive", " | Hacker News", " - Google Drive", " - Google Docs", " - Colaboratory", " - Colab",
)  # fmt: skip
_FILES = (
    ("slides", re.compile(r".*(?:/(?:slides?|presentations?|lectures?)/.*|\.pptx?|\.key|[-_]slides?\.pdf)|.*/slides?")),
    ("paper", re.compile(r".*\.(?:pdf|ps)(?:\.gz)?|/pdf/.+")),
    ("code", re.compile(r".*\.ipynb|.*/blob/.+\.(?:py|cu|cpp|cc|c|h|rs|go|java|sh)")),
)
_PATHS = (
    ("documentation", re.compile(r"(?:/.*)?/(?:docs?|documentation|reference|api|manual|user-?guide)(?:/.*)?")),
    ("article", re.compile(r"(?:/.*)?/(?:blogs?|posts?|articles?|news|p|n|notes?)/.+|/(?:19|20)\d\d/\d\d/.+")),
    ("course", re.compile(r"(?:/.*)?/(?:courses?|class(?:es)?|syllabus)(?:/.*)?")),
)
_HOSTS = (
    ("slides", re.compile(r"(?:.*\.)?slideshare\.net")),
    ("video", re.compile(r"(?:.*\.)?(?:bilibili\.com|vimeo\.com|slideslive\.com)|videos?\..+")),
    ("code", re.compile(r"gist\.github\.com|colab\.research\.google\.com|gitlab\.com|bitbucket\.org|gitee\.com")),
    (
        "documentation",
        re.compile(r"(?!docs\.google\.)(?:docs?|documentation|developer|man|api)\..+|.+\.(?:readthedocs\.io|rtfd\.io)"),
    ),
    (
        "course",
        re.compile(r"(?:.*\.)?(?:coursera|edx|ocw\.mit|udacity|deeplearning)\.\w+|[\w.-]*course\.org|courses?\..+"),
    ),
    (
        "article",
        re.compile(
            r"(?:.*\.)?(?:medium|substack|csdn|cnblogs|qiita|note)\.(?:com|net)|juejin\.cn|blogs?\..+|"
            r".*\.(?:hatenablog|hatenadiary|hateblo)\.(?:com|jp)"
        ),
    ),
)


def recognize(text: str) -> str | None:
    """Return the key of a URL with a scheme or "www."; other text is not recognized.

    Very long URLs are shortened.
    """
    address = canonicalize_url(text) if _PLAINLY.match(text) else ""
    return _short(address.partition("://")[2]) if safe_url(address) else None


def url(key: str) -> str:
    return f"https://{key}"


def kind(key: str) -> str:
    parts = split_url(url(key))
    if parts is None:
        return "page"
    path = parts.path.lower()
    if parts.host == "github.com":  # Folder names on GitHub say nothing about the kind.
        return _first(_FILES, path) or "page"
    if is_paper_page(parts):
        return "paper"
    return _first(_FILES, path) or _first(_PATHS, path) or _kind_of_host(parts)


def label(key: str) -> str:
    """Return the host and the last path segment, which distinguishes pages of one site."""
    host, _, path = key.partition("?")[0].rstrip("/").removeprefix("www.").partition("/")
    last = unquote(path.rpartition("/")[2])
    return f"{host}/{'…/' if '/' in path else ''}{last}" if last else host


def _kind_of_host(parts: UrlParts) -> str:
    """Return the kind by host.

    A URL without a path is a site; only sites of courses and documentation have that kind.
    """
    host_kind = _first(_HOSTS, parts.host) or "page"
    return host_kind if parts.path or host_kind in {"course", "documentation"} else "page"


def _first(kinds: Iterable[tuple[str, re.Pattern[str]]], text: str) -> str | None:
    return next((name for name, pattern in kinds if pattern.fullmatch(text)), None)


def _short(key: str) -> str:
    """Return the key, shortened with a hash if it is too long for an index.

    The result is stable.
    """
    if len(key) <= MAX_KEY_BYTES:
        return key
    beginning = re.split(r"[?#%]", key, maxsplit=1)[0][:PREFIX_CHARS]
    shortened = f"https://{beginning}?sha256-{hashlib.sha256(key.encode()).hexdigest()}"
    return canonicalize_url(shortened).partition("://")[2]


def _shortened(key: str) -> bool:
    return _SHORTENED.search(key) is not None


def _links(key: str) -> tuple[WebLink, ...]:
    return () if _shortened(key) else (WebLink(url(key), _role(key)),)


def _is_page(key: str) -> bool:
    """Return True if the URL can be read as a page: not a file, and not shortened."""
    parts = split_url(url(key))
    return parts is not None and not _shortened(key) and not _NO_PAGE.fullmatch(parts.path.lower())


def _role(key: str) -> str:
    roles = {"paper": "pdf", "slides": "slides", "video": "video", "code": "code"}
    parts = split_url(url(key))
    return "landing" if parts and is_paper_page(parts) else roles.get(kind(key), "landing")


SOURCE = Source(
    name="url",
    recognise=recognize,
    url=url,
    order=1000,
    kind=kind,
    label=label,
    links=_links,
    shortened=_shortened,
    examples={
        "https://pytorch.org/blog/reducing-checkpointing-times/": "pytorch.org/blog/reducing-checkpointing-times",
        "http://Example.org:80/a?utm_source=x&b=1#part": "example.org/a?b=1",
        "HTTPS://WWW.Example.org": "www.example.org/",
        "https://aws.amazon.com/jp/blogs/machine-learning/elastic-training/": (
            "aws.amazon.com/jp/blogs/machine-learning/elastic-training"
        ),
        "https://example.org/#/routes/kept": "example.org/#/routes/kept",
        "javascript:alert(1)": None,
        "file:///etc/passwd": None,
        "https://user:secret@example.org/": None,
        "example.org/a": None,
        "just words": None,
        "": None,
    },
)

SERVICE = replace(
    page_service(SOURCE, label=N_("Web page"), stage="page", order=1000, tails=_TAILS, opens=_is_page),
    has_many_hosts=True,
)
