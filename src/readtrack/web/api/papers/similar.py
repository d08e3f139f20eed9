"""API endpoint for similar papers."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.library.papers import similar
from readtrack.web.api.papers.schemas import PaperRead, paper_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import conditional_response
from readtrack.web.routing import api_router

router = api_router("papers")


class SimilarPaperList(BaseModel):
    """Up to six papers, most similar first.

    For the whole library in this order: `/papers?q=sort:near(arxiv:…)`.
    """

    items: list[PaperRead]


@router.get("/papers/{paper_id:int}/similar", responses={200: {"model": SimilarPaperList}})
def list_similar_papers(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List similar papers.

    By the words of title and abstract.
    """
    return conditional_response(
        request, {"items": [paper_json(row) for row in similar.list_similar_papers(tx, me, paper_id)]}
    )
