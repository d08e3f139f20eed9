"""What was found for titles: what a person answers."""

from fastapi import Request
from starlette.responses import Response

from readtrack.errors import Invalid
from readtrack.languages import gettext as _
from readtrack.papers.finding import proposals
from readtrack.web.forms import Form
from readtrack.web.next import safe_next
from readtrack.web.routers import page_router
from readtrack.web.templating import go
from readtrack.web.transactions import WriteTx
from readtrack.web.visitor import Me

router = page_router()
FOUND = "/look?of=found"


@router.post("/proposals/{proposal_id:int}")
def decide(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Yes or no to what was found."""
    back, decision = safe_next(fields.get("next"), FOUND), fields.get("decision")
    if decision == "accept":
        accepted = proposals.accept_proposal(tx, me, proposal_id)
        undo = (_("Undo"), f"/leads/{accepted.lead_id}/reopen") if accepted.lead_id else ("", "")
        return go(request, back, accepted.sentence, undo=undo)
    if decision == "reject":
        proposals.reject_proposal(tx, me, proposal_id)
        undo = (_("Undo"), f"/proposals/{proposal_id}/reopen")
        return go(request, back, _("It is another work; it is not proposed again."), undo=undo)
    message = _("Press one of the buttons. Nothing was changed.")
    raise Invalid(message)


@router.post("/proposals/{proposal_id:int}/reopen")
def reopen(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes a no back."""
    proposals.reopen_proposal(tx, me, proposal_id)
    return go(request, safe_next(fields.get("next"), FOUND), _("Taken back; it waits for an answer again."))
