"""Atom feeds of saved searches, by a URL with a secret that is valid for that feed only."""

import hashlib

from fastapi import BackgroundTasks, Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import MaybeMe, Me, record_visit
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render
from readtrack.workspace.saved_searches import atom, commands, queries
from readtrack.workspace.saved_searches.feed import feed_text, find_reader

router = page_router()


@router.get("/feeds/{view_id:int}.atom")
def feed(
    request: Request, view_id: int, me: MaybeMe, tx: ReadTx, afterwards: BackgroundTasks, token: str = ""
) -> Response:
    """Return the feed, or 304 if it is unchanged."""
    reader = find_reader(tx, me, view_id, secret=token)
    text = feed_text(tx, reader, view_id, base_url=request.app.state.settings.base_url)
    if token and reader is not None:
        record_visit(request, afterwards, reader)
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Cookie"}
    client_tags = {value.strip().removeprefix("W/") for value in request.headers.get("if-none-match", "").split(",")}
    if tag in client_tags:
        return Response(status_code=304, headers=headers)
    return Response(text, headers=headers, media_type=atom.MEDIA_TYPE)


@router.get("/views/{view_id:int}/feed")
def feed_page(request: Request, view_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the explanation, and the button that creates a feed URL."""
    return render(request, "saved_searches/feed.html", view=queries.get_view(tx, me, view_id), address="")


@router.post("/views/{view_id:int}/feed")
def make_address(request: Request, view_id: int, me: Me, tx: WriteTx) -> Response:
    """Create a feed URL and show it once, without a redirect."""
    view = queries.get_view(tx, me, view_id)
    secret = commands.make_feed(tx, me, view_id)
    address = f"{request.app.state.settings.base_url}/feeds/{view_id}.atom?token={secret}"
    return render(request, "saved_searches/feed.html", view=view, address=address)
