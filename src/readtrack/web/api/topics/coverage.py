"""API endpoint for the reading coverage of a topic."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.library.topics import queries
from readtrack.library.topics.coverage import cursor_context, get_coverage
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import PageQuery, add_next_link, get_next_cursor, read_page_request
from readtrack.web.responses.json import conditional_response
from readtrack.web.routing import api_router

router = api_router("topics")


class PaperCoverage(BaseModel):
    """A paper. `states`: by person id, one of read, reading, paused, to_read, dropped."""

    paper: int
    title: str
    states: dict[int, str]


class TopicReader(BaseModel):
    id: int
    name: str


class TopicCoverageRead(BaseModel):
    """A page of papers, and the people with readings of them, those who read most first."""

    papers: list[PaperCoverage]
    people: list[TopicReader]
    next: str | None


class TopicCoverageQuery(PageQuery):
    """Pagination of the papers."""


@router.get("/topics/{slug}/coverage", responses={200: {"model": TopicCoverageRead}})
def get_topic_coverage(
    request: Request, slug: str, wanted: Annotated[TopicCoverageQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """Get the coverage of a topic.

    Its papers and those below it by person, as far as readings are shared or mine.
    """
    topic_id = queries.get_id(tx, slug)
    page = get_coverage(
        tx, me, topic_id, read_page_request(request, cursor_context(slug), limit=wanted.limit, after=wanted.after)
    )
    cursor, [coverage] = get_next_cursor(request, cursor_context(slug), page), page.items
    papers = [{"paper": paper.id, "title": paper.title, "states": paper.states} for paper in coverage.papers]
    people = [{"id": number, "name": name} for number, name in coverage.people]
    return add_next_link(
        request, conditional_response(request, {"papers": papers, "people": people, "next": cursor}), cursor
    )
