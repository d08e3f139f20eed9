"""What was found for titles, duplicates, and leads: what a person answers."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack.errors import Invalid
from readtrack.languages import gettext as _
from readtrack.papers import relations
from readtrack.papers.finding import leads, proposals, resolving
from readtrack.web.forms import Form
from readtrack.web.next import safe_next
from readtrack.web.templating import go
from readtrack.web.transactions import WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)
FOUND = "/look?of=found"


@router.post("/proposals/{proposal_id:int}")
def decide(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Yes or no to what was found."""
    back, decision = safe_next(fields.get("next"), FOUND), fields.get("decision")
    if decision == "accept":
        return go(request, back, proposals.accept_proposal(tx, me, proposal_id).sentence)
    if decision == "reject":
        proposals.reject_proposal(tx, me, proposal_id)
        undo = ("Undo", f"/proposals/{proposal_id}/reopen")
        return go(request, back, _("It is another work; it is not proposed again."), undo=undo)
    message = _("Press one of the buttons. Nothing was changed.")
    raise Invalid(message)


@router.post("/proposals/{proposal_id:int}/reopen")
def reopen(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes a no back."""
    proposals.reopen_proposal(tx, me, proposal_id)
    return go(request, safe_next(fields.get("next"), FOUND), _("Taken back; it waits for an answer again."))


@router.post("/leads/{lead_id:int}")
def decide_lead(request: Request, lead_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Looks for a lead once more, drops it, or says which paper it is."""
    here, decision = f"/notes#lead-{lead_id}", fields.get("decision")
    if decision == "look":
        resolving.look_again(tx, me, lead_id=lead_id)
        return go(request, here, _("Everybody is asked once more; what is found stands under “Needs a look”."))
    if decision == "drop":
        leads.drop_lead(tx, me, lead_id)
        return go(
            request, "/notes#leads", _("Dropped; it stays in the notes."), undo=("Undo", f"/leads/{lead_id}/reopen")
        )
    paper_id = relations.find_meant(tx, fields.get("paper"))
    leads.find_lead(tx, me, lead_id, paper_id)
    return go(request, f"/papers/{paper_id}", _("The lead is found: its lines stand on this paper now."))


@router.post("/leads/{lead_id:int}/reopen")
def reopen_lead(request: Request, lead_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes a drop back."""
    leads.reopen_lead(tx, me, lead_id)
    return go(request, f"/notes#lead-{lead_id}", _("Open again."))
