"""Decisions on suggestions for titles."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.library.matching import suggestions
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()
FOUND = "/review?of=found"


@router.post("/proposals/{proposal_id:int}")
def decide(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Accept or reject a suggestion."""
    next_path, decision = safe_next(fields.get("next"), FOUND), fields.get("decision")
    if decision == "accept":
        acceptance = suggestions.accept_proposal(tx, me, proposal_id)
        undo = (_("Undo"), f"/unresolved/{acceptance.lead_id}/reopen") if acceptance.lead_id else ("", "")
        return redirect_with_flash(request, next_path, acceptance.sentence, undo=undo)
    if decision == "reject":
        suggestions.reject_proposal(tx, me, proposal_id)
        undo = (_("Undo"), f"/proposals/{proposal_id}/reopen")
        return redirect_with_flash(request, next_path, _("It is another work; it is not proposed again."), undo=undo)
    message = _("Press one of the buttons. Nothing was changed.")
    raise Invalid(message)


@router.post("/proposals/{proposal_id:int}/reopen")
def reopen(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the rejection of a suggestion."""
    suggestions.reopen_proposal(tx, me, proposal_id)
    return redirect_with_flash(
        request, safe_next(fields.get("next"), FOUND), _("Taken back; it waits for an answer again.")
    )
