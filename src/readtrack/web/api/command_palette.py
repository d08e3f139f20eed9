"""API endpoint for the command palette."""

from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.validation import TrimmedModel
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace import command_palette

router = api_router("command palette")


class PaletteQuery(TrimmedModel):
    """The search text. `q`: words of a title or name, or an identifier; blank for what I am reading."""

    q: str = ""


class PaletteHit(ResponseModel):
    """A search result that has its own page."""

    kind: Literal["paper", "topic", "person", "view", "meeting", "question"]
    title: str
    address: str
    note: str
    language: str


class PaletteHitList(ResponseModel):
    items: list[PaletteHit]


@router.get("/palette", responses={200: {"model": PaletteHitList}})
def search_palette(request: Request, me: Me, tx: ReadTx, wanted: Annotated[PaletteQuery, Query()]) -> Response:
    """Search by title, name or identifier.

    A few papers, topics, people, saved searches, meetings and questions; with a blank `q`, what I am reading.
    """
    hits = command_palette.search_palette(tx, me, wanted.q) if wanted.q else command_palette.list_current_papers(tx, me)
    return conditional_response(request, {"items": [hit._asdict() for hit in hits]})
