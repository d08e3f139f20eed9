"""MLSys papers: abstract page and PDF share a hash; pages of the virtual conference have a number.

As with NeurIPS a hash alone leads nowhere: the address as it was written stays a link of the paper.
"""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import parts

_HOSTS = ("mlsys.org",)
_HASH = re.compile(r"(?:/.*)?/(?:file|hash)/([0-9a-f]{32})(?![0-9a-f]).*")
_VIRTUAL = re.compile(r"/virtual/(\d{4})/(?:[a-z-]+/)?(\d+)(?:\.html)?", re.ASCII | re.IGNORECASE)


def recognise(text: str) -> str | None:
    where = parts(text)
    if where is None or not where.at(*_HOSTS):
        return None
    proceedings, virtual = _HASH.fullmatch(where.path), _VIRTUAL.fullmatch(where.path)
    if proceedings:
        return proceedings[1]
    return f"virtual/{virtual[1]}/{virtual[2]}" if virtual else None


def url(key: str) -> str:
    virtual, _, rest = key.partition("/")
    if virtual == "virtual":
        year, _, number = rest.partition("/")
        return f"https://mlsys.org/virtual/{year}/poster/{number}"
    return f"https://proceedings.mlsys.org/paper/hash/{key}-Abstract.html"


def _shortened(key: str) -> bool:
    return not key.startswith("virtual/")


SOURCE = Source(
    name="mlsys",
    recognise=recognise,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"MLSys {key.removeprefix('virtual/')}",
    links=lambda key: () if _shortened(key) else (WebLink(url(key), "landing"),),
    shortened=_shortened,
    examples={
        "https://proceedings.mlsys.org/paper/2020/file/f7177163c833dff4b38fc8d2872f1ec6-Paper.pdf": (
            "f7177163c833dff4b38fc8d2872f1ec6"
        ),
        "https://proceedings.mlsys.org/paper_files/paper/2024/hash/f7177163c833dff4b38fc8d2872f1ec6-Abstract-Conference.html": (  # noqa: E501 - an address
            "f7177163c833dff4b38fc8d2872f1ec6"
        ),
        "https://mlsys.org/virtual/2024/poster/2645": "virtual/2024/2645",
        "https://proceedings.mlsys.org/book/271.pdf": None,
        "https://mlsys.org/Conferences/2024": None,
    },
)
