"""API endpoints for grouped lists and facets of papers."""

from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.library.papers.facets import count_facets
from readtrack.library.papers.grouping import page_groups
from readtrack.library.papers.lists import PaperFilter
from readtrack.web.api.papers.papers import PaperRead, paper_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.responses.json import ResponseModel, conditional_response, page_response
from readtrack.web.routing import api_router

router = api_router("papers")


class GroupedPaperRead(ResponseModel):
    """A paper in one of its groups. `group`: blank for papers without a group."""

    group: str
    text: str
    paper: PaperRead


class GroupedPaperList(ResponseModel):
    """A page of papers by group; `next` is the cursor of the next page."""

    items: list[GroupedPaperRead]
    next: str | None


class GroupQuery(PageQuery):
    """The query, the grouping, and the sort within a group."""

    by: Literal["status", "topic", "venue", "year", "reader"]
    q: str = ""
    sort: str = ""


class FacetValueRead(ResponseModel):
    """A facet value. `value`: as in the query language."""

    value: str
    text: str
    papers: int


class FacetList(ResponseModel):
    """The facets of a query.

    `total`: counted up to 2,000; `bounded`: only the newest 2,000 papers were counted.
    """

    total: int
    bounded: bool
    facets: dict[str, list[FacetValueRead]]


class FacetsQuery(StrictModel):
    """The query whose facets are counted."""

    q: str = ""


@router.get("/papers/groups", responses={200: {"model": GroupedPaperList}})
def list_grouped_papers(request: Request, wanted: Annotated[GroupQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List papers by group.

    Those without a group last. A paper in several groups is listed in each of them.
    """
    paper_filter = PaperFilter(wanted.q.strip(), wanted.sort)
    cursor_context = f"{paper_filter.question}\0{wanted.by}"
    page_request = read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    page = page_groups(tx, me, paper_filter, page_request, by=wanted.by)
    items = [{"group": row.value, "text": row.text, "paper": paper_json(row.paper)} for row in page.items]
    return page_response(request, cursor_context, page, items)


@router.get("/papers/facets", responses={200: {"model": FacetList}})
def get_facets(request: Request, wanted: Annotated[FacetsQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Get the facets of a search.

    Filters that could narrow it down, and the number of papers that each would leave among the newest 2,000.
    """
    counts = count_facets(tx, me, PaperFilter(wanted.q.strip()))
    facets = {name: [value._asdict() for value in values] for name, values in counts.facets.items()}
    return conditional_response(request, {"total": counts.total, "bounded": counts.is_bounded, "facets": facets})
