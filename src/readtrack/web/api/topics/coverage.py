"""Who read what of a topic."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.library.topics import queries
from readtrack.library.topics.coverage import get_coverage, question_of
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import answer_for
from readtrack.web.routing import api_router

router = api_router("topics")


class CoveredOut(BaseModel):
    """A paper; `states`: by a person's id, where they stand with it (read, reading, paused, to_read, dropped)."""

    paper: int
    title: str
    states: dict[int, str]


class ReaderOut(BaseModel):
    id: int
    name: str


class CoverageOut(BaseModel):
    """A page of papers, and the people who have something of them, who read most of these first."""

    papers: list[CoveredOut]
    people: list[ReaderOut]
    next: str | None


class CoverageQuery(BaseModel):
    """Which part of the papers."""

    model_config = ConfigDict(extra="forbid")
    limit: int | None = None
    after: str | None = None


@router.get("/topics/{slug}/coverage", responses={200: {"model": CoverageOut}})
def show_coverage(
    request: Request, slug: str, wanted: Annotated[CoverageQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """Papers of the topic and those below it by people, as far as readings are shared or mine."""
    topic_id = queries.get_id(tx, slug)
    page = get_coverage(tx, me, topic_id, cut_for(request, question_of(slug), limit=wanted.limit, after=wanted.after))
    cursor, [covered] = cursor_for(request, question_of(slug), page), page.items
    papers = [{"paper": paper.id, "title": paper.title, "states": paper.states} for paper in covered.papers]
    people = [{"id": number, "name": name} for number, name in covered.people]
    return linked(request, answer_for(request, {"papers": papers, "people": people, "next": cursor}), cursor)
