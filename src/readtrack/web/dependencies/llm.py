"""A draft as a dependency of both doors: made before the transaction of the answer begins."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict

from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.forms import Form, valid
from readtrack.web.responses.json import Body
from readtrack.workspace.ai_drafts import generate
from readtrack.workspace.ai_drafts.generate import Drafted
from readtrack.workspace.ai_drafts.prompts import Purpose

AT_ONCE = 2  # questions to the model at once in a process: each may take a minute


class DraftWanted(BaseModel):
    """What shall be drafted of a paper."""

    model_config = ConfigDict(extra="forbid")
    of: Purpose


def by_form(request: Request, paper_id: int, me: Me, fields: Form) -> Drafted:
    """The draft that a form asks for. Raises NotFound when no model is set up."""
    return _draft(request, me, paper_id, fields.get("of"))


def by_json(request: Request, paper_id: int, me: Me, body: Body) -> Drafted:
    """The same for a program."""
    return _draft(request, me, paper_id, valid(DraftWanted, body).of)


FormDraft = Annotated[Drafted, Depends(by_form, max_concurrency=AT_ONCE)]
JsonDraft = Annotated[Drafted, Depends(by_json, max_concurrency=AT_ONCE)]


def _draft(request: Request, me: Visitor, paper_id: int, purpose: str) -> Drafted:
    state = request.app.state
    if state.model is None:
        message = _("No language model is set up here, so nothing can be drafted. An admin may set READTRACK_LLM_URL.")
        raise NotFound(message)
    return generate.draft(
        state.database, state.model, me, paper_id=paper_id, purpose=purpose, budget=state.settings.llm_budget
    )
