"""API endpoints that help with searching: autocompletion, and alternatives without results."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from readtrack import search
from readtrack.infra.validation import StrictModel
from readtrack.library.papers.relaxed_queries import relax_query
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("search")


class SearchCompletionQuery(StrictModel):
    """`q`: the search being typed; `at`: position of the caret, by default at the end."""

    q: str = ""
    at: int | None = None


class SearchCompletion(ResponseModel):
    """A completion of the search.

    `q`: the completed search; `at`: the new position of the caret; `text`: the inserted text; `note`: its meaning.
    """

    q: str
    at: int
    text: str
    note: str


class SearchCompletionList(ResponseModel):
    items: list[SearchCompletion]


@router.get("/search/complete", responses={200: {"model": SearchCompletionList}})
def complete_search(
    request: Request, _me: Me, tx: ReadTx, wanted: Annotated[SearchCompletionQuery, Query()]
) -> Response:
    """Complete a search.

    Filters and their values, at most eight.
    """
    suggestions = search.complete(tx, wanted.q, len(wanted.q) if wanted.at is None else wanted.at)
    return conditional_response(request, {"items": [suggestion._asdict() for suggestion in suggestions]})


class RelaxedSearchQuery(StrictModel):
    """`q`: a search without results."""

    q: str = ""


class RelaxedSearch(ResponseModel):
    """The search `q` without `term`. `count`: number of papers; `bounded`: there may be more."""

    term: str
    q: str
    count: int
    bounded: bool


class RelaxedSearchList(ResponseModel):
    items: list[RelaxedSearch]


@router.get("/search/nearby", responses={200: {"model": RelaxedSearchList}})
def list_relaxed_searches(
    request: Request, me: Me, tx: ReadTx, wanted: Annotated[RelaxedSearchQuery, Query()]
) -> Response:
    """List searches without one of the terms.

    For each of the first five terms, with the number of papers up to a hundred.
    """
    relaxed_searches = relax_query(tx, me, wanted.q)
    return conditional_response(
        request,
        {
            "items": [
                {"term": relaxed.term, "q": relaxed.q, "count": relaxed.papers, "bounded": relaxed.is_bounded}
                for relaxed in relaxed_searches
            ]
        },
    )
