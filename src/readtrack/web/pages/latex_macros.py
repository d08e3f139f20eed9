"""Settings page for LaTeX macros."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.library.latex_macros import commands, queries
from readtrack.library.latex_macros.commands import MacroCreate
from readtrack.library.latex_macros.queries import format_example
from readtrack.markdown.render_context import RenderContext
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
NOTHING: Mapping[str, str] = {}


@router.get("/settings/macros")
def list_page(request: Request, me: Me, tx: ReadTx, change: str = "") -> Response:
    """Show all macros with examples, and the form, with a macro to edit if given."""
    macros = queries.find_macros(tx)
    if change not in macros or not permissions.has_permission(me, "edit"):
        return _page(request, tx)
    return _page(request, tx, typed={"name": change, "body": macros[change], "was": macros[change], "change": "1"})


@router.post("/settings/macros")
def save(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add or change a macro; show the form again (422) on errors."""
    permissions.require(me, "edit")
    form_result = validate_form(MacroCreate, fields.values)
    if form_result.value is None:
        return _page(request, tx, typed=fields.values, errors=form_result.errors)
    try:
        message = _save_macro(tx, me, form_result.value, fields)
    except Invalid as problem:  # raised before anything is written
        errors = {error.pointer[1:]: error.detail for error in problem.errors}
        return _page(request, tx, typed=fields.values, errors=errors)
    except Conflict as problem:
        return _page(request, tx, typed=fields.values, errors={"name": problem.message})
    return redirect_with_flash(request, "/settings/macros", message)


@router.post("/settings/macros/{macro}/remove")
def remove(request: Request, macro: str, me: Me, tx: WriteTx) -> Response:
    """Delete a macro. It can be restored from the trash for thirty days."""
    undo = (_("Undo"), f"/trash/others/{commands.remove_macro(tx, me, macro)}/restore")
    return redirect_with_flash(request, "/settings/macros", _("Deleted"), undo=undo)


def _save_macro(tx: WriteTx, me: Me, data: MacroCreate, fields: Fields) -> str:
    """Save the macro and return the message; a double submission changes nothing."""
    if fields.get("change"):
        commands.change_macro(tx, me, data.name, data, previous_body=fields.get("was"))
        return _("Saved")
    if queries.find_macros(tx).get(data.name) != data.body:
        commands.add_macro(tx, me, data)
    return _("Added")


def _page(
    request: Request, tx: Read, *, typed: Mapping[str, str] = NOTHING, errors: Mapping[str, str] = NOTHING
) -> Response:
    macros = queries.list_macros(tx)
    render_context = RenderContext(macros={row.name: row.body for row in macros})
    status = 422 if errors else 200
    context = {
        "macros": macros,
        "render_context": render_context,
        "example": format_example,
        "most": queries.MAX_MACROS,
    }
    return render(request, "latex_macros/list.html", status, typed=typed, errors=errors, **context)
