"""Pages for the library: list, table, groups, facets, and display settings."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import Query, Request
from starlette.responses import Response

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.pagination import Page
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports.queries import find_lines
from readtrack.library.papers import lists, lookup
from readtrack.library.papers.display_options import (
    COLUMNS,
    GROUPINGS,
    DisplayOptions,
    current_sort,
    display_links,
    group_links,
    parse_display_options,
    sort_link,
    status_links,
    unknown_choices,
)
from readtrack.library.papers.facets import FACETS, MAX_PAPERS, UNKNOWN, count_facets, facet_links
from readtrack.library.papers.grouping import GroupedPaper, group_rows, page_groups
from readtrack.library.papers.lists import PaperFilter
from readtrack.team.accounts import commands
from readtrack.team.accounts.schemas import MeUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, get_previous_cursor, read_page_request
from readtrack.web.dependencies.saved_search import find_saved_search
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, note_unknown_parameter, redirect_with_flash, render

router = page_router()
Words = Annotated[list[str] | None, Query()]  # given once with commas, or repeatedly as forms send it


class _ListPage(NamedTuple):
    """A page of the list: rows, groups if any, and the URLs of neighbouring pages."""

    papers: Sequence[Any] = ()
    groups: Sequence[Any] = ()
    older: str = ""
    newer: str = ""


@router.get("/papers")
def list_page(
    request: Request,
    me: Me,
    tx: ReadTx,
    *,
    q: str = "",
    sort: str = "",
    display: str = "",
    group: str = "",
    columns: Words = None,
    view: str = "",
    after: str = "",
    before: str = "",
) -> Response:
    """Show the library; an invalid query shows its error above an empty list.

    A single identifier or URL redirects to its paper.
    """
    wanted = parse_display_options(q, sort, display=display, group=group, columns=columns or ())
    seen = find_saved_search(request, tx, me, view)
    name, named = lookup.find_by_text(tx, wanted.q) if wanted.q else (None, None)
    if named and not view and len(wanted.q.split()) == 1:
        return redirect_with_flash(request, f"/papers/{named}")
    for choice, value in unknown_choices(sort, display=display, group=group, columns=columns or ()):
        note_unknown_parameter(request, choice, value)
    shown, problem = _ListPage(), None
    try:
        shown = _page(request, tx, me, wanted, after=after, before=before)
    except search.QueryError as error:
        problem = error
    begun = not after and not before
    context: dict[str, Any] = {
        "shown": shown,
        "papers": shown.papers,
        "problem": problem,
        "begun": begun,
        "lines": list(find_lines(tx, me, wanted.q)) if wanted.q and begun and problem is None else [],
        "sought": wanted.q if problem is None and search.parse(wanted.q).has_words else "",
        "not_here": None if named or shown.papers else name,
        "view": seen,
        "address": wanted.address(view=str(seen.id) if seen else "", after=after, before=before),
        "dense": me.density == "dense",
        "statuses": status_links(wanted),
        **_toolbar_context(wanted),
    }
    return render(request, "papers/list.html", q=wanted.q, **context)


@router.get("/papers/facets")
def facets_page(
    request: Request,
    me: Me,
    tx: ReadTx,
    *,
    q: str = "",
    sort: str = "",
    display: str = "",
    group: str = "",
    columns: Words = None,
) -> Response:
    """Show the facets of a query, as a fragment or a page."""
    wanted = parse_display_options(q, sort, display=display, group=group, columns=columns or ())
    total, bounded, facets, problem = 0, False, list[Any](), None
    try:
        counted = count_facets(tx, me, PaperFilter(wanted.q))
        total, bounded, facets = counted.total, counted.is_bounded, facet_links(counted, wanted)
    except search.QueryError as error:
        problem = error
    template = "papers/_facets.html" if is_fragment(request) else "papers/facets.html"
    told: dict[str, Any] = {
        "total": total,
        "bounded": bounded,
        "most": MAX_PAPERS,
        "words": FACETS,
        "unknown": UNKNOWN,
        "problem": problem,
    }
    return render(request, template, q=wanted.q, wanted=wanted, facets=facets, **told)


@router.post("/papers/density")
def set_density(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the row density of all my lists."""
    commands.edit_me(tx, me, validate_form(MeUpdate, {"density": fields.get("density")}).or_raise())
    return redirect_with_flash(request, safe_next(fields.get("next"), "/papers"))


def _page(request: Request, tx: Read, me: CurrentUser, wanted: DisplayOptions, *, after: str, before: str) -> _ListPage:
    filtered = PaperFilter(wanted.q, wanted.sort)
    question = f"{filtered.question}\0{wanted.grouping}" if wanted.grouping else filtered.question
    cut = read_page_request(request, question, after=after, before=before)
    page: Page[Any]
    if wanted.grouping:
        page = page_groups(tx, me, filtered, cut, by=wanted.grouping)
        papers, groups = _add_team_columns(tx, me, page.items, wanted.grouping)
    else:
        page = lists.list_papers(tx, me, filtered, cut)
        papers, groups = lists.add_team_columns(tx, me, page.items), []
    older, newer = get_next_cursor(request, question, page), get_previous_cursor(request, question, page)
    return _ListPage(
        papers=papers,
        groups=groups,
        older=wanted.address(after=older) if older else "",
        newer=wanted.address(before=newer) if newer else "",
    )


def _add_team_columns(tx: Read, me: CurrentUser, rows: Sequence[GroupedPaper], by: str) -> tuple[list[Any], list[Any]]:
    full = {row.id: row for row in lists.add_team_columns(tx, me, [row.paper for row in rows])}
    whole = [row._replace(paper=full[row.paper.id]) for row in rows]
    return [row.paper for row in whole], group_rows(whole, by)


def _toolbar_context(wanted: DisplayOptions) -> dict[str, Any]:
    chosen = wanted.shown_columns
    return {
        "wanted": wanted,
        "displays": display_links(wanted),
        "group_links": group_links(wanted),
        "group_word": GROUPINGS.get(wanted.grouping, ""),
        "sort": wanted.sort,
        "display": wanted.display,
        "group": wanted.grouping,
        "columns": wanted.columns,
        "shown_columns": [(name, COLUMNS[name]) for name in chosen],
        "all_columns": [(name, word, name in chosen) for name, word in COLUMNS.items()],
        "sort_links": {name: link for name in ("title", *chosen) if (link := sort_link(wanted, name))},
        "sorted_by": current_sort(wanted),
    }
