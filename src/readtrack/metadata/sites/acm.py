"""Old URLs of the ACM Digital Library with ACM's own numbers; newer URLs contain a DOI.

Its pages block bots, so metadata comes from Crossref by DOI or from title searches.
"""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("dl.acm.org", "portal.acm.org")
_PAGE = re.compile(r"/(?:beta/)?(?:citation|ft_gateway|purchase|tab_about|poplogin)\.cfm", re.IGNORECASE)
_NUMBER = re.compile(r"(?:\d+\.)?(\d{4,})", re.ASCII)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or not parts.is_under(*_HOSTS) or not _PAGE.fullmatch(parts.path):
        return None
    number = _NUMBER.fullmatch(parts.query.get("id", "").strip())
    return number[1] if number else None


def url(key: str) -> str:
    return f"https://dl.acm.org/citation.cfm?id={key}"


SOURCE = Source(
    name="acm",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"ACM {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "http://portal.acm.org/citation.cfm?id=1327452.1327492": "1327492",
        "https://dl.acm.org/citation.cfm?id=2987554&CFID=1&CFTOKEN=2": "2987554",
        "http://dl.acm.org/ft_gateway.cfm?id=1327492&type=pdf": "1327492",
        "https://dl.acm.org/doi/10.1145/3627703.3650085": None,
        "https://dl.acm.org/author_page.cfm?id=81100088632": None,
        "https://dl.acm.org/citation.cfm": None,
    },
)
