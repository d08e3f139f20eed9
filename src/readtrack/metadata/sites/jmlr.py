"""JMLR papers, identified by volume and number."""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("jmlr.org", "jmlr.csail.mit.edu")
_PAPER = re.compile(r"/papers/(?:volume|v)(\d+)/([\w-]+)(?:\.html|\.pdf|/.*)?", re.ASCII)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _PAPER.fullmatch(parts.path) if parts and parts.is_under(*_HOSTS) else None
    return f"v{match[1]}/{match[2]}" if match else None


def url(key: str) -> str:
    return f"https://jmlr.org/papers/{key}.html"


SOURCE = Source(
    name="jmlr",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"JMLR {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://www.jmlr.org/papers/volume23/21-0998/21-0998.pdf": "v23/21-0998",
        "https://jmlr.org/papers/v21/20-074.html": "v21/20-074",
        "https://jmlr.org/papers/v21/": None,
        "https://jmlr.org/papers/": None,
    },
)

SERVICE = page_service(SOURCE, label="JMLR", stage="published", order=40, requires_tags=True)
