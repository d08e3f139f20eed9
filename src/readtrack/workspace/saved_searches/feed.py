"""The feed of a saved search: its newest papers, for holders of a feed secret."""

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
from readtrack.workspace.saved_searches.atom import Feed, FeedEntry, render_feed
from readtrack.workspace.saved_searches.queries import ViewRow, find_view

MAX_ENTRIES = 50
ANYBODY = CurrentUser(0, "", "viewer")  # a user without readings of their own, who sees only shared ones


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
        raise NotFound(_("There is no feed at this address. Perhaps it was revoked; make a new one on its view."))
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
