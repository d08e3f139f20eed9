"""YouTube videos in all URL forms, with titles and channels from oEmbed."""

import re

from readtrack.infra.text.urls import UrlParts, split_url
from readtrack.metadata.parsing import oembed
from readtrack.metadata.types import Source, WebLink


def recognize(text: str) -> str | None:
    parts = split_url(text)
    key = _video_key(parts) if parts else ""
    return key if re.fullmatch(r"[\w-]{11}", key, re.ASCII) else None


def _video_key(parts: UrlParts) -> str:
    if parts.host == "youtu.be" and parts.segments:
        return parts.segments[0]
    if not parts.is_under("youtube.com", "youtube-nocookie.com"):
        return ""
    if parts.path == "/watch":
        return parts.query.get("v", "")
    player, _, rest = parts.path[1:].partition("/")
    return rest if player in {"shorts", "embed", "live", "v"} else ""


def url(key: str) -> str:
    return f"https://www.youtube.com/watch?v={key}"


SOURCE = Source(
    name="youtube",
    recognise=recognize,
    url=url,
    order=60,
    hosts=("youtu.be", "youtube.com", "youtube-nocookie.com"),
    kind=lambda _key: "video",
    label=lambda key: f"YouTube {key}",
    links=lambda key: (WebLink(url(key), "video"),),
    examples={
        "https://www.youtube.com/watch?v=QGtrQXHbTnQ": "QGtrQXHbTnQ",
        "https://m.youtube.com/watch?feature=share&v=QGtrQXHbTnQ&t=12s": "QGtrQXHbTnQ",
        "https://youtu.be/QGtrQXHbTnQ?si=abc": "QGtrQXHbTnQ",
        "https://www.youtube.com/shorts/QGtrQXHbTnQ": "QGtrQXHbTnQ",
        "https://www.youtube.com/embed/QGtrQXHbTnQ?rel=0": "QGtrQXHbTnQ",
        "https://www.youtube.com/live/QGtrQXHbTnQ": "QGtrQXHbTnQ",
        "https://www.youtube-nocookie.com/embed/QGtrQXHbTnQ": "QGtrQXHbTnQ",
        "https://www.youtube.com/@somebody": None,
        "https://www.youtube.com/playlist?list=PLabcdefghijk": None,
        "https://www.youtube.com/results?search_query=nsdi": None,
        "QGtrQXHbTnQ": None,
    },
)

# YouTube answers 400 for a well-formed ID without a video.
SERVICE = oembed.service(SOURCE, "https://www.youtube.com/oembed", label="YouTube", unknown_statuses=(400, 404))
