"""API endpoints for translated titles."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.library.papers import lists, translated_titles
from readtrack.library.papers.translated_titles import TranslatedTitleUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, conditional_response
from readtrack.web.routing import api_router

router = api_router("papers")


class TranslatedTitleRead(BaseModel):
    """A translated title. `machine`: drafted by a language model and saved unchanged."""

    language: str
    title: str
    machine: bool


@router.get("/papers/{paper_id:int}/translations", responses={200: {"model": list[TranslatedTitleRead]}})
def list_translated_titles(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the translated titles of a paper."""
    lists.get_row(tx, me, paper_id)
    items = [
        {name: getattr(row, name) for name in TranslatedTitleRead.model_fields}
        for row in translated_titles.list_translated_titles(tx, paper_id)
    ]
    return conditional_response(request, {"items": items})


@router.put(
    "/papers/{paper_id:int}/translations/{language}",
    status_code=204,
    openapi_extra=request_body_schema(TranslatedTitleUpdate),
)
def set_translated_title(paper_id: int, language: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """Set the translated title of a paper.

    In `en`, `ja` or `zh-Hans`.
    """
    translated_titles.set_translated_title(
        tx, me, paper_id, language, update=validate_input(TranslatedTitleUpdate, body)
    )
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/translations/{language}", status_code=204)
def remove_translated_title(paper_id: int, language: str, me: Me, tx: WriteTx) -> Response:
    """Remove a translated title of a paper.

    Safe to repeat.
    """
    translated_titles.remove_translated_title(tx, me, paper_id, language)
    return Response(status_code=204)
