"""Pages for saved searches: list, form, actions, the counts in the sidebar, and Atom feeds.

A feed's URL has a secret that is valid for that feed only.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from fastapi import BackgroundTasks, Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, StaleVersion
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.web.dependencies.auth import MaybeMe, Me, record_visit
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, parse_int, validate_form
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import note_unknown_parameter, redirect_with_flash, render
from readtrack.workspace.saved_searches import atom_feed, commands, queries
from readtrack.workspace.saved_searches.atom_feed import feed_text, find_reader
from readtrack.workspace.saved_searches.commands import SavedSearchFields, SavedSearchMove
from readtrack.workspace.saved_searches.queries import ViewRow, find_view

ORDERS = {  # Sorts offered by the form.
    "": N_("Newest first"),
    "relevance": N_("Best match"),
    "added-asc": N_("Oldest first"),
    "updated": N_("Recently updated"),
    "year": N_("Year, newest first"),
    "year-asc": N_("Year, oldest first"),
    "title": N_("Title"),
}
KEPT_FOR = 30  # seconds that a browser may cache the counts, which every page shows


def find_saved_search(request: Request, tx: Read, me: CurrentUser, view_text: str) -> ViewRow | None:
    """Return the saved search; None with a notice if it is not visible."""
    view = find_view(tx, me, parse_int(view_text)) if view_text else None
    if view_text and view is None:
        note_unknown_parameter(request, "view", view_text)
    return view


router = page_router()


@router.get("/views")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show my saved searches in my order, and shared ones."""
    return _list(request, me, tx)


@router.post("/views")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save a search; show the form again (422) on errors."""
    permissions.require(me, "keep")
    form_result = _validate_saved_search(fields)
    if form_result.value is None:
        return _form(request, None, form_result, status=422)
    try:
        view_id = commands.save_view_once(tx, me, form_result.value)
    except Conflict as error:  # raised before anything is written
        return _form(request, None, FormResult(None, {"name": error.message}, fields.values), status=422)
    view = queries.get_view(tx, me, view_id)
    message = _("Saved and shared with the team") if view.shared else _("Saved, visible only to you")
    return redirect_with_flash(request, view.href, message, undo=(_("Undo"), f"/views/{view_id}/delete"))


@router.get("/views/counts")
def counts_part(request: Request, me: Me, tx: ReadTx, at: str = "") -> Response:
    """Return the sidebar's saved searches with their counts. `at`: the current one."""
    views = queries.list_views(tx, me, limit=queries.MAX_IN_SIDEBAR)
    counts = queries.count_papers(tx, me, views)
    answer = render(request, "saved_searches/_beside.html", views=views, counts=counts, shown_id=parse_int(at))
    answer.headers["Cache-Control"] = f"private, max-age={KEPT_FOR}"
    return answer


@router.get("/views/{view_id:int}")
def show_page(view_id: int, me: Me, tx: ReadTx) -> Response:
    """Redirect to the list or board with the query."""
    return RedirectResponse(queries.get_view(tx, me, view_id).href, 303)


