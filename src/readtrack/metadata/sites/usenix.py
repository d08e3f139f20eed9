"""USENIX papers.

The presentation page and all PDFs of a paper share the key conference/name.
"""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("usenix.org",)
_PRESENTATION = re.compile(
    r"/conference/([a-z]+-?\d{2,4})/(?:technical-sessions/)?presentation/([^/]+)(?:/.*)?", re.IGNORECASE
)
_FILE = re.compile(r"/(?:.*/)?([a-z-]+?-?\d{2,4})(?:-?papers?)?[-_](?:paper[-_])?([^/]+)\.pdf", re.IGNORECASE)
_NOT_THE_PAPER = re.compile(
    r"(?:.*[-_])?(?:slides?|poster|errata|abstract|appendix|frontmatter|cover|contents)(?:[-_.].*)?", re.IGNORECASE
)
_EDITION = re.compile(r"(?:-(?:prepub|final|updated|full|[0-2]))+$")
_CONFERENCE = re.compile(r"([a-z-]+?)-?(?:19|20)?(\d\d)")
_OTHER_NAMES = {"sec": "usenixsecurity", "security": "usenixsecurity", "usenixatc": "atc", "usenix-atc": "atc"}
_NEW_PAGES_FROM, _NINETIES = "18", "90"  # Until 2017, pages were below technical-sessions/.


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or not parts.is_under(*_HOSTS):
        return None
    match = _PRESENTATION.fullmatch(parts.path)
    if match is None and "/files/" in parts.path and not _NOT_THE_PAPER.fullmatch(parts.segments[-1]):
        match = _FILE.fullmatch(parts.path)
    return _key(match[1], match[2]) if match else None


def _key(conference: str, name: str) -> str | None:
    conference_match = _CONFERENCE.fullmatch(conference.lower())
    slug = re.sub(r"^paper-", "", re.sub("[_\u2010-\u2012]", "-", name.lower()))
    slug = _EDITION.sub("", slug)
    if conference_match is None or not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", slug):
        return None
    return f"{_OTHER_NAMES.get(conference_match[1], conference_match[1])}{conference_match[2]}/{slug}"


def url(key: str) -> str:
    conference, _, name = key.partition("/")
    directory = "" if _NEW_PAGES_FROM <= conference[-2:] < _NINETIES else "technical-sessions/"
    return f"https://www.usenix.org/conference/{conference}/{directory}presentation/{name}"


def _elsewhere(key: str) -> tuple[str, ...]:
    """Return alternative URLs: names with underscores, and the path used in other years."""
    address, name = url(key), key.partition("/")[2]
    underscored = address.removesuffix(name) + name.replace("-", "_")
    directory = "/technical-sessions/presentation/"
    other_address = (
        address.replace(directory, "/presentation/")
        if directory in address
        else address.replace("/presentation/", directory)
    )
    return (underscored, other_address) if underscored != address else (other_address,)


SOURCE = Source(
    name="usenix",
    recognise=recognize,
    url=url,
    order=30,
    hosts=_HOSTS,
    label=lambda key: f"USENIX {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://www.usenix.org/conference/nsdi24/presentation/hu": "nsdi24/hu",
        "https://www.usenix.org/system/files/osdi23-ren.pdf": "osdi23/ren",
        "https://www.usenix.org/system/files/osdi20-narayanan_vikram.pdf": "osdi20/narayanan-vikram",
        "https://www.usenix.org/system/files/osdi24-zhong-yinmin.pdf": "osdi24/zhong-yinmin",
        "https://www.usenix.org/system/files/conference/osdi14/osdi14-paper-chilimbi.pdf": "osdi14/chilimbi",
        "https://www.usenix.org/conference/osdi14/technical-sessions/presentation/chilimbi": "osdi14/chilimbi",
        "http://usenix.org/system/files/nsdi22-paper-goyal_prepub.pdf": "nsdi22/goyal",
        "https://www.usenix.org/system/files/sec22-bulekov.pdf": "usenixsecurity22/bulekov",
        "https://www.usenix.org/conference/usenixsecurity22/presentation/bulekov": "usenixsecurity22/bulekov",
        "https://www.usenix.org/system/files/atc22-zhou-zhe.pdf": "atc22/zhou-zhe",
        "https://www.usenix.org/system/files/osdi23_slides_ren.pdf": None,
        "https://www.usenix.org/conference/osdi23/technical-sessions": None,
        "https://www.usenix.org/conference/osdi23": None,
        "https://example.org/system/files/osdi23-ren.pdf": None,
    },
)

SERVICE = page_service(
    SOURCE, label="USENIX", stage="published", order=30, requires_tags=True, other_addresses=_elsewhere, base="usenix"
)
