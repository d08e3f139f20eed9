"""Forms for the web links of a topic."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.lists import get_row
from readtrack.library.topics import queries
from readtrack.library.topics.links import (
    WORDS,
    TopicLinkFields,
    add_link,
    edit_link,
    find_paper,
    get_link,
    remove_link,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.post("/topics/{slug}/links")
def add(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a link; show the form again (422) on errors."""
    form_result = _validate_link(fields)
    if form_result.value is None:
        return _form(request, tx, me, slug, link_form=_LinkForm(form_result.raw_values, form_result.errors))
    try:
        add_link(tx, me, slug, form_result.value)
    except (Invalid, Conflict) as error:
        return _form(request, tx, me, slug, link_form=_LinkForm(form_result.raw_values, {"url": _error_detail(error)}))
    return redirect_with_flash(request, f"/topics/{slug}#links", _("Link added"))


@router.get("/topics/{slug}/links/{link_id:int}/edit")
def edit_page(request: Request, slug: str, link_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    permissions.require(me, "edit")
    return _form(request, tx, me, slug, link_form=_LinkForm(get_link(tx, slug, link_id)._asdict(), link_id=link_id))


@router.post("/topics/{slug}/links/{link_id:int}/edit")
def edit(request: Request, slug: str, link_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form."""
    form_result = _validate_link(fields)
    get_link(tx, slug, link_id)
    if form_result.value is None:
        return _form(request, tx, me, slug, link_form=_LinkForm(form_result.raw_values, form_result.errors, link_id))
    try:
        edit_link(tx, me, slug, link_id, data=form_result.value)
    except (Invalid, Conflict) as error:
        return _form(
            request, tx, me, slug, link_form=_LinkForm(form_result.raw_values, {"url": _error_detail(error)}, link_id)
        )
    return redirect_with_flash(request, f"/topics/{slug}#links", _("Saved"))


@router.post("/topics/{slug}/links/{link_id:int}/delete")
def delete(request: Request, slug: str, link_id: int, me: Me, tx: WriteTx) -> Response:
    """Remove a link and offer undo."""
    undo_id = remove_link(tx, me, slug, link_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, f"/topics/{slug}#links", _("Moved to trash"), undo=undo)


def _validate_link(fields: Fields) -> FormResult[TopicLinkFields]:
    return validate_form(TopicLinkFields, fields.values)


class _LinkForm(NamedTuple):
    """The content of the form. `link_id`: None for a new link."""

    values: Mapping[str, object]
    errors: Mapping[str, str] = MappingProxyType({})
    link_id: int | None = None


def _form(request: Request, tx: Read, me: CurrentUser, slug: str, *, link_form: _LinkForm) -> Response:
    """Render the form, with the paper that has the entered URL, if any."""
    topic = queries.get_topic(tx, me, slug)
    paper_id = find_paper(tx, str(link_form.values.get("url", ""))) if link_form.errors else None
    paper = get_row(tx, me, paper_id) if paper_id else None
    context = {
        "topic": topic,
        "typed": link_form.values,
        "errors": link_form.errors,
        "link_id": link_form.link_id,
        "paper": paper,
    }
    return render(request, "topics/link.html", 422 if link_form.errors else 200, link_kinds=WORDS, **context)


def _error_detail(error: Invalid | Conflict) -> str:
    return error.errors[0].detail if isinstance(error, Invalid) else error.message
