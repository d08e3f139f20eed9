"""API endpoints for autosaved drafts; each browser tab has its own draft."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Request
from starlette.responses import Response

from readtrack.infra.models import Draft
from readtrack.library.topics.queries import get_topic
from readtrack.reading.drafts import commands, queries
from readtrack.reading.drafts.commands import TAB, DraftSubject, DraftUpdate
from readtrack.reading.drafts.queries import DraftRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("drafts")
Tab = Annotated[str, Path(pattern=f"^{TAB}$")]


class DraftRead(ResponseModel):
    """An unsaved text of mine. `subject_id`: id of the summarized paper, or of the topic."""

    id: int
    subject: str
    subject_id: int
    title: str
    page: str
    tab: str
    number: int
    version: int | None
    fields: dict[str, str]
    saved_at: datetime


class DraftList(ResponseModel):
    """All my drafts, newest first."""

    items: list[DraftRead]


class DraftReceipt(ResponseModel):
    """The saved draft. `number`: send it when the same tab saves again."""

    id: int
    number: int
    saved_at: datetime


@router.get("/drafts", responses={200: {"model": DraftList}})
def list_drafts(request: Request, me: Me, tx: ReadTx) -> Response:
    """List my drafts.

    Nobody else sees them.
    """
    return conditional_response(request, {"items": [_draft_json(draft) for draft in queries.list_drafts(tx, me)]})


@router.put(
    "/papers/{paper_id:int}/summary/drafts/{tab}",
    responses={200: {"model": DraftReceipt}, 412: {}},
    openapi_extra=request_body_schema(DraftUpdate, {"fields": {"markdown": "Half a thought"}}),
)
def save_summary_draft(paper_id: int, tab: Tab, me: Me, body: Body, tx: WriteTx) -> Response:
    """Save a draft of my summary.

    `tab` names the browser window; 412 if another window has that name.
    """
    data = validate_input(DraftUpdate, body)
    return _draft_response(commands.save_draft(tx, me, DraftSubject("summary", paper_id), tab, data=data))


@router.put(
    "/topics/{slug}/drafts/{tab}",
    responses={200: {"model": DraftReceipt}, 412: {}},
    openapi_extra=request_body_schema(DraftUpdate, {"fields": {"markdown": "Half a thought"}}),
)
def save_topic_draft(slug: str, tab: Tab, me: Me, body: Body, tx: WriteTx) -> Response:
    """Save a draft of a topic's text.

    `tab` names the browser window; 412 if another window has that name.
    """
    data = validate_input(DraftUpdate, body)
    subject = DraftSubject("topic", get_topic(tx, me, slug).row.id)
    return _draft_response(commands.save_draft(tx, me, subject, tab, data=data))


@router.delete("/drafts/{draft_id:int}", status_code=204)
def discard_draft(draft_id: int, me: Me, tx: WriteTx) -> Response:
    """Discard a draft of mine."""
    commands.discard_draft(tx, me, draft_id)
    return Response(status_code=204)


def _draft_response(draft: Draft) -> Response:
    return JsonResponse({"id": draft.id, "number": draft.number, "saved_at": draft.saved_at})


def _draft_json(draft: DraftRow) -> dict[str, Any]:
    data = draft._asdict() | {"page": draft.address}
    return {name: data[name] for name in DraftRead.model_fields}
