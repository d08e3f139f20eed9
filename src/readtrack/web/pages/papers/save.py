"""Page to save what another page or program hands over: a bookmarklet, a phone's share menu, the browser extension."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.library.papers import commands, lists, lookup
from readtrack.library.papers.commands import PaperCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/save")
def save_page(request: Request, me: Me, tx: ReadTx, url: str = "", title: str = "", text: str = "") -> Response:
    """Show whether the library has a page, and a form to save it. Phones put the address into any of the three."""
    permissions.require(me, "add")
    page = lookup.find_shared_page(url, title, text)
    return _form(request, me, tx, typed={"url": page.address, "title": page.title}, errors={})


@router.post("/save")
def save(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add the paper or page if it is new, and set my status and its topics."""
    paper_fields = {
        "identifier": fields.get("url") or None,
        "title": fields.get("title") or None,
        "status": fields.get("status") or None,
        "topics": split_topic_names(fields.get("topics")),
    }
    form_result = validate_form(PaperCreate, paper_fields)
    if form_result.value is None:
        return _form(request, me, tx, typed=fields.values, errors=form_result.errors)
    try:
        paper_id, is_new = commands.add_by_text(tx, me, form_result.value)
    except Invalid as error:  # raised before anything was written
        return _form(request, me, tx, typed=fields.values, errors={"url": error.message})
    return redirect_with_flash(request, f"/papers/{paper_id}", _("Paper added") if is_new else _("Saved"))


def _form(
    request: Request, me: CurrentUser, tx: Read, *, typed: Mapping[str, str], errors: Mapping[str, str]
) -> Response:
    _identifier, paper_id = lookup.find_by_text(tx, typed.get("url", ""))
    known_papers = lists.add_team_columns(tx, me, [lists.get_row(tx, me, paper_id)]) if paper_id else []
    return render(request, "papers/save.html", 422 if errors else 200, typed=typed, errors=errors, papers=known_papers)
