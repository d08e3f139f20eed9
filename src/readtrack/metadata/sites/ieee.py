"""IEEE Xplore documents; page and PDF share a number."""

import re

from readtrack.infra.text.urls import UrlParts, split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("ieeexplore.ieee.org",)
_DOCUMENT = re.compile(r"(?:/.*)?/document/0*(\d+)(?:/.*)?", re.ASCII)
_FILE = re.compile(r"/.*/0*(\d{5,})\.pdf", re.ASCII)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    return _document_number(parts) if parts and parts.is_under(*_HOSTS) else None


def _document_number(parts: UrlParts) -> str | None:
    if document := _DOCUMENT.fullmatch(parts.path):
        return document[1]
    number = parts.query.get("arnumber", "").strip().lstrip("0")
    if re.fullmatch(r"\d+", number, re.ASCII):
        return number
    file = _FILE.fullmatch(parts.path)
    return file[1] if file else None


def url(key: str) -> str:
    return f"https://ieeexplore.ieee.org/document/{key}"


SOURCE = Source(
    name="ieee",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"IEEE {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://ieeexplore.ieee.org/document/6777559": "6777559",
        "https://ieeexplore.ieee.org/abstract/document/9355301/": "9355301",
        "https://ieeexplore.ieee.org/stamp/stamp.jsp?tp=&arnumber=9370308": "9370308",
        "https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=07446078&casa_token=a:b&tag=1": "7446078",
        "https://ieeexplore.ieee.org/ielx7/71/8735882/08737532.pdf": "8737532",
        "https://ieeexplore.ieee.org/xpl/login.jsp?tp=&arnumber=6777559": "6777559",
        "https://ieeexplore.ieee.org/xpl/conhome/9370287/proceeding": None,
        "https://ieeexplore.ieee.org/author/37086454000": None,
    },
)

SERVICE = page_service(
    SOURCE,
    label="IEEE Xplore",
    stage="published",
    order=40,
    tails=(" | IEEE Xplore", " | IEEE Conference Publication", " | IEEE Journals & Magazine"),
)
