"""Articles at ojs.aaai.org, identified by number.

The URL also contains the journal, so the original one is kept as a link.
"""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source

_HOSTS = ("aaai.org",)
# Other journals on the same site, with shared numbering.
_OTHER_JOURNALS = ("ICWSM", "ICAPS", "HCOMP", "AIES", "AIIDE")
_ARTICLE = re.compile(r"(?:/.*)?/article/(?:view|download)/(\d+)(?:/.*)?", re.ASCII | re.IGNORECASE)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _ARTICLE.fullmatch(parts.path) if parts and parts.is_under(*_HOSTS) else None
    return match[1] if match else None


def url(key: str, journal: str = "AAAI") -> str:
    return f"https://ojs.aaai.org/index.php/{journal}/article/view/{key}"


SOURCE = Source(
    name="aaai",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"AAAI {key}",
    shortened=lambda _key: True,
    examples={
        "https://ojs.aaai.org/index.php/AAAI/article/view/17325": "17325",
        "https://ojs.aaai.org/index.php/AAAI/article/view/17325/17132": "17325",
        "https://ojs.aaai.org//index.php/AAAI/article/download/17325/17132": "17325",
        "https://www.aaai.org/ojs/index.php/AAAI/article/view/4482": "4482",
        "https://ojs.aaai.org/index.php/AAAI/issue/view/385": None,
        "https://aaai.org/conference/aaai/": None,
    },
)

SERVICE = page_service(
    SOURCE,
    label="AAAI",
    stage="published",
    order=40,
    requires_tags=True,
    other_addresses=lambda key: [url(key, journal) for journal in _OTHER_JOURNALS],
    opens=str.isdecimal,
)
