"""IEEE Xplore documents: the page and the stamped PDF are one number."""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import Parts, parts

_DOCUMENT = re.compile(r"(?:/abstract)?/document/0*(\d+)(?:/.*)?")
_FILE = re.compile(r"/(?:iel?[x\d]+|ielx?\d+)/.*/0*(\d{5,})\.pdf")
_STAMP = ("/stamp/stamp.jsp", "/stampPDF/getPDF.jsp", "/xpls/abs_all.jsp", "/xpl/articleDetails.jsp")


def recognise(text: str) -> str | None:
    where = parts(text)
    return _named(where) if where and where.at("ieeexplore.ieee.org") else None


def _named(where: Parts) -> str | None:
    if where.path in _STAMP:
        number = where.query.get("arnumber", "").lstrip("0")
        return number if re.fullmatch(r"\d+", number, re.ASCII) else None
    named = _DOCUMENT.fullmatch(where.path) or _FILE.fullmatch(where.path)
    return named[1] if named else None


def url(key: str) -> str:
    return f"https://ieeexplore.ieee.org/document/{key}"


SOURCE = Source(
    name="ieee",
    recognise=recognise,
    url=url,
    order=40,
    label=lambda key: f"IEEE {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://ieeexplore.ieee.org/document/6777559": "6777559",
        "https://ieeexplore.ieee.org/abstract/document/9355301/": "9355301",
        "https://ieeexplore.ieee.org/stamp/stamp.jsp?tp=&arnumber=9370308": "9370308",
        "https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=07446078&casa_token=a:b&tag=1": "7446078",
        "https://ieeexplore.ieee.org/ielx7/71/8735882/08737532.pdf": "8737532",
        "https://ieeexplore.ieee.org/xpl/conhome/9370287/proceeding": None,
        "https://ieeexplore.ieee.org/author/37086454000": None,
    },
)
