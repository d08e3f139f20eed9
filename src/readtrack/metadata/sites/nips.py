"""NIPS papers up to 2019, identified by number.

The URL also contains title words, so the original one is kept as a link, and its page is requested.
"""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.sites.neurips import HOSTS
from readtrack.metadata.types import Source

_PAPER = re.compile(r"/paper/(\d{3,5})-.*", re.ASCII)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _PAPER.fullmatch(parts.path) if parts and parts.is_under(*HOSTS) else None
    return match[1] if match else None


def url(key: str) -> str:
    return f"https://papers.nips.cc/paper/{key}-"


SOURCE = Source(
    name="nips",
    recognise=recognize,
    url=url,
    order=40,
    hosts=HOSTS,
    label=lambda key: f"NIPS {key}",
    shortened=lambda _key: True,
    examples={
        "https://papers.nips.cc/paper/7181-attention-is-all-you-need.pdf": "7181",
        "http://papers.nips.cc/paper/7181-attention-is-all-you-need": "7181",
        "https://papers.neurips.cc/paper/9015-pytorch-an-imperative-style.pdf": "9015",
        "https://proceedings.neurips.cc/paper/2020/hash/1457c0d6bfcb4967418bfb8ac142f64a-Abstract.html": None,
        "https://papers.nips.cc/book/advances-in-neural-information-processing-systems-30-2017": None,
    },
)


def _page(address: str) -> str:
    return re.sub(r"^http:", "https:", address.removesuffix(".pdf"))


SERVICE = page_service(SOURCE, label="NIPS", stage="published", order=40, to_page=_page)
