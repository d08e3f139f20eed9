"""Page to add papers by one line of identifiers, links or a title.

Several lines, or a file, are imported as notes.
"""

from collections.abc import Sequence

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra import permissions
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.i18n import ngettext
from readtrack.library.papers import commands, lookup
from readtrack.library.papers.commands import PaperCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()


@router.get("/papers/new")
def new_page(request: Request, me: Me, tx: ReadTx, text: str = "") -> Response:  # noqa: ARG001 - the layout needs it
    """Show the form, as a fragment for a dialog. `text`: initial text from a link."""
    permissions.require(me, "add")
    page = "papers/_new.html" if is_fragment(request) else "papers/new.html"
    return render(request, page, typed={"text": text} if text else {}, errors={})


@router.post("/papers")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add the papers in one line: identifiers and links, or one title.

    Several lines, or a file, lead to an import preview.
    """
    text = fields.get("text").strip()
    if len(text.splitlines()) > 1 or any(content for _name, content in fields.files.values()):
        return RedirectResponse("/imports", 307)  # 307 repeats the POST with the same form
    results: list[tuple[int, bool]] = []
    for paper_fields in lookup.parse_paper_line(text):
        form_result = validate_form(PaperCreate, {**paper_fields, "status": fields.get("status")})
        if form_result.value is None:
            return _render_form_error(request, text, " ".join(form_result.errors.values()))
        try:
            results.append(commands.add_by_text(tx, me, form_result.value))
        except Invalid as error:
            if results:  # roll back, so that a line is added as a whole or not at all
                raise
            return _render_form_error(request, text, error.message)
    return _redirect_to_papers(request, results)


def _render_form_error(request: Request, text: str, problem: str) -> Response:
    return render(request, "papers/new.html", 422, typed={"text": text}, errors={"text": problem})


def _redirect_to_papers(request: Request, results: Sequence[tuple[int, bool]]) -> Response:
    """Redirect to the added paper, or to the library, where several are on top."""
    if len(results) == 1:
        ((paper_id, created),) = results
        return redirect_with_flash(
            request, f"/papers/{paper_id}", _("Paper added") if created else _("Already in library")
        )
    new_count = sum(created for _id, created in results)
    message = ngettext("{new} of {count} paper added", "{new} of {count} papers added", len(results))
    return redirect_with_flash(request, "/papers", message.format(new=new_count, count=len(results)))
