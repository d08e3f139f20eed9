"""NeurIPS papers since 2020: abstract page, PDF and supplement share a hash; pages of the virtual conference a number.

A hash alone leads nowhere, the site wants its year too: the address as it was written stays a link of the paper.
"""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import parts

HOSTS = ("neurips.cc", "nips.cc")
_HASH = re.compile(r"(?:/.*)?/(?:file|hash)/([0-9a-f]{32})(?![0-9a-f]).*")
_VIRTUAL = re.compile(r"/virtual/(\d{4})/(?:[a-z-]+/)?(\d+)(?:\.html)?", re.ASCII | re.IGNORECASE)


def recognise(text: str) -> str | None:
    where = parts(text)
    if where is None or not where.at(*HOSTS):
        return None
    proceedings, virtual = _HASH.fullmatch(where.path), _VIRTUAL.fullmatch(where.path)
    if proceedings:
        return proceedings[1]
    return f"virtual/{virtual[1]}/{virtual[2]}" if virtual else None


def url(key: str) -> str:
    virtual, _, rest = key.partition("/")
    if virtual == "virtual":
        year, _, number = rest.partition("/")
        return f"https://neurips.cc/virtual/{year}/poster/{number}"
    return f"https://proceedings.neurips.cc/paper/hash/{key}-Abstract.html"


def _shortened(key: str) -> bool:
    return not key.startswith("virtual/")


SOURCE = Source(
    name="neurips",
    recognise=recognise,
    url=url,
    order=40,
    hosts=HOSTS,
    label=lambda key: f"NeurIPS {key.removeprefix('virtual/')}",
    links=lambda key: () if _shortened(key) else (WebLink(url(key), "landing"),),
    shortened=_shortened,
    examples={
        "https://proceedings.neurips.cc/paper/2020/hash/1457c0d6bfcb4967418bfb8ac142f64a-Abstract.html": (
            "1457c0d6bfcb4967418bfb8ac142f64a"
        ),
        "https://proceedings.neurips.cc/paper_files/paper/2020/file/1457c0d6bfcb4967418bfb8ac142f64a-Paper.pdf": (
            "1457c0d6bfcb4967418bfb8ac142f64a"
        ),
        "http://papers.neurips.cc/paper_files/paper/2022/file/67d57c32e20fd0a7a302cb81d36e40d5-Paper-Conference.pdf": (
            "67d57c32e20fd0a7a302cb81d36e40d5"
        ),
        "https://neurips.cc/virtual/2023/poster/71234": "virtual/2023/71234",
        "https://nips.cc/virtual/2022/oral/55432": "virtual/2022/55432",
        "https://papers.nips.cc/paper/7181-attention-is-all-you-need": None,
        "https://neurips.cc/virtual/2023/papers.html": None,
        "https://neurips.cc/Conferences/2023": None,
    },
)
