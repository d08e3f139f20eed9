"""Papers of the VLDB Endowment, identified by volume and file name.

Only the PDF has a URL, so there is no page to read.
"""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("vldb.org",)
_PAPER = re.compile(r"(?:/.*)?/vol(\d+)/(?:papers/)?(p\d+-[\w-]+)\.pdf", re.IGNORECASE | re.ASCII)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _PAPER.fullmatch(parts.path) if parts and parts.is_under(*_HOSTS) else None
    return f"vol{match[1]}/{match[2].lower()}" if match else None


def url(key: str) -> str:
    return f"https://www.vldb.org/pvldb/{key}.pdf"


SOURCE = Source(
    name="pvldb",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"PVLDB {key}",
    links=lambda key: (WebLink(url(key), "pdf"),),
    examples={
        "http://www.vldb.org/pvldb/vol13/p3005-li.pdf": "vol13/p3005-li",
        "https://vldb.org/pvldb/vol13/p3005-li.pdf": "vol13/p3005-li",
        "https://www.vldb.org/pvldb/volumes/13": None,
        "https://www.vldb.org/2024/": None,
    },
)
