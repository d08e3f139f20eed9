"""Page for the command palette, which scripts show as an overlay, and for keyboard shortcuts."""

from itertools import groupby
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import N_
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.routing import page_router
from readtrack.web.templating import navigation
from readtrack.web.templating.environment import is_fragment, render
from readtrack.web.templating.shortcuts import SECTIONS
from readtrack.workspace import command_palette

router = page_router()
HEADINGS = {
    "paper": N_("Papers"),
    "topic": N_("Topics"),
    "person": N_("People"),
    "view": N_("Saved searches"),
    "meeting": N_("Meetings"),
    "question": N_("Questions"),
}
READING = N_("Reading")


@router.get("/palette")
def show_page(request: Request, me: Me, tx: ReadTx, q: str = "") -> Response:
    """Show the search results; without input, current readings and navigation."""
    query = q.strip()
    hits = command_palette.search_palette(tx, me, query) if query else command_palette.list_current_papers(tx, me)
    groups = [
        (HEADINGS[kind] if query else READING, list(group)) for kind, group in groupby(hits, lambda hit: hit.kind)
    ]
    context: dict[str, Any] = {"q": query, "groups": groups, "actions": navigation.search_nav_items(me, query)}
    return render(
        request, "command_palette/_shown.html" if is_fragment(request) else "command_palette/show.html", **context
    )


@router.get("/help/keys")
def keys_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001 - the layout needs it
    """Show the keyboard shortcuts."""
    return render(request, "help/_keys.html" if is_fragment(request) else "help/keys.html", sections=SECTIONS)
