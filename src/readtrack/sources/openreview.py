"""OpenReview submissions: forum, PDF and attachments of one id."""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import parts

_PAGES = ("/forum", "/pdf", "/attachment", "/references/pdf", "/revisions", "/notes/edits/attachment")


def recognise(text: str) -> str | None:
    where = parts(text)
    if where is None or not where.at("openreview.net") or where.path not in _PAGES:
        return None
    key = where.query.get("id", "").strip()
    return key if re.fullmatch(r"[\w-]{6,64}", key, re.ASCII) else None


def url(key: str) -> str:
    return f"https://openreview.net/forum?id={key}"


SOURCE = Source(
    name="openreview",
    recognise=recognise,
    url=url,
    order=40,
    label=lambda key: f"OpenReview {key}",
    links=lambda key: (WebLink(url(key), "landing"), WebLink(f"https://openreview.net/pdf?id={key}", "pdf")),
    examples={
        "https://openreview.net/forum?id=HqfLHoX8bR": "HqfLHoX8bR",
        "https://openreview.net/pdf?id=Ls_NTjgWXZV": "Ls_NTjgWXZV",
        "https://openreview.net/attachment?id=9Vrb9D0WI4&name=supplementary_material": "9Vrb9D0WI4",
        "http://www.openreview.net/forum?id=HqfLHoX8bR&noteId=abcdefgh": "HqfLHoX8bR",
        "https://openreview.net/profile?id=~Some_One1": None,
        "https://openreview.net/group?id=ICLR.cc/2024/Conference": None,
        "https://openreview.net/forum": None,
    },
)
