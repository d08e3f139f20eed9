"""Decisions on metadata records, made on a paper's page."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.library.enrichment import field_choices
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, parse_int
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()


@router.post("/papers/{paper_id:int}/fields/{field}")
def choose(request: Request, paper_id: int, field: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Lock a field to the value of a record."""
    field_choices.choose_field(tx, me, paper_id, field, record_id=parse_int(fields.get("record")))
    undo = (_("Undo"), f"/papers/{paper_id}/fields/{field}/release")
    return redirect_with_flash(request, _sources(paper_id), _("Saved"), undo=undo)


@router.post("/papers/{paper_id:int}/fields/{field}/release")
def release(request: Request, paper_id: int, field: str, me: Me, tx: WriteTx) -> Response:
    """Unlock a field."""
    field_choices.release_field(tx, me, paper_id, field)
    return redirect_with_flash(request, _sources(paper_id), _("Saved"))


@router.post("/papers/{paper_id:int}/records/{record_id:int}")
def decide(request: Request, paper_id: int, record_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Decide on a record: it is about this paper, about another work, or becomes a paper of its own."""
    next_path, decision = safe_next(fields.get("next"), _sources(paper_id)), fields.get("decision")
    if decision == "accept":
        field_choices.accept_record(tx, me, paper_id, record_id)
        return redirect_with_flash(request, next_path, _("Metadata accepted"))
    if decision == "refuse":
        field_choices.refuse_record(tx, me, paper_id, record_id)
        undo = (_("Undo"), f"/papers/{paper_id}/records/{record_id}/reopen")
        return redirect_with_flash(request, next_path, _("Marked as a different paper"), undo=undo)
    if decision == "split":
        new_paper_id = field_choices.split_off(tx, me, paper_id, record_id)
        return redirect_with_flash(
            request, safe_next(fields.get("next"), f"/papers/{new_paper_id}"), _("Split into a new paper")
        )
    message = _("Choose an action.")
    raise Invalid(message)


@router.post("/papers/{paper_id:int}/records/{record_id:int}/reopen")
def reopen(request: Request, paper_id: int, record_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the decision that a record is about another work."""
    field_choices.reopen_record(tx, me, paper_id, record_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), _sources(paper_id)), _("Undone"))


def _sources(paper_id: int) -> str:
    return f"/papers/{paper_id}?sources=open#sources"
