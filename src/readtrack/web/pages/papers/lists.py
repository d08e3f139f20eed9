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
    direction_links,
    display_links,
    group_links,
    parse_display_options,
    sort_link,
    sort_links,
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
from readtrack.web.pages.saved_searches import find_saved_search
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
    options = parse_display_options(q, sort, display=display, group=group, columns=columns or ())
    saved_search = find_saved_search(request, tx, me, view)
    name, paper_id = lookup.find_by_text(tx, options.q) if options.q else (None, None)
    if paper_id and not view and len(options.q.split()) == 1:
        return redirect_with_flash(request, f"/papers/{paper_id}")
    for choice, value in unknown_choices(sort, display=display, group=group, columns=columns or ()):
        note_unknown_parameter(request, choice, value)
    listing, problem = _ListPage(), None
    try:
        listing = _page(request, tx, me, options, after=after, before=before)
    except search.QueryError as error:
        problem = error
    is_first_page = not after and not before
    context: dict[str, Any] = {
        "listing": listing,
        "papers": listing.papers,
        "problem": problem,
        "begun": is_first_page,
        "unknown_topics": [] if listing.papers or problem else search.find_unknown_topics(tx, search.parse(options.q)),
        "lines": list(find_lines(tx, me, options.q)) if options.q and is_first_page and problem is None else [],
        "sought": options.q if problem is None and search.parse(options.q).has_words else "",
        "not_here": None if paper_id or listing.papers else name,
        "view": saved_search,
        "address": options.address(view=str(saved_search.id) if saved_search else "", after=after, before=before),
        "dense": me.density == "dense",
        "statuses": status_links(options),
        **_toolbar_context(options),
    }
    return render(request, "papers/list.html", q=options.q, **context)


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
    options = parse_display_options(q, sort, display=display, group=group, columns=columns or ())
    total, is_bounded, facets, problem = 0, False, list[Any](), None
    try:
        counts = count_facets(tx, me, PaperFilter(options.q))
        total, is_bounded, facets = counts.total, counts.is_bounded, facet_links(counts, options)
    except search.QueryError as error:
        problem = error
    template = "papers/_facets.html" if is_fragment(request) else "papers/facets.html"
    context: dict[str, Any] = {
        "total": total,
        "bounded": is_bounded,
        "most": MAX_PAPERS,
        "words": FACETS,
        "unknown": UNKNOWN,
        "problem": problem,
    }
    return render(request, template, q=options.q, options=options, facets=facets, **context)


@router.post("/papers/density")
def set_density(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the row density of all my lists."""
    commands.edit_me(tx, me, validate_form(MeUpdate, {"density": fields.get("density")}).or_raise())
    return redirect_with_flash(request, safe_next(fields.get("next"), "/papers"))


def _page(
    request: Request, tx: Read, me: CurrentUser, options: DisplayOptions, *, after: str, before: str
) -> _ListPage:
    paper_filter = PaperFilter(options.q, options.sort)
    cursor_context = f"{paper_filter.question}\0{options.grouping}" if options.grouping else paper_filter.question
    page_request = read_page_request(request, cursor_context, after=after, before=before)
    page: Page[Any]
    if options.grouping:
        page = page_groups(tx, me, paper_filter, page_request, by=options.grouping)
        papers, groups = _add_team_columns(tx, me, page.items, options.grouping)
    else:
        page = lists.list_papers(tx, me, paper_filter, page_request)
        papers, groups = lists.add_team_columns(tx, me, page.items), []
    older, newer = get_next_cursor(request, cursor_context, page), get_previous_cursor(request, cursor_context, page)
    return _ListPage(
        papers=papers,
        groups=groups,
        older=options.address(after=older) if older else "",
        newer=options.address(before=newer) if newer else "",
    )


def _add_team_columns(
    tx: Read, me: CurrentUser, rows: Sequence[GroupedPaper], grouping: str
) -> tuple[list[Any], list[Any]]:
    full_rows = {row.id: row for row in lists.add_team_columns(tx, me, [row.paper for row in rows])}
    completed = [row._replace(paper=full_rows[row.paper.id]) for row in rows]
    return [row.paper for row in completed], group_rows(completed, grouping)


def _toolbar_context(options: DisplayOptions) -> dict[str, Any]:
    shown_columns = options.shown_columns
    return {
        "options": options,
        "displays": display_links(options),
        "group_links": group_links(options),
        "group_word": GROUPINGS.get(options.grouping, ""),
        "sort": options.sort,
        "display": options.display,
        "group": options.grouping,
        "columns": options.columns,
        "shown_columns": [(name, COLUMNS[name]) for name in shown_columns],
        "all_columns": [(name, label, name in shown_columns) for name, label in COLUMNS.items()],
        "sort_links": {name: link for name in ("title", *shown_columns) if (link := sort_link(options, name))},
        "sorted_by": current_sort(options),
        "sorts": sort_links(options),
        "directions": direction_links(options),
    }
