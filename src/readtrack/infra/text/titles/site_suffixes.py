"""Removal of text that sites and browsers add to titles: site names, counters, "(PDF)", paper numbers."""

import re
from functools import lru_cache
from urllib.parse import urlsplit

from readtrack.infra.text.titles.vocabulary import SITES

_ID = r"(?:\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,2})?"
_CLASS = r"(?:\s?\[[\w.-]{2,20}\])?"
_JOINTS = "-–—|·•｜:：/"
_FIRST = (
    re.compile(
        r"[(（]\s*\d[^()（）]{0,30}(?:私信|消息|信息|条|封|通知|件|unread|notifications?|messages?)[^()（）]{0,20}[)）]\s*|"
        r"\(\d{1,4}\+?\)\s+",
        re.IGNORECASE,
    ),
    re.compile(
        rf"[\[【(（](?:arXiv\s?[:：]\s?)?{_ID}[\]】)）]\s*|arXiv\s?[:：]\s?{_ID}{_CLASS}\s?[-–—:：|]?\s+(?=\S)|"
        rf"{_ID}(?:\.pdf)?\s?[-–—:：|_]?\s+(?=[^\W\d_])",
        re.IGNORECASE,
    ),
    re.compile(
        r"[A-Z][\w'’-]{1,30}(?:(?:,\s|\s(?:and|&)\s)[A-Z][\w'’-]{1,30}){0,3},?\s?et al\.?,?\s?"
        r"(?:[(\[]?(?:19|20)\d\d[a-z]?[)\]]?)?"
        r"\s?[,:.–—-]{0,2}\s+(?=[\w\"“].{12})(?!(?:19|20)\d\d(?:\s\(|,|$))"
    ),
    re.compile(r"[(\[（【]\s?(?:pdf|paper|html|arxiv)\s?[)\]）】]\s*[:：-]?\s*(?=\S)", re.IGNORECASE),
    re.compile(
        r"(?:paper|title|paper title|论文(?:标题|题目|名称?)?|題目|题目|标题|標題|論文(?:タイトル|名)?|タイトル)"
        r"\s?[:：]\s*(?=\S)|Paper page - (?=\S)",
        re.IGNORECASE,
    ),
    re.compile(r"GitHub - (?=[\w.-]{1,60}/[\w.-])"),
)
# Each with characters of which one must occur, a prefilter cheaper than the pattern.
_LAST = (
    ("", re.compile(rf"(?:\s+[{_JOINTS}]\s+|\s*[|｜]\s*|_(?=[^\x00-\x7f]|CSDN)|\s+-)(?:{SITES})\s*$", re.IGNORECASE)),
    (
        "|｜",
        re.compile(
            r"\s[|｜]\s(?:Proceedings of|Proc\. |Companion|(?:ACM|IEEE) (?:Trans|SIG|Journals)|Communications of|"
            r"Journal of|Advances in|Machine Learning$)[^|｜]{0,200}$"
        ),
    ),
    ("|｜", re.compile(r"\s[|｜]\sby\s[^|｜]{1,60}(?:[|｜]\s[^|｜]{1,60})?$")),
    (".", re.compile(r"\s[-–—]\s[\w.%+-]{1,100}\.pdf$", re.IGNORECASE)),  # Browser tab title of a PDF.
    ("-–—", re.compile(r"\s[-–—]\s\(?PDF\)?$")),
    ("·", re.compile(r"(?<!\s)\s+at\s+[\w./-]{1,80}\s+·\s+[\w.-]{1,60}/[\w.-]{1,80}\s*$")),
    (
        "./",
        re.compile(
            rf"(?<!\s)\s*[(\[（【]\s?(?:arxiv\s?[:：]?\s?)?{_ID}{_CLASS}\s?[)\]）】]$|"
            rf"[.,]?\s+(?:arXiv preprint\s)?arXiv\s?[:：]\s?{_ID}{_CLASS}$",
            re.IGNORECASE,
        ),
    ),
    ("@", re.compile(r"\s?[(（]\s?@\s?[A-Za-z][^()（）@]{1,60}[)）]$")),  # Affiliation.
    (
        ")]）】",
        re.compile(
            r"(?<!\s)\s*[(\[（【]\s?(?:pdf|paper|link|code|github|slides|video|arxiv|html|blog|full text|论文|"
            r"论文链接|链接|代码|論文|リンク|コード)\s?[)\]）】]$",
            re.IGNORECASE,
        ),
    ),
)
_HOST_LAST = re.compile(r"(?<=\S)\s\((?P<name>(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,12})\)$")
_LAST_PART = re.compile(r"\s[-–—|·•｜]\s(?P<name>[^-–—|·•｜]{1,40})$")
_MAY_END = re.compile(r"\s[-–—·•:：/]\s|[|｜]|\s-\S|_[^\x00-\x7f]|_CSDN|[)\]）】]$|\d{4}(?:v\d{1,2})?\]?$")
_MAY_BEGIN = re.compile(r"[(\[（【\d]|arxiv|paper|title|github|论|題|题|标|標|論|タ|[a-z-]{2,10}/\d", re.IGNORECASE)
_PLAIN_HOST = re.compile(r"https?://(?:www\.)?([a-z0-9.-]+)(?=[/?#]|$)")
_MAX_ROUNDS = 4
_MAX_AUTHORS_CHARS = 130  # Maximum length of authors before a title.
_EDGE_CHARS = 260


def without_tails(title: str, address: str = "") -> str:
    """Remove text added by the site, browser or file.

    Keep the title if nothing else would be left.
    """
    labels = _host_labels(address) if address else frozenset[str]()
    for _ in range(_MAX_ROUNDS):
        shortened = _without_last(_without_first(title), labels).strip()
        if shortened == title or not shortened:
            break
        title = shortened
    return title


def without_host(title: str, address: str) -> str:
    """Remove the host of the address, as Edge and HackMD add it: `The Title (iacr.org)`."""
    host = _HOST_LAST.search(title) if title.endswith(")") else None
    return title[: host.start()] if host and f"{host['name']}/" in f"{address}/".partition("?")[0] else title


def _without_first(title: str) -> str:
    if _MAY_BEGIN.match(title) or "et al" in title[:_MAX_AUTHORS_CHARS]:
        for pattern in _FIRST:
            if match := pattern.match(title):
                return title[match.end() :]
    return title


def _without_last(title: str, labels: frozenset[str]) -> str:
    start = max(0, len(title) - _EDGE_CHARS)
    if not _MAY_END.search(title, max(0, start)):
        return title
    end = title[start:]
    for marks, pattern in _LAST:
        if (not marks or any(mark in end for mark in marks)) and (match := pattern.search(title, start)):
            return title[: match.start()]
    part_match = _LAST_PART.search(title, max(0, len(title) - 60)) if labels else None
    return title[: part_match.start()] if part_match and _squeezed(part_match["name"]) in labels else title


def _host_labels(address: str) -> frozenset[str]:
    """Return the names with which a site may sign its titles: pytorch.org -> pytorch, pytorchorg."""
    match = _PLAIN_HOST.match(address)
    if match:
        return _labels(match[1])
    try:
        return _labels((urlsplit(address).hostname or "").removeprefix("www."))
    except ValueError:
        return frozenset()


@lru_cache(maxsize=512)
def _labels(host: str) -> frozenset[str]:
    labels = host.split(".")[:-1]
    return frozenset([_squeezed(host), *(label for label in labels if len(label) > len("io"))])


def _squeezed(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
