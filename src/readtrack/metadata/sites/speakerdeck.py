"""Slides on Speaker Deck, with titles and authors from oEmbed."""

import re

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing import oembed
from readtrack.metadata.types import Source, WebLink

_NO_USERS = frozenset({"c", "categories", "features", "p", "player", "pro", "search", "signin", "signup", "users"})


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or parts.host != "speakerdeck.com":
        return None
    match = re.fullmatch(r"/([\w-]+)/([\w-]+)", parts.path, re.ASCII)
    return f"{match[1]}/{match[2]}".lower() if match and match[1].lower() not in _NO_USERS else None


def url(key: str) -> str:
    return f"https://speakerdeck.com/{key}"


SOURCE = Source(
    name="speakerdeck",
    recognise=recognize,
    url=url,
    order=70,
    hosts=("speakerdeck.com",),
    kind=lambda _key: "slides",
    label=lambda key: f"Speaker Deck {key}",
    links=lambda key: (WebLink(url(key), "slides"),),
    examples={
        "https://speakerdeck.com/odashi/llm-jp-3-and-beyond-training-large-language-models": (
            "odashi/llm-jp-3-and-beyond-training-large-language-models"
        ),
        "https://speakerdeck.com/aztecher/some-deck?slide=12": "aztecher/some-deck",
        "https://speakerdeck.com/aztecher": None,
        "https://speakerdeck.com/player/0123456789abcdef": None,
        "https://speakerdeck.com/c/programming": None,
    },
)

SERVICE = oembed.service(SOURCE, "https://speakerdeck.com/oembed.json", label="Speaker Deck")
