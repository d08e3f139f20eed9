"""Proceedings sites of one family (NeurIPS, MLSys).

Papers are named by hash, virtual conference posters by year and number. The URL of a hash also contains the year, so a
hash alone gives no working URL: the original URL is kept as a link of the paper.
"""

import re

_HASH = re.compile(r"(?:/.*)?/(?:file|hash)/([0-9a-f]{32})(?![0-9a-f]).*")
_FILE_OF = re.compile(r"/file/([0-9a-f]{32})-[A-Za-z]{1,40}(-[\w-]{1,60})?\.[a-z]{2,4}$")
_VIRTUAL = re.compile(r"/virtual/(\d{4})/(?:[a-z-]+/)?(\d+)(?:\.html)?", re.ASCII | re.IGNORECASE)


def proceedings_key(path: str) -> str | None:
    """Return the key in a path of such a site: a hash, or "virtual/2023/71234".

    Return None for other paths.
    """
    hash_match, virtual = _HASH.fullmatch(path), _VIRTUAL.fullmatch(path)
    if hash_match:
        return hash_match[1]
    return f"virtual/{virtual[1]}/{virtual[2]}" if virtual else None


def proceedings_url(site: str, key: str) -> str:
    """Return the URL for a key; the inverse of `proceedings_key`.

    `site` is a host without "www.".
    """
    virtual, _, rest = key.partition("/")
    if virtual == "virtual":
        year, _, number = rest.partition("/")
        return f"https://{site}/virtual/{year}/poster/{number}"
    return f"https://proceedings.{site}/paper/hash/{key}-Abstract.html"


def abstract_page(address: str) -> str:
    """Return the abstract page for the URL of a file: .../hash/…-Abstract.html for .../file/…-Paper.pdf."""
    page = _FILE_OF.sub(r"/hash/\1-Abstract\2.html", address, count=1)
    return re.sub("^http:", "https:", page)


def lacks_year(key: str) -> bool:
    """Return True if the key alone does not give a working URL."""
    return not key.startswith("virtual/")
