"""Titles in other languages, as forms on a paper's page."""

from fastapi import Request
from starlette.responses import Response

from readtrack.errors import Invalid
from readtrack.languages import gettext as _
from readtrack.papers import glosses
from readtrack.papers.glosses import GlossSet
from readtrack.web.forms import Form, check
from readtrack.web.routers import page_router
from readtrack.web.templating import go
from readtrack.web.transactions import WriteTx
from readtrack.web.visitor import Me

router = page_router()


@router.post("/papers/{paper_id:int}/glosses")
def keep(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Keeps the title in a language; an empty one is taken away."""
    language = fields.get("language")
    if not fields.get("title").strip():
        glosses.remove_gloss(tx, me, paper_id, language)
        return go(request, f"/papers/{paper_id}", _("The title in that language is gone."))
    checked = check(GlossSet, {"title": fields.get("title"), "machine": fields.get("machine")})
    if checked.value is None:
        detail = " ".join(checked.errors.values())
        raise Invalid(_("{detail} Nothing was changed.").format(detail=detail))
    glosses.set_gloss(tx, me, paper_id, language, wanted=checked.value)
    return go(request, f"/papers/{paper_id}", _("Kept. Search finds the paper by it, too."))
