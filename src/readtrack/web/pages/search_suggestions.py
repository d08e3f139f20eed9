"""Search help: autocompletion, alternatives without results, and the reference of filters."""

from itertools import groupby

from fastapi import Request
from starlette.responses import Response

from readtrack import search
from readtrack.library.papers.relaxed_queries import RelaxedQuery, relax_query
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, render

router = page_router()


@router.get("/search/complete")
def complete_page(request: Request, me: Me, tx: ReadTx, q: str = "", at: str = "") -> Response:  # noqa: ARG001
    """Show completions at the caret, by default at the end."""
    caret = int(at) if at.isascii() and at.isdecimal() and len(at) < len("10000") else len(q)
    template = "search_suggestions/_offers.html" if is_fragment(request) else "search_suggestions/complete.html"
    return render(request, template, suggestions=search.complete(tx, q, caret), q=q)


@router.get("/search/nearby")
def nearby_page(request: Request, me: Me, tx: ReadTx, q: str = "") -> Response:
    """Show relaxed searches, as a fragment or a page."""
    relaxed_searches, problem = list[RelaxedQuery](), None
    try:
        relaxed_searches = relax_query(tx, me, q)
    except search.QueryError as error:
        problem = error
    template = "search_suggestions/_nearby.html" if is_fragment(request) else "search_suggestions/nearby.html"
    return render(request, template, relaxed_searches=relaxed_searches, problem=problem, q=q)


@router.get("/help/search")
def help_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001 - the layout needs it
    """Show the search reference."""
    groups = [
        (name, list(group)) for name, group in groupby(search.QUALIFIERS.values(), lambda qualifier: qualifier.group)
    ]
    return render(request, "help/search.html", groups=groups)
