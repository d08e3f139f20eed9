"""Classification of URLs that are no papers: internal sites, account pages, vendor home pages, lists, search results.

General rules come first; the lists contain intranets and vendors that no rule can recognize. The result page of a
search is never a paper, but its search terms may name one.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from readtrack.infra.i18n import N_
from readtrack.infra.text.urls.ip import is_public
from readtrack.infra.text.urls.normalize import UrlParts, safe_url, split_url, unwrap, with_scheme

_NOT_ON_WEB = N_("A {scheme}: address is not on the web; it is never opened or stored as a link.")
_MALFORMED = N_("This is not a well-formed web address; it is never opened or stored as a link.")
_IN_NETWORK = N_("{host} can only be reached from inside a network; it is never fetched.")
_IN_COMPANY = N_("{host} is internal to a company; it is never fetched.")
_IS_ACCOUNT = N_("{page} is a page of somebody's account, not something to read.")
_IS_PROFILE = N_("{page} is the page of a person or an organisation, not one work.")
_IS_FRONT_PAGE = N_("{host} is the front page of a site, not one work.")
_IS_LIST = N_("{page} lists many things; it is not one work.")
PICTURE = N_("A picture or a badge is not something to read.")
_IS_EMPTY_SEARCH = N_("{host} shows a search without a query.")
JUNK_REASONS = (
    _NOT_ON_WEB, _MALFORMED, _IN_NETWORK, _IN_COMPANY, _IS_ACCOUNT, _IS_PROFILE, _IS_FRONT_PAGE, _IS_LIST, PICTURE,
    _IS_EMPTY_SEARCH,
)  # fmt: skip

# Last path segment of result pages, and the query parameters with the search terms.
_PAGE = re.compile(
    r"search(?:es|_?results?)?(?:\.\w+)?|s|scholar|web|results?|find|query|dosearch|searchresult\.jsp", re.IGNORECASE
)
_TYPED = ("q", "wd", "word", "query", "querytext", "search_query", "keyword", "keywords", "kw", "term", "text", "p")
_TYPED_AT_ROOT = {"duckduckgo.com": "q", "google.com": "q", "ecosia.org": "q", "perplexity.ai": "q", "kagi.com": "q"}
_ACM_FIELDS = ("allfield", "title")
INTRANETS = (
    "atatech.org", "antfin.com", "alibaba.net", "alipay.net", "woa.com", "byted.org", "bytedance.net", "sankuai.com",
    "a2z.com",
)  # fmt: skip
VENDORS = (
    "aliyun.com", "alibabacloud.com", "aws.amazon.com", "amazon.com", "azure.com", "azure.microsoft.com", "baidu.com",
    "bing.com", "bilibili.com", "cloud.google.com", "colab.research.google.com", "csdn.net", "facebook.com",
    "github.com", "gitlab.com", "google.com", "huaweicloud.com", "huggingface.co", "kaggle.com", "linkedin.com",
    "microsoft.com", "nvidia.com", "openai.com", "oracle.com", "qq.com", "reddit.com", "tencent.com", "twitter.com",
    "volcengine.com", "x.com", "youtube.com", "zhihu.com",
)  # fmt: skip
_INNER_SUFFIX = re.compile(
    r".*\.(?:local|localhost|localdomain|internal|intranet|corp|lan|home|private|test|invalid|example|home\.arpa)"
)
_INNER_LABEL = re.compile(r"(?:.*\.)?(?:corp|internal|intranet|vpn)\.[a-z0-9.-]+")
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*")
_INC_COMPANY = re.compile(r"(?:.*\.)?[a-z0-9]+-inc\.(?:com|cn|net)")
_ACCOUNT_HOST = re.compile(
    r"(?:accounts?|auth|billing|console|dashboard|id|login|mail|my|myaccount|passport|signin|sso|webmail)\..+"
)
_IS_WORK = re.compile(  # id.nii.ac.jp/1001/00232260, my.nps.edu/documents/report.pdf/1234
    r"id\.[^/]+/(?:.*/)?\d{4,}/?|[^/]+/.*\.pdf(?:/.*)?", re.IGNORECASE
)
_ACCOUNT_PAGE = re.compile(
    r"accounts?|auth|billing|cart|console|dashboard|inbox|log-?in|log-?out|messages?|notifications|oauth2?|password|"
    r"settings|sign-?in|sign-?out|sign-?up|register|myaccount\w*",
    re.IGNORECASE,
)
_LANDING = re.compile(r"(?:/(?:[a-z]{2}(?:[-_][a-z]{2,4})?))?(?:/(?:index|home|default)(?:\.\w+)?)?", re.IGNORECASE)
_PROFILE: Mapping[str, re.Pattern[str]] = {
    "zhihu.com": re.compile(r"/(?:people|org)/[^/]+(?:/.*)?"),
    "github.com": re.compile(r"/[^/]+|/(?:orgs|users|sponsors)/[^/]+(?:/.*)?"),
    "huggingface.co": re.compile(r"/(?!papers|models|datasets|spaces|docs|blog|learn|tasks)[^/]+"),
    "linkedin.com": re.compile(r"/(?:in|company)/[^/]+"),
    "twitter.com": re.compile(r"/[^/]+"),
    "x.com": re.compile(r"/[^/]+"),
    "youtube.com": re.compile(r"/(?:@[^/]+|(?:channel|c|user)/[^/]+)(?:/\w+)?"),
    "scholar.google.com": re.compile(r"/citations"),
    "openreview.net": re.compile(r"/profile"),
    "dblp.org": re.compile(r"/pid/.+"),
    "orcid.org": re.compile(r"/[\dX-]+"),
    "zenn.dev": re.compile(r"/[^/]+"),
    "speakerdeck.com": re.compile(r"/[^/]+"),
    "qiita.com": re.compile(r"/[^/]+"),
    "space.bilibili.com": re.compile(r"/\d+.*"),
    "weibo.com": re.compile(r"/(?:u/)?[^/]+"),
}
_PICTURE = re.compile(r".*\.(?:png|jpe?g|gif|svg|webp|ico|image)", re.IGNORECASE)
_LIST_QUERY = frozenset({"cat", "category", "category_id", "tag", "tags", "label", "page", "paged", "type", "sort"})
_LIST_PAGE = re.compile(
    r"(?:/[a-z]{2})?/(?:tags?|categor(?:y|ies)|topics?|labels?|collections|author|page)(?:/[^/]+)?(?:/page/\d+)?|"
    r"/archives?|/(?:list|trending|explore|stars|feed|hot|notifications|watching)(?:/.*)?|/column/[^/]+",
    re.IGNORECASE,
)


def search_terms(url: str) -> str | None:
    """Return the search terms if the URL is a result page, else None."""
    parts = split_url(unwrap(url))
    if parts is None or not parts.query:
        return None
    parameters = {name.lower(): value for name, value in parts.query.items()}
    for name in _parameters(parts):
        terms = " ".join(parameters.get(name, "").split())
        if terms:
            return terms
    return None


def _parameters(parts: UrlParts) -> tuple[str, ...]:
    if not parts.segments:
        engine = next((name for host, name in _TYPED_AT_ROOT.items() if parts.is_under(host)), None)
        return (engine,) if engine else ("s",)  # WordPress search is /?s=… at the root.
    if parts.segments[-1].lower() == "dosearch":
        return _ACM_FIELDS
    return _TYPED if _PAGE.fullmatch(parts.segments[-1]) or parts.segments[0].lower() == "search" else ()


def junk_reason(url: str) -> str | None:
    """Return the reason why a URL is no paper, as a sentence; None if it may be one.

    Search result pages with a query are left to `search_terms`, because the query may name a paper.
    """
    address = with_scheme(unwrap(url.strip()))
    parts = split_url(address) if safe_url(address) else None
    if parts is None:
        return _not_web(address)
    return next((reason for rule in _RULES if (reason := rule(parts, address))), None)


def _not_web(address: str) -> str:
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", address, re.IGNORECASE)
    if scheme and scheme[1].lower() not in {"http", "https"}:
        return _NOT_ON_WEB.format(scheme=scheme[1].lower())
    return _MALFORMED


def _inside_a_company(parts: UrlParts, _address: str) -> str | None:
    return inner_reason(parts.host)


def internal_host(url: str) -> str:
    """Return the host of a URL if it can only be reached from inside a network or a company, else ""."""
    parts = split_url(with_scheme(unwrap(url.strip())))
    return parts.host if parts is not None and inner_reason(parts.host) else ""


@lru_cache(maxsize=512)  # A list links to few hosts.
def inner_reason(host: str) -> str | None:
    """Return the reason why a host is internal, as a sentence; None if it may be public."""
    is_bare_name = "." not in host and ":" not in host
    if is_bare_name or _INNER_SUFFIX.fullmatch(host) or _INNER_LABEL.fullmatch(host) or _not_public(host):
        return _IN_NETWORK.format(host=host)
    if UrlParts(host, "").is_under(*INTRANETS) or _INC_COMPANY.fullmatch(host):
        return _IN_COMPANY.format(host=host)
    return None


def _not_public(host: str) -> bool:
    """Return True for non-public addresses, also 127.1, 0x7f.1 and 2130706433, which resolvers accept."""
    return (":" in host or bool(_NUMERIC.fullmatch(host))) and not is_public(host)


def _account_page(parts: UrlParts, _address: str) -> str | None:
    route = tuple(segment for segment in parts.fragment.strip("/!").split("/") if segment)
    pages = (*parts.segments[:1], *route[:1])
    is_account_host = _ACCOUNT_HOST.fullmatch(parts.host) and not _IS_WORK.fullmatch(f"{parts.host}{parts.path}")
    if is_account_host or any(_ACCOUNT_PAGE.fullmatch(page) for page in pages):
        return _IS_ACCOUNT.format(page=f"{parts.host}{parts.path}")
    return None


def _profile(parts: UrlParts, _address: str) -> str | None:
    profile_hosts = parts.domains & _PROFILE.keys()
    if any(_PROFILE[host].fullmatch(parts.path) for host in profile_hosts) or re.fullmatch(r"/@[^/]+", parts.path):
        return _IS_PROFILE.format(page=f"{parts.host}{parts.path}")
    return None


def _landing(parts: UrlParts, _address: str) -> str | None:
    if parts.host in VENDORS and _LANDING.fullmatch(parts.path) and not parts.query and not parts.fragment:
        return _IS_FRONT_PAGE.format(host=parts.host)
    return None


def _list_page(parts: UrlParts, _address: str) -> str | None:
    is_list = _LIST_PAGE.fullmatch(parts.path) or (parts.query and not parts.path and set(parts.query) <= _LIST_QUERY)
    return _IS_LIST.format(page=f"{parts.host}{parts.path}") if is_list else None


def _picture(parts: UrlParts, _address: str) -> str | None:
    if _PICTURE.fullmatch(parts.path) or parts.is_under("shields.io", "badge.fury.io", "badgen.net"):
        return PICTURE
    return None


def _empty_search(parts: UrlParts, address: str) -> str | None:
    is_search_page = parts.segments and parts.segments[-1].lower() in {"search", "results"}
    return _IS_EMPTY_SEARCH.format(host=parts.host) if is_search_page and not search_terms(address) else None


_RULES: tuple[Callable[[UrlParts, str], str | None], ...] = (
    _inside_a_company,
    _account_page,
    _landing,
    _profile,
    _list_page,
    _picture,
    _empty_search,
)
