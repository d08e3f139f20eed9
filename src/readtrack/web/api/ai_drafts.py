"""API endpoint for drafts by a language model."""

from starlette.responses import Response

from readtrack.web.dependencies.llm import AiDraftRequest, JsonDraft
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import JsonResponse, ResponseModel
from readtrack.web.routing import api_router
from readtrack.workspace.ai_drafts.prompts import Purpose

router = api_router("AI drafts")


class AiDraftRead(ResponseModel):
    """An unreviewed draft by `model`.

    `topics`: slug and name of suggested topics, for that purpose only.
    """

    of: Purpose
    model: str
    text: str
    topics: list[dict[str, str]]


@router.post(
    "/papers/{paper_id:int}/ai-draft",
    responses={200: {"model": AiDraftRead}},
    openapi_extra=request_body_schema(AiDraftRequest, {"of": "tldr"}),
)
def create_ai_draft(paper_id: int, drafted: JsonDraft) -> Response:  # noqa: ARG001 - the draft is of that paper
    """Draft a text with the language model.

    A line, a summary, topics or a title, in my language. Nothing is saved; 404 if no model is set up.
    """
    topics = [{"slug": slug, "name": name} for slug, name in drafted.topics]
    return JsonResponse({"of": drafted.purpose, "model": drafted.model, "text": drafted.text, "topics": topics})
