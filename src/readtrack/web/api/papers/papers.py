"""API endpoints for papers, similar ones included, and the schemas of papers that all endpoints share."""

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra.errors import BadRequest, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.validation import StrictModel
from readtrack.library.papers import commands, detail, lists, similar
from readtrack.library.papers import lookup as papers_lookup
from readtrack.library.papers.commands import PaperCreate
from readtrack.library.papers.detail import PaperDetail
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.papers.lists import PaperFilter, PaperRow
from readtrack.reading.readings.queries import find_my_reading
from readtrack.reading.readings.schemas import Status
from readtrack.reading.summaries.queries import find_my_summary
from readtrack.web.api.activity import EventData
from readtrack.web.api.jobs import StartedJob
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    ItemList,
    ResponseModel,
    conditional_response,
    etag,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router
from readtrack.workspace.saved_searches.queries import resolve_saved_search

LIST_INCLUDES = ("reading", "topics", "total")
DETAIL_INCLUDES = ("reading", "topics", "summary")


class PaperRead(ResponseModel):
    """A paper in a list. `waiting`: short text while metadata is pending."""

    id: int
    kind: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    language: str
    triage: str
    identifiers: list[str]
    url: str
    waiting: str
    version: int
    added_at: datetime
    updated_at: datetime


class PaperName(ResponseModel):
    """A paper by title."""

    id: int
    title: str


class PaperTopic(ResponseModel):
    """A topic of a paper."""

    slug: str
    name: str


class IdentifierPageRead(ResponseModel):
    """An identifier and its page; `url` is blank if that is unknown."""

    identifier: str
    url: str


class PaperLinkRead(ResponseModel):
    """Where a paper can be opened. `role`: what is there."""

    url: str
    role: str


class PaperVersionRead(ResponseModel):
    """A version of a paper that a service knows."""

    label: str
    dated: datetime | None


class FieldOriginRead(ResponseModel):
    """The record that a field comes from, and when it was last checked."""

    record: int
    service: str
    at: datetime


class FieldLockRead(ResponseModel):
    """Who edited or chose a field (`by`: id of the person). `record`: the chosen one."""

    by: int
    at: datetime
    record: int | None = None


class MyStatus(ResponseModel):
    """My reading of a paper, in short."""

    status: Status
    depth: str


class MyProgress(MyStatus):
    """My reading of a paper, with how far I am. `progress_unit`: blank if I did not say."""

    progress_unit: str
    progress_at: int | None
    progress_of: int | None


class MySummary(ResponseModel):
    """My summary of a paper."""

    markdown: str
    tldr: str
    version: int


class ListedPaperRead(PaperRead):
    """A paper in a list. `reading`: mine, and `topics`: only if requested by `include`."""

    reading: MyProgress | None = None
    topics: list[PaperTopic] = Field(default_factory=list)


class PaperDetailRead(PaperRead):
    """A paper with all its data.

    `origins`: field -> record it comes from; `locked`: fields edited or chosen by a person.
    """

    publication_type: str
    abstract: str
    published_on: date | None
    citation_key: str
    identifier_pages: list[IdentifierPageRead]
    links: list[PaperLinkRead]
    versions: list[PaperVersionRead]
    problems: list[str]
    origins: dict[str, FieldOriginRead]
    locked: dict[str, FieldLockRead]


class PaperWithIncludes(PaperDetailRead):
    """A paper with all its data. `reading` and `summary`: mine, and `topics`: only if requested by `include`."""

    reading: MyStatus | None = None
    topics: list[PaperTopic] = Field(default_factory=list)
    summary: MySummary | None = None


class AddedPaperRead(PaperDetailRead):
    """A paper with all its data. `created`: whether it was not in the library before."""

    created: bool


