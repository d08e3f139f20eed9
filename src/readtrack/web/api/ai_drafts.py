"""Drafts by a machine, as JSON."""

from pydantic import BaseModel
from starlette.responses import Response

from readtrack.web.dependencies.llm import AiDraftRequest, JsonDraft
from readtrack.web.responses.json import JsonResponse, request_body_schema
from readtrack.web.routing import api_router
from readtrack.workspace.ai_drafts.prompts import Purpose

router = api_router("drafts by a machine")


class AiDraftRead(BaseModel):
    """A draft by the model of that name, which nobody has checked. `topics`: slugs and names, where these are asked."""

    of: Purpose
    model: str
    text: str
    topics: list[dict[str, str]]


@router.post(
    "/papers/{paper_id:int}/ai-draft",
    responses={200: {"model": AiDraftRead}},
    openapi_extra=request_body_schema(AiDraftRequest),
)
def draft(paper_id: int, drafted: JsonDraft) -> Response:  # noqa: ARG001 - the draft is of that paper
    """Has a language model draft something of a paper, in your language. Nothing is kept; 404 when none is set up."""
    topics = [{"slug": slug, "name": name} for slug, name in drafted.topics]
    return JsonResponse({"of": drafted.purpose, "model": drafted.model, "text": drafted.text, "topics": topics})
