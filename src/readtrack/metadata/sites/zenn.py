"""Zenn articles, scraps and books; chapters are treated as their book."""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink

_PAGE = re.compile(r"/([\w-]+)/(articles|scraps|books)/([\w-]+)(?:/viewer/[\w-]+)?", re.ASCII)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _PAGE.fullmatch(parts.path) if parts and parts.host == "zenn.dev" else None
    return "/".join(match.groups()) if match else None


def url(key: str) -> str:
    return f"https://zenn.dev/{key}"


SOURCE = Source(
    name="zenn",
    recognise=recognize,
    url=url,
    order=70,
    hosts=("zenn.dev",),
    kind=lambda _key: "article",
    label=lambda key: f"Zenn {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://zenn.dev/turing_motors/articles/04eed10b0aafe9": "turing_motors/articles/04eed10b0aafe9",
        "https://zenn.dev/tosshi/scraps/8839cb8949b692#comment-1": "tosshi/scraps/8839cb8949b692",
        "https://zenn.dev/someone/books/a-book/viewer/chapter-1": "someone/books/a-book",
        "https://zenn.dev/tosshi": None,
        "https://zenn.dev/topics/llm": None,
    },
)

SERVICE = page_service(SOURCE, label="Zenn", stage="page", order=70, tails=("｜Zenn", " | Zenn"))
