"""Proceedings of Machine Learning Research, identified by volume and paper."""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink

_PAPER = re.compile(r"/v(\d+)/([a-z-]+\d\d[a-z]*)(?:[./].*)?", re.IGNORECASE | re.ASCII)
_AT_JMLR = "/proceedings/papers"  # Location of the first volumes.


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or not (
        parts.is_under("mlr.press") or (parts.is_under("jmlr.org") and parts.path.startswith(_AT_JMLR))
    ):
        return None
    match = _PAPER.fullmatch(parts.path.removeprefix(_AT_JMLR))
    return f"v{match[1]}/{match[2].lower()}" if match else None


def url(key: str) -> str:
    return f"https://proceedings.mlr.press/{key}.html"


def _pdf(key: str) -> str:
    return f"https://proceedings.mlr.press/{key}/{key.partition('/')[2]}.pdf"


SOURCE = Source(
    name="pmlr",
    recognise=recognize,
    url=url,
    order=40,
    hosts=("mlr.press", "jmlr.org"),
    label=lambda key: f"PMLR {key}",
    links=lambda key: (WebLink(url(key), "landing"), WebLink(_pdf(key), "pdf")),
    examples={
        "https://proceedings.mlr.press/v162/rajbhandari22a/rajbhandari22a.pdf": "v162/rajbhandari22a",
        "http://proceedings.mlr.press/v139/he21a.html": "v139/he21a",
        "https://proceedings.mlr.press/v139/he21a": "v139/he21a",
        "http://jmlr.org/proceedings/papers/v28/pascanu13.pdf": "v28/pascanu13",
        "https://proceedings.mlr.press/v139/": None,
        "https://proceedings.mlr.press/": None,
    },
)

SERVICE = page_service(SOURCE, label="PMLR", stage="published", order=40, requires_tags=True)