def paper_json(row: PaperRow, include: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a list row as JSON."""
    data = {name: getattr(row, name) for name in PaperRead.model_fields}
    if "reading" in include:
        data["reading"] = row.my._asdict() if row.my else None
    if "topics" in include:
        data["topics"] = paper_topics_json(row)
    return data


def paper_topics_json(row: PaperRow) -> list[dict[str, str]]:
    """Return the topics of a row as JSON."""
    return [{"slug": slug, "name": name} for slug, name in row.topics]


def paper_detail_json(paper: PaperDetail, include: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a paper with all its data as JSON."""
    return {
        **paper_json(paper.row, include),
        "publication_type": paper.publication_type,
        "abstract": paper.abstract,
        "published_on": paper.published_on,
        "citation_key": paper.citation_key,
        "identifier_pages": [page._asdict() for page in paper.identifier_pages],
        "links": [{"url": link.url, "role": link.role} for link in paper.links],
        "versions": [{"label": version.label, "dated": version.dated} for version in paper.versions],
        "problems": [*paper.problems, *paper.describe_pending()],
        "origins": {
            name: {"record": origin.record_id, "service": origin.service, "at": origin.checked_at}
            for name, origin in paper.field_sources.items()
        },
        "locked": paper.field_locks,
    }


router = api_router("papers")


class PaperList(ResponseModel):
    """A page of papers; `next` is the cursor of the next page.

    `total`: only if requested by `include`.
    """

    items: list[ListedPaperRead]
    next: str | None
    total: int | None = None


class LookedUpPaper(ResponseModel):
    """An identifier in its normal form, and its paper."""

    identifier: str | None
    paper: PaperRead | None


class FoundLinkRead(PaperLinkRead):
    """A link of a paper."""

    paper_id: int


class PaperEntryRead(ResponseModel):
    """Lines of a note that a paper came from, or that mention it. `title`: of the note."""

    first_line: int
    last_line: int
    kind: str
    raw: str
    note_id: int
    title: str


class PaperEventRead(ResponseModel):
    """What happened to a paper."""

    created_at: datetime
    verb: str
    data: EventData
    person: str | None


class PaperListQuery(PageQuery):
    """The filter of papers. `q`: as in the search box; `view`: id of a saved search, instead of `q`."""

    q: str = ""
    view: int | None = None
    sort: Annotated[str, Field(description=f"{', '.join(lists.SORTS)}; each also with -asc or -desc")] = ""
    include: Annotated[str, Field(description=f"any of {', '.join(LIST_INCLUDES)}, with commas between them")] = ""


class ShowQuery(StrictModel):
    """`include`: additional data, any of reading, topics, summary."""

    include: str = ""


class LookupQuery(StrictModel):
    """An identifier in any spelling."""

    identifier: str


@router.get("/papers", responses={200: {"model": PaperList}})
def list_papers(request: Request, wanted: Annotated[PaperListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List papers.

    Newest first unless the search says otherwise. Irrelevant papers are left out unless `q` contains `is:`. The
    `total` is counted only on request.
    """
    include = _parse_include(wanted.include, LIST_INCLUDES)
    paper_filter = PaperFilter(*resolve_saved_search(tx, me, wanted.view, q=wanted.q, sort=wanted.sort))
    page_request = read_page_request(request, paper_filter.question, limit=wanted.limit, after=wanted.after)
    page = lists.list_papers(tx, me, paper_filter, page_request)
    total = {"total": lists.count_papers(tx, me, paper_filter)} if "total" in include else {}
    rows = lists.add_team_columns(tx, me, page.items) if "topics" in include else page.items
    return page_response(request, paper_filter.question, page, [paper_json(row, include) for row in rows], **total)


@router.post(
    "/papers",
    responses={200: {"model": AddedPaperRead}, 201: {"model": AddedPaperRead}},
    openapi_extra=request_body_schema(PaperCreate, {"identifier": "2402.00001"}),
)
def create_paper(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a paper by identifier or title.

    Responds 200 with "created": false if it already exists.
    """
    paper_id, created = commands.add_by_text(tx, me, validate_input(PaperCreate, body))
    payload = {"created": created, **paper_detail_json(detail.get_paper(tx, me, paper_id))}
    return once.answer(payload, status=201 if created else 200, headers={"Location": f"/api/v1/papers/{paper_id}"})


@router.get("/papers/lookup", responses={200: {"model": LookedUpPaper}})
def look_up_identifier(request: Request, wanted: Annotated[LookupQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Look up an identifier.

    Its normal form, and its paper if that is in the library. Nothing is fetched.
    """
    identifier, paper_id = papers_lookup.find_by_text(tx, wanted.identifier)
    paper = paper_json(lists.get_row(tx, me, paper_id), ()) if paper_id else None
    return conditional_response(request, {"identifier": identifier, "paper": paper})


@router.get("/papers/{paper_id:int}", responses={200: {"model": PaperWithIncludes}})
def get_paper(request: Request, paper_id: int, wanted: Annotated[ShowQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Get a paper.

    `identifier_pages` has the `url` of each identifier. With `include`, also my reading, its topics or my summary.
    """
    include = _parse_include(wanted.include, DETAIL_INCLUDES)
    paper = detail.get_paper(tx, me, paper_id)
    payload = paper_detail_json(paper, include)
    if "topics" in include:
        payload["topics"] = paper_topics_json(*lists.add_team_columns(tx, me, [paper.row]))
    if "summary" in include:
        own_summary = find_my_summary(tx, me, paper_id)
        payload["summary"] = (
            {"markdown": own_summary.markdown, "tldr": own_summary.tldr, "version": own_summary.version}
            if own_summary
            else None
        )
    if "reading" in include:
        reading = find_my_reading(tx, me, paper_id)
        payload["reading"] = {"status": reading.status, "depth": reading.depth} if reading else None
    return conditional_response(request, payload, tag=etag(paper_id, paper.row.version))


@router.patch(
    "/papers/{paper_id:int}",
    responses={200: {"model": PaperDetailRead}},
    openapi_extra=request_body_schema(PaperUpdate, {"title": "Other"}),
)
def update_paper(request: Request, paper_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a paper.

    Only the given fields change (JSON merge patch); needs If-Match. An author may be "Family, Given" or, undivided,
    "{Google Brain}". 412 carries the newer paper.
    """
    version = parse_if_match(if_match, paper_id)
    try:
        edit_paper(tx, me, paper_id, validate_input(PaperUpdate, body), version=version)
    except StaleVersion as error:
        raise StaleVersion(error.message, current=paper_detail_json(detail.get_paper(tx, me, paper_id))) from error
    paper = detail.get_paper(tx, me, paper_id)
    return conditional_response(request, paper_detail_json(paper), tag=etag(paper_id, paper.row.version))


@router.delete("/papers/{paper_id:int}", status_code=204)
def delete_paper(paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a paper.

    It can be restored for 30 days.
    """
    commands.delete_paper(tx, me, paper_id)
    return Response(status_code=204)


@router.post("/papers/{paper_id:int}/restore", responses={200: {"model": PaperDetailRead}})
def restore_paper(paper_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Restore a deleted paper."""
    commands.restore_paper(tx, me, paper_id)
    return once.answer(paper_detail_json(detail.get_paper(tx, me, paper_id)), status=200)


@router.post("/papers/{paper_id:int}/refresh", responses={202: {"model": StartedJob}})
def refresh_paper(paper_id: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Refresh the metadata of a paper.

    Return the id of the job, null if no service can be asked.
    """
    return once.answer({"job": commands.refresh_paper(tx, me, paper_id)}, status=202)


@router.get("/papers/{paper_id:int}/links", responses={200: {"model": ItemList[FoundLinkRead]}})
def list_paper_links(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the links of a paper.

    Where it can be opened.
    """
    lists.get_row(tx, me, paper_id)
    return conditional_response(request, {"items": [dict(row._mapping) for row in detail.list_links(tx, paper_id)]})  # noqa: SLF001 - SQLAlchemy's public name


@router.get("/papers/{paper_id:int}/entries", responses={200: {"model": ItemList[PaperEntryRead]}})
def list_paper_entries(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the note lines that a paper came from."""
    lists.get_row(tx, me, paper_id)
    return conditional_response(request, {"items": [dict(row._mapping) for row in detail.list_entries(tx, paper_id)]})  # noqa: SLF001


@router.get("/papers/{paper_id:int}/events", responses={200: {"model": ItemList[PaperEventRead]}})
def list_paper_events(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the events of a paper.

    Newest first.
    """
    lists.get_row(tx, me, paper_id)
    rows = detail.list_events(tx, me, paper_id)
    return conditional_response(request, {"items": [dict(row._mapping) for row in rows]})  # noqa: SLF001


def _parse_include(text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    unknown = [name for name in names if name not in allowed]
    if unknown:
        message = _("`include` accepts {list}, not {list_2}.").format(
            list=", ".join(allowed), list_2=", ".join(unknown)
        )
        raise BadRequest(message, code="bad-include")
    return names


class SimilarPaperList(ResponseModel):
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
