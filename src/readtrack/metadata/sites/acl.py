"""ACL Anthology papers, with or without .pdf, at old and new URLs."""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("aclanthology.org", "aclanthology.info", "aclweb.org", "aclanthology.coli.uni-saarland.de")
_KEY = re.compile(
    r"(?:/anthology|/papers|/pdf)*/(?:[a-z]/[a-z]\d\d/)?([a-z]\d\d-\d{4}|\d{4}\.[a-z0-9_-]+\.\d+)(?:v\d+)?(?:\.\w+|/.*)?",
    re.IGNORECASE,
)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _KEY.fullmatch(parts.path) if parts and parts.is_under(*_HOSTS) else None
    if match is None:
        return None
    return match[1].lower() if match[1][0].isdigit() else match[1].upper()


def url(key: str) -> str:
    return f"https://aclanthology.org/{key}"


SOURCE = Source(
    name="acl",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"ACL {key}",
    links=lambda key: (WebLink(url(key), "landing"), WebLink(f"{url(key)}.pdf", "pdf")),
    examples={
        "https://aclanthology.org/2021.naacl-main.208/": "2021.naacl-main.208",
        "https://aclanthology.org/2021.naacl-main.208.pdf": "2021.naacl-main.208",
        "https://www.aclweb.org/anthology/N04-1001.pdf": "N04-1001",
        "http://aclweb.org/anthology/papers/N/N04/N04-1001/": "N04-1001",
        "https://aclanthology.org/venues/naacl/": None,
        "https://aclanthology.org/volumes/2021.naacl-main/": None,
    },
)

SERVICE = page_service(SOURCE, label="ACL Anthology", stage="published", order=40, requires_tags=True)
