"""Forms for translated titles, on a paper's page."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import gettext as _
from readtrack.library.papers import translated_titles
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()


@router.post("/papers/{paper_id:int}/translations")
def keep(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the title in a language; a blank one removes it."""
    language = fields.get("language")
    if not fields.get("title").strip():
        translated_titles.remove_translated_title(tx, me, paper_id, language)
        return redirect_with_flash(request, f"/papers/{paper_id}", _("The title in that language is gone."))
    values = {"title": fields.get("title"), "machine": fields.get("machine")}
    data = validate_form(TranslatedTitleUpdate, values).or_raise()
    translated_titles.set_translated_title(tx, me, paper_id, language, update=data)
    return redirect_with_flash(request, f"/papers/{paper_id}", _("Kept. Search finds the paper by it, too."))
