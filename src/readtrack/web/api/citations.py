"""API endpoints for citations."""

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.library.citations import commands, frequently_cited
from readtrack.library.citations.frequently_cited import MissingWork
from readtrack.library.citations.queries import CitedPaper, list_citations
from readtrack.library.papers.lists import get_row
from readtrack.web.api.jobs import StartedJob
from readtrack.web.api.papers.papers import PaperName
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.responses.json import ItemList, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("citations")


class CitedPaperRead(ResponseModel):
    """A paper of the library that cites or is cited. `related`: the citation is a relation of the two as well."""

    id: int
    title: str
    year: int | None
    related: bool


class PaperCitations(ResponseModel):
    """Papers of the library that this paper cites or is cited by.

    `works`: length of the longest citation list reported by a service.
    """

    cites: list[CitedPaperRead]
    cited_by: list[CitedPaperRead]
    works: int
    services: list[str]


class MissingQuery(StrictModel):
    """The topic (slug or name) whose papers cite the works; `refused`: dismissed works instead."""

    topic: str = ""
    refused: bool = False


class TopicCitationsRequest(ResponseModel):
    """The number of papers whose citations were requested."""

    papers: int


class MissingWorkRead(ResponseModel):
    """A cited work that is not in the library.

    `papers`: number of citing papers; `by`: up to three of them.
    """

    id: int
    identifier: str
    url: str
    title: str
    year: int | None
    papers: int
    by: list[PaperName]


@router.get("/papers/{paper_id:int}/citations", responses={200: {"model": PaperCitations}})
def get_paper_citations(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Get the citations of a paper.

    Which papers of the library it cites and which cite it, according to the services.
    """
    get_row(tx, me, paper_id)
    citations = list_citations(tx, me, paper_id)
    papers = {"cites": [*map(_paper, citations.cites)], "cited_by": [*map(_paper, citations.cited_by)]}
    return conditional_response(request, {**papers, "works": citations.works, "services": list(citations.services)})


@router.post("/papers/{paper_id:int}/citations/ask", responses={202: {"model": StartedJob}})
def request_paper_citations(paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Request the citations of a paper.

    One request to a service; the answer has the job.
    """
    return JsonResponse({"job": commands.request_citations(tx, me, paper_id)}, 202)


@router.get("/citations/missing", responses={200: {"model": ItemList[MissingWorkRead]}})
def list_missing_works(request: Request, wanted: Annotated[MissingQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List frequently cited works that are not in the library.

    Cited by at least two papers, most cited first, at most a hundred.
    """
    works = frequently_cited.list_missing_works(tx, me, wanted.topic, dismissed=wanted.refused)
    return conditional_response(request, {"items": [_work(work) for work in works]})


@router.put("/citations/{work_id:int}/dismissal", status_code=204)
def dismiss_missing_work(work_id: int, me: Me, tx: WriteTx) -> Response:
    """Dismiss a cited work."""
    commands.dismiss_work(tx, me, work_id)
    return Response(status_code=204)


@router.delete("/citations/{work_id:int}/dismissal", status_code=204)
def reopen_missing_work(work_id: int, me: Me, tx: WriteTx) -> Response:
    """List a dismissed work again."""
    commands.reopen_work(tx, me, work_id)
    return Response(status_code=204)


@router.post("/topics/{slug}/citations/ask", responses={202: {"model": TopicCitationsRequest}})
def request_topic_citations(slug: str, me: Me, tx: WriteTx) -> Response:
    """Request the citations of a topic's papers.

    Of its newest papers without citations; the answer has their number.
    """
    return JsonResponse({"papers": commands.request_topic_citations(tx, me, slug)}, 202)


def _paper(paper: CitedPaper) -> dict[str, Any]:
    return {"id": paper.id, "title": paper.title, "year": paper.year, "related": paper.stored}


def _work(work: MissingWork) -> dict[str, Any]:
    data = {name: getattr(work, name) for name in ("id", "identifier", "url", "title", "year", "papers")}
    return {**data, "by": [{"id": paper.id, "title": paper.title} for paper in work.citing_papers]}
