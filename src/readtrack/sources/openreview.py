"""OpenReview submissions: forum, PDF and attachments of one id."""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import parts

_HOSTS = ("openreview.net",)
_HASH = re.compile(r"[0-9a-f]{40}")
_FILE = re.compile(r"/pdf/([0-9a-f]{40})\.pdf")
_PAGES = ("/forum", "/pdf", "/attachment", "/references/pdf", "/revisions", "/notes/edits/attachment")


def recognise(text: str) -> str | None:
    where = parts(text)
    if where is None or not where.at(*_HOSTS):
        return None
    if file := _FILE.fullmatch(where.path):
        return file[1]
    if where.path not in _PAGES:
        return None
    key = where.query.get("id", "").strip()
    return key if re.fullmatch(r"[\w-]{6,64}", key, re.ASCII) else None


def url(key: str) -> str:
    """A file has a name of forty digits, which no forum has."""
    return f"https://openreview.net/pdf/{key}.pdf" if _HASH.fullmatch(key) else f"https://openreview.net/forum?id={key}"


def _links(key: str) -> tuple[WebLink, ...]:
    if _HASH.fullmatch(key):
        return (WebLink(url(key), "pdf"),)
    return (WebLink(url(key), "landing"), WebLink(f"https://openreview.net/pdf?id={key}", "pdf"))


SOURCE = Source(
    name="openreview",
    recognise=recognise,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"OpenReview {key}",
    links=_links,
    examples={
        "https://openreview.net/forum?id=HqfLHoX8bR": "HqfLHoX8bR",
        "https://openreview.net/pdf?id=Ls_NTjgWXZV": "Ls_NTjgWXZV",
        "https://openreview.net/attachment?id=9Vrb9D0WI4&name=supplementary_material": "9Vrb9D0WI4",
        "http://www.openreview.net/forum?id=HqfLHoX8bR&noteId=abcdefgh": "HqfLHoX8bR",
        "https://openreview.net/pdf/0123456789abcdef0123456789abcdef01234567.pdf": (
            "0123456789abcdef0123456789abcdef01234567"
        ),
        "https://openreview.net/profile?id=~Some_One1": None,
        "https://openreview.net/group?id=ICLR.cc/2024/Conference": None,
        "https://openreview.net/forum": None,
    },
)
