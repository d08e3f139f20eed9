"""Papers as feed readers take them (RFC 4287). Pure.

What anybody typed stands as text only: escaped, without the characters that XML cannot hold, of bounded length.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

MEDIA_TYPE = "application/atom+xml; charset=utf-8"
MOST_AUTHORS, LONGEST_TEXT = 20, 2_000  # of an entry: some papers have thousands of authors
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class FeedEntry:
    """One paper. `url` is its address here, and its name for ever."""

    url: str
    title: str
    added_at: datetime
    updated_at: datetime
    authors: Sequence[str] = ()
    topics: Sequence[str] = ()
    text: str = ""
    language: str = ""


@dataclass(frozen=True)
class Feed:
    """A feed with its address, that of the page which shows the same, and when the view itself was last changed."""

    title: str
    url: str
    page: str
    changed_at: datetime


def render_feed(feed: Feed, entries: Sequence[FeedEntry]) -> str:
    """The whole feed. The same papers give the same bytes."""
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *_feed_lines(feed, entries), ""])


def strip_invalid_xml(text: str) -> str:
    """The text without what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def _feed_lines(feed: Feed, entries: Sequence[FeedEntry]) -> Iterator[str]:
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    yield _element("title", feed.title)
    yield _element("id", feed.page)
    yield f'<link rel="self" type="application/atom+xml" href={_attribute(feed.url)}/>'
    yield f'<link rel="alternate" type="text/html" href={_attribute(feed.page)}/>'
    yield _element("updated", _format_moment(max([feed.changed_at, *(entry.updated_at for entry in entries)])))
    yield "<author><name>readtrack</name></author>"
    yield "<generator>readtrack</generator>"
    for entry in entries:
        yield from _entry_lines(entry)
    yield "</feed>"


def _entry_lines(entry: FeedEntry) -> Iterator[str]:
    language = f" xml:lang={_attribute(entry.language)}" if entry.language else ""
    yield f"<entry{language}>"
    yield _element("title", entry.title)
    yield _element("id", entry.url)
    yield f'<link rel="alternate" type="text/html" href={_attribute(entry.url)}/>'
    yield _element("published", _format_moment(entry.added_at))
    yield _element("updated", _format_moment(entry.updated_at))
    yield from (f"<author>{_element('name', name)}</author>" for name in _most(entry.authors))
    yield from (f"<category term={_attribute(topic)}/>" for topic in entry.topics)
    if entry.text:
        yield _element("summary", _shorten_text(entry.text))
    yield "</entry>"


def _most(authors: Sequence[str]) -> Iterable[str]:
    more = ["…"] if len(authors) > MOST_AUTHORS else []
    return [*authors[:MOST_AUTHORS], *more]


def _shorten_text(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(strip_invalid_xml(text))}</{name}>"


def _attribute(text: str) -> str:
    return quoteattr(strip_invalid_xml(text))


def _format_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
