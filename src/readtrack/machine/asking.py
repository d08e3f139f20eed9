"""A draft as a dependency of both doors: made before the transaction of the answer begins."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict

from readtrack.errors import NotFound
from readtrack.languages import gettext as _
from readtrack.machine import drafting
from readtrack.machine.drafting import Drafted
from readtrack.machine.prompts import Purpose
from readtrack.policy import Visitor
from readtrack.web.answers import Body
from readtrack.web.forms import Form, valid
from readtrack.web.visitor import Me

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
    return drafting.draft(
        state.database, state.model, me, paper_id=paper_id, purpose=purpose, budget=state.settings.llm_budget
    )