@router.get("/views/{view_id:int}/edit")
def edit_page(request: Request, view_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    view = _require_editable(me, queries.get_view(tx, me, view_id))
    return _form(request, view, FormResult(None, {}, _saved_search_fields(view)))


@router.post("/views/{view_id:int}/edit")
def edit(request: Request, view_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form; show both versions (409) if the saved search was changed meanwhile."""
    view = _require_editable(me, queries.get_view(tx, me, view_id))
    form_result = _validate_saved_search(fields)
    if form_result.value is None:
        return _form(request, view, form_result, status=422)
    try:
        commands.edit_view(tx, me, view_id, form_result.value, version=parse_int(fields.get("version")))
    except StaleVersion:
        return _form(request, queries.get_view(tx, me, view_id), FormResult(None, {}, fields.values), status=409)
    return redirect_with_flash(request, safe_next(fields.get("next"), "/views"), _("Saved"))


@router.post("/views/{view_id:int}/share")
def share(request: Request, view_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Share a saved search with the team, or make it private."""
    is_shared = fields.get("shared", "1") == "1"
    commands.share_view(tx, me, view_id, shared=is_shared)
    return redirect_with_flash(
        request, "/views", _("Saved and shared with the team") if is_shared else _("Saved, visible only to you")
    )


@router.post("/views/{view_id:int}/move")
def move(request: Request, view_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move a saved search within my sidebar."""
    form_result = validate_form(SavedSearchMove, {"to": fields.get("to") or "up"})
    if form_result.value is None:
        return redirect_with_flash(request, "/views", _("Choose top, up, down or bottom."), kind="warn")
    commands.move_view(tx, me, view_id, form_result.value)
    return redirect_with_flash(request, f"/views#view-{view_id}")


@router.post("/views/{view_id:int}/delete")
def delete(request: Request, view_id: int, me: Me, tx: WriteTx) -> Response:
    """Move a saved search to the trash."""
    commands.delete_view(tx, me, view_id)
    return redirect_with_flash(request, "/views", _("Search deleted"), undo=(_("Undo"), f"/views/{view_id}/restore"))


@router.post("/views/{view_id:int}/restore")
def restore(request: Request, view_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Restore a deleted saved search."""
    commands.restore_view(tx, me, view_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), "/views"), _("Restored"))


def _list(request: Request, me: CurrentUser, tx: Read) -> Response:
    views = queries.list_views(tx, me)
    own_views = [view for view in views if view.person_id == me.id]
    shared_views = [view for view in views if view.person_id != me.id]
    editable_ids = {view.id for view in views if queries.can_edit_view(me, view)}
    return render(request, "saved_searches/list.html", mine=own_views, others=shared_views, changeable=editable_ids)


def _require_editable(me: CurrentUser, view: ViewRow) -> ViewRow:
    """Return the saved search. Raise NotAllowed before showing a form that could not be saved."""
    permissions.require(me, "keep")
    if not queries.can_edit_view(me, view):
        permissions.require(me, "delete")
    return view


def _form(
    request: Request, view: ViewRow | None, form_result: FormResult[SavedSearchFields], *, status: int = 200
) -> Response:
    current_order = form_result.raw_values.get("sort", "")
    other_orders = [] if current_order in ORDERS else [(current_order, current_order)]
    orders = [*((order, _(label)) for order, label in ORDERS.items()), *other_orders]
    context: dict[str, Any] = {
        "view": view,
        "typed": form_result.raw_values,
        "errors": form_result.errors,
        "orders": orders,
    }
    return render(request, "saved_searches/edit.html", status, conflict=status == 409, **context)


def _validate_saved_search(fields: Fields) -> FormResult[SavedSearchFields]:
    columns = [column.strip() for column in fields.get("columns").split(",") if column.strip()]
    return validate_form(
        SavedSearchFields, {**fields.values, "columns": columns, "shared": fields.get("shared") == "1"}
    )


def _saved_search_fields(view: ViewRow) -> Mapping[str, str]:
    fields = {name: str(getattr(view, name)) for name in ("name", "q", "sort", "display", "grouping", "version")}
    return {**fields, "columns": ",".join(view.columns), "shared": "1" if view.shared else ""}


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
    return Response(text, headers=headers, media_type=atom_feed.MEDIA_TYPE)


@router.get("/views/{view_id:int}/feed")
def feed_page(request: Request, view_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the explanation, and the button that creates a feed URL."""
    return render(request, "saved_searches/feed.html", view=queries.get_view(tx, me, view_id), address="")


@router.post("/views/{view_id:int}/feed")
def create_feed_address(request: Request, view_id: int, me: Me, tx: WriteTx) -> Response:
    """Create a feed URL and show it once, without a redirect."""
    view = queries.get_view(tx, me, view_id)
    secret = commands.make_feed(tx, me, view_id)
    address = f"{request.app.state.settings.base_url}/feeds/{view_id}.atom?token={secret}"
    return render(request, "saved_searches/feed.html", view=view, address=address)
