"""Validation, parsing, canonicalization and unwrapping of URLs.

Unwrapped are redirect URLs: link.zhihu.com/?target=…, google.com/url?q=… and similar.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

MAX_LENGTH, MAX_HOST = 4000, 253
DEFAULT_PORTS = {"http": 80, "https": 443}
TRAILING = ".,;:!?*~'"

# Hosts, with their subdomains, known to support https, so that http:// is treated as the same URL.
_HTTPS_HOSTS = frozenset(
    "aclanthology.org acm.org aliyun.com amazon.com arxiv.org bilibili.com cmu.edu csdn.net doi.org github.com "  # noqa: SIM905 - a list of words
    "github.io google.com huggingface.co ieee.org jmlr.org juejin.cn medium.com microsoft.com mit.edu mlr.press "
    "mlsys.org nature.com neurips.cc nips.cc note.com nvidia.com openai.com openreview.net openaccess.thecvf.com "
    "pytorch.org qiita.com qq.com readthedocs.io semanticscholar.org speakerdeck.com springer.com stanford.edu "
    "substack.com twitter.com usenix.org vldb.org wikipedia.org x.com youtu.be youtube.com zenn.dev zhihu.com".split()
)

_TRACKING = re.compile(
    r"utm_\w*|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|mkt_tok|_hs(?:enc|mi)|spm|spm_id_from|scm|ref|ref_|"
    r"ref_?src|ref_?url|referrer|vd_source|share_\w+|sharer_\w+|shareuid|casa_token|accounttraceid|trk|trackingid|"
    r"from_wecom|wechat_redirect|gi|ncid|guccounter|guce_\w+|ck_subscriber_id|intcmp|_x_tr_\w+"
)
_TRACKING_AT: Mapping[str, re.Pattern[str]] = {
    "twitter.com": re.compile(r"[st]"),
    "x.com": re.compile(r"[st]"),
    "medium.com": re.compile(r"source|sk"),
    "youtube.com": re.compile(r"si|feature|pp|ab_channel"),
    "youtu.be": re.compile(r"si|feature"),
    "mp.weixin.qq.com": re.compile(
        r"chksm|scene|subscene|exptype|show_related_article|sessionid|clicktime|enterid|ascene|devicetype|version|"
        r"nettype|abtest_cookie|lang|exportkey|pass_ticket|wx_header|mpshare|srcid|key|uin|poc_token|realreporttime"
    ),
    "zhihu.com": re.compile(r"s_r|s_s_i|hybrid_search_\w+|type|native|invite_code"),
    "csdn.net": re.compile(r"ops_request_misc|request_id|biz_id|depth_[\w-]+"),
    "substack.com": re.compile(r"r|s|publication_id|post_id|isFreemail|triedRedirect"),
}

_HOST_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"(?:{_HOST_LABEL}\.)*{_HOST_LABEL}|[0-9a-f:.]*:[0-9a-f:.]*")
_BARE = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}/\S|www\.[a-z0-9-]+\.\S", re.IGNORECASE)
_NOT_IN_AN_ADDRESS = re.compile(r"[\x00-\x20\x7f\\\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_KEEP = "!#$%&()*+,/:;=?@[]~"
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_PLAIN = re.compile(r"[\w!#$&()*+,/:;=?@\[\]~.-]*", re.ASCII)  # Nothing escaped and nothing to escape.
# Fast path: the most common form, with the same parts as urlsplit.
_AS_MOST = re.compile(r"(https?)://([A-Za-z0-9_.-]+)(/[^?#\s]*)?(?:\?([^#\s]*))?(?:#(\S*))?")
# URLs already in canonical form.
_CANONICAL = re.compile(
    r"https://(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
    r"(?:/|(?:/[\w-]+(?:\.[\w-]+)*)+)",
    re.ASCII,
)
_SLASHES = re.compile(r"(?<!:)/{2,}")
_AMPERSANDS = re.compile(r"&(?:amp;)+")
_CACHE_SIZE = 512  # Cache size; several sources check the same URL in a row.
MAX_NESTING = 3
# Redirect services, recognized by the first label of the host or by host and path.
_LEADING_LABEL = re.compile(r"(?:links?|redirect|redir|out|away|l|lm|slack-redir)\.[^/.]+\.[^/]+/", re.IGNORECASE)
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
    r"https?://(?:r\.jina\.ai|web\.archive\.org/+web/[^/]+|archive\.(?:today|ph|is)/+(?:newest|o/[^/]+)|"
    r"(?:www\.)?sci-hub\.[a-z]{2,4})/+(https?:/.+)",
    re.IGNORECASE,
)


class _Split(NamedTuple):
    """The parts of a URL as written, except that scheme and host are lower-case ASCII."""

    scheme: str
    host: str
    port: int | None
    path: str
    query: str
    fragment: str


@dataclass(frozen=True)
class UrlParts:
    """The parts of a canonical URL.

    `host` has no "www.", `path` is percent-decoded without a trailing slash.
    """

    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    fragment: str = ""

    @cached_property
    def segments(self) -> tuple[str, ...]:
        return tuple(segment for segment in self.path.split("/") if segment)

    @property
    def domains(self) -> frozenset[str]:
        """Return the host and its parent domains."""
        return _domains(self.host)

    def is_under(self, *domains: str) -> bool:
        """Return True if the host is one of the domains or a subdomain of one."""
        return not _domains(self.host).isdisjoint(domains)


def safe_url(url: str) -> str | None:
    """Return the stripped URL if it is safe to store and link, else None.

    Safe URLs are well-formed http(s) URLs without a user name.
    """
    url = url.strip()
    if len(url) > MAX_LENGTH or _NOT_IN_AN_ADDRESS.search(url):
        return None
    return url if split_address(url) else None


@lru_cache(_CACHE_SIZE)
def canonicalize_url(url: str) -> str:
    """Return the canonical form of a URL; other text is only stripped. Idempotent."""
    url = url.strip()
    if len(url) <= MAX_HOST and _CANONICAL.fullmatch(url):
        return url
    full_url = with_scheme(url)
    parts = split_address(full_url) if safe_url(full_url) else None
    if parts is None:
        return url
    path, query = _path(parts.path), _query(parts.query, parts.host)
    fragment = _escaped(parts.fragment).rstrip(TRAILING) if parts.fragment.startswith(("/", "!")) else ""
    ending = (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")
    return f"{_scheme(parts)}://{_authority(parts)}{path}{ending}"


@lru_cache(_CACHE_SIZE)
def split_url(text: str) -> UrlParts | None:
    """Return the parts of a URL, with or without scheme; None if the text is no URL."""
    parts = split_address(canonicalize_url(text))
    if parts is None:
        return None
    pairs = parse_qsl(parts.query, keep_blank_values=True) if parts.query else []
    host = parts.host.removeprefix("www.")
    return UrlParts(host, unquote(parts.path).rstrip("/"), dict(reversed(pairs)), unquote(parts.fragment))


def with_scheme(text: str) -> str:
    """Add https:// to URLs written without a scheme: `arxiv.org/abs/1`, `www.usenix.org`."""
    return text if text.startswith(("https://", "http://")) or not _BARE.match(text) else f"https://{text}"


