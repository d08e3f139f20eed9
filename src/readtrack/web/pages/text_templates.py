"""Pages for text templates: list and form."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.reading.text_templates import commands, queries
from readtrack.reading.text_templates.commands import TextTemplateFields
from readtrack.reading.text_templates.queries import TemplateRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, parse_int, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/templates")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the built-in and the team's templates, and the form for a new one."""
    permissions.require(me, "see")
    return _list(request, tx, typed={}, errors={})


@router.post("/templates")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a template; show the form again (422) on errors."""
    permissions.require(me, "edit")
    form_result = validate_form(TextTemplateFields, fields.values)
    if form_result.value is None:
        return _list(request, tx, typed=form_result.raw_values, errors=form_result.errors, status=422)
    try:
        commands.add_template(tx, me, form_result.value)
    except Conflict as error:  # raised before anything is written
        return _list(request, tx, typed=form_result.raw_values, errors={"name": error.message}, status=422)
    return redirect_with_flash(request, "/templates", _("Added"))


@router.get("/templates/{template_id:int}/edit")
def edit_page(request: Request, template_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    permissions.require(me, "edit")
    template = queries.get_template(tx, template_id)
    return _form(request, template, typed=_template_fields(template), errors={})


@router.post("/templates/{template_id:int}/edit")
def edit(request: Request, template_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form; show both versions (409) if the template was changed meanwhile."""
    permissions.require(me, "edit")
    template = queries.get_template(tx, template_id)
    form_result = validate_form(TextTemplateFields, fields.values)
    if form_result.value is None:
        return _form(request, template, typed=form_result.raw_values, errors=form_result.errors, status=422)
    version = parse_int(fields.get("version"))
    try:
        commands.edit_template(tx, me, template_id, form_result.value, version=version)
    except StaleVersion:
        return _form(
            request, queries.get_template(tx, template_id), typed=form_result.raw_values, errors={}, status=409
        )
    except Conflict as error:
        return _form(request, template, typed=form_result.raw_values, errors={"name": error.message}, status=422)
    return redirect_with_flash(request, "/templates", _("Saved"))


@router.post("/templates/{template_id:int}/delete")
def delete(request: Request, template_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a template."""
    commands.delete_template(tx, me, template_id)
    return redirect_with_flash(request, "/templates", _("Deleted"))


def _list(
    request: Request, tx: Read, *, typed: Mapping[str, str], errors: Mapping[str, str], status: int = 200
) -> Response:
    templates = queries.list_templates(tx)
    context = {"templates": templates, "standard": queries.standard_template(), "typed": typed, "errors": errors}
    return render(request, "text_templates/list.html", status, **context)


def _form(
    request: Request, template: TemplateRow, *, typed: Mapping[str, str], errors: Mapping[str, str], status: int = 200
) -> Response:
    context = {"outline": template, "typed": typed, "errors": errors, "conflict": status == 409}
    return render(request, "text_templates/edit.html", status, **context)


def _template_fields(template: TemplateRow) -> Mapping[str, str]:
    return {"name": template.name, "markdown": template.markdown, "version": str(template.version)}
