"""Semantic Scholar papers by their hash of forty digits."""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import parts

_HOSTS = ("semanticscholar.org",)
_PAPER = re.compile(r"(?:/.*)?/paper/(?:.*/)?([0-9a-f]{40})(?:/.*)?")


def recognise(text: str) -> str | None:
    where = parts(text)
    named = _PAPER.fullmatch(where.path) if where and where.at(*_HOSTS) else None
    return named[1] if named else None


def url(key: str) -> str:
    return f"https://www.semanticscholar.org/paper/{key}"


SOURCE = Source(
    name="s2",
    recognise=recognise,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"Semantic Scholar {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://www.semanticscholar.org/paper/Attention-is-All-you-Need/204e3073870fae3d05bcbc2f6a8e263d9b72e776": (
            "204e3073870fae3d05bcbc2f6a8e263d9b72e776"
        ),
        "https://semanticscholar.org/paper/204e3073870fae3d05bcbc2f6a8e263d9b72e776?utm_source=x": (
            "204e3073870fae3d05bcbc2f6a8e263d9b72e776"
        ),
        "https://www.semanticscholar.org/author/A.-Vaswani/40348417": None,
        "https://api.semanticscholar.org/CorpusID:13756489": None,
    },
)