@lru_cache(_CACHE_SIZE)
def split_address(url: str) -> _Split | None:
    """Return the parts of a well-formed http(s) URL without user name; else None."""
    common_match = _AS_MOST.fullmatch(url)
    if common_match:
        scheme, host_text, path, query, fragment = common_match.groups("")
        host = _ascii(host_text)
        return _Split(scheme, host, None, path, query, fragment) if host is not None else None
    return _split_thoroughly(url)


def _split_thoroughly(url: str) -> _Split | None:
    try:
        parts = urlsplit(url)
        scheme, port, host = parts.scheme.lower(), parts.port, _ascii(parts.hostname or "")
    except ValueError:
        return None
    if host is None or scheme not in DEFAULT_PORTS or "@" in parts.netloc or port == 0:
        return None
    return _Split(scheme, host, port, parts.path, parts.query, parts.fragment)


@lru_cache(_CACHE_SIZE)
def _ascii(host: str) -> str | None:
    name = host.rstrip(".")
    try:
        ascii_host = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        return None
    ascii_host = ascii_host.lower()
    return ascii_host if len(ascii_host) <= MAX_HOST and _HOST.fullmatch(ascii_host) else None


@lru_cache(_CACHE_SIZE)
def _domains(host: str) -> frozenset[str]:
    """Return the host and its parent domains."""
    labels = host.split(".")
    return frozenset(".".join(labels[index:]) for index in range(len(labels)))


def _scheme(parts: _Split) -> str:
    return parts.scheme if _HTTPS_HOSTS.isdisjoint(_domains(parts.host)) else "https"


def _authority(parts: _Split) -> str:
    host = f"[{parts.host}]" if ":" in parts.host else parts.host
    return host if parts.port in {None, DEFAULT_PORTS[parts.scheme]} else f"{host}:{parts.port}"


def _path(path: str) -> str:
    escaped = _escaped(path)
    collapsed = _SLASHES.sub("/", escaped) if "//" in escaped else escaped
    return collapsed.rstrip(TRAILING + "/") or "/"


def _query(query: str, host: str) -> str:
    if not query:
        return ""
    pairs = (_escaped(pair).rstrip(TRAILING) for pair in _AMPERSANDS.sub("&", query).split("&"))
    return "&".join(pair for pair in pairs if pair and not _tracks(pair.partition("=")[0], host))


def _tracks(name: str, host: str) -> bool:
    if _TRACKING.fullmatch(name):
        return True
    return any(_TRACKING_AT[domain].fullmatch(name) for domain in _domains(host) & _TRACKING_AT.keys())


def _escaped(text: str) -> str:
    """Normalize percent-escapes: decode unneeded ones, upper-case the others."""
    if _PLAIN.fullmatch(text):
        return text
    stray_escaped = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text)
    return "".join(_reescaped(stray_escaped))


def _reescaped(text: str) -> Iterator[str]:
    start = 0
    for match in _ESCAPE.finditer(text):
        yield quote(text[start : match.start()], safe=_KEEP)
        letter = chr(int(match[1], 16))
        yield letter if _UNRESERVED.fullmatch(letter) else match[0].upper()
        start = match.end()
    yield quote(text[start:], safe=_KEEP)


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
    if "?" not in text and "http" not in text[4:].lower():  # nothing to unwrap, as in most URLs
        return None
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
