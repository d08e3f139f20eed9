"""Dependencies that generate a draft before the endpoint's transaction begins."""

from typing import Annotated

from fastapi import Depends, Request

from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.forms import Form, validate_input
from readtrack.web.responses.json import Body
from readtrack.workspace.ai_drafts import generate
from readtrack.workspace.ai_drafts.generate import AiDraft
from readtrack.workspace.ai_drafts.prompts import Purpose

MAX_CONCURRENCY = 2  # concurrent requests to the model per process; each may take a minute


class AiDraftRequest(StrictModel):
    """The kind of text to draft."""

    of: Purpose


def draft_from_form(request: Request, paper_id: int, me: Me, fields: Form) -> AiDraft:
    """Return the draft requested by a form. Raise NotFound if no model is configured."""
    return _draft(request, me, paper_id, fields.get("of"))


def draft_from_json(request: Request, paper_id: int, me: Me, body: Body) -> AiDraft:
    """Return the draft requested by a JSON body. Raise NotFound if no model is configured."""
    return _draft(request, me, paper_id, validate_input(AiDraftRequest, body).of)


FormDraft = Annotated[AiDraft, Depends(draft_from_form, max_concurrency=MAX_CONCURRENCY)]
JsonDraft = Annotated[AiDraft, Depends(draft_from_json, max_concurrency=MAX_CONCURRENCY)]


def _draft(request: Request, me: CurrentUser, paper_id: int, purpose: str) -> AiDraft:
    state = request.app.state
    if state.model is None:
        message = _("No language model is set up. An admin can set READTRACK_LLM_URL.")
        raise NotFound(message)
    return generate.generate_draft(
        state.database, state.model, me, paper_id=paper_id, purpose=purpose, budget=state.settings.llm_budget
    )
