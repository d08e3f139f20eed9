"""The Atom feed (RFC 4287) of a saved search: its newest papers, for holders of a feed secret.

User input is included only as text: escaped, without characters that XML forbids, and limited in length.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper
from readtrack.infra.permissions import CurrentUser, has_permission
from readtrack.library.papers.lists import visible_papers_filter
from readtrack.library.topics.queries import find_paper_topics
from readtrack.team.accounts.queries import find_visitor_by_feed_token
from readtrack.workspace.saved_searches.queries import ViewRow, find_view

MEDIA_TYPE = "application/atom+xml; charset=utf-8"
MAX_AUTHORS, MAX_TEXT_CHARS = 20, 2_000  # per entry; some papers have thousands of authors
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAX_ENTRIES = 50
ANYBODY = CurrentUser(0, "", "viewer")  # a user without readings of their own, who sees only shared ones


@dataclass(frozen=True)
class FeedEntry:
    """A paper. `url`: its address, which is also its permanent Atom id."""

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
    """A feed with its URL, the URL of its page, and the last change of the saved search."""

    title: str
    url: str
    page: str
    changed_at: datetime


def render_feed(feed: Feed, entries: Sequence[FeedEntry]) -> str:
    """Return the feed as XML; the output is deterministic."""
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *_feed_lines(feed, entries), ""])


def strip_invalid_xml(text: str) -> str:
    """Replace characters that XML forbids."""
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
    ellipsis = ["…"] if len(authors) > MAX_AUTHORS else []
    return [*authors[:MAX_AUTHORS], *ellipsis]


def _shorten_text(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[: MAX_TEXT_CHARS - 1]}…"


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(strip_invalid_xml(text))}</{name}>"


def _attribute(text: str) -> str:
    return quoteattr(strip_invalid_xml(text))


def _format_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def find_reader(tx: Read, me: CurrentUser | None, view_id: int, *, secret: str) -> CurrentUser | None:
    """Return the reader of a feed, by its secret or by session; None if neither is valid."""
    if secret:
        return find_visitor_by_feed_token(tx, secret, view_id)
    return me if me is not None and has_permission(me, "see") else None


def feed_text(tx: Read, reader: CurrentUser | None, view_id: int, *, base_url: str) -> str:
    """Return the feed as XML. Raise NotFound if the reader may not see the saved search.

    A shared search has the same feed for everyone, with only what everyone may see.
    """
    view = find_view(tx, reader, view_id) if reader is not None else None
    if reader is None or view is None:
        raise NotFound(_("Feed not found. Create a new one from the saved search."))
    feed = Feed(view.name, f"{base_url}/feeds/{view.id}.atom", f"{base_url}/views/{view.id}", view.updated_at)
    return render_feed(feed, _list_entries(tx, ANYBODY if view.shared else reader, view, base_url=base_url))


def _list_entries(tx: Read, reader: CurrentUser, view: ViewRow, *, base_url: str) -> list[FeedEntry]:
    """Return the newest papers, whatever the saved search's own sort."""
    try:
        condition = visible_papers_filter(tx, reader, search.parse(view.q))
    except search.QueryError:
        return []
    columns = (Paper.id, Paper.title, Paper.created_at, Paper.updated_at, Paper.authors, Paper.abstract, Paper.language)
    query = sa.select(*(col(column) for column in columns)).where(condition).order_by(col(Paper.id).desc())
    rows = tx.execute(query.limit(MAX_ENTRIES)).all()
    topics = find_paper_topics(tx, [row.id for row in rows]) if rows else {}
    return [
        FeedEntry(
            url=f"{base_url}/papers/{row.id}",
            title=row.title,
            added_at=row.created_at,
            updated_at=row.updated_at,
            authors=row.authors,
            topics=[name for slug, name in topics.get(row.id, ())],
            text=row.abstract,
            language=row.language,
        )
        for row in rows
    ]
