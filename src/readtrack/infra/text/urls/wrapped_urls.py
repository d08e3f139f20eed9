"""Unwrapping of redirect URLs: link.zhihu.com/?target=…, google.com/url?q=… and similar."""

import re
from functools import lru_cache
from urllib.parse import unquote

from readtrack.infra.text.urls.normalize import safe_url, split_address, with_scheme

MAX_NESTING = 3

# Redirect services, recognized by the first label of the host or by host and path.
_LEADING_LABEL = re.compile(r"(?:links?|redirect|redir|out|away|l|lm|slack-redir)\.[^/]+\.[^/]+/", re.IGNORECASE)
_WRAPPER = re.compile(
    r"(?:www\.)?(?:"
    r"google\.[a-z.]+/url|scholar\.google\.[a-z.]+/scholar_url|facebook\.com/l\.php|slack-redir\.net/link|"
    r"youtube\.com/redirect|linkedin\.com/(?:redir/redirect|safety/go)|duckduckgo\.com/l|vk\.com/away\.php|"
    r"t\.umblr\.com/redirect|[a-z0-9.]*safelinks\.protection\.outlook\.com/|gitee\.com/link|sspai\.com/link|"
    r"jianshu\.com/go(?:-wild)?|oschina\.net/action/gotolink|douban\.com/link2|infoq\.cn/link|"
    r"cloud\.tencent\.com/developer/tools/blog-entry|mp\.weixinbridge\.com/mp/wapredirect|c\.pc\.qq\.com/middlem\.html|"
    r"steamcommunity\.com/linkfilter|weibo\.cn/sinaurl|translate\.google\.[a-z.]+/translate"
    r")(?:/|$)",
    re.IGNORECASE,
)
_PARAMETERS = ("target", "url", "q", "u", "to", "uddg", "z", "goto", "dest", "destination", "pfurl", "session_redirect")
_IN_PATH = re.compile(
    r"https?://(?:r\.jina\.ai|web\.archive\.org/+web/[^/]+|archive\.(?:today|ph|is)/+(?:newest|o/[^/]+))/+(https?:/.+)",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)  # Several callers unwrap the same URL.
def unwrap(text: str) -> str:
    """Return the wrapped URL, at most three levels deep; other text unchanged.

    Percent-decodes once per level.
    """
    for _ in range(MAX_NESTING):
        wrapped_url = _inner(text)
        if wrapped_url is None:
            break
        text = wrapped_url
    return text


def _inner(text: str) -> str | None:
    address = safe_url(with_scheme(text.strip()))
    if address is None:
        return None
    path_match = _IN_PATH.fullmatch(address)
    if path_match:
        return safe_url(re.sub(r"^(https?):/+", r"\1://", path_match[1], flags=re.IGNORECASE))
    return _from_query(address) if "?" in address else None


def _from_query(address: str) -> str | None:
    parts = split_address(address)
    location = parts.host + (parts.path or "/") if parts else ""
    if parts is None or not (_LEADING_LABEL.match(location) or _WRAPPER.match(location)):
        return None
    parameters = dict(pair.partition("=")[::2] for pair in parts.query.split("&"))
    urls = (safe_url(unquote(parameters[name])) for name in _PARAMETERS if name in parameters)
    return next((url for url in urls if url), None)
