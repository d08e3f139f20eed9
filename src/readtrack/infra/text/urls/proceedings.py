"""Proceedings sites of one make (NeurIPS, MLSys): a hash names a paper, year and number one of the virtual conference.

A hash alone leads nowhere, such a site wants its year too: the address as it was written stays a link of the paper.
"""

import re

_HASH = re.compile(r"(?:/.*)?/(?:file|hash)/([0-9a-f]{32})(?![0-9a-f]).*")
_FILE_OF = re.compile(r"/file/([0-9a-f]{32})-[A-Za-z]{1,40}(-[\w-]{1,60})?\.[a-z]{2,4}$")
_VIRTUAL = re.compile(r"/virtual/(\d{4})/(?:[a-z-]+/)?(\d+)(?:\.html)?", re.ASCII | re.IGNORECASE)


def proceedings_key(path: str) -> str | None:
    """The key that a path of such a site names: a hash, or "virtual/2023/71234"."""
    hashed, virtual = _HASH.fullmatch(path), _VIRTUAL.fullmatch(path)
    if hashed:
        return hashed[1]
    return f"virtual/{virtual[1]}/{virtual[2]}" if virtual else None


def proceedings_url(site: str, key: str) -> str:
    """The inverse, at `site`, a host without www."""
    virtual, _, rest = key.partition("/")
    if virtual == "virtual":
        year, _, number = rest.partition("/")
        return f"https://{site}/virtual/{year}/poster/{number}"
    return f"https://proceedings.{site}/paper/hash/{key}-Abstract.html"


def abstract_page(address: str) -> str:
    """The page about a work, by the address of any file of it: .../hash/…-Abstract.html for .../file/…-Paper.pdf."""
    page = _FILE_OF.sub(r"/hash/\1-Abstract\2.html", address, count=1)
    return re.sub("^http:", "https:", page)


def lacks_year(key: str) -> bool:
    """Whether the key alone gives no address that opens."""
    return not key.startswith("virtual/")
