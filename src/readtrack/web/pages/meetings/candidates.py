"""Forms for candidates: propose, vote, withdraw."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.library.relations.links import get_paper_by_text
from readtrack.team.meetings.commands import candidates as commands
from readtrack.team.meetings.queries.candidates import get_candidate
from readtrack.team.meetings.schemas import CandidateCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, parse_int, validate_form
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()
ONE = "/meetings/candidates/{candidate_id:int}"
VOTES = {"for": 1, "against": -1}


@router.post("/meetings/candidates")
def propose(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Propose a paper for a series, from the page of either."""
    series_id = parse_int(fields.get("series"))
    next_path = safe_next(fields.get("next"), f"/meetings/series/{series_id}")
    try:
        paper_id = get_paper_by_text(tx, me, fields.get("paper"))
    except Invalid as error:
        return render_paper_choice(request, fields, error, back=next_path)
    form_result = validate_form(CandidateCreate, {"paper": str(paper_id), "reason": fields.get("reason")})
    if form_result.value is None:
        return redirect_with_flash(request, next_path, " ".join(form_result.errors.values()), kind="bad")
    _id, created = commands.propose(tx, me, series_id, form_result.value)
    return redirect_with_flash(request, next_path, _("Paper proposed") if created else _("Already proposed"))


@router.post(f"{ONE}/vote")
def vote(request: Request, candidate_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set my vote; the same button again removes it."""
    row = get_candidate(tx, me, candidate_id)
    value = VOTES.get(fields.get("vote"), 0)
    commands.vote(tx, me, candidate_id, 0 if value == row.mine else value)
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/meetings/series/{row.series_id}#candidates"))


@router.post(f"{ONE}/withdraw")
def withdraw(request: Request, candidate_id: int, me: Me, tx: WriteTx) -> Response:
    """Withdraw a candidate."""
    row = get_candidate(tx, me, candidate_id)
    commands.withdraw(tx, me, candidate_id)
    return redirect_with_flash(request, f"/meetings/series/{row.series_id}", _("Proposal withdrawn"))
